"""A service that can ask a person does not guess, where nothing is said of guards."""

import csv
import io
import json

import pytest

from app.artifacts.model import ServedModel
from app.batch.answering import Answering
from app.batch.csv import CsvBatch
from app.batch.job import answer_csv
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ReadOptions
from app.evidence.stored import Stored
from app.models.queries import ResolvedVersion
from app.predict.at_once import answer, ask
from app.predict.envelope import read_envelope
from app.predict.ready_model import ReadyModel
from app.reprice.changed_request import changed_request
from app.reprice.schemas import RepriceRequest
from app.train.trainers.registry import TRAINERS
from tests.app.worker.fit.mixed_columns import COLUMNS, quick, rows, trained

VERSION = ResolvedVersion("m", 1, "0" * 64)
FEATURES = COLUMNS[:-1]
KINDS = ("missing_value", "unseen_category", "far_outside")
ORDINARY = [50.0, 0.2, "a", True]
# What is odd in a row: its kind, and the column that it is about.
ODD = [
    (ORDINARY, None, None),
    ([None, 0.2, "a", True], "missing_value", "age"),
    ([50.0, None, "a", True], "missing_value", "score"),
    ([50.0, 0.2, None, True], "missing_value", "ward"),
    ([50.0, 0.2, "a", None], "missing_value", "smokes"),
    ([50.0, 0.2, "zz", True], "unseen_category", "ward"),
    ([50.0, 0.2, "", True], "missing_value", "ward"),
    ([1e18, 0.2, "a", True], "far_outside", "age"),
    ([-1e308, 0.2, "a", True], "far_outside", "age"),
    ([50.0, 50.0, "a", True], "far_outside", "score"),
    ([None, None, None, None], "missing_value", "age"),
    ([None, 1e18, "zz", True], "missing_value", "age"),
]
SENT = [row for row, _, _ in ODD]


def whole(n=160):
    """Rows without a missing value."""
    return [row for row in rows(2 * n) if None not in row][:n]


def answered(ready, sent):
    body = {"model": "m", "data": {"columns": FEATURES, "rows": sent}}
    question = ask(ready, VERSION, read_envelope(json.dumps(body).encode()))
    return json.loads(answer(question).body)["predictions"]


@pytest.fixture(scope="module", params=sorted(set(TRAINERS) - {"scores"}))
def ready(request):
    """A model whose training lacked no value."""
    return ReadyModel(trained(trainer=quick(request.param), table=whole()).artifact)


def test_what_training_never_saw_is_rejected_with_its_reason(ready):
    for (_, kind, column), one in zip(ODD, answered(ready, SENT), strict=True):
        told = [text for text in one["warnings"] if text.startswith(KINDS)]
        if kind is None:
            assert told == []
            assert one["reason"] in {None, "ambiguous"}
        else:
            assert any(text.startswith(f"{kind}: {column} ") for text in told)
        if kind in {"missing_value", "unseen_category"}:
            assert (one["decision"], one["label"]) == ("reject", None)
            assert one["reason"] == kind
        elif kind == "far_outside":
            assert one["reason"] in {None, "ambiguous"}
            assert "the outlier guard rejects such a row where it is on" in told[0]
        assert not any("1e+18" in text or "zz" in text for text in told)


def test_a_row_is_answered_alike_alone_among_others_and_in_a_file(ready):
    together = answered(ready, SENT)
    assert [answered(ready, [row])[0] for row in SENT] == together
    text = io.StringIO()
    csv.writer(text).writerows([FEATURES, *SENT])
    batch = CsvBatch(Answering(ready, VERSION), ReadOptions(), Limits())
    out = io.BytesIO()
    answer_csv(batch, io.BytesIO(text.getvalue().encode()), out)
    lines = csv.DictReader(io.StringIO(out.getvalue().decode()))
    for cells, one in zip(lines, together, strict=True):
        assert cells["demur_decision"] == one["decision"]
        assert cells["demur_reason"] == (one["reason"] or "")
        kinds = [text.split(" ")[:2] for text in one["warnings"]]
        told = [
            " ".join(kind) if kind[0][:-1] in KINDS else kind[0][:-1] for kind in kinds
        ]
        assert cells["demur_warnings"] == "; ".join(told)


@pytest.mark.parametrize("kind", ["svm", "gradient-boosting"])
def test_where_training_lacked_values_a_row_may(kind):
    """But a category that was never seen is still one that was never seen."""
    ready = ReadyModel(trained(trainer=quick(kind)).artifact)
    lacking = [row for row, kind, _ in ODD[:5] if kind in {None, "missing_value"}]
    for one in answered(ready, lacking):
        assert one["reason"] in {None, "ambiguous"}
        assert not any(text.startswith(KINDS) for text in one["warnings"])
    (unseen,) = answered(ready, [[50.0, 0.2, "zz", True]])
    assert unseen["reason"] == "unseen_category"


@pytest.mark.parametrize(
    ("guards", "reasons"),
    [
        ({"missing_value": False}, {"unseen_category"}),
        ({"unseen_category": False}, {"missing_value"}),
        ({"missing_value": False, "unseen_category": False}, set()),
        ({"missing_value": "unseen"}, {"missing_value", "unseen_category"}),
        ({"outlier": True}, {"missing_value", "unseen_category", "outlier"}),
    ],
)
def test_a_guard_is_switched_by_its_name(guards, reasons):
    ready = ReadyModel(trained(table=whole(), guards=guards).artifact)
    found = answered(ready, SENT)
    assert {one["reason"] for one in found} - {None, "ambiguous"} == reasons
    for (_, kind, _), one in zip(ODD, found, strict=True):
        odd = [text for text in one["warnings"] if text.startswith(KINDS)]
        assert bool(odd) is (kind is not None)


def test_any_missing_value_rejects_where_that_is_asked_for():
    ready = ReadyModel(trained(guards={"missing_value": True}).artifact)
    reasons = [one["reason"] for one in answered(ready, SENT[1:5])]
    assert reasons == ["missing_value"] * 4


def test_a_version_says_what_its_guards_are_and_keeps_them_when_repriced():
    result = trained(table=whole())
    assert result.summary["guards"] == {
        "missing_value": {"which": "unseen"},
        "unseen_category": {},
        "outlier": None,
    }
    counts = {"missing_value": 0, "unseen_category": 0, "outlier": 0}
    assert result.summary["evaluation"]["guarded"] == counts
    assert not any("guards" in text for text in result.warnings)
    stored = Stored.from_payload(result.artifact)
    asked = changed_request(stored, RepriceRequest.model_validate({"prevalence": 0.3}))
    assert asked.guards.missing_value == "unseen"


def test_the_promise_of_a_mean_over_all_cases_has_no_guards_by_default():
    rule = {"kind": "bounded-cost", "max_cost": 0.4}
    artifact = trained(table=whole(), rule=rule).artifact
    assert not ServedModel.from_payload(artifact).guards


def test_a_version_warns_where_its_guards_reject_many_rows():
    """A column of names: most held-out rows have one that training never saw."""
    table = [[*row[:2], f"{i}", *row[3:]] for i, row in enumerate(whole())]
    (told,) = [t for t in trained(table=table).warnings if t.startswith("guards")]
    assert told.startswith("guards reject 32 of 32 rows (unseen_category 32):")
