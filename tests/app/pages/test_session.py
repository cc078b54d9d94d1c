"""A session in a real browser: by a key, until it ends, and on from the same place."""

import pytest

from app.db.session import open_database
from app.db.tables import PageSession
from tests.app.pima_like import train

pytestmark = pytest.mark.browser

KEY = "correct-horse"


@pytest.fixture(scope="module")
def locked(tmp_path_factory, service_type):
    service = service_type(tmp_path_factory.mktemp("locked"), {"DEMUR_API_KEYS": KEY})
    service.start().http.headers["authorization"] = f"Bearer {KEY}"
    train(service, "pima", trainer={"kind": "gradient-boosting", "n_rounds": 10})
    yield service
    service.stop()


def come_in(page, key):
    page.fill("#key", key)
    page.click("main button")


def key_of(service, *scopes):
    asked = {"name": "one", "scopes": list(scopes)}
    return service.http.post("/keys", json=asked).json()["key"]


def test_a_session_that_ends_goes_on_where_it_was(locked, browse):
    page = browse().page()
    page.goto(f"{locked.url}/ui/models/pima/1?false_negative=7")
    come_in(page, "wrong")
    assert "not known" in page.inner_text("#wrong")
    come_in(page, KEY)
    assert page.url == f"{locked.url}/ui/models/pima/1?false_negative=7"
    database = open_database(f"sqlite:///{locked.data_dir}/demur.sqlite3")
    with database.write() as session:
        session.query(PageSession).delete()
    database.close()
    page.fill("#reject_positive", "0.4")
    page.wait_for_selector("#key")
    come_in(page, KEY)
    assert page.url == f"{locked.url}/ui/models/pima/1?false_negative=7"
    page.click("text=Leave")
    page.goto(f"{locked.url}/ui")
    assert page.locator("#key").count() == 1


@pytest.mark.parametrize(
    ("scope", "shown"),
    [("predict", {"#try"}), ("lead", {"#try"}), ("train", {"#try", "#save"})],
)
def test_only_what_the_scope_may_do_is_shown(locked, browse, scope, shown):
    page = browse().page()
    page.goto(f"{locked.url}/ui/models/pima/1")
    come_in(page, key_of(locked, scope))
    assert {part for part in ("#try", "#save") if page.locator(part).count()} == shown
    links = page.locator("main a", has_text="Monitor of the model").count()
    assert links == (scope == "lead")


def test_who_may_see_no_models_is_led_to_the_reviews(locked, browse):
    page = browse().page()
    page.goto(f"{locked.url}/ui")
    come_in(page, key_of(locked, "review"))
    assert page.url == f"{locked.url}/ui/review"
    page.goto(f"{locked.url}/ui/models/pima/1")
    assert "a key of scope predict, train or lead" in page.inner_text("main")
