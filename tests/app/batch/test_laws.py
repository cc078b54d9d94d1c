"""Laws of a batch that hold for any file: nothing lost, nothing changed, no fault."""

import csv
import io
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.artifacts.model import Labels, ServedModel
from app.batch.answering import Answering
from app.batch.columns import NAMES
from app.batch.csv import CsvBatch
from app.batch.job import answer_csv
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ReadOptions
from app.errors import InvalidRequestError
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.models.queries import ResolvedVersion
from app.predict.ready_model import ReadyModel
from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.scoring import load
from solvers.scoring.kernel_machine import kernel_machine_payload

NUMBERS = [[1.0, "a"], [2.5, "b"], [None, "a"], [4.0, "b"]]
COSTS = CostMatrix(1.0, 1.0, 0.3, 0.3)


def answering(labels=("yes", "no"), costs=COSTS, calibration=None):
    features = FeatureSchema.fit(Table.from_rows(["x", "kind"], NUMBERS * 5))
    draw = np.random.default_rng(0)
    payload = kernel_machine_payload(
        {"kind": "rbf", "gamma": 0.5},
        draw.normal(size=(9, features.n_encoded)),
        2 * draw.normal(size=9),
        0.1,
    )
    lower, upper = COSTS.thresholds
    model = ServedModel(
        features=features,
        scorer=load(payload),
        rule={"kind": "plug-in", **Band(lower, upper).payload()},
        calibration=calibration or Calibration("sigmoid"),
        costs=costs,
        labels=Labels(*labels),
    )
    return Answering(ReadyModel(model.to_payload()), ResolvedVersion("m", 1, "0" * 64))


ASKED = answering()


def answered(body, options=ReadOptions(), chunk=1 << 16, asked=ASKED):  # noqa: B008
    batch, out = CsvBatch(asked, options, Limits()), io.BytesIO()
    answer_csv(batch, Drip(body, chunk), out)
    return out.getvalue()


class Drip(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def __init__(self, body, chunk):
        super().__init__(body)
        self.chunk = chunk

    def read(self, size=-1):
        return super().read(min(size, self.chunk))


NUMBER = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers())
CELL = st.text(alphabet='ab ,;"\n\r1.é', max_size=6)
ROWS = st.lists(
    st.tuples(CELL, st.one_of(NUMBER.map(str), st.just("?")), CELL), max_size=12
)


@given(
    ROWS,
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(1, 40),
    st.booleans(),
)
def test_every_cell_comes_back_in_order_beside_its_decision(
    rows, delimiter, end, chunk, quoted
):
    out = io.StringIO()
    quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    if not quoted:  # Python's writer leaves a lone carriage return bare
        rows = [tuple(cell.replace("\r", "") for cell in row) for row in rows]
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([("note", "x", "kind"), *rows])
    text = out.getvalue()
    found = answered(text.encode(), ReadOptions(delimiter=delimiter), chunk).decode()
    read = list(csv.reader(io.StringIO(found, newline=""), delimiter=delimiter))
    assert read[0] == ["note", "x", "kind", *NAMES]
    assert [tuple(row[:3]) for row in read[1:]] == rows
    for row in read[1:]:
        assert len(row) == 3 + len(NAMES)
        assert row[3] in {"+1", "-1", "reject"}
        assert (row[3] == "reject") == (row[4] == "") == (row[8] == "ambiguous")


@given(st.text(alphabet='x kind,;"\n\r1.?é\0', max_size=60), st.integers(1, 9))
def test_any_text_is_answered_or_refused(text, chunk):
    with suppress(InvalidRequestError):
        answered(text.encode(), chunk=chunk)
    with suppress(InvalidRequestError):
        answered(b"x,kind\n" + text.encode(), chunk=chunk)


@given(st.binary(max_size=60))
def test_any_bytes_are_answered_or_refused(data):
    with suppress(InvalidRequestError):
        answered(b"x,kind\n" + data)


def test_a_row_has_the_same_answer_in_any_batch():
    draw = np.random.default_rng(1)
    records = [
        f"{x!r},{k}"
        for x, k in zip(draw.normal(size=700).tolist(), "ab" * 350, strict=True)
    ]
    whole = answered("\n".join(["x,kind", *records]).encode()).splitlines()[1:]
    for i in (0, 1, 7, 350, 699):
        alone = answered(f"x,kind\n{records[i]}".encode()).splitlines()[1]
        assert alone == whole[i]


@pytest.mark.parametrize(
    ("labels", "shown"),
    [
        (("a,b", 'say "n"'), {"a,b", 'say "n"'}),
        ((True, False), {"true", "false"}),
        ((1, 0), {"1", "0"}),
        ((1.5, 0), {"1.5", "0"}),
    ],
)
def test_labels_of_every_kind(labels, shown):
    body = "x,kind\n" + "".join(f"{x / 4},{k}\n" for x in range(-20, 20) for k in "ab")
    found = answered(body.encode(), asked=answering(labels))
    rows = csv.DictReader(io.StringIO(found.decode()))
    assert {row["demur_would_be"] for row in rows} == shown


def test_without_costs_there_are_no_expected_costs():
    found = answered(b"x,kind\n1,a\n", asked=answering(costs=None))
    (row,) = csv.DictReader(io.StringIO(found.decode()))
    assert row["demur_expected_cost"] == ""
    assert row["demur_probability"]
