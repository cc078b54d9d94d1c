"""Rejects become cases: a reject one, a reference one; none where none is kept."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select, text

from app.db.review_tables import Case, Opinion
from app.reviews import opening
from app.reviews.new_case import NewCase
from tests.app.predict.conftest import served
from tests.app.reviews.conftest import model_with_cases, rows

PLAIN = {"audit": None, "second_opinion": None}


def predict(desk, model, instances, references=None, **more):
    body = {"model": model, "instances": instances, **more}
    if references is not None:
        body["references"] = references
    return desk.admin.post("/predict", json=body)


def kept(desk, model):
    """Return the kept cases of a model, by id."""
    with desk.registry.database.read() as session:
        name = text("SELECT id FROM models WHERE name = :name")
        model_id = session.execute(name, {"name": model}).scalar_one()
        return {
            c.id: c for c in session.scalars(select(Case).filter_by(model_id=model_id))
        }


@pytest.mark.parametrize(
    "n", [1, 40, 300, 16_000], ids=["one", "some", "parts", "bulk"]
)
def test_every_reject_has_its_case_and_nothing_else_is_kept(desk, n):
    model = desk.model(f"every-{n}", **PLAIN)
    sent = rows(60 if n == 1 else n)
    references = [f"r-{i}" for i in range(len(sent))]
    if n == 1:
        told = []
        for row, reference in zip(sent, references, strict=True):
            told += predict(desk, model, [row], [reference]).json()["predictions"]
    else:
        answer = predict(desk, model, sent, references)
        assert answer.status_code == 200, answer.text
        told = answer.json()["predictions"]
    cases = kept(desk, model)
    rejected = [i for i, p in enumerate(told) if p["decision"] == "reject"]
    assert rejected
    assert all("case" not in p for p in told if p["decision"] != "reject")
    assert {told[i]["case"] for i in rejected} == cases.keys()
    for i in rejected:
        case, answer = cases[told[i]["case"]], told[i]
        assert case.reference == references[i]
        assert case.features == sent[i]
        assert case.state == "waiting"
        assert (case.decision, case.reason, case.inclusion) == (
            "reject",
            "ambiguous",
            1,
        )
        assert case.score == answer["score"]
        assert case.probability == answer["probability"]
        assert case.would_be == (answer["would_be"] == "yes")
        costs = answer["expected_costs"]
        saving = min(costs["+1"], costs["-1"]) - costs["reject"]
        assert case.saving == pytest.approx(saving)
        assert (case.due_at - case.opened_at).total_seconds() == 240 * 60


def test_the_same_reference_is_the_same_case_while_that_is_open(desk):
    model = desk.model("same", **PLAIN)
    sent = rows(300)
    references = [f"r-{i // 2}" for i in range(300)]
    first = predict(desk, model, sent, references).json()["predictions"]
    with ThreadPoolExecutor(4) as threads:
        again = list(
            threads.map(lambda _: predict(desk, model, sent, references), range(4))
        )
    by_reference = {}
    for reference, told in zip(references, first, strict=True):
        if told["decision"] == "reject":
            assert by_reference.setdefault(reference, told["case"]) == told["case"]
    assert set(by_reference.values()) == kept(desk, model).keys()
    for answer in again:
        assert answer.json()["predictions"] == first
    one = next(i for i, told in enumerate(first) if told["decision"] == "reject")
    with desk.registry.database.write() as session:
        session.execute(
            text("UPDATE cases SET state = 'decided', open_reference = NULL")
        )
    later = predict(desk, model, [sent[one]], [references[one]]).json()
    assert later["predictions"][0]["case"] != first[one]["case"], "it was closed"


def test_without_a_policy_nothing_is_kept_and_references_are_taken(desk):
    desk.registry.add("off", served())
    answer = predict(desk, "off", rows(50), [f"r-{i}" for i in range(50)])
    assert answer.status_code == 200
    assert "case" not in answer.text
    desk.model("paused", enabled=False)
    answer = predict(desk, "paused", rows(50), None)
    assert "case" not in answer.text
    assert not kept(desk, "off")
    assert not kept(desk, "paused")


def test_only_references_are_kept_where_the_policy_says_so(desk):
    model = desk.model("reference", keep="reference", **PLAIN)
    refused = predict(desk, model, rows(1))
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "/references"
    predict(desk, model, rows(50), [f"r-{i}" for i in range(50)])
    cases = kept(desk, model).values()
    assert cases
    assert all(case.features is None for case in cases)


def test_only_the_reasons_that_are_sent_become_cases(desk):
    model = desk.model("guards-only", **PLAIN, send=["outlier"])
    told = predict(desk, model, rows(50)).json()
    assert told["summary"]["rejected"] > 0
    assert all("case" not in p for p in told["predictions"])
    assert not kept(desk, model)


@pytest.mark.parametrize(
    ("references", "pointer"),
    [
        (["a"], "/references"),
        (["a", "b", "c"], "/references"),
        (["a", ""], "/references/1"),
        (["x" * 201, "b"], "/references/0"),
        (["a", "b\n"], "/references/1"),
        (["a", "\x00"], "/references/1"),
        (["a", 7], "/references"),
        ("ab", "/references"),
        ({"0": "a"}, "/references"),
    ],
    ids=str,
)
def test_what_is_no_reference_is_refused_with_and_without_a_policy(
    desk, references, pointer
):
    desk.model("refuses", **PLAIN)
    desk.registry.add("refuses-too", served())
    for model in ("refuses", "refuses-too"):
        answer = predict(desk, model, rows(2), references)
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["pointer"] == pointer
    assert not kept(desk, "refuses")


@pytest.mark.parametrize(("refuses", "status"), [("refuse", 503), ("answer", 200)])
def test_a_reject_whose_case_cannot_be_stored_is_no_answer_unless_that_is_wanted(
    desk, monkeypatch, refuses, status
):
    model = desk.model(f"fails-{refuses}", **PLAIN, on_failure=refuses)

    def fail(*_):
        raise OSError(5, "the disk is gone")

    monkeypatch.setattr("app.reviews.keeper.open_cases", fail)
    answer = predict(desk, model, rows(40))
    assert answer.status_code == status, answer.text
    if status == 200:
        told = answer.json()["predictions"]
        assert {p["case"] for p in told if p["decision"] == "reject"} == {None}
    else:
        assert "could not be stored" in answer.json()["detail"]
        assert answer.headers["retry-after"]


def test_one_reference_is_opened_once_by_many_at_once(database):
    origin = model_with_cases(database, 0, **PLAIN)

    def work(worker):
        told = {}
        for turn in range(10):
            cases = [
                NewCase(
                    origin,
                    f"r-{(worker * 7 + turn * 3 + i) % 40}",
                    "ambiguous",
                    {"n": worker},
                )
                for i in range(20)
            ]
            with database.write() as session:
                moved = opening.open_cases(session, cases)
            for case in cases:
                there = moved.get(case.id, case.id)
                assert told.setdefault(case.reference, there) == there
        return told

    with ThreadPoolExecutor(6) as threads:
        told = list(threads.map(work, range(6)))
    with database.read() as session:
        stored = dict(session.execute(select(Case.reference, Case.id)).all())
        assert (
            session.scalar(select(func.count()).select_from(Case)) == len(stored) == 40
        )
        assert session.scalar(select(func.count()).select_from(Opinion)) == 40
    for each in told:
        assert all(stored[reference] == case for reference, case in each.items())
