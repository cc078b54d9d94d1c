"""The monitor of a model in a real browser: alarms, figures, people and prices."""

import pytest

from tests.app.pages.scene import set_up
from tests.app.pima_like import train

pytestmark = [pytest.mark.browser, pytest.mark.own_server]

axe = pytest.importorskip("axe_playwright_python.sync_playwright")


@pytest.fixture(scope="module")
def scene(server):
    return set_up(server)


@pytest.fixture
def page(browse, scene):
    watched = browse()
    opened = watched.page()
    opened.goto(f"{scene.service.url}/ui/models/{scene.model}/monitor")
    yield opened
    assert watched.complaints == []


def test_an_alarm_is_a_sentence_and_says_what_to_do(scene, page):
    kinds = {alarm["kind"] for alarm in scene.monitor["alarms"]}
    assert "reject_rate" in kinds
    said = page.inner_text("#alarms")
    assert "More cases go to people than they should" in said
    assert "the limit is 25.0 %" in said
    assert "train again" in said
    page.goto(f"{scene.service.url}/ui")
    assert "more cases go to people than the limit" in page.inner_text("#models")


def test_figures_are_those_of_the_interface(scene, page):
    (version,) = scene.monitor["versions"]
    shares = [sum(c["rejects"].values()) / c["rows"] for c in version["cycles"]]
    costs = [c["expected_cost"] for c in version["cycles"]]
    proof = [
        max(v for v in one["log_evidence"].values() if v is not None)
        for one in version["history"]
    ]
    figures = page.locator("#answered figure")
    assert figures.count() == 3
    for figure, told in zip(figures.all(), (shares, costs, proof), strict=True):
        cells = figure.locator("td[data-value]").all()
        shown = [float(cell.get_attribute("data-value")) for cell in cells]
        assert shown == told


def test_the_prices_of_people_open_the_report_with_the_sliders_set(scene, page):
    page.fill("#minute_price", "0,04")
    page.click("text=Work out")
    asked = {"minute_price": 0.04}
    path = f"/models/{scene.model}/review/prices"
    told = scene.service.http.post(path, json=asked).json()["costs"]
    page.click("text=See what changes at these prices")
    assert page.url.startswith(f"{scene.service.url}/ui/models/{scene.model}/1?")
    for name, price in told.items():
        assert float(page.input_value(f"#{name}")) == pytest.approx(price, rel=1e-3)
        slider = page.locator(f"[data-for={name}]")
        assert slider.get_attribute("aria-valuetext") == page.input_value(f"#{name}")
    assert float(page.input_value("#cases_a_day")) == 200


def test_people_are_told_by_name(scene, page):
    said = page.inner_text("#people")
    assert "Anna" in said
    assert "people are right on" in said
    page.goto(f"{page.url}?minute_price=much")
    assert "no number" in page.inner_text("#proposal")


@pytest.mark.parametrize(
    "options",
    [{}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 800}}],
    ids=["light", "dark", "narrow"],
)
def test_the_monitor_can_be_read_by_everybody(scene, browse, options):
    page = browse(**options).page()
    page.goto(f"{scene.service.url}/ui/models/{scene.model}/monitor")
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_an_alarm_that_was_seen_keeps_the_note_and_who_it_was(scene, page):
    before = [a for a in scene.monitor["alarms"] if a["acknowledged_at"] is None]
    for _ in before:
        page.fill("#alarms textarea >> nth=0", "a new form <b>since</b> Monday")
        page.click("#alarms .wrong button >> nth=0")
    assert page.locator("#alarms .wrong").count() == 0
    assert "Quiet since" in page.inner_text("#alarms")
    page.click("#alarms summary")
    assert "a new form <b>since</b> Monday" in page.inner_text("#alarms")
    for alarm in scene.monitor["alarms"]:
        assert alarm["note"] == "a new form <b>since</b> Monday"
        assert alarm["acknowledged_by"] == "operator"


def test_a_model_that_nobody_watches_can_be_watched(scene, page):
    http, url = scene.service.http, scene.service.url
    train(
        scene.service, "unwatched", trainer={"kind": "gradient-boosting", "n_rounds": 5}
    )
    page.goto(f"{url}/ui/models/unwatched/monitor")
    assert "Nobody watches" in page.inner_text("#alarms")
    page.click("text=Watch it")
    assert http.get("/models/unwatched/monitor").json()["enabled"] is True
    assert "Nobody watches" not in page.inner_text("#alarms")
