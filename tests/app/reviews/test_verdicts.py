"""Verdicts: given once, blind, taken back in time, and enough of them close a case."""

from datetime import timedelta

import pytest
from sqlalchemy import select, text, update

from app.db.base import utc_now
from app.db.review_tables import Case, CaseEvent, Verdict
from app.errors import ConflictError, InvalidRequestError
from app.reviews import changes, claims, undoing, verdicts
from app.reviews.caller_schemas import ChangesQuery
from app.reviews.schemas import VerdictRequest
from tests.app.reviews.conftest import model_with_cases, people, rows

PLAIN = {"audit": None, "second_opinion": None}


def say(database, person, label, sure=1.0, note=None):
    """Claim a case and give a verdict; return it with its claim."""
    with database.write() as session:
        claim = claims.claim(session, person, "m")
        assert claim is not None
    asked = VerdictRequest(token=claim.token, label=label, sure=sure, note=note)
    with database.write() as session:
        told, fresh = verdicts.give(session, person, claim.id, asked)
    assert fresh
    return claim, told


def the_case(database):
    with database.read() as session:
        return session.scalars(select(Case)).one()


def feed(database, after=0):
    return changes.page(database, ChangesQuery(after=after)).changes


def test_one_sure_verdict_decides_and_the_same_again_is_the_same(database):
    model_with_cases(database, 1, **PLAIN)
    (person,) = people(database, "p")
    claim, told = say(database, person, "yes", 1.0, "seen it before")
    again = VerdictRequest(
        token=claim.token, label="yes", sure=1, note="seen it before"
    )
    with database.write() as session:
        assert verdicts.give(session, person, claim.id, again) == (told, False)
    other = VerdictRequest(token=claim.token, label="no")
    with pytest.raises(ConflictError, match=told.id), database.write() as session:
        verdicts.give(session, person, claim.id, other)
    case = the_case(database)
    assert (case.state, case.answer, case.answer_probability) == ("decided", True, 1)
    assert case.open_reference is None
    (change,) = feed(database)
    assert (change.state, change.decision, change.label) == ("decided", "+1", "yes")
    assert (change.reference, change.probability, change.position) == ("r-0", 1, 1)
    with database.read() as session:
        (kept,) = session.scalars(select(Verdict)).all()
    assert kept.seconds is not None
    assert kept.note == "seen it before"


@pytest.mark.parametrize("label", ["maybe", "YES", True, 1, "", "+1"])
def test_a_label_that_is_none_is_refused_with_those_that_are(database, label):
    model_with_cases(database, 1, **PLAIN)
    (person,) = people(database, "p")
    with database.write() as session:
        claim = claims.claim(session, person, "m")
    asked = VerdictRequest(token=claim.token, label=label)
    with pytest.raises(InvalidRequestError) as refused, database.write() as session:
        verdicts.give(session, person, claim.id, asked)
    assert refused.value.errors[0].pointer == "/label"
    assert "'yes' or 'no'" in refused.value.errors[0].detail
    assert the_case(database).state == "waiting"


def test_a_first_that_is_unsure_wants_a_second_and_two_who_differ_a_third(database):
    model_with_cases(database, 1, audit=None, second_opinion={"share": 0.0})
    one, two, three = people(database, "one", "two", "three")
    say(database, one, "yes", 0.6)
    assert the_case(database).state == "waiting"
    assert feed(database) == []
    with database.write() as session:
        assert claims.claim(session, one, "m") is None, "nobody twice on a case"
    say(database, two, "no", 0.9)
    assert the_case(database).state == "disputed"
    say(database, three, "yes", 0.9)
    case = the_case(database)
    assert case.state == "decided"
    assert case.answer is True
    assert 0.5 < case.answer_probability < 0.9
    assert [change.state for change in feed(database)] == ["decided"]


@pytest.mark.parametrize(("decided", "slip"), [("-1", "yes"), ("+1", "no")])
def test_who_contradicts_the_machine_on_an_audited_row_has_a_second(
    database, decided, slip
):
    agreed = {"yes": "no", "no": "yes"}[slip]
    model_with_cases(database, 2, audit=None, second_opinion={"share": 0.0})
    one, two, three = people(database, "one", "two", "three")
    with database.write() as session:
        session.execute(update(Case).values(reason="audit", decision=decided))
    say(database, one, agreed)
    with database.read() as session:
        states = sorted(session.scalars(select(Case.state)))
    assert states == ["decided", "waiting"], "who agrees closes it"
    say(database, one, slip)
    say(database, two, agreed)
    say(database, three, agreed)
    with database.read() as session:
        cases = session.scalars(select(Case)).all()
    assert {case.state for case in cases} == {"decided"}
    assert {case.answer for case in cases} == {agreed == "yes"}


def test_who_contradicts_decides_a_reject_or_where_it_is_switched_off(database):
    once = {"share": 0.0, "when_it_contradicts": False}
    model_with_cases(database, 1, audit=None, second_opinion=once)
    (one,) = people(database, "one")
    with database.write() as session:
        session.execute(update(Case).values(reason="audit", decision="-1"))
    say(database, one, "yes")
    assert the_case(database).answer is True


def test_two_who_differ_are_pooled_where_no_third_is_wanted(database):
    second = {"share": 1.0, "third_on_disagreement": False}
    model_with_cases(database, 1, audit=None, second_opinion=second)
    one, two = people(database, "one", "two")
    say(database, one, "yes", 0.9)
    say(database, two, "no", 0.8)
    case = the_case(database)
    assert (case.state, case.answer) == ("decided", True)


def test_a_verdict_may_be_taken_back_until_its_answer_was_fetched(database):
    model_with_cases(database, 1, **PLAIN)
    one, two = people(database, "one", "two")
    _, told = say(database, one, "yes")
    with pytest.raises(Exception, match="no verdict of yours"), database.write() as s:
        undoing.undo(s, two, told.id)
    with database.write() as session:
        back = undoing.undo(session, one, told.id)
    assert back.case.id == told.case
    assert the_case(database).state == "waiting"
    with pytest.raises(ConflictError, match="stand"), database.write() as session:
        undoing.undo(session, one, told.id)
    with database.write() as session:
        assert claims.claim(session, two, "m") is None, "it is one's claim again"
        assert claims.claim(session, one, "m").token == back.token
    asked = VerdictRequest(token=back.token, label="no")
    with database.write() as session:
        second, _ = verdicts.give(session, one, back.id, asked)
    told_changes = feed(database)
    assert [c.state for c in told_changes] == ["decided", "reopened", "decided"]
    assert [c.label for c in told_changes] == ["yes", None, "no"]
    with pytest.raises(ConflictError, match=r"fetched.*reopen"), database.write() as s:
        undoing.undo(s, one, second.id)
    with database.read() as session:
        assert len(session.scalars(select(Verdict)).all()) == 2, "only ever added"
        kinds = session.scalars(select(CaseEvent.kind)).all()
    assert sorted(kinds) == ["decided", "decided", "reopened", "undone"]


def test_a_verdict_is_not_taken_back_when_its_time_is_over(database):
    model_with_cases(database, 1, **PLAIN, undo_seconds=60)
    (one,) = people(database, "one")
    _, told = say(database, one, "yes")
    with database.write() as session:
        session.execute(update(Verdict).values(at=utc_now() - timedelta(seconds=61)))
    with pytest.raises(ConflictError, match="60 seconds"), database.write() as session:
        undoing.undo(session, one, told.id)
    assert the_case(database).state == "decided"


def test_taking_an_unsure_verdict_back_takes_the_second_opinion_back(database):
    model_with_cases(database, 1, audit=None, second_opinion={"share": 0.0})
    one, two = people(database, "one", "two")
    _, told = say(database, one, "yes", 0.55)
    with database.write() as session:
        undoing.undo(session, one, told.id)
    with database.write() as session:
        assert claims.claim(session, two, "m") is None
    _, told = say(database, one, "yes", 1.0)
    assert the_case(database).state == "decided"


def test_changes_come_in_order_each_at_least_once_under_many_writers(database):
    """Whoever reads beside the writers and goes on from `next` misses nothing."""
    from concurrent.futures import ThreadPoolExecutor

    n = 40
    model_with_cases(database, n, **PLAIN)
    reviewers = people(database, *(f"p{k}" for k in range(4)))

    def work(person):
        while True:
            with database.write() as session:
                claim = claims.claim(session, person, "m")
            if claim is None:
                return
            asked = VerdictRequest(token=claim.token, label="no")
            with database.write() as session:
                verdicts.give(session, person, claim.id, asked)

    def follow(_):
        seen, after = [], 0
        while len(seen) < n:
            answer = changes.page(database, ChangesQuery(after=after, limit=7))
            assert answer.next >= after
            seen += answer.changes
            after = answer.next
        return seen

    with ThreadPoolExecutor(6) as threads:
        followers = [threads.submit(follow, i) for i in range(2)]
        list(threads.map(work, reviewers))
        for follower in followers:
            seen = follower.result()
            assert [change.position for change in seen] == list(range(1, n + 1))
            assert len({change.case for change in seen}) == n


def test_a_reviewer_sees_shown_columns_and_the_machine_only_after_the_verdict(desk):
    model = desk.model("blind", **PLAIN)
    with desk.registry.database.write() as session:
        session.execute(
            text("UPDATE review_policies SET policy = replace(policy, :a, :b)"),
            {"a": '"hide":[]', "b": '"hide":["town"]'},
        )
    sent = rows(100)
    body = {
        "model": model,
        "instances": sent,
        "references": [f"secret-{i}" for i in range(100)],
    }
    told = desk.admin.post("/predict", json=body).json()["predictions"]
    by_case = {
        p["case"]: (p, row) for p, row in zip(told, sent, strict=True) if "case" in p
    }
    anna = desk.person("anna")
    answer = anna.post("/claims", json={"model": model})
    claim = answer.json()
    prediction, row = by_case[claim["case"]["id"]]
    assert claim["case"]["features"] == {k: v for k, v in row.items() if k != "town"}
    assert claim["case"]["machine"] is None
    assert "secret-" not in answer.text
    assert str(prediction["score"]) not in answer.text
    path = f"/claims/{claim['id']}/verdict"
    wrong = anna.post(path, json={"token": claim["token"], "label": "y", "sure": 0.4})
    assert wrong.status_code == 422
    said = {"token": claim["token"], "label": "no", "sure": 0.8}
    verdict = anna.post(path, json=said)
    assert verdict.status_code == 201, verdict.text
    assert verdict.json()["machine"]["score"] == prediction["score"]
    assert verdict.json()["machine"]["probability"] == prediction["probability"]
    again = anna.post(path, json=said)
    assert (again.status_code, again.json()) == (200, verdict.json())
    own = anna.get("/verdicts").json()["verdicts"]
    assert own[0] == verdict.json()
    assert desk.person("ben").get("/verdicts").json() == {"verdicts": []}
    undone = anna.post(f"/verdicts/{verdict.json()['id']}/undo")
    assert undone.json()["case"] == claim["case"]
    for path in ("/cases", f"/cases/{claim['case']['id']}", "/models", "/people"):
        assert anna.get(path).status_code == 403
    assert anna.get("/cases/changes").status_code == 403
