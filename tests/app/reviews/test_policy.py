"""A policy: what it takes, that it is told as it is kept, and two leads at once."""

import json
from threading import Thread

import pytest
from sqlalchemy import text

from app.db import migrate
from app.db.session import open_database
from app.keys import store
from app.reviews.policy import Policy
from tests.app.predict.conftest import served


def test_a_policy_is_told_as_it_was_set_with_the_defaults_of_the_rest(desk):
    desk.registry.add("told", served())
    lead = desk.person("Lea", "lead")
    path = "/models/told/review"
    missing = lead.get(path)
    assert missing.status_code == 404
    assert missing.json()["type"] == "/problems/no-review-policy"
    assert "PUT /models/told/review" in missing.json()["detail"]
    sent = {
        "keep": "reference",
        "audit": {"+1": 0.25},
        "due_minutes": 30,
        "second_opinion": None,
        "retain_days": {"features": 7, "verdicts": 30},
    }
    put = lead.put(path, json=sent)
    assert put.status_code == 200, put.text
    told = lead.get(path).json()
    assert told == put.json()
    default = Policy().model_dump(mode="json", by_alias=True)
    for name, value in default.items():
        assert told[name] == sent.get(name, value) or name == "audit"
    assert told["audit"] == {"+1": 0.25, "-1": 0.0}
    assert (told["model"], told["revision"]) == ("told", 1)
    assert lead.put(path, json={}).json()["keep"] == "features", "the whole is set"
    assert lead.delete(path).status_code == 204
    assert lead.get(path).status_code == 404
    assert lead.delete(path).status_code == 404


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"audit": {"+1": 1.5}}, "/audit/+1"),
        ({"audit": {"-1": -0.1}}, "/audit/-1"),
        ({"audit": {"yes": 0.1}}, "/audit/yes"),
        ({"audit": {"+1": True}}, "/audit/+1"),
        ({"second_opinion": {"share": 2}}, "/second_opinion/share"),
        (
            {"second_opinion": {"when_less_sure_than": 0.2}},
            "/second_opinion/when_less_sure_than",
        ),
        ({"send": []}, "/send"),
        ({"send": ["boredom"]}, "/send/0"),
        ({"keep": "everything"}, "/keep"),
        ({"lease_seconds": 0}, "/lease_seconds"),
        ({"due_minutes": 0}, "/due_minutes"),
        ({"retain_days": {"features": 90, "verdicts": 30}}, "/retain_days"),
        ({"due_minutes": None, "order": "due"}, ""),
        ({"due_minutes": None, "when_due": "would_be"}, ""),
        ({"columns": {"hide": ["no-such-column"]}}, "/columns/hide/0"),
        ({"policy": {}}, "/policy"),
    ],
    ids=str,
)
def test_what_is_no_policy_is_refused_by_its_place(desk, body, pointer):
    desk.registry.add("strict", served())
    answer = desk.admin.put("/models/strict/review", json=body)
    assert answer.status_code == 422, answer.text
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]
    assert desk.admin.get("/models/strict/review").status_code == 404


def test_of_two_leads_who_write_at_once_neither_is_lost_unseen(desk):
    desk.registry.add("two", served())
    path = "/models/two/review"
    answers = []

    def put(minutes):
        body = {"due_minutes": minutes, "revision": 0}
        answers.append(desk.admin.put(path, json=body))

    threads = [Thread(target=put, args=(minutes,)) for minutes in (10, 20, 30, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (kept,) = [a.json() for a in answers if a.status_code == 200]
    late = [a for a in answers if a.status_code == 409]
    assert len(late) == 3
    for answer in late:
        assert "revision 1" in answer.json()["detail"]
        assert "GET /models/two/review" in answer.json()["detail"]
    assert desk.admin.get(path).json() == kept
    following = desk.admin.put(path, json={"due_minutes": 50, "revision": 1})
    assert following.json()["revision"] == 2


def test_a_policy_needs_a_model(desk):
    for name in ("nobody", "..", "%00"):
        answer = desk.admin.put(f"/models/{name}/review", json={})
        assert answer.status_code == 404, name


def test_old_keys_keep_what_they_opened(database_url):
    database = open_database(database_url)
    migrate.upgrade(database, "20261128_aliases_keys")
    with database.write() as session:
        for scope in ("predict", "train", "admin"):
            session.execute(
                text(
                    "INSERT INTO api_keys (id, name, scope, sha256, created_at)"
                    " VALUES (:scope, :scope, :scope, :sha256, '2026-01-01')"
                ),
                {
                    "scope": scope,
                    "sha256": f"{len(scope):064d}" if scope != "admin" else "f" * 64,
                },
            )
    migrate.upgrade(database)
    with database.read() as session:
        held = {key.scopes for key in store.issued(session).keys}
    assert held == {("predict",), ("predict", "train"), ("admin",)}
    migrate.downgrade(database, "20261128_aliases_keys")
    with database.read() as session:
        scopes = set(session.execute(text("SELECT scope FROM api_keys")).scalars())
    assert scopes == {"predict", "train", "admin"}
    database.close()


def test_policies_that_sent_every_reject_still_do(database_url):
    before = ["outlier", "ambiguous", "unseen_category", "missing_value"]
    sent = {1: before, 2: ["ambiguous"]}
    database = open_database(database_url)
    migrate.upgrade(database, "20261128_store_token")

    def reasons():
        with database.read() as session:
            rows = session.execute(text("SELECT model_id, policy FROM review_policies"))
            return {row[0]: json.loads(row[1])["send"] for row in rows.all()}

    with database.write() as session:
        for model_id, send in sent.items():
            session.execute(
                text(
                    "INSERT INTO models (id, name, last_version, created_at) VALUES"
                    " (:id, :name, 1, '2026-01-01')"
                ),
                {"id": model_id, "name": f"m{model_id}"},
            )
            policy = Policy.model_validate({"send": send}).model_dump_json()
            session.execute(
                text(
                    "INSERT INTO review_policies (model_id, policy, secret, revision,"
                    " updated_at) VALUES (:id, :policy, 'ab', 1, '2026-01-01')"
                ),
                {"id": model_id, "policy": policy},
            )
    migrate.upgrade(database)
    assert reasons() == {1: [*before, "missing_price"], 2: ["ambiguous"]}
    migrate.downgrade(database, "20261128_store_token")
    assert reasons() == sent
    database.close()
