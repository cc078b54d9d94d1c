"""One row has one answer, whatever brings it; one table teaches one thing.

Tables are drawn with what differs between programs: white space, byte order marks and
decomposed letters in names and texts, numbers as text, as whole and as decimal numbers,
marks for missing values that are categories elsewhere. Every way into the service must
learn the same columns and give the same bits, or refuse alike.
"""

import csv
import io
import json

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.artifacts.model import Labels, ServedModel
from app.batch.answering import Answering
from app.batch.columnar import answer_columnar
from app.batch.csv import CsvBatch
from app.batch.job import answer_csv
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ReadOptions
from app.errors import InvalidRequestError
from app.evaluate.rows import feature_table
from app.features.encoding import encode_table
from app.features.schema import FeatureSchema
from app.features.values import trimmed
from app.guards.guards import Guards
from app.guards.tables import guarded_rows
from app.models.queries import ResolvedVersion
from app.predict.at_once import answer, ask
from app.predict.envelope import read_envelope
from app.predict.ready_model import ReadyModel
from app.train.rows import by_column
from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.scoring import load
from solvers.scoring.kernel_machine import kernel_machine_payload
from tests.app.spelled_tables import (
    CODED,
    MARKS,
    PADS,
    by_json,
    cells_of,
    columnar,
    inline,
    respelled,
    stored,
    tables,
    text_file,
    typed,
)

VERSION = ResolvedVersion("m", 1, "0" * 64)
COSTS = CostMatrix(1.0, 1.0, 0.3, 0.3)
patient = settings(
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def empty(kind, cells, marks):
    """Tell whether a column has no value at all."""
    missing = {"", *marks}
    return all(v is None or str(v).strip("".join(PADS)) in missing for v in cells)


def learnt(read):
    try:
        return FeatureSchema.fit(read())
    except InvalidRequestError:
        return None


@patient
@given(st.data(), tables(), st.lists(st.sampled_from(MARKS), unique=True))
def test_a_table_teaches_the_same_whatever_brings_it(tmp_path, data, named, marks):
    kinds = {"number": "numeric", "boolean": "boolean"}
    declared = tuple(
        (name, kinds.get(kind, "categorical"))
        for name, (kind, cells) in named.items()
        if not empty(kind, cells, marks)
    )

    def by_file(body, form):
        options = {"missing": tuple(marks), "types": declared}
        return lambda: stored(tmp_path, body, form, **options)

    found = [
        learnt(lambda: by_json(data.draw, named, marks)),
        learnt(by_file(text_file(data.draw, named), "csv")),
    ]
    for form in ("parquet", "arrow", "arrow file"):
        body = columnar(typed(data.draw, named), form)
        found.append(learnt(by_file(body, form.split()[0])))
    described = [None if one is None else one.to_payload() for one in found]
    for one in described[1:]:
        assert one == described[0]


def model_of(table):
    features = FeatureSchema.fit(table)
    draw = np.random.default_rng(0)
    vectors = draw.normal(size=(7, features.n_encoded))
    payload = kernel_machine_payload(
        {"kind": "rbf", "gamma": 0.5}, vectors, draw.normal(size=7), 0.1
    )
    lower, upper = COSTS.thresholds
    served = ServedModel(
        features=features,
        scorer=load(payload),
        rule={"kind": "plug-in", **Band(lower, upper).payload()},
        calibration=Calibration("sigmoid"),
        costs=COSTS,
        labels=Labels("yes", "no"),
        guards=Guards(missing_value=True, unseen_category=True),
    )
    return ReadyModel(served.to_payload())


def by_predict(model, body):
    question = ask(model, VERSION, read_envelope(msgspec.json.encode(body)))
    told = json.loads(answer(question).body)["predictions"]
    return [(one["decision"], one["score"], one["reason"]) for one in told]


def by_evaluation(draw, model, named, code):
    texts = {f.name: f.spelled for f in model.schema.categoricals}
    data = inline(draw, named, None, code)
    rows = iter(data["rows"])
    table = by_column(list(map(trimmed, data["columns"])), rows, None, texts)
    return evaluated(model, table)


def evaluated(model, table):
    schema = model.schema
    typed_so = feature_table(table, schema)
    encoded = encode_table(schema, typed_so)
    guarded = guarded_rows(model.model.guards, schema, typed_so, encoded)
    judged = model.model.judge(encoded.matrix, model.pricing.band, guarded)
    return judged.scores.tolist(), judged.decisions.tolist()


def rows_of(read):
    found = [
        (row["demur_decision"], row["demur_score"], row["demur_reason"] or None)
        for row in read
    ]
    return [(decision, float(score), reason) for decision, score, reason in found]


def by_csv(model, body):
    batch, out = (
        CsvBatch(Answering(model, VERSION), ReadOptions(), Limits()),
        io.BytesIO(),
    )
    answer_csv(batch, io.BytesIO(body), out)
    text = io.StringIO(out.getvalue().decode())
    delimiter = ";" if ";demur" in out.getvalue().decode() else ","
    found = csv.DictReader(text, delimiter=delimiter)
    return rows_of(
        {**row, "demur_score": row["demur_score"].replace(",", ".")} for row in found
    )


def by_file(folder, model, table, form):
    source, target = folder / "sent", folder / "answered"
    source.write_bytes(columnar(table, form))
    asked = (Answering(model, VERSION), form.split()[0], (source, target))
    answer_columnar(*asked, io.BytesIO(), ReadOptions(), Limits())
    if form == "parquet":
        return rows_of(pq.read_table(target).to_pylist())
    read = pa.ipc.open_file if form == "arrow file" else pa.ipc.open_stream
    return rows_of(read(target).read_all().to_pylist())


LOCALES = {"": (",", "."), "US": (",", "."), "de": (".", ","), "ch": ("'", ".")}
QUANTITIES = st.integers(0, 10**7) | st.integers(0, 10**8).map(lambda n: n / 1000)


def in_locale(value, locale, sign):
    group, mark = LOCALES[locale]
    text = f"{value:,}" if locale else str(value)
    text = text.replace(",", "g").replace(".", "m")
    return text.replace("g", group).replace("m", mark) + sign


def amounts(values, locale, sign):
    """A file of one column of amounts, as a spreadsheet of some country writes it."""
    cells = [f"{in_locale(v, locale, sign)};{i}" for i, v in enumerate(values)]
    return "\r\n".join(["x;id", *cells, ""]).encode()


@patient
@given(
    st.lists(QUANTITIES, min_size=2, max_size=6),
    st.lists(QUANTITIES, min_size=1, max_size=4),
    st.sampled_from(sorted(LOCALES)),
    st.sampled_from(["", " %", " €"]),
)
def test_amounts_are_read_as_in_training(tmp_path, seen, asked, locale, sign):
    # What shows how numbers are written is learnt: one row may not show it alone.
    seen = [1234567.5, 0.5, *seen]
    table = stored(tmp_path, amounts(seen, locale, sign), "csv")
    assert table.columns["x"].tolist() == seen
    model = model_of(table)
    kept = FeatureSchema.from_payload(json.loads(json.dumps(model.schema.to_payload())))
    assert kept == model.schema
    rows = [[value] for value in asked]
    body = {"model": "m", "data": {"columns": ["x"], "rows": rows}}
    assert by_csv(model, amounts(asked, locale, sign)) == by_predict(model, body)
    # A data set knows no model: its own cells have to show how they are written.
    body["data"]["rows"].append([0.5])
    kept = stored(tmp_path, amounts([*asked, 0.5], locale, sign), "csv")
    assert evaluated(model, kept) == as_evaluated(by_predict(model, body))


def test_a_unit_that_training_did_not_have_is_refused(tmp_path):
    table = stored(tmp_path, amounts([0.5, 2.0, 3.0], "US", ""), "csv")
    with pytest.raises(InvalidRequestError, match="percent"):
        by_csv(model_of(table), amounts([0.5], "US", " %"))


def test_what_may_be_a_thousand_times_as_much_is_refused(tmp_path):
    table = stored(tmp_path, amounts([0.5, 2.0, 3.0], "US", ""), "csv")
    with pytest.raises(InvalidRequestError, match="line 2, 'x': its commas may"):
        by_csv(model_of(table), b"x;id\n1,234;0\n")


def as_evaluated(told):
    """Return what an evaluation sees of answers."""
    names = {"+1": 1, "-1": -1, "reject": 0}
    return [score for _, score, _ in told], [names[one] for one, _, _ in told]


def attempt(way, *given):
    try:
        return way(*given)
    except InvalidRequestError:
        return None


@patient
@given(st.data(), tables(), st.none() | st.lists(st.sampled_from(MARKS), unique=True))
def test_a_row_has_the_same_answer_whatever_brings_it(tmp_path, data, named, marks):
    draw = data.draw
    model = model_of(by_json(draw, named, marks))
    rows = draw(st.integers(1, 4))
    asked = {
        name: (kind, draw(cells_of(kind, rows))) for name, (kind, _) in named.items()
    }
    code = draw(st.sampled_from(CODED))
    whole = {}
    for spelling in (str, code):
        grid = inline(draw, asked, None, spelling)
        del grid["missing"]
        told = attempt(by_predict, model, {"model": "m", "data": grid})
        whole[spelling] = told
        keys = [draw(respelled(name)) for name in asked]
        instances = [dict(zip(keys, row, strict=True)) for row in grid["rows"]]
        singly = [
            attempt(by_predict, model, {"model": "m", "instances": [instance]})
            for instance in instances
        ]
        assert (None in singly) == (told is None)
        if told is not None:
            assert [one for (one,) in singly] == told
    by_text, by_code = whole[str], whole[code]
    by_file_of_text = attempt(by_csv, model, text_file(draw, asked))
    if by_text is not None:  # a text file has no types that could be refused
        assert by_file_of_text == by_text
    # Text is refused where training had no value at all: such a column is of numbers.
    if by_code is not None and by_text is not None:
        assert by_code == by_text
    table = typed(draw, asked, code)
    for form in ("parquet", "arrow", "arrow file"):
        assert attempt(by_file, tmp_path, model, table, form) == by_code
    found = attempt(by_evaluation, draw, model, asked, code)
    assert found == (None if by_code is None else as_evaluated(by_code))
    if by_code is not None:
        for form in ("parquet", "arrow"):
            body = columnar(table, form)
            kept = stored(tmp_path, body, form, missing=model.schema.missing)
            assert evaluated(model, kept) == found
