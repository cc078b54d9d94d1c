"""Keys: how they come and go, and that none is kept."""

import hmac

import pytest
from sqlalchemy import select

from app.db.tables import ApiKey
from app.keys import secret, service, store
from app.keys.schemas import KeysQuery
from app.keys.scopes import SCOPES
from tests.app.keys.asking import bearer, settled, status

FIRST = "key-of-the-settings"


def test_every_known_key_is_compared_in_constant_time(monkeypatch):
    compared = []
    real = hmac.compare_digest

    def spy(one, other):
        compared.append((one, other))
        return real(one, other)

    monkeypatch.setattr(secret.hmac, "compare_digest", spy)
    texts = [secret.new_key() for _ in range(4)]
    known = [
        secret.KnownKey(secret.digest(text.encode()), ("train",)) for text in texts
    ]
    for sent in (texts[0], texts[3], "", "wrong", texts[0][:-1]):
        compared.clear()
        found = secret.match(sent.encode(), known)
        assert found == (known[texts.index(sent)] if sent in texts else None)
        # all of them, wherever the right one stands, and digests of one length
        assert [other for _, other in compared] == [key.digest for key in known]
        assert {len(one) for pair in compared for one in pair} == {32}


def test_only_a_digest_is_kept_and_a_revoked_key_stays_on_the_list(database):
    with database.write() as session:
        one = service.issue(session, "one", ["predict"])
        two = service.issue(session, "two", ["admin"])
    assert one.key != two.key
    assert len(one.key) > 40
    with database.read() as session:
        rows = session.scalars(select(ApiKey)).all()
        kept = " ".join(str(vars(row)) for row in rows)
        assert one.key not in kept
        assert two.key not in kept
        assert {key.scopes for key in store.issued(session).keys} == {
            ("predict",),
            ("admin",),
        }
    with database.write() as session:
        gone = service.revoke(session, one.id)
    with database.write() as session:
        assert service.revoke(session, one.id) == gone, "revoked once, for good"
        assert gone.revoked_at is not None
    with database.read() as session:
        found = store.issued(session)
        assert [key.scopes for key in found.keys] == [("admin",)]
        first = service.page(session, KeysQuery(limit=1))
        second = service.page(session, KeysQuery(limit=1, before=first.next))
        assert {first.keys[0].id, second.keys[0].id} == {one.id, two.id}
        assert second.next is None


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, service_type):
    service = service_type(
        tmp_path_factory.mktemp("keys"),
        {"DEMUR_API_KEYS": FIRST},
        ("--no-worker", "--processes", "2"),
    ).start()
    service.http.headers.update(bearer(FIRST))
    yield service
    service.stop()


def issue(service, scope):
    asked = {"name": f"of {scope}", "scope": scope}
    answer = service.http.post("/keys", json=asked)
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return answer.json()


@pytest.mark.thorough
def test_a_key_opens_its_scope_in_every_process_until_it_is_revoked(guarded):
    made = {scope: issue(guarded, scope) for scope in SCOPES}
    keys = {scope: told["key"] for scope, told in made.items()}
    settled(guarded, "/models", keys["predict"], 200)
    assert status(guarded, "GET", "/jobs", keys["predict"]) == 403
    assert status(guarded, "GET", "/jobs", keys["train"]) == 200
    assert status(guarded, "POST", "/predict", keys["train"]) == 403
    assert status(guarded, "POST", "/claims", keys["predict"]) == 403
    assert status(guarded, "GET", "/people", keys["lead"]) == 403
    assert status(guarded, "GET", "/keys", keys["train"]) == 403
    assert status(guarded, "GET", "/keys", keys["admin"]) == 200
    assert status(guarded, "POST", "/predict", keys["predict"]) == 415
    refused = guarded.http.get("/jobs", headers=bearer(keys["predict"]))
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["type"] == "/problems/missing-scope"
    assert "of scope train" in refused.json()["detail"]
    listed = guarded.http.get("/keys")
    assert not any(key in listed.text for key in keys.values())
    gone = guarded.http.delete(f"/keys/{made['train']['id']}")
    assert gone.json()["revoked_at"] is not None
    settled(guarded, "/jobs", keys["train"], 401)
    settled(guarded, "/jobs", keys["admin"], 200)
    assert not any(key in guarded.log() for key in keys.values())


@pytest.mark.parametrize(
    "body",
    [
        {"name": "x", "scope": "root"},
        {"name": "", "scope": "train"},
        {"name": "a\x00b", "scope": "train"},
        {"name": "x\n", "scope": "train"},
        {"name": "x", "scope": "train", "key": "mine"},
        {"scope": "train"},
    ],
    ids=str,
)
def test_what_is_no_key_is_refused(guarded, body):
    assert guarded.http.post("/keys", json=body).status_code == 422


def test_keys_belong_to_people_and_open_nothing_once_these_have_left(guarded):
    asked = {"name": "laptop", "scopes": ["lead", "review"], "person": "Anna"}
    anna = guarded.http.post("/keys", json=asked).json()
    assert anna["scopes"] == ["review", "lead"]
    assert anna["person"] == "Anna"
    second = {"name": "telephone", "scopes": ["review"], "person": "Anna"}
    guarded.http.post("/keys", json=second)
    alone = guarded.http.post("/keys", json={"name": "Ben", "scopes": ["review"]})
    assert alone.json()["person"] == "Ben", "a reviewer is somebody"
    people = {p["name"]: p for p in guarded.http.get("/people").json()["people"]}
    assert people.keys() >= {"Anna", "Ben"}
    settled(guarded, "/models", anna["key"], 200)
    person = f"/people/{people['Anna']['id']}"
    taken = guarded.http.patch(person, json={"name": "Ben"})
    assert taken.status_code == 409
    left = guarded.http.patch(person, json={"active": False, "name": "left"})
    assert left.json()["active"] is False
    settled(guarded, "/models", anna["key"], 401)
    listed = guarded.http.get("/keys").json()["keys"]
    assert {key["person"] for key in listed if key["name"] == "laptop"} == {"left"}
    for unknown in ("nobody", "%00"):
        answer = guarded.http.patch(f"/people/{unknown}", json={"active": True})
        assert answer.status_code == 404
        assert answer.json()["type"] == "/problems/unknown-person"


@pytest.mark.parametrize("key_id", ["no", "0" * 36, "%00", "..%2f..", FIRST])
def test_an_unknown_id_is_404_and_revokes_nothing(guarded, key_id):
    answer = guarded.http.delete(f"/keys/{key_id}")
    assert answer.status_code == 404
    assert guarded.http.get("/models").status_code == 200


def test_the_document_says_which_scope_opens_what(guarded):
    document = guarded.http.get("/openapi.json").json()
    paths = document["paths"]
    assert paths["/predict"]["post"]["security"] == [{"key": ["predict"]}]
    assert paths["/train"]["post"]["security"] == [{"key": ["train"]}]
    assert paths["/keys"]["get"]["security"] == [{"key": ["admin"]}]
    assert "security" not in paths["/livez"]["get"]
