"""Pages of allowed origins may ask and read, where keys exist; no others may."""

import pytest

from app.environment import SettingsError, load_settings
from tests.app.predict.conftest import serve, served

__all__ = ["serve"]

KEY, DESK = "k" * 32, "https://desk.example.org"
ASKING = {
    "origin": DESK,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization, content-type",
}


@pytest.fixture(scope="module")
def locked(serve):
    running, registry = serve(api_keys=KEY, allowed_origins=DESK)
    registry.add("pima", served())
    return running.http


@pytest.fixture(scope="module")
def unlocked(serve):
    running, _ = serve(allowed_origins=DESK)
    return running.http


def test_a_browser_may_ask_before_it_has_shown_a_key(locked):
    answer = locked.options("/predict", headers=ASKING)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == DESK
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert "authorization" in answer.headers["access-control-allow-headers"].lower()
    assert "access-control-allow-credentials" not in answer.headers


@pytest.mark.parametrize("path", ["/models/pima", "/models/none", "/v2", "/livez"])
@pytest.mark.parametrize("key", [KEY, "wrong"])
def test_every_answer_can_be_read_problems_too(locked, path, key):
    told = {"origin": DESK, "authorization": f"Bearer {key}"}
    answer = locked.get(path, headers=told)
    assert answer.headers["access-control-allow-origin"] == DESK
    assert "x-request-id" in answer.headers["access-control-expose-headers"]
    assert "Origin" in answer.headers["vary"]
    alone = locked.get(path, headers={"authorization": f"Bearer {key}"})
    assert answer.status_code == alone.status_code


def test_other_origins_hear_nothing(locked):
    other = "https://elsewhere.example.org"
    asked = locked.options("/predict", headers={**ASKING, "origin": other})
    assert "access-control-allow-origin" not in asked.headers
    told = {"origin": other, "authorization": f"Bearer {KEY}"}
    answer = locked.get("/models", headers=told)
    assert "access-control-allow-origin" not in answer.headers


def test_without_keys_nobody_is_let_in(unlocked):
    assert unlocked.options("/predict", headers=ASKING).status_code == 403
    answer = unlocked.get("/models", headers={"origin": DESK})
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("wrong", ["*", "desk.example.org", "https://a.org/", "null"])
def test_what_is_no_origin_stops_the_start(wrong, monkeypatch):
    monkeypatch.setenv("DEMUR_ALLOWED_ORIGINS", wrong)
    with pytest.raises(SettingsError, match="DEMUR_ALLOWED_ORIGINS"):
        load_settings()
