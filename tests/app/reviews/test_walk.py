"""A walk over HTTP, on either database: what is wrong is refused, nothing is lost."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from sqlalchemy import select

from app.db import migrate
from app.db.base import Base
from app.db.session import open_database
from tests.app.postgres import fresh_postgres
from tests.app.reviews.conftest import Desk, rows
from tests.app.reviews.test_erasing import MARK, files_with, person_with_case

PLAIN = {"audit": None, "second_opinion": None}


@pytest.fixture(
    scope="module",
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)],
)
def office(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Desk]:
    """A service with keys on either database, for the tests of this module."""
    with ExitStack() as stack:
        options = {}
        if request.param == "postgresql":
            server = request.getfixturevalue("postgres_server")
            options["database_url"] = stack.enter_context(fresh_postgres(server))
            database = open_database(options["database_url"])
            migrate.upgrade(database)
            database.close()
        opened = Desk(tmp_path_factory.mktemp("walk"), **options)
        stack.callback(opened.stop)
        yield opened


def bring(office, model, n=6, **policy):
    """Bring cases of one's own; return their ids by reference."""
    office.model(model, **{**PLAIN, **policy})
    sent = [
        {"reference": f"{model}-{i}", "features": row} for i, row in enumerate(rows(n))
    ]
    answer = office.admin.post("/cases", json={"model": model, "cases": sent})
    assert answer.status_code == 201, answer.text
    return {one["reference"]: one["case"] for one in answer.json()["cases"]}


def states(office, model):
    told = office.admin.get("/cases", params={"model": model, "limit": 200}).json()
    return {case["id"]: case["state"] for case in told["cases"]}


def refused(answer, status, *words):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.text
    for word in words:
        assert word in told, (word, told)


def test_wrong_verdicts_are_refused_and_change_nothing(office):
    cases = bring(office, "wrong", 3, lease_seconds=60)
    anna, ben = office.person("anna"), office.person("ben")
    claim = anna.post("/claims", json={"model": "wrong"}).json()
    path, token = f"/claims/{claim['id']}", claim["token"]

    def say(who=anna, **sent):
        return who.post(f"{path}/verdict", json={"token": token, "label": "yes"} | sent)

    for label in ("maybe", "", 1, True, None, ["yes"], "yes\x00"):
        refused(say(label=label), 422, "label")
    for sure in (0.49, 1.01, -1, "0.9", None, True):
        refused(say(sure=sure), 422, "sure")
    refused(say(note="x" * 2001), 422, "note")
    refused(say(extra=1), 422, "extra")
    for other in ("another-token", token[:-1], "x" * 64):
        refused(say(token=other), 409, "claim")
    refused(say(token=""), 422, "token")
    refused(say(who=ben), 409)
    refused(anna.post("/claims/nothing/verdict", json={"token": token}), 422)
    nobody = {"token": token, "label": "yes"}
    refused(anna.post("/claims/nothing/verdict", json=nobody), 404)
    refused(ben.put(path, json={"token": token}), 409)
    refused(ben.delete(path, params={"token": token}), 409)
    refused(anna.delete(path), 422, "token")
    assert set(states(office, "wrong").values()) == {"waiting"}
    given = say(sure=0.8)
    assert given.status_code == 201
    assert say(sure=0.8).status_code == 200
    refused(say(sure=0.9), 409, "undo")
    refused(ben.post(f"/verdicts/{given.json()['id']}/undo"), 404)
    assert anna.post(f"/verdicts/{given.json()['id']}/undo").status_code == 200
    refused(say(sure=0.8), 409)
    assert set(states(office, "wrong")) == set(cases.values())


@pytest.mark.parametrize(
    "policy",
    [
        {"audit": {"+1": 1.1}},
        {"audit": {"-1": -0.1}},
        {"second_opinion": {"share": 2}},
        {"second_opinion": {"when_less_sure_than": 1.5}},
        {"lease_seconds": 0},
        {"due_minutes": -1},
        {"minute_price": -1},
        {"send": ["sometimes"]},
        {"keep": "everything"},
        {"order": "fate"},
        {"retain_days": {"features": -1}},
        {"undo_seconds": -1},
        {"on_failure": "hope"},
        {"rates": 1},
        {"columns": {"hide": ["no-such-column"]}},
    ],
    ids=str,
)
def test_wrong_policies_are_refused_and_the_old_one_stays(office, policy):
    office.model("strict", **PLAIN)
    before = office.admin.get("/models/strict/review").json()
    refused(office.admin.put("/models/strict/review", json=policy), 422)
    assert office.admin.get("/models/strict/review").json() == before


def test_of_two_policies_at_once_the_second_is_refused(office):
    office.model("raced", **PLAIN)
    revision = office.admin.get("/models/raced/review").json()["revision"]
    sent = {**PLAIN, "revision": revision}
    first = office.admin.put("/models/raced/review", json={**sent, "due_minutes": 5})
    assert first.status_code == 200
    late = office.admin.put("/models/raced/review", json={**sent, "due_minutes": 9})
    refused(late, 409, "revision", "GET /models/raced/review")
    assert office.admin.get("/models/raced/review").json()["due_minutes"] == 5


def test_outcomes_that_contradict_are_refused_whole(office):
    cases = bring(office, "late", 4)

    def tell(*pairs, **more):
        outcomes = [{"reference": r, "label": label} for r, label in pairs]
        return office.admin.post(
            "/outcomes", json={"model": "late", "outcomes": outcomes, **more}
        )

    told = tell(("late-0", "yes"), ("unknown-here", "no")).json()
    assert (told["kept"], told["with_case"]) == (2, 1)
    refused(tell(("late-1", "yes"), ("late-0", "no")), 409, "replace")
    refused(tell(("late-1", "yes"), ("late-1", "no")), 422, "/outcomes/1/label")
    refused(tell(("late-1", "perhaps")), 422, "/outcomes/0/label")
    refused(tell(("", "yes")), 422, "/outcomes/0/reference")
    path = f"/cases/{cases['late-1']}"
    assert office.admin.get(path).json()["truth"] is None, "nothing was kept"
    assert tell(("late-0", "no"), replace=True).json()["replaced"] == 1
    refused(
        office.admin.post(
            "/outcomes", json={"model": "nobody", "outcomes": [{"reference": "a"}]}
        ),
        422,
    )
    csv = {"content-type": "text/csv"}
    path = "/outcomes?model=late"
    refused(office.admin.post(path, content="who,what\n", headers=csv), 422, "label")
    refused(office.admin.post(path, content=b"\xff\xfe", headers=csv), 422, "empty")
    sent = "reference,label\nlate-2,yes\n"
    assert office.admin.post(path, content=sent, headers=csv).json()["kept"] == 1


def test_models_with_open_cases_stay_and_unknown_things_are_named(office):
    cases = bring(office, "open", 2)
    refused(office.admin.delete("/models/open"), 409, "open_cases=withdraw")
    refused(office.admin.delete("/models/open/review"), 409, "open_cases=withdraw")
    assert set(states(office, "open").values()) == {"waiting"}
    refused(office.admin.delete("/cases", params={"reference": "nobody"}), 404)
    refused(office.admin.get("/cases/no-such-case"), 404)
    refused(office.admin.get("/cases?after=x"), 422)
    refused(office.admin.get("/cases/changes?after=-1"), 422)
    refused(office.admin.put("/models/nobody/review", json={}), 404)
    refused(office.admin.post("/claims", json={"model": "nobody"}), 404)
    body = "case,label\n{},yes\nno-such-case,yes\n".format(cases["open-0"])
    answer = office.admin.post(
        "/cases/import?model=open", content=body, headers={"content-type": "text/csv"}
    )
    refused(answer, 404, "nothing was kept")
    assert set(states(office, "open").values()) == {"waiting"}
    for case in cases.values():
        withdrawn = office.admin.post(f"/cases/{case}/withdraw")
        assert withdrawn.json()["state"] == "withdrawn"
    assert office.admin.delete("/models/open").status_code == 200


def test_a_case_goes_all_the_way_and_its_person_is_forgotten(office):
    cases = bring(office, "whole", 1, second_opinion={"share": 1.0})
    names = ("anna", "ben", "cleo")
    for name, label in zip(names, ("yes", "no", "yes"), strict=True):
        who = office.person(name)
        claim = who.post("/claims", json={"model": "whole"})
        assert claim.status_code == 201, claim.text
        sent = {"token": claim.json()["token"], "label": label, "note": f"by {name}"}
        given = who.post(f"/claims/{claim.json()['id']}/verdict", json=sent)
        assert given.status_code == 201, given.text
        assert who.post("/claims", json={"model": "whole"}).status_code == 204
    (case,) = cases.values()
    told = office.admin.get(f"/cases/{case}").json()
    assert (told["state"], told["label"]) == ("decided", "yes")
    (change,) = office.admin.get("/cases/changes?model=whole").json()["changes"]
    assert (change["case"], change["label"]) == (case, "yes")
    refused(office.admin.post(f"/cases/{case}/withdraw"), 409, "reopen")
    office.admin.post(f"/cases/{case}/reopen")
    office.admin.post(f"/cases/{case}/withdraw")
    made = office.admin.post("/models/whole/review/dataset", json={"alone": True})
    refused(made, 409)
    erased = office.admin.delete("/cases", params={"reference": "whole-0"}).json()
    assert erased["cases"] == [case]
    told = office.admin.get(f"/cases/{case}").json()
    assert (told["features"], told["reference"]) == (None, None)
    assert all(verdict["note"] is None for verdict in told["verdicts"])
    refused(office.admin.post(f"/cases/{case}/reopen"), 409, "erased")


def rows_with(office, value):
    """Return the tables of which a row holds a value, as text or as JSON."""
    with office.registry.database.read() as session:
        return [
            table.name
            for table in Base.metadata.sorted_tables
            if any(value in repr(row) for row in session.execute(select(table)))
        ]


def test_an_erased_value_is_in_no_row_and_no_file(office):
    model = office.model("erased", **PLAIN)
    case_id = person_with_case(office, model, f"{MARK}-reference")
    assert {"cases", "case_events", "verdicts", "outcomes"} <= {
        *rows_with(office, MARK)
    }
    assert office.admin.delete(f"/cases/{case_id}").status_code == 200
    assert rows_with(office, MARK) == []
    assert files_with(office.settings.data_dir, MARK) == []


def test_a_body_that_may_be_left_out_tells_its_keys_too(office):
    office.model("strict", **PLAIN)
    answer = office.admin.post("/models/strict/review/prices", json={"minute": 1})
    assert answer.status_code == 422
    assert answer.json()["detail"].partition("one of: ")[2].startswith("minute_price")
