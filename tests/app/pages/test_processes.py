"""Several processes behind one page, and one that is killed: no case twice."""

import httpx
import pytest

from app.settings import Settings
from tests.app.pages.test_review import PLAIN, claim_on, press
from tests.app.predict.conftest import Registry, served
from tests.app.reviews.conftest import rows

pytestmark = pytest.mark.thorough

KEY = "the-operators-own-key"


@pytest.fixture(scope="module")
def office(tmp_path_factory, service_type):
    """Two API processes on one data folder, with a queue."""
    folder = tmp_path_factory.mktemp("office")
    registry = Registry(Settings(data_dir=folder, api_keys=KEY, _env_file=None))
    registry.add("office", served())
    registry.database.close()
    arguments = ("--no-worker", "--processes", "2")
    service = service_type(folder, {"DEMUR_API_KEYS": KEY}, arguments).start()
    yield service
    service.stop()


def fill(service, n=12, name="case"):
    """Let n cases wait."""
    admin = {"authorization": f"Bearer {KEY}"}
    with httpx.Client(base_url=service.url, headers=admin, timeout=60) as http:
        http.put("/models/office/review", json=PLAIN).raise_for_status()
        cases = [
            {"reference": f"{name}-{i}", "features": row}
            for i, row in enumerate(rows(n))
        ]
        asked = {"model": "office", "cases": cases}
        http.post("/cases", json=asked).raise_for_status()


def come_in(service, browse, name):
    asked = {"name": name, "scopes": ["review"], "person": name}
    admin = {"authorization": f"Bearer {KEY}"}
    told = httpx.post(f"{service.url}/keys", json=asked, headers=admin, timeout=60)
    page = browse().page()
    page.goto(f"{service.url}/ui/review")
    page.get_by_label("Key").fill(told.json()["key"])
    page.get_by_role("button", name="Come in").click()
    return page


def verdicts(service):
    admin = {"authorization": f"Bearer {KEY}"}
    asked = {"state": "decided", "limit": 200}
    with httpx.Client(base_url=service.url, headers=admin, timeout=60) as http:
        decided = http.get("/cases", params=asked).json()["cases"]
        each = [http.get(f"/cases/{case['id']}").json() for case in decided]
    return [given for case in each for given in case["verdicts"]]


def test_two_processes_never_give_one_case_to_two_browsers(office, browse):
    fill(office)
    ann, bob = (come_in(office, browse, name) for name in ("Ann", "Bob"))
    seen = []
    for _ in range(6):
        seen += [claim_on(ann), claim_on(bob)]
        press(ann, "1")
        press(bob, "2")
    assert len(set(seen)) == 12
    assert len(verdicts(office)) == 12


def test_a_verdict_whose_answer_a_kill_swallows_is_there_once(office, browse):
    fill(office, 3, "killed")
    page = come_in(office, browse, "Cid")
    claim, sent, before = claim_on(page), [], len(verdicts(office))

    def swallow(route):
        sent.append(route.request)
        route.fetch(max_redirects=0)  # it is kept; before the browser hears of it:
        office.kill()
        route.abort("connectionreset")

    page.route("**/ui/review/verdict", swallow)
    with page.expect_event("requestfailed"):
        page.keyboard.press("1")
    page.unroute_all()
    office.arguments = ("--no-worker",)
    office.start()
    cookie = "; ".join(f"{c['name']}={c['value']}" for c in page.context.cookies())
    headers = {
        "cookie": cookie,
        "origin": office.url,
        "content-type": "application/x-www-form-urlencoded",
    }
    url = f"{office.url}/ui/review/verdict"
    again = httpx.post(url, content=sent[0].post_data, headers=headers, timeout=60)
    assert again.status_code == 303  # the form sent again, as the browser offers to
    page.goto(f"{office.url}/ui/review")
    assert "Saved: yes, 95 % sure." in page.locator("#told").inner_text()
    assert claim_on(page) != claim
    assert len(verdicts(office)) == before + 1
