"""From an empty service to the report of a file, in a real browser; odd files."""

from pathlib import Path

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe

import app.pages
from app.settings import Settings
from tests.app.predict.conftest import Registry, Running

HEART = (Path(__file__).parents[3] / "examples" / "heart.csv").read_text()
GERMAN = HEART.replace(",", ";").replace(".", ",").replace("age", "größe", 1)
HOSTILE = "<img src=x onerror=document.title=1>"


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service in a thread, without a worker, that takes small files only."""
    settings = Settings(
        data_dir=tmp_path_factory.mktemp("small"),
        max_upload_bytes=60_000,
        _env_file=None,
    )
    registry, running = Registry(settings), Running(settings)
    yield running
    running.stop()
    registry.database.close()


@pytest.fixture
def drop(service, browse):
    """Drop a file; return the page that follows."""

    def bring(content, name="cases.csv", **options):
        page = browse(**options).page()
        page.goto(f"{service.http.base_url}/ui/train")
        sent = {"name": name, "mimeType": "", "buffer": content}
        page.get_by_label("Drop the file here").set_input_files(sent)
        page.get_by_role("button", name="Read the file").click()
        return page

    return bring


def types(page):
    return {
        row.locator("th").inner_text().split("\n")[0]: row.locator("td")
        .nth(1)
        .inner_text()
        .split("\n")
        for row in page.locator("tbody tr").all()
    }


def pick(page, column):
    page.get_by_role("link", name=f"This is what turned out {column}").click()


def table(columns, rows):
    return "\n".join([columns, *rows]).encode()


def test_from_an_empty_service_to_the_report_of_a_german_spreadsheet(server, browse):
    watched = browse()
    page, actions = watched.page(), 0
    page.goto(f"{server.url}/ui")

    def act(step):
        nonlocal actions
        actions += 1
        step()

    act(page.get_by_role("link", name="New model").first.click)
    sent = {"name": "heart.csv", "mimeType": "", "buffer": GERMAN.encode("cp1252")}
    act(lambda: page.get_by_label("Drop the file").set_input_files(sent))
    act(page.get_by_role("button", name="Read the file").click)
    kinds = types(page)
    assert kinds["st_depression"] == kinds["größe"] == ["number"]
    assert kinds["high_sugar"] == ["true or false"]
    act(lambda: pick(page, "disease"))
    assert page.get_by_role("link", name="yes (47.0 %)").get_attribute("aria-current")
    act(lambda: page.get_by_label("A yes case that is taken for no").fill("10"))
    says = "a missed yes case costs as much as 50 looks of a person"
    assert says in page.locator("#says").inner_text()
    act(page.get_by_role("button", name="Train").click)
    version = page.get_by_role("link", name="version 1")
    version.wait_for(timeout=110_000)
    act(version.click)
    assert actions <= 12
    assert page.url == f"{server.url}/ui/models/heart/1"
    assert "Of 1,000 cases like these people see" in page.locator("main").inner_text()
    told = server.http.get("/models/heart/versions/1").json()
    assert told["costs"] == {
        "false_positive": 1.0,
        "false_negative": 10.0,
        "reject_positive": 0.2,
        "reject_negative": 0.2,
    }
    assert told["labels"] == {"positive": "yes", "negative": "no"}
    assert not watched.complaints
    assert all(url.startswith(server.url) for url in watched.requests)


def test_a_spreadsheet_in_us_form_is_read_as_well(drop):
    page = drop(b"\xef\xbb\xbf" + HEART.replace("\n", "\r\n").encode())
    assert types(page)["st_depression"] == ["number"]


def test_what_would_mislead_is_unticked_with_its_reason(drop):
    lines = [
        f"{i},P-{i},2026-01-{1 + i % 28:02},same,{i % 7},{'bad' if i % 3 else 'good'}"
        for i in range(60)
    ]
    page = drop(table("row,patient,day,unit,dose,end", lines))
    pick(page, "end")
    ticked = {
        name: page.get_by_label(f"Use {name}").is_checked()
        for name in ("row", "patient", "day", "unit", "dose")
    }
    assert [name for name, on in ticked.items() if on] == ["dose"]
    kinds = types(page)
    assert "running number" in kinds["row"][1]
    assert "text of its own" in kinds["patient"][1]
    assert "dates" in kinds["day"][1]
    assert "same in every row" in kinds["unit"][1]
    assert page.get_by_role("link", name="good (33.3 %)").get_attribute("aria-current")
    page.get_by_role("link", name="bad (66.7 %)").click()
    assert page.get_by_label("A bad case that is taken for good").count() == 1


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ("abcd", "has 4 different values, and two are needed"),
        ("a", "has the same value in every row"),
        (["a", "b", ""], "have no value in column end"),
    ],
)
def test_a_target_that_cannot_be_one_says_what_to_do(drop, cells, told):
    lines = [f"{i % 9},{cells[i % len(cells)]}" for i in range(60)]
    page = drop(table("dose,end", lines))
    pick(page, "end")
    assert told in page.get_by_role("alert").inner_text()
    assert page.get_by_role("button", name="Train").count() == 0


def test_a_file_that_cannot_be_read_says_where_and_shows_nothing_of_it(drop, service):
    before = len(service.http.get("/datasets").json()["datasets"])
    page = drop(b"dose,end\n1,good\n2,secret,4711\n3,bad\n")
    told = page.get_by_role("alert").inner_text()
    assert "row 2" in told or "line 3" in told
    assert "Nothing of the file was kept" in told
    assert "4711" not in page.content()
    page = drop(b"PK\x03\x04" + bytes(200), name="cases.xlsx")
    assert "save it as CSV" in page.get_by_role("alert").inner_text()
    assert len(service.http.get("/datasets").json()["datasets"]) == before


def test_a_file_that_is_too_large_is_told_before_it_is_sent(service, browse):
    watched = browse()
    page = watched.page()
    page.goto(f"{service.http.base_url}/ui/train")
    sent = {"name": "cases.csv", "mimeType": "", "buffer": bytes(70_000)}
    field = page.get_by_label("Drop the file here")
    field.set_input_files(sent)
    page.get_by_role("button", name="Read the file").click()
    told = field.evaluate("field => field.validationMessage")
    assert "DEMUR_MAX_UPLOAD_BYTES" in told
    assert "Send fewer rows" in told
    assert page.url.endswith("/ui/train")
    assert not [url for url in watched.requests if "static" not in url][1:]


def test_without_script_a_file_that_is_too_large_leads_back_to_its_field(
    service, browse
):
    page = browse(java_script_enabled=False).page()
    page.goto(f"{service.http.base_url}/ui/train")
    sent = {"name": "cases.csv", "mimeType": "", "buffer": bytes(70_000)}
    page.set_input_files("#file", sent)
    page.locator("form:has(#file) button").first.click()
    assert "Send fewer rows" in page.get_by_role("alert").inner_text()
    assert page.locator("#file").count() == 1
    assert "/ui/train" in page.url


def test_a_file_to_decide_that_is_too_large_leads_back_to_its_form(service):
    answer = service.http.post(
        "/ui/decide/file?model=m", files={"file": ("cases.csv", bytes(70_000))}
    )
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/ui/decide?model=m&refused=")


def jobs(service):
    return service.http.get("/jobs").json()["jobs"]


SENT_TWICE = """async () => {
  const form = document.querySelector("form:has([name=once])");
  const send = () => fetch(form.action, {
    method: "POST", body: new URLSearchParams(new FormData(form)),
  });
  return (await Promise.all([send(), send()])).map((answer) => answer.url);
}"""


def test_the_same_form_sent_twice_is_one_training(drop, service):
    page = drop(HEART.encode())
    pick(page, "disease")
    form = page.url
    one, other = page.evaluate(SENT_TWICE)
    assert one == other
    assert "/ui/jobs/" in one
    page.get_by_label("A person looking at a case costs").fill("0.3")
    assert one not in page.evaluate(SENT_TWICE)
    page.goto(form)  # a form of its own: meant anew
    assert one not in page.evaluate(SENT_TWICE)
    assert len(jobs(service)) == 3


def test_the_example_leads_an_empty_service_to_a_training(service, browse):
    page = browse().page()
    page.goto(f"{service.http.base_url}/ui")
    page.get_by_role("button", name="Begin with the example").click()
    assert page.get_by_role("link", name="yes (47.0 %)").get_attribute("aria-current")
    assert page.get_by_role("button", name="Train").count() == 1
    assert page.get_by_label("Name of the model").input_value() == "example"
    shipped = Path(app.pages.__file__).parent / "example.csv"
    assert shipped.read_text() == HEART


def test_a_price_that_is_none_is_told_at_its_field_and_nothing_is_lost(drop, service):
    before = jobs(service)
    page = drop(HEART.encode())
    pick(page, "disease")
    page.get_by_label("Use age").uncheck()
    page.get_by_label("A person looking at a case costs").fill("much")
    page.get_by_label("Name of the model").fill("a name")
    page.get_by_role("button", name="Train").click()
    for name in ("A person looking at a case costs", "Name of the model"):
        assert page.get_by_label(name).get_attribute("aria-invalid") == "true"
    assert not page.get_by_label("Use age").is_checked()
    assert page.get_by_label("Use sex").is_checked()
    assert jobs(service) == before


def test_hostile_names_and_values_run_nothing(drop):
    lines = [f"{i % 5},{HOSTILE if i % 2 else 'fine'}" for i in range(40)]
    page = drop(table(f"dose,{HOSTILE}", lines), name=f"{HOSTILE}.csv")
    pick(page, HOSTILE)
    assert page.title() == "New model · Demur"
    assert page.locator("main img").count() == 0
    assert HOSTILE in page.locator("h1").inner_text() + page.content()


def test_without_script_it_leads_as_far(drop, service):
    page = drop(HEART.encode(), java_script_enabled=False)
    pick(page, "disease")
    says = "a missed yes case costs as much as 25 looks of a person"
    assert says in page.locator("#says").inner_text()
    page.get_by_role("button", name="Train").click()
    assert "/ui/jobs/" in page.url
    job = service.http.get(f"/jobs/{page.url.rpartition('/')[2]}").json()
    assert job["model"] == "cases"


def test_a_forged_form_is_refused(service):
    url = f"{service.http.base_url}/ui/train"
    for path in (url, f"{url}/0b9f4c1e-6f0e-4c52-9a34-1f0f6f6f2a10"):
        answer = httpx.post(path, data={}, headers={"origin": "https://evil.example"})
        assert answer.status_code == 403


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_anybody_can_read_it_on_a_small_screen_too(drop, service, scheme):
    size = {"width": 390, "height": 800}
    page = drop(HEART.encode(), viewport=size, color_scheme=scheme)
    shown = page.url
    for address in (f"{service.http.base_url}/ui/train", f"{shown}?target=disease"):
        page.goto(address)
        assert not Axe().run(page).response["violations"]
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
