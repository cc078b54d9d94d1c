"""The first screen in a real browser: nothing yet, a training, many models."""

import pytest
from sqlalchemy import event, insert

from app.db.tables import Model, ModelVersion
from app.models.overview import overviews
from tests.app.pima_like import PRICES, inline, patients, train

pytestmark = [pytest.mark.browser, pytest.mark.own_server]

axe = pytest.importorskip("axe_playwright_python.sync_playwright")


def read_by_everybody(page):
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_an_empty_service_says_what_to_do_and_a_training_shows_by_itself(
    server, browse
):
    watched = browse(viewport={"width": 390, "height": 800}, timezone_id="Asia/Tokyo")
    page = watched.page()
    page.goto(server.url)
    assert page.url == f"{server.url}/ui"
    assert "There is no model yet" in page.inner_text("#models")
    read_by_everybody(page)
    loads = []

    def note(frame):
        loads.append(frame.url)

    page.on("framenavigated", note)
    asked = {
        "model": "first",
        "trainer": {"kind": "gradient-boosting", "n_rounds": 20},
        "costs": PRICES,
        "data": inline(patients()),
        "target": {"column": "diabetes", "positive": "yes"},
    }
    job = server.train(asked, wait=False)
    page.wait_for_selector("text=Training of first", timeout=2_500)
    server.await_job(job["id"])
    page.wait_for_selector("#models >> text=version 1, the newest")
    assert loads == []
    evaluation = server.http.get("/models/first").json()["latest"]["evaluation"]
    row = page.inner_text("#models tbody tr")
    assert f"{100 * evaluation['reject_rate']:.1f} of 100 cases" in row
    assert f"{evaluation['expected_cost']:.3g}" in row
    moment = job["created_at"]
    local = page.evaluate(
        "at => new Date(at).toLocaleString(undefined, {dateStyle: 'medium',"
        " timeStyle: 'short'})",
        moment,
    )
    assert local in page.inner_text("#trainings")
    read_by_everybody(page)
    page.click("#trainings >> text=Training of first")
    assert "done" in page.inner_text("main")
    assert watched.complaints == []
    assert [url for url in watched.requests if not url.startswith(server.url)] == []


def test_a_training_that_nobody_knows_is_told(server, browse):
    page = browse().page()
    page.goto(f"{server.url}/ui/jobs/0b9f4c1e-6f0e-4c52-9a34-1f0f6f6f2a10")
    assert "Back to the models" in page.inner_text("main")
    read_by_everybody(page)


def test_models_are_found_by_name_and_paged(server, browse):
    for name in ("alpha", "beta"):
        train(server, name, trainer={"kind": "gradient-boosting", "n_rounds": 5})
    page = browse(java_script_enabled=False).page()
    page.goto(f"{server.url}/ui?limit=1")
    assert page.locator("#models tbody tr").count() == 1
    page.click("text=More models")
    assert "beta" in page.inner_text("#models")
    page.fill("#search", "ALPH")
    page.click("text=Find")
    assert page.locator("#models tbody tr").count() == 1
    page.fill("#search", "nobody")
    page.click("text=Find")
    assert "No model has this in its name" in page.inner_text("#models")


def test_many_models_take_as_many_queries_as_one(database):
    names = [f"m{i:04}" for i in range(60)]
    with database.write() as session:
        session.execute(insert(Model), [{"name": name} for name in names])
        session.execute(
            insert(ModelVersion),
            [
                {
                    "model_id": i + 1,
                    "version": version,
                    "summary": {"labels": {}, "evaluation": {}},
                    "artifact_sha256": "0" * 64,
                    "artifact_bytes": 1,
                }
                for i in range(60)
                for version in (1, 2)
            ],
        )
    counts = []
    for some in (names[:1], names):
        asked = []
        with database.read() as session:
            event.listen(
                session.get_bind(),
                "before_cursor_execute",
                note := lambda *told, asked=asked: asked.append(told[2]),
            )
            found = overviews(session, some)
            event.remove(session.get_bind(), "before_cursor_execute", note)
        assert [(one.name, one.version) for one in found] == [(n, 2) for n in some]
        counts.append(len(asked))
    assert counts[0] == counts[1]
