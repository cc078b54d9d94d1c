"""The report of a version in a real browser: its figures, its prices, and "Save"."""

import random
import re

import pytest

from tests.app.pima_like import PRICES, inline, patients, train

pytestmark = pytest.mark.browser

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

TRUTHS, CALLED = ("+1", "-1"), ("+1", "reject", "-1")
FIGURES = ("reject_rate", "error_rate", "selective_error", "expected_cost")
TIED = {"rule": {"kind": "plug-in"}}


@pytest.fixture(scope="module")
def trained(server):
    train(server, "pima")
    train(server, "tied", **TIED)
    return server


def address(server, prices=None, name="pima", version=1):
    query = "&".join(f"{k}={v}" for k, v in (prices or {}).items())
    return f"{server.url}/ui/models/{name}/{version}?{query}"


def figures(page):
    """Every figure of the page, as its markup has it, and the table of decisions."""
    cells = page.locator("#facts [data-figure]")

    def number(text):
        return None if text == "None" else float(text)  # of no decided case

    told = {
        cell.get_attribute("data-figure"): number(cell.get_attribute("data-value"))
        for cell in cells.all()
    }
    rows = page.locator("#confusion tbody tr").all()
    counts = [
        [float(cell) for cell in row.locator("td").all_inner_texts()] for row in rows
    ]
    return told, counts


def expected(evaluation):
    told = {name: evaluation[name] for name in FIGURES}
    told |= {f"constant {name}": v for name, v in evaluation["constants"].items()}
    table = evaluation["confusion"]
    return told, [[table[truth][called] for called in CALLED] for truth in TRUTHS]


def versions(server, name="pima"):
    answer = server.http.get(f"/models/{name}").json()
    return [one["version"] for one in answer["versions"]], answer["aliases"]


@pytest.fixture
def page(browse, trained):
    watched = browse()
    yield watched.page()
    assert watched.complaints == []
    assert [url for url in watched.requests if not url.startswith(trained.url)] == []


def test_at_the_trained_prices_every_figure_is_that_of_the_evaluation(trained, page):
    evaluation = trained.http.get("/models/pima/versions/1").json()["evaluation"]
    for prices in (None, PRICES):
        page.goto(address(trained, prices))
        assert figures(page) == expected(evaluation)
    said = page.inner_text("#headline")
    people = round(1000 * evaluation["reject_rate"])
    wrong = round(1000 * evaluation["error_rate"])
    start = f"Of 1,000 cases like these people see {people}; the machine decides"
    assert said.startswith(f"{start} {1000 - people} and is wrong in {wrong}.")


@pytest.mark.parametrize("seed", range(5))
def test_at_other_prices_every_figure_is_that_of_a_repricing(trained, page, seed):
    draw = random.Random(seed)
    prices = {
        "false_positive": round(draw.uniform(0.5, 5), 2),
        "false_negative": round(draw.uniform(2, 20), 2),
        "reject_positive": round(draw.uniform(0.1, 0.4), 2),
        "reject_negative": round(draw.uniform(0.05, 0.3), 2),
    }
    page.goto(address(trained, prices))
    shown = figures(page)
    answer = trained.http.post(
        "/models/pima/versions/1/reprice", json={"costs": prices}
    )
    made = answer.json()
    trained.http.delete(f"/models/pima/versions/{made['model']['version']}")
    assert shown == expected(made["evaluation"]["after"])
    lower = f"{made['thresholds']['lower']:.4g}"
    assert lower in page.inner_text("#thresholds")


def test_moving_a_price_shows_new_figures_and_makes_nothing(trained, page):
    before = versions(trained)
    page.goto(address(trained))
    answers = []

    def keep(answer):
        answers.append(answer)

    page.on("response", keep)
    for name in PRICES:
        was = figures(page)
        field = page.locator(f"#{name}")
        slider = page.locator(f"[data-for={name}]")
        slider.focus()
        for _ in range(12):
            page.keyboard.press("ArrowLeft")
        assert float(field.input_value()) < PRICES[name]
        page.wait_for_url(re.compile(f"{name}={field.input_value()}(&|$)"))
        assert figures(page) != was, name
        assert slider.get_attribute("aria-valuetext") == field.input_value()
    shown, at = figures(page), page.url
    page.reload()
    assert figures(page) == shown
    assert page.url == at
    assert versions(trained) == before
    pages = [answer for answer in answers if "/static/" not in answer.url]
    assert len(pages) > len(PRICES)
    for answer in pages:  # too little for the rows
        assert int(answer.headers["content-length"]) < 40_000


def test_prices_at_which_asking_never_pays_are_told_and_so_are_wrong_ones(
    trained, page
):
    page.goto(address(trained))
    page.fill("#false_negative", "0.1")
    page.wait_for_selector("#prices-wrong")
    assert "asking people never pays" in page.inner_text("#told")
    page.fill("#false_negative", "much")
    page.wait_for_selector("#false_negative-wrong")
    page.fill("#false_negative", "5,5")
    page.wait_for_selector("#headline")
    assert page.locator(".wrong").count() == 1  # few rows
    assert "ranges" in page.inner_text(".wrong")


def test_a_limit_of_reviews_a_day_is_kept(trained, page):
    page.goto(address(trained, {"cases_a_day": 200, "most_a_day": 10}))
    asked = {"costs": PRICES, "max_reject_rate": 0.05}
    answer = trained.http.post("/models/pima/versions/1/preview", json=asked).json()
    assert figures(page) == expected(answer["evaluation"]["after"])
    assert figures(page)[0]["reject_rate"] < 0.15


def test_minutes_and_a_wage_fill_the_prices_of_people(trained, page):
    page.goto(address(trained))
    page.fill("#minutes", "2")
    page.fill("#wage", "15")
    page.click("button[name=fill]")
    assert page.input_value("#reject_positive") == "0.5"
    assert page.input_value("#reject_negative") == "0.5"


def test_a_rule_that_holds_at_its_own_prices_gives_way_to_chows(trained, page):
    own = trained.http.get("/models/tied/versions/1").json()["evaluation"]
    page.goto(address(trained, name="tied"))
    assert figures(page) == expected(own)
    other = PRICES | {"false_negative": 9.0}
    page.goto(address(trained, other, "tied"))
    asked = {"costs": other, "rule": {"kind": "chow"}}
    answer = trained.http.post("/models/tied/versions/1/preview", json=asked).json()
    assert figures(page) == expected(answer["evaluation"]["after"])


def test_every_plot_has_its_numbers(trained, page):
    page.goto(address(trained))
    curves = trained.http.get("/models/pima/versions/1/curves").json()
    plots = page.locator("figure")
    assert plots.count() == 4
    for plot in plots.all():
        assert plot.locator("svg title").count() == 1
        plot.locator("summary").click()
        assert plot.locator("tbody tr").count() >= 5
    rows = plots.nth(3).locator("tbody tr td:last-child").all_inner_texts()
    assert sum(map(float, rows)) == sum(curves["calibration"]["rows"])


def test_saving_needs_a_reason_moves_no_alias_and_tells_the_second(trained, browse):
    train(trained, "saved")
    trained.http.put("/models/saved/aliases/champion", json={"version": 1})
    one, other = browse().page(), browse().page()
    cheaper = PRICES | {"reject_positive": 0.3}
    for page in (one, other):
        page.goto(address(trained, cheaper, "saved"))
    one.click("#save > button")
    assert "Say in a few words why" in one.inner_text("#why-wrong")
    assert versions(trained, "saved") == ([1], {"champion": 1})
    for page, reason in ((one, "people got quicker"), (other, "too late")):
        page.fill("#why", reason)
        page.click("#save > button")
    assert one.url.endswith("/models/saved/2?saved=1")
    assert "people got quicker" in one.inner_text("main")
    assert "Somebody has made version 2 meanwhile" in other.inner_text("#seen-wrong")
    assert versions(trained, "saved") == ([2, 1], {"champion": 1})
    other.click("#save > button")
    assert other.url.endswith("/models/saved/3?saved=1")
    other.goto(address(trained, PRICES, "saved", 3))
    other.fill("#why", "back")
    other.check("input[name=champion]")
    other.uncheck("input[name=beats_constant]")
    other.click("#save > button")
    assert versions(trained, "saved") == ([4, 3, 2, 1], {"champion": 4})


def test_a_gate_that_is_not_passed_keeps_the_champion_and_is_told(trained, browse):
    train(trained, "gated")
    page = browse().page()
    free = PRICES | {"reject_positive": 0.01, "reject_negative": 0.01}
    page.goto(address(trained, free, "gated"))
    page.fill("#why", "people cost nothing")
    page.check("input[name=champion]")
    page.click("#save > button")
    told = page.get_by_role("alert").inner_text()
    assert "it is shown to cost less than any answer without a machine" in told
    assert "no alarm" not in told
    assert versions(trained, "gated") == ([2, 1], {})


def test_without_script_there_is_a_button(trained, browse):
    page = browse(java_script_enabled=False).page()
    page.goto(address(trained))
    was = figures(page)
    page.fill("#false_negative", "12")
    page.click("text=Show what changes")
    assert figures(page) != was
    assert "false_negative=12" in page.url


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"color_scheme": "dark"},
        {"viewport": {"width": 390, "height": 800}},
        {"viewport": {"width": 640, "height": 400}},
    ],
    ids=["light", "dark", "narrow", "zoomed"],
)
def test_the_report_can_be_read_by_everybody(trained, browse, options):
    page = browse(**options).page()
    for prices in ({}, PRICES | {"false_negative": 0.1}):
        page.goto(address(trained, prices))
        found = axe.Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        wide = "document.documentElement.scrollWidth > innerWidth"
        assert not page.evaluate(wide)


def test_labels_that_would_run_are_only_shown(trained, browse):
    evil = "<script>window.bad=1</script><img src=x onerror=window.bad=1>"
    rows = [[*row[:-1], evil if row[-1] == "yes" else "no"] for row in patients()]
    data = inline(rows)
    train(trained, "evil", data=data, target={"column": "diabetes", "positive": evil})
    watched = browse()
    page = watched.page()
    for at in (address(trained, name="evil"), f"{trained.url}/ui"):
        page.goto(at)
        assert page.evaluate("window.bad") is None
    page.goto(address(trained, name="evil"))
    assert re.search("<script>window", page.inner_text("#told"))
    assert watched.complaints == []
