"""Rejected rows of a file have their cases, as those of POST /predict have."""

import csv
import io

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import text

from app.batch import cases as batch_cases
from tests.app.predict.conftest import served
from tests.app.reviews.conftest import rows
from tests.app.reviews.test_opening import kept, predict

PLAIN = {"audit": None, "second_opinion": None}
CSV = {"content-type": "text/csv"}
PARQUET = {"content-type": "application/vnd.apache.parquet"}


def table_of(sent, **columns):
    return pa.table(
        {**{name: [row[name] for row in sent] for name in sent[0]}, **columns}
    )


def as_csv(table):
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(table.column_names)
    for row in table.to_pylist():
        cells = row.values()
        writer.writerow(
            [
                str(c).lower() if isinstance(c, bool) else "" if c is None else c
                for c in cells
            ]
        )
    return file.getvalue().encode()


def answered(desk, model, table, form, **query):
    """Send a table as a file; return the answer's rows."""
    if form == "csv":
        body, headers = as_csv(table), CSV
    else:
        sink = io.BytesIO()
        pq.write_table(table, sink)
        body, headers = sink.getvalue(), PARQUET
    answer = desk.admin.post(
        "/predict/batch",
        params={"model": model, **query},
        content=body,
        headers=headers,
    )
    assert answer.status_code == 200, answer.text
    if form == "csv":
        return list(csv.DictReader(io.StringIO(answer.text)))
    return pq.read_table(io.BytesIO(answer.content)).to_pylist()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_file_names_the_cases_that_predictions_name(desk, form):
    model = desk.model(f"file-{form}", **PLAIN)
    sent = rows(300)
    references = [f"v-{i % 250}" for i in range(300)]
    before = predict(desk, model, sent[:50], references[:50]).json()["predictions"]
    table = table_of(sent, visit=references)
    told = answered(desk, model, table, form, reference="visit")
    by_reference = {}
    for i, row in enumerate(told):
        case = row["demur_case"] or None
        assert (case is not None) == (row["demur_decision"] == "reject")
        if case is not None:
            assert by_reference.setdefault(references[i], case) == case
        if i < 50:
            assert case == before[i].get("case")
    cases = kept(desk, model)
    assert set(by_reference.values()) == cases.keys()
    for reference, case in by_reference.items():
        row = sent[references.index(reference)]
        assert cases[case].reference == reference
        if cases[case].features != row:
            assert references.count(reference) == 2
    again = answered(desk, model, table, form, reference="visit")
    assert again == told
    after = predict(desk, model, sent, references).json()["predictions"]
    assert [p.get("case") for p in after] == [row["demur_case"] or None for row in told]
    case = cases[after[next(i for i, p in enumerate(after) if "case" in p)]["case"]]
    same = kept(desk, model)[case.id]
    assert (same.score, same.probability, same.saving) == (
        case.score,
        case.probability,
        case.saving,
    )


def test_whole_numbers_are_references_as_they_are_written(desk):
    model = desk.model("numbers", **PLAIN, keep="reference")
    sent = rows(40)
    typed = table_of(sent, visit=list(range(40)))
    told = answered(desk, model, typed, "parquet", reference="visit")
    assert answered(desk, model, typed, "csv", reference="visit")
    cases = kept(desk, model)
    assert {case.reference for case in cases.values()} == {
        str(row["visit"]) for row in told if row["demur_case"]
    }
    assert {case.features for case in cases.values()} == {None}


def test_a_file_that_is_refused_opens_no_case(desk):
    model = desk.model("refused-file", **PLAIN)
    sent = rows(3000)
    references = [f"v-{i}" for i in range(3000)]
    good = as_csv(table_of(sent, visit=references))
    for body, query in (
        (good + b"x,30,true,Rome,v\n", {"reference": "visit"}),
        (good + b"100,30,true,Rome,\n", {"reference": "visit"}),
        (good, {"reference": "no-such-column"}),
    ):
        refused = desk.admin.post(
            "/predict/batch",
            params={"model": model, **query},
            content=body,
            headers=CSV,
        )
        assert refused.status_code == 422, refused.text
    assert not kept(desk, model)
    only = desk.model("only-references", **PLAIN, keep="reference")
    refused = desk.admin.post(
        "/predict/batch", params={"model": only}, content=good, headers=CSV
    )
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "/query/reference"
    taken = good.replace(b"visit", b"demur_case", 1)
    refused = desk.admin.post(
        "/predict/batch", params={"model": model}, content=taken, headers=CSV
    )
    assert refused.status_code == 422


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("failure", ["refuse", "answer"])
def test_cases_that_cannot_be_stored_refuse_a_file_unless_it_is_to_be_answered(
    desk, failure, form
):
    model = desk.model(f"{failure}-{form}", **PLAIN, on_failure=failure)
    table = table_of(rows(200), visit=[f"v-{i}" for i in range(200)])
    with desk.registry.database.write() as session:
        session.execute(
            text(
                "CREATE TRIGGER full BEFORE INSERT ON cases"
                " BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
            )
        )
    try:
        if failure == "refuse":
            refused = desk.admin.post(
                "/predict/batch",
                params={"model": model, "reference": "visit"},
                content=as_csv(table),
                headers=CSV,
            )
            assert refused.status_code == 507, refused.text
        else:
            told = answered(desk, model, table, form, reference="visit")
            assert {row["demur_case"] or None for row in told} == {None}
            decisions = {row["demur_decision"] for row in told}
            assert "reject" in decisions, "it is answered as it would have been"
    finally:
        with desk.registry.database.write() as session:
            session.execute(text("DROP TRIGGER full"))
    assert not kept(desk, model)
    again = answered(desk, model, table, form, reference="visit")
    assert all(
        (row["demur_case"] or None) is not None
        for row in again
        if row["demur_decision"] == "reject"
    )


def test_without_a_policy_a_file_has_no_column_of_cases(desk):
    desk.registry.add("plain-file", served())
    (row, *_) = answered(desk, "plain-file", table_of(rows(5)), "csv")
    assert "demur_case" not in row


def test_audits_are_those_of_predictions(desk):
    audit = {"+1": 0.5, "-1": 0.5}
    files = desk.model("audited-file", second_opinion=None, audit=audit)
    sent = rows(200)
    references = [f"v-{i}" for i in range(200)]
    answered(desk, files, table_of(sent, visit=references), "csv", reference="visit")
    drawn = {c.reference: c for c in kept(desk, files).values() if c.reason == "audit"}
    assert 20 < len(drawn) < 180
    again = desk.admin.post(
        "/predict",
        json={"model": files, "instances": sent, "references": references},
    )
    assert again.status_code == 200
    for case in drawn.values():
        assert case.inclusion == 0.5
        assert case.decision in ("+1", "-1")
        assert case.features == sent[references.index(case.reference)]


def test_a_case_that_comes_first_from_elsewhere_is_the_one_that_is_named(
    database, tmp_path
):
    """Between the look for open cases and the end of the file, another opens one."""
    from app.batch.answering import Answering
    from app.models.queries import ResolvedVersion
    from app.predict.ready_model import ReadyModel
    from app.predict.rows import Rows
    from app.reviews.new_case import NewCase
    from app.reviews.opening import open_cases
    from tests.app.reviews.conftest import model_with_cases

    origin = model_with_cases(database, 0, **PLAIN)
    ready = ReadyModel(served().to_payload())
    version = ResolvedVersion("m", 1, "0" * 64, origin.terms)
    sent = rows(30)
    read: Rows = ready.readers.objects(ignore_extra=False).read(
        msgspec.json.encode(sent)
    )
    references = [f"v-{i}" for i in range(30)]

    def pass_over():
        answering = Answering(ready, version, reference="visit")
        answering.open_cases(origin.terms, database, tmp_path / "spool")
        decided = answering.decide(read, 0)
        return answering.cases, answering.cases.of(
            read, decided, references
        ).to_pylist()

    cases, told = pass_over()
    place = next(i for i, case in enumerate(told) if case)
    other = NewCase(origin, references[place], "ambiguous", {})
    with database.write() as session:
        open_cases(session, [other])
    with pytest.raises(batch_cases.Overtaken):
        cases.store()
    cases, again = pass_over()
    assert again[place] == other.id
    cases.store()
    assert again[:place] + again[place + 1 :] == told[:place] + told[place + 1 :]
