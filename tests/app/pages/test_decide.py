"""One case in a form, and a file, decided in a real browser as /predict decides."""

import csv
import io
import re

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.app.pages.test_review import HOSTILE, PLAIN, desk
from tests.app.predict.conftest import served
from tests.app.reviews.conftest import rows

__all__ = ["desk"]


@pytest.fixture(scope="module")
def model(desk):
    return desk.model("decided", **PLAIN)


@pytest.fixture
def asker(desk, browse, model):
    def come(**options):
        key = desk.person("Pat", "predict", "lead").headers["authorization"][7:]
        watched = browse(**options)
        page = watched.page()
        page.goto(f"{desk.admin.base_url}/ui/decide?model={model}")
        page.get_by_label("Key").fill(key)
        page.get_by_role("button", name="Come in").click()
        return page, watched

    return come


def fill(page, row):
    for name, value in row.items():
        field = page.get_by_label(name, exact=True)
        if isinstance(value, bool):
            field.select_option(str(value).lower())
        else:
            field.fill("" if value is None else str(value))


def said(page, **predicted):
    """Tell whether the page says what /predict answered."""
    text = page.get_by_role("status").inner_text()
    if predicted["decision"] == "reject":
        return "Ask a person." in text
    return f"The machine decides: {predicted['label']}." in text


def cases(desk):
    counts = desk.admin.get("/cases?model=decided").json()["counts"]
    return counts["waiting"]


def predicted(desk, instances, **more):
    asked = {"model": "trial", "instances": instances, **more}
    return desk.admin.post("/predict", json=asked).json()["predictions"]


@pytest.fixture(scope="module", autouse=True)
def trial(desk):
    """The same model under another name, without reviews: the answers to compare."""
    desk.registry.add("trial", served())


def test_the_form_says_what_predict_says_and_keeps_nothing(desk, asker):
    page, watched = asker()
    before = cases(desk)
    known = rows(40)
    answers = predicted(desk, known)
    kinds = {answer["decision"]: i for i, answer in enumerate(answers)}
    assert len(kinds) >= 2
    for i in kinds.values():
        fill(page, known[i])
        page.get_by_role("button", name="What does the machine say?").click()
        assert said(page, **answers[i])
        text = page.get_by_role("status").inner_text()
        chance = float(re.search(r"a chance of ([0-9.]+) %", text)[1])
        assert chance == pytest.approx(100 * answers[i]["probability"], abs=0.06)
        assert page.locator("table tbody tr").count() >= 2
    assert cases(desk) == before
    assert not watched.complaints


def test_why_is_what_the_answer_is_without_each_column(desk, asker):
    page, _ = asker()
    row = {"glucose": 150, "bmi": 41.0, "smoker": True, "town": "Rome"}
    fill(page, row)
    page.get_by_role("button", name="What does the machine say?").click()
    without = predicted(desk, [row, *({**row, name: None} for name in row)])
    whole, *rest = [answer["probability"] for answer in without]
    effects = dict(zip(row, (whole - each for each in rest), strict=True))
    names = page.locator("tbody th").all_inner_texts()
    assert names == sorted(effects, key=lambda name: -abs(effects[name]))
    speaks = page.locator("tbody td:nth-child(2)").all_inner_texts()
    assert speaks == ["yes" if effects[name] > 0 else "no" for name in names]


def test_a_real_case_that_the_machine_does_not_decide_waits_for_people(desk, asker):
    page, _ = asker()
    known = rows(40)
    answers = predicted(desk, known)
    unsure = next(
        i for i, answer in enumerate(answers) if answer["decision"] == "reject"
    )
    before = cases(desk)
    fill(page, known[unsure])
    page.get_by_label("This is a real case").check()
    page.get_by_role("button", name="What does the machine say?").click()
    assert cases(desk) == before + 1
    page.get_by_role("link", name="See the case").click()
    assert "It is waiting" in page.locator("main").inner_text()


def test_what_is_no_number_is_told_at_its_field(asker):
    page, _ = asker()
    page.get_by_label("glucose", exact=True).fill("much")
    page.get_by_label("bmi", exact=True).fill("31,5")
    page.get_by_role("button", name="What does the machine say?").click()
    field = page.get_by_label("glucose", exact=True)
    assert field.get_attribute("aria-invalid") == "true"
    assert "This is no number" in page.get_by_role("alert").inner_text()
    assert page.get_by_label("bmi", exact=True).get_attribute("aria-invalid") is None


def test_hostile_values_run_nothing(asker):
    page, watched = asker()
    page.get_by_label("town", exact=True).fill(HOSTILE)
    page.get_by_role("button", name="What does the machine say?").click()
    assert page.get_by_label("town", exact=True).input_value() == HOSTILE
    assert page.title() == "Decide · Demur"
    assert page.locator("main script, main img").count() == 0
    assert not watched.complaints


def as_csv(known, *, german=False):
    head = list(known[0])
    lines = [[*head, "Straße"]]
    for row in known:
        cells = ["" if value is None else str(value) for value in row.values()]
        lines.append([*cells, "Gärtnerstraße"])
    text = "\r\n".join((";" if german else ",").join(line) for line in lines) + "\r\n"
    return text.replace(".", ",").encode("cp1252") if german else text.encode()


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("german", [False, True])
def test_a_spreadsheets_file_comes_back_decided(desk, asker, german, script):
    page, _ = asker(java_script_enabled=script)
    known = rows(30)
    answers = predicted(desk, known)
    before = cases(desk)
    sent = {
        "name": "cases.csv",
        "mimeType": "text/csv",
        "buffer": as_csv(known, german=german),
    }
    for button, opened in (
        ("Decide the file", 0),
        ("Decide it, and let people", sum(a["decision"] == "reject" for a in answers)),
    ):
        page.get_by_label("File").set_input_files(sent)
        with page.expect_download() as download:
            page.get_by_role("button", name=button).click()
        assert download.value.suggested_filename == "decided-decided.csv"
        text = download.value.path().read_text("utf-8")
        lines = list(
            csv.DictReader(io.StringIO(text), delimiter=";" if german else ",")
        )
        told = [line["demur_decision"] for line in lines]
        assert told == [answer["decision"] for answer in answers]
        assert {line["Straße"] for line in lines} == {"Gärtnerstraße"}
        assert cases(desk) == before + opened


def test_a_file_that_cannot_be_read_says_where(asker):
    page, _ = asker()
    text = b"glucose,bmi,smoker,town\n120,31,true,Rome\n99,much,false,Oslo\n"
    sent = {"name": "cases.csv", "mimeType": "text/csv", "buffer": text}
    page.get_by_label("File").set_input_files(sent)
    page.get_by_role("button", name="Decide the file").click()
    told = page.get_by_role("alert").inner_text()
    assert "row 2, column bmi" in told
    assert "much" not in told


def test_a_forged_file_or_case_is_refused(desk, asker):
    _, watched = asker()
    (cookie,) = watched.context.cookies()
    sent = {
        "cookie": f"{cookie['name']}={cookie['value']}",
        "origin": "https://evil.example",
    }
    for path in ("decide", "decide/file"):
        url = f"{desk.admin.base_url}/ui/{path}?model=decided"
        assert httpx.post(url, data={"c0": "1"}, headers=sent).status_code == 403


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_anybody_can_read_it_on_a_small_screen_too(asker, scheme):
    page, _ = asker(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    fill(page, rows(1)[0])
    page.get_by_role("button", name="What does the machine say?").click()
    assert not Axe().run(page).response["violations"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
