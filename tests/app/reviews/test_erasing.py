"""Erased values are in no file of the data folder and in no row of the database."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, text, update

from app.db.base import utc_now
from app.db.review_tables import Case, CaseUse, Outcome, Verdict
from app.db.tables import Dataset
from app.reviews import changes, erasing, sweep
from app.reviews.caller_schemas import ChangesQuery
from tests.app.reviews.conftest import Desk, model_with_cases, people, rows
from tests.app.reviews.test_verdicts import say

PLAIN = {"audit": None, "second_opinion": None}
MARK = "Rumpelstilzchen"


@pytest.fixture
def own_desk(tmp_path):
    """A desk whose folder holds nothing else."""
    (tmp_path / "data").mkdir()
    opened = Desk(tmp_path / "data")
    yield opened
    opened.stop()


def files_with(folder: Path, value: str) -> list[str]:
    needle = value.encode()
    return [
        path.name
        for path in sorted(folder.rglob("*"))
        if path.is_file() and needle in path.read_bytes()
    ]


def person_with_case(desk, model, reference):
    """Have a row with a secret in every place rejected, claimed and decided."""
    for row in rows(200):
        sent = {**row, "town": f"{MARK}-town"}
        body = {"model": model, "instances": [sent], "references": [reference]}
        told = desk.admin.post("/predict", json=body).json()["predictions"][0]
        if "case" in told:
            break
    note = f"{MARK}-note"
    claim = desk.admin.post("/claims", json={"model": model}).json()
    path = f"/claims/{claim['id']}"
    skipped = {"token": claim["token"], "reason": f"{MARK}-reason"}
    desk.admin.request("DELETE", path, json=skipped)
    anna = desk.person("anna")
    claim = anna.post("/claims", json={"model": model}).json()
    said = {"token": claim["token"], "label": "yes", "note": note}
    given = anna.post(f"/claims/{claim['id']}/verdict", json=said)
    assert given.status_code == 201, given.text
    outcome = {"model": model, "outcomes": [{"reference": reference, "label": "yes"}]}
    assert desk.admin.post("/outcomes", json=outcome).status_code == 200
    return told["case"]


@pytest.mark.parametrize("by", ["id", "reference"])
def test_an_erased_value_is_in_no_file(own_desk, tmp_path, by):
    desk, folder = own_desk, tmp_path / "data"
    model = desk.model("erased", **PLAIN)
    reference = f"{MARK}-reference"
    case_id = person_with_case(desk, model, reference)
    with desk.registry.database.write() as session:
        dataset = Dataset(
            name="verdicts",
            format="csv",
            n_rows=1,
            columns=[],
            notes=[],
            uploaded_sha256="0" * 64,
            uploaded_bytes=1,
            stored_sha256="0" * 64,
            stored_bytes=1,
        )
        session.add(dataset)
        session.flush()
        session.add(CaseUse(dataset_id=dataset.id, case_id=case_id))
        dataset_id = dataset.id
    assert files_with(folder, MARK), "or the search finds nothing at all"
    if by == "id":
        erased = desk.admin.delete(f"/cases/{case_id}")
    else:
        erased = desk.admin.delete("/cases", params={"reference": reference})
    assert erased.status_code == 200, erased.text
    assert erased.json() == {
        "cases": [case_id],
        "outcomes": 1,
        "datasets": [{"id": dataset_id, "name": "verdicts"}],
    }
    assert files_with(folder, MARK) == []
    left = desk.admin.get(f"/cases/{case_id}").json()
    assert left["features"] is left["reference"] is None
    assert left["erased_at"] is not None
    assert (left["label"], left["truth"]) == ("yes", "yes")
    assert [v["note"] for v in left["verdicts"]] == [None]
    assert {event["note"] for event in left["events"]} == {None}
    assert desk.admin.post(f"/cases/{case_id}/reopen").status_code == 409
    again = desk.admin.delete("/cases", params={"reference": reference})
    assert again.status_code == 404
    assert again.json()["type"] == "/problems/unknown-case"
    assert MARK not in again.text
    with desk.registry.database.writing_engine().connect() as connection:
        connection.commit()
        raw = connection.connection.cursor()
        raw.execute("VACUUM")
        raw.close()
    assert files_with(folder, MARK) == []


def test_an_open_case_is_withdrawn_when_it_is_erased(own_desk):
    desk = own_desk
    model = desk.model("open", **PLAIN)
    body = {
        "model": model,
        "instances": rows(60),
        "references": [f"o-{i}" for i in range(60)],
    }
    told = desk.admin.post("/predict", json=body).json()["predictions"]
    case_id = next(p["case"] for p in told if "case" in p)
    assert desk.admin.delete(f"/cases/{case_id}").status_code == 200
    (change,) = desk.admin.get("/cases/changes").json()["changes"]
    assert (change["case"], change["state"]) == (case_id, "withdrawn")
    assert change["reference"] is None
    assert desk.admin.delete("/cases/nothing").status_code == 404


def days_ago(session, table, column, days):
    then = utc_now() - timedelta(days=days)
    session.execute(update(table).values({column: then}))


def test_what_is_past_its_days_leaves_by_the_policy(database):
    days = {"features": 10, "verdicts": 20}
    model_with_cases(database, 3, **PLAIN, retain_days=days)
    (person,) = people(database, "p")
    say(database, person, "yes", note="a note")
    say(database, person, "no", note="a note")
    with database.write() as session:
        session.add(Outcome(model_id=1, reference="r-0", positive=True))
    assert sweep.forget(database) == 0
    with database.write() as session:
        days_ago(session, Case, "opened_at", 100)
        decided = Case.state == "decided"
        session.execute(
            update(Case).where(decided).values(closed_at=utc_now() - timedelta(days=11))
        )
        days_ago(session, Outcome, "at", 11)
    assert sweep.forget(database) == 3
    with database.read() as session:
        cases = session.scalars(select(Case)).all()
        verdicts = session.scalars(select(Verdict)).all()
        assert session.scalars(select(Outcome)).all() == []
    closed = [case for case in cases if case.state == "decided"]
    assert [case.features for case in closed] == [None, None]
    assert [case.reference for case in closed] == [None, None]
    assert all(case.erased_at is not None for case in closed)
    (waiting,) = [case for case in cases if case.state == "waiting"]
    # Which case was left is not said: one claim in ten takes any.
    kept = {"n": int(waiting.reference.removeprefix("r-"))}
    assert waiting.features == kept, "an open case keeps its columns"
    assert [verdict.note for verdict in verdicts] == [None, None]
    with database.write() as session:
        session.execute(text("UPDATE review_policies SET deleted_at = '2026-01-01'"))
        session.execute(
            update(Case)
            .where(Case.state == "decided")
            .values(closed_at=utc_now() - timedelta(days=21))
        )
    assert sweep.forget(database) == 2, "also where the policy is deleted by now"
    with database.read() as session:
        assert len(session.scalars(select(Case)).all()) == 1
        assert session.scalars(select(Verdict)).all() == []


def test_what_is_due_is_answered_by_the_machine_where_that_is_wanted(database):
    model_with_cases(database, 3, **PLAIN, due_minutes=5, when_due="would_be")
    (person,) = people(database, "p")
    claim, _ = say(database, person, "yes")
    assert sweep.answer_due(database) == 0
    with database.write() as session:
        session.execute(update(Case).values(due_at=utc_now() - timedelta(minutes=1)))
        one = session.scalar(select(Case.id).where(Case.state == "waiting").limit(1))
        session.execute(update(Case).where(Case.id == one).values(would_be=False))
    assert sweep.answer_due(database) == 1, "of the other nobody knows an answer"
    with database.read() as session:
        states = sorted(session.scalars(select(Case.state)))
    assert states == ["decided", "expired", "waiting"]
    decided, expired = changes.page(database, ChangesQuery()).changes
    assert decided.case == claim.case.id
    assert (expired.state, expired.decision, expired.label) == ("expired", "-1", "no")


def test_what_is_due_stays_where_people_are_to_answer_it(database):
    model_with_cases(database, 2, **PLAIN)
    with database.write() as session:
        session.execute(
            update(Case).values(due_at=utc_now() - timedelta(1), would_be=True)
        )
    assert sweep.answer_due(database) == 0


def test_scrubbing_asks_the_database_to_let_go(database):
    erasing.scrub(database)
