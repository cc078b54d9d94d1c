"""What each scope of a key opens."""

import pytest

from app.keys.scopes import SCOPES, allows, needed

READERS = ("predict", "train", "lead")


@pytest.mark.parametrize(
    ("method", "path", "scopes"),
    [
        ("POST", "/predict", ("predict",)),
        ("POST", "/predict/batch", ("predict",)),
        ("GET", "/models", READERS),
        ("GET", "/models/m/versions/1", READERS),
        ("GET", "/rules/bounded-error/rows", READERS),
        ("GET", "/models/m/versions/1/curves", READERS),
        ("GET", "/models/m/versions/1/export", ("train",)),
        ("POST", "/models/m/versions/1/preview", READERS),
        ("GET", "/metrics", READERS),
        ("POST", "/train", ("train",)),
        ("GET", "/jobs", ("train",)),
        ("GET", "/datasets/1", ("train",)),
        ("PUT", "/models/m/aliases/champion", ("train",)),
        ("DELETE", "/models/m/aliases/champion", ("train",)),
        ("POST", "/models/m/versions/1/reprice", ("train",)),
        ("POST", "/models/m/review/dataset", ("train",)),
        ("GET", "/models/m/review", ("lead",)),
        ("PUT", "/models/m/review", ("lead",)),
        ("DELETE", "/models/m/review", ("lead",)),
        ("GET", "/models/m/review/report", ("lead",)),
        ("POST", "/models/m/review/prices", ("lead",)),
        ("GET", "/models/m/monitor", ("lead",)),
        ("POST", "/models/m/monitor/acknowledge", ("lead",)),
        ("GET", "/cases", ("lead",)),
        ("GET", "/cases/1", ("lead",)),
        ("GET", "/cases/export", ("lead",)),
        ("POST", "/cases/import", ("lead",)),
        ("POST", "/cases/1/withdraw", ("lead",)),
        ("POST", "/cases/1/reopen", ("lead",)),
        ("POST", "/cases/1/reassign", ("lead",)),
        ("POST", "/cases", ("predict",)),
        ("GET", "/cases/changes", ("predict",)),
        ("POST", "/outcomes", ("predict",)),
        ("DELETE", "/cases", ("admin",)),
        ("DELETE", "/cases/1", ("admin",)),
        ("POST", "/claims", ("review",)),
        ("PUT", "/claims/1", ("review",)),
        ("DELETE", "/claims/1", ("review",)),
        ("POST", "/claims/1/verdict", ("review",)),
        ("GET", "/verdicts", ("review",)),
        ("POST", "/verdicts/1/undo", ("review",)),
        ("DELETE", "/models/m", ("admin",)),
        ("DELETE", "/models/m/versions/1", ("admin",)),
        ("GET", "/keys", ("admin",)),
        ("POST", "/keys", ("admin",)),
        ("GET", "/people", ("admin",)),
        # what is not named is closed, however it is written
        ("GET", "//models", ("admin",)),
        ("GET", "/Models", ("admin",)),
        ("GET", "/modelsx", ("admin",)),
        ("GET", "/models\n", ("admin",)),
        ("GET", "/predict/", ("admin",)),
        ("POST", "/predict/batch/../../keys", ("admin",)),
        ("GET", "/", ("admin",)),
        ("GET", "", ("admin",)),
    ],
)
def test_the_scopes_that_open_a_request(method, path, scopes):
    assert needed(method, path) == scopes


def test_a_scope_opens_its_own_only_and_admin_everything():
    for held in SCOPES:
        for wanted in SCOPES:
            assert allows((held,), (wanted,)) == (held in (wanted, "admin"))
    assert allows(("predict", "review"), ("train", "review"))
    assert not allows((), ("predict",))
