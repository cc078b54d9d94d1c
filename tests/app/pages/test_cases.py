"""What a lead sees of the queue, and does with a case, in a real browser."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.app.pages.test_review import at_the_desk, bring, desk, press

__all__ = ["desk"]


@pytest.fixture
def lead(desk, browse):
    def come(**options):
        key = desk.person("Lea", "lead", "review").headers["authorization"][7:]
        page = browse(**options).page()
        page.goto(f"{desk.admin.base_url}/ui/cases")
        page.get_by_label("Key").fill(key)
        page.get_by_role("button", name="Come in").click()
        return page

    return come


def shown(page):
    return page.locator("tbody th").all_inner_texts()


def test_a_lead_finds_withdraws_and_reopens_cases(desk, browse, lead):
    bring(desk, 4, "led")
    reviewer, _ = at_the_desk(desk, browse, "Ann")
    press(reviewer, "1")
    page = lead()
    assert len(shown(page)) == 3
    page.get_by_role("link", name="Decided").click()
    (decided,) = shown(page)
    page.get_by_role("link", name=decided).click()
    assert "Ann said yes, 95 % sure" in page.locator("main").inner_text()
    page.get_by_label("Why").fill("looked wrong")
    page.get_by_role("button", name="Reopen").click()
    text = page.locator("main").inner_text()
    assert "reopened, Lea: looked wrong" in text
    assert "set aside or taken back" in text
    page.get_by_role("button", name="Withdraw").click()
    assert "It is withdrawn" in page.locator("main").inner_text()
    page.get_by_role("link", name="Back to the cases").click()
    page.get_by_label("Reference").fill("led-3")
    page.get_by_role("button", name="Find").click()
    assert shown(page) == ([] if decided == "led-3" else ["led-3"])


def test_a_case_that_was_settled_meanwhile_is_told(desk, lead):
    bring(desk, 1, "twice")
    (case,) = desk.admin.get("/cases?model=twice").json()["cases"]
    desk.admin.post(f"/cases/{case['id']}/withdraw")
    page = lead()
    page.goto(f"{desk.admin.base_url}/ui/cases/{case['id']}")
    desk.admin.post(f"/cases/{case['id']}/reopen")
    page.get_by_role("button", name="Reopen").click()
    assert "it is open already" in page.get_by_role("alert").inner_text()


def test_a_reviewer_alone_sees_no_cases_of_others(desk, browse):
    page, _ = at_the_desk(desk, browse, "Bob")
    assert page.get_by_role("link", name="Cases").count() == 0
    answer = page.goto(f"{desk.admin.base_url}/ui/cases")
    assert answer.status == 403


def test_what_is_asked_for_wrongly_is_told_and_runs_nothing(desk, lead):
    page = lead()
    page.goto(f"{desk.admin.base_url}/ui/cases?model=%3Cscript%3E&after=x")
    assert page.get_by_role("alert").count() == 1
    assert page.locator("main script").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_anybody_can_read_it_on_a_small_screen_too(desk, lead, scheme):
    bring(desk, 2, f"listed-{scheme}")
    page = lead(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    one = page.locator("tbody a").first.get_attribute("href")
    for path in ("/ui/cases", one):
        page.goto(f"{desk.admin.base_url}{path}")
        assert not Axe().run(page).response["violations"]
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_case_is_given_to_somebody_who_gets_it_next(desk, browse, lead):
    bring(desk, 4, "given")
    ann, _ = at_the_desk(desk, browse, "Ann")
    bob, _ = at_the_desk(desk, browse, "Bob")
    page = lead()
    page.get_by_label("Person").fill("Ann")
    page.get_by_role("button", name="Find").click()
    (held,) = shown(page)
    page.get_by_role("link", name=held).click()
    page.get_by_label("Why").fill("knows them")
    page.get_by_label("To be looked at by").select_option("Bob")
    page.get_by_role("button", name="Give it to them").click()
    text = page.locator("main").inner_text()
    assert "given to somebody to look at, Lea: to Bob: knows them" in text
    assert "Bob has it until" in text
    press(ann, "1")
    assert ann.locator("h1").inner_text() == "Too late"
    press(bob, "1")
    case = page.url.rpartition("/")[2]
    press(bob, "1")
    (verdict,) = desk.admin.get(f"/cases/{case}").json()["verdicts"]
    assert verdict["person"] == "Bob"
    page.get_by_role("button", name="Give it to them").click()
    assert "reopen it" in page.get_by_role("alert").inner_text()
    page.get_by_role("link", name="Back to where you were").click()
    assert page.get_by_role("button", name="Reopen").count() == 1
