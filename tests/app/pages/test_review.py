"""Review in a real browser: one case at a time, by keys, by people who share them."""

from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from sqlalchemy import func, select, update

from app.db.base import utc_now
from app.db.review_tables import Opinion, Verdict
from app.guards.guards import Guards
from tests.app.predict.conftest import served
from tests.app.reviews.conftest import Desk, rows

PLAIN = {"audit": None, "second_opinion": None, "order": "age"}
HOSTILE = (
    "<script>document.title='run'</script><img src=x onerror=document.title='run'>"
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    opened = Desk(tmp_path_factory.mktemp("desk"))
    yield opened
    opened.stop()


@pytest.fixture(autouse=True)
def nothing_waits(desk):
    yield
    for case in desk.admin.get("/cases?state=open&limit=200").json()["cases"]:
        desk.admin.post(f"/cases/{case['id']}/withdraw")


def bring(desk, n, name, **policy):
    """Have n cases of a new model wait, oldest first."""
    desk.model(name, **{**PLAIN, **policy})
    sent = [
        {"reference": f"{name}-{i}", "features": row} for i, row in enumerate(rows(n))
    ]
    answer = desk.admin.post("/cases", json={"model": name, "cases": sent})
    assert answer.status_code == 201, answer.text


def at_the_desk(desk, browse, name, **options):
    """Return the page of a person who has come in and reviews."""
    key = desk.person(name).headers["authorization"].removeprefix("Bearer ")
    watched = browse(**options)
    page = watched.page()
    page.goto(f"{desk.admin.base_url}/ui/review")
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Come in").click()
    page.wait_for_url("**/ui/review")
    return page, watched


def claim_on(page):
    return page.locator("form#verdict input[name=claim]").input_value()


def given(desk):
    """Return how many verdicts there are, of all time."""
    with desk.registry.database.read() as session:
        return session.scalar(select(func.count()).select_from(Verdict))


def press(page, key):
    """Press a key and wait for the page that it leads to."""
    with page.expect_navigation():
        page.keyboard.press(key)


@pytest.mark.thorough
def test_forty_verdicts_by_keys_alone(desk, browse):
    bring(desk, 40, "forty")
    page, watched = at_the_desk(desk, browse, "Ann")
    for k in range(40):
        assert page.locator("h1").inner_text() == "yes or no?"
        for _ in range(k % 3):
            page.keyboard.press("ArrowLeft")
        press(page, "12"[k % 2])
    assert page.locator("h1").inner_text() == "Nothing waits for you"
    told = desk.person("Ann").get("/verdicts?limit=200").json()["verdicts"]
    assert len({verdict["case"] for verdict in told}) == 40
    assert [v["label"] for v in reversed(told)] == ["yes", "no"] * 20
    assert [v["sure"] for v in reversed(told)][:4] == [0.95, 0.9, 0.85, 0.95]
    assert not watched.complaints
    assert all(url.startswith(str(desk.admin.base_url)) for url in watched.requests)


def test_a_key_held_down_is_one_verdict(desk, browse):
    bring(desk, 5, "held")
    before = given(desk)
    page, _ = at_the_desk(desk, browse, "Ann")
    with page.expect_navigation():
        page.keyboard.down("1")
    for _ in range(20):
        page.keyboard.down("1")  # of a key that is down: repeats
    page.keyboard.up("1")
    press(page, "2")
    assert given(desk) == before + 2


def test_keys_are_dead_while_somebody_types_and_with_modifiers(desk, browse):
    bring(desk, 2, "typing")
    before = given(desk)
    page, _ = at_the_desk(desk, browse, "Ann")
    claim = claim_on(page)
    for key in ("Control+1", "Alt+2", "Meta+s"):
        page.keyboard.press(key)
    page.keyboard.press("t")
    page.keyboard.type("12 sz no")
    assert page.get_by_label("Note").input_value() == "12 sz no"
    page.locator("#why").focus()
    page.keyboard.press("1")
    assert (claim_on(page), given(desk)) == (claim, before)
    page.keyboard.press("Escape")
    press(page, "1")
    told = desk.person("Ann").get("/verdicts?limit=1").json()["verdicts"][0]
    assert told["note"] == "12 sz no"


def test_undo_brings_the_same_case_back_and_skip_never_does(desk, browse):
    bring(desk, 3, "undo")
    page, _ = at_the_desk(desk, browse, "Ann")
    first = claim_on(page)
    press(page, "1")
    second = claim_on(page)
    assert second != first
    press(page, "z")
    assert claim_on(page) == first
    page.locator("#why").select_option("values")
    page.keyboard.press("Escape")
    press(page, "s")
    seen = set()
    while page.locator("form#verdict").count():
        seen.add(claim_on(page))
        press(page, "2")
    assert first not in seen
    assert second in seen
    skipped = desk.admin.get("/cases?state=waiting").json()["cases"]
    (one,) = [case for case in skipped if case["model"] == "undo"]
    events = desk.admin.get(f"/cases/{one['id']}").json()["events"]
    assert events[-1]["note"] == "a value looks wrong"


def test_two_people_never_hold_one_case_and_a_second_tab_holds_the_same(desk, browse):
    bring(desk, 12, "shared")
    ann, inside = at_the_desk(desk, browse, "Ann")
    bob, _ = at_the_desk(desk, browse, "Bob")
    tab = inside.page()
    tab.goto(ann.url)
    assert claim_on(tab) == claim_on(ann)
    tab.close()
    seen = []
    for _ in range(6):
        held = claim_on(ann), claim_on(bob)
        assert held[0] != held[1]
        seen += held
        press(ann, "1")
        press(bob, "2")
    assert len(set(seen)) == 12


def test_what_the_machine_says_comes_after_the_verdict(desk, browse):
    bring(desk, 1, "score", columns={"hide": ["bmi"]})
    (case,) = desk.admin.get("/cases?model=score&sort=opened_at").json()["cases"]
    page, _ = at_the_desk(desk, browse, "Cid")
    detail = desk.admin.get(f"/cases/{case['id']}").json()
    source = page.content()
    for told in (detail["score"], detail["probability"], detail["features"]["bmi"]):
        assert str(told)[:5] not in source
    assert not page.locator("#told").inner_text()
    assert "machine" not in page.locator("main").inner_text()
    assert page.locator("tbody th").all_inner_texts() == ["glucose", "smoker", "town"]
    press(page, "1")
    had = "would have said" if detail["decision"] == "reject" else "says"
    told = page.locator("#told").inner_text()
    assert "Saved: yes, 95 % sure." in told
    assert f"The machine {had} {detail['would_be']}." in told


def test_a_verdict_of_yesterday_is_not_told_again(desk, browse):
    bring(desk, 2, "yesterday")
    page, _ = at_the_desk(desk, browse, "Ann")
    press(page, "1")
    assert "Saved: yes" in page.locator("#told").inner_text()
    with desk.registry.database.write() as session:
        session.execute(update(Verdict).values(at=utc_now() - timedelta(days=1)))
    page.reload()
    assert not page.locator("#told").inner_text()


def test_a_lapsed_claim_says_so_and_saves_nothing(desk, browse):
    bring(desk, 2, "lapsed", lease_seconds=10)
    before = given(desk)
    page, _ = at_the_desk(desk, browse, "Ann")
    with desk.registry.database.write() as session:
        session.execute(
            update(Opinion)
            .where(Opinion.id == claim_on(page))
            .values(expires_at=utc_now() - timedelta(seconds=1))
        )
    page.locator("#lapsed").wait_for(state="visible")  # at the next sign of life
    press(page, "1")
    assert page.locator("h1").inner_text() == "Too late"
    assert not Axe().run(page).response["violations"]
    assert "Nothing was saved" in page.locator("main").inner_text()
    assert given(desk) == before
    press(page, "n")
    assert page.locator("form#verdict").count() == 1


def test_whoever_is_at_it_keeps_the_case(desk, browse):
    bring(desk, 1, "alive", lease_seconds=10)
    page, _ = at_the_desk(desk, browse, "Ann")
    with page.expect_response("**/ui/review/keep") as answer:
        page.mouse.move(50, 50)
    assert answer.value.status == 204


def test_a_category_never_seen_is_marked_and_hostile_values_run_nothing(desk, browse):
    guarded = replace(served(), guards=Guards(unseen_category=True))
    desk.registry.add("hostile", guarded)
    desk.admin.put("/models/hostile/review", json=PLAIN)
    row = {**rows(1)[0], "town": HOSTILE}
    asked = {"model": "hostile", "instances": [row]}
    told = desk.admin.post("/predict", json=asked).json()["predictions"][0]
    assert told["reason"] == "unseen_category"
    page, watched = at_the_desk(desk, browse, "Ann")
    cell = page.get_by_role("row", name="town").locator("td")
    assert cell.inner_text().strip() == f"{HOSTILE} never seen before"
    assert page.get_by_text("never seen before").count() == 1
    assert "a category that the machine has never seen" in page.content()
    assert page.locator("td img, td script").count() == 0
    assert page.title() == "1 case waits · Demur"
    assert not watched.complaints


def test_a_forged_verdict_is_refused(desk, browse):
    bring(desk, 1, "forged")
    before = given(desk)
    page, watched = at_the_desk(desk, browse, "Ann")
    (cookie,) = watched.context.cookies()
    form = {
        "claim": claim_on(page),
        "token": page.locator("form#verdict input[name=token]").input_value(),
        "label": '"yes"',
    }
    url = f"{desk.admin.base_url}/ui/review/verdict"
    sent = {"cookie": f"{cookie['name']}={cookie['value']}"}
    for origin in ({"origin": "https://evil.example"}, {}):
        answer = httpx.post(url, data=form, headers={**sent, **origin})
        assert answer.status_code == 403
    assert given(desk) == before


def test_without_script_buttons_do_it_all(desk, browse):
    bring(desk, 3, "plain")
    page, _ = at_the_desk(desk, browse, "Ann", java_script_enabled=False)
    first = claim_on(page)
    page.get_by_role("button", name="yes").click()
    page.get_by_role("button", name="Take it back").click()
    assert claim_on(page) == first
    page.get_by_role("button", name="Skip").click()
    assert "you will not get this case again" in page.locator("#told").inner_text()
    page.get_by_role("button", name="no", exact=False).first.click()
    assert "Saved: no" in page.locator("#told").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_anybody_can_read_it_on_a_small_screen_too(desk, browse, scheme):
    bring(desk, 2, f"small-{scheme}")
    size = {"width": 390, "height": 800}
    page, _ = at_the_desk(desk, browse, "Ann", viewport=size, color_scheme=scheme)
    press(page, "1")
    assert not Axe().run(page).response["violations"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    press(page, "2")
    assert not Axe().run(page).response["violations"]


def test_both_opinions_on_a_case_are_never_one_persons(desk, browse):
    bring(desk, 2, "two", second_opinion={"share": 1.0})
    page, _ = at_the_desk(desk, browse, "Ann")
    press(page, "1")
    press(page, "1")
    assert page.locator("form#verdict").count() == 0
    assert "2 cases wait, but" in page.locator("main").inner_text()
    other, _ = at_the_desk(desk, browse, "Bob")
    assert "Ann" not in other.content()
    press(other, "1")
