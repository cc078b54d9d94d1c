"""A batch and POST /predict answer a row alike, whatever the rule and the guards."""

import csv
import io
import json

import msgspec
import numpy as np
import pytest

from app.artifacts.model import Labels, ServedModel
from app.batch.answering import Answering
from app.batch.csv import CsvBatch
from app.batch.job import answer_csv
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ReadOptions
from app.features.encoding import encode_table
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.guards.guards import Guards
from app.guards.outlier import OutlierGuard
from app.models.queries import ResolvedVersion
from app.predict.at_once import answer, ask
from app.predict.envelope import read_envelope
from app.predict.ready_model import ReadyModel
from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.scoring.base import Outputs, register

COSTS = CostMatrix(1.0, 5.0, 0.6, 0.3)
VERSION = ResolvedVersion("parity", 1, "0" * 64)
COLUMNS = ["x", "y", "kind"]


@register("pair-of-planes")
class PairOfPlanes:
    """h and r are two linear functions; with log-odds of their own when asked."""

    missing = False

    def __init__(self, payload):
        self.told = dict(payload)
        self.n_features = payload["n_features"]
        draw = np.random.default_rng(4)
        self.h, self.r = draw.normal(size=(2, self.n_features))

    @classmethod
    def from_payload(cls, payload):
        return cls(payload)

    def payload(self):
        return dict(self.told)

    def outputs(self, X):
        # Row by row, so that the sum's order does not depend on the batch.
        h = np.array([np.sum(row * self.h) for row in X])
        r = np.array([np.sum(row * self.r) for row in X])
        return Outputs(h, r + 0.4, 2.0 * h - 0.3 if self.told["odds"] else None)

    def probability(self, X):
        del X


def ready(band, *, odds=False, costs=COSTS, calibrated=True, guards=True):
    draw = np.random.default_rng(0)
    rows = [[*draw.normal(size=2).tolist(), "ab"[i % 2]] for i in range(300)]
    table = Table.from_rows(COLUMNS, rows)
    features = FeatureSchema.fit(table)
    matrix = encode_table(features, table).matrix
    outlier = OutlierGuard.fit(features, matrix, None, 0)
    model = ServedModel(
        features=features,
        scorer=PairOfPlanes({"n_features": features.n_encoded, "odds": odds}),
        rule={"kind": "any", **band.payload()},
        calibration=Calibration("sigmoid", slope=1.1, intercept=0.1)
        if calibrated
        else None,
        costs=costs,
        labels=Labels("yes", "no"),
        guards=Guards("any", True, outlier) if guards else Guards(),
    )
    payload = model.to_payload()
    payload["scorer"]["kind"] = "pair-of-planes"
    return ReadyModel(payload)


def some_rows(n):
    draw = np.random.default_rng(7)
    return [
        {
            "x": None if i % 11 == 0 else float(draw.normal()),
            "y": float(draw.normal()) * (50.0 if i % 13 == 0 else 1.0),
            "kind": "never seen" if i % 17 == 0 else "ab"[i % 2],
        }
        for i in range(n)
    ]


def by_predict(model, rows):
    body = msgspec.json.encode({"model": "parity", "instances": rows})
    question = ask(model, VERSION, read_envelope(body))
    return json.loads(answer(question).body)["predictions"]


def by_batch(model, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    batch = CsvBatch(Answering(model, VERSION), ReadOptions(), Limits())
    source, target = io.BytesIO(text.getvalue().encode()), io.BytesIO()
    answer_csv(batch, source, target)
    return list(csv.DictReader(io.StringIO(target.getvalue().decode())))


@pytest.mark.parametrize("guards", [True, False], ids=["guards", "no guards"])
@pytest.mark.parametrize(
    "asked",
    [
        {"band": Band(-0.5, 0.4)},
        {"band": Band(-0.5, 0.4, closed=True), "costs": None},
        {"band": Band(-0.5, 0.4), "costs": None, "calibrated": False},
        {"band": Band(0.1, 0.6, on="probability")},
        {"band": Band(0.1, 0.6, on="probability"), "odds": True},
        {"band": Band(0.0, 0.0, on="reject-function")},
        {"band": Band(0.0, 0.0, on="reject-function"), "odds": True},
    ],
)
def test_every_rule_and_guard_answers_a_batch_as_it_answers_predict(asked, guards):
    model, rows = ready(**asked, guards=guards), some_rows(400)
    together, found = by_predict(model, rows), by_batch(model, rows)
    singly = [prediction for row in rows for prediction in by_predict(model, [row])]
    assert singly == together
    reasons = set()
    for row, told in zip(found, singly, strict=True):
        reasons.add(told["reason"])
        assert row["demur_decision"] == told["decision"]
        assert (row["demur_label"] or None) == told["label"]
        assert (row["demur_reason"] or None) == told["reason"]
        assert row["demur_would_be"] == told["would_be"]
        for name in ("score", "probability", "expected_cost"):
            cell = row[f"demur_{name}"]
            assert (float(cell) if cell else None) == told[name]
        kinds = [warning.split(":")[0] for warning in told["warnings"]]
        cells = row["demur_warnings"].split("; ") if row["demur_warnings"] else []
        assert [cell.split(":")[0] for cell in cells] == kinds
    assert None in reasons
    assert "ambiguous" in reasons
    assert guards == ("outlier" in reasons)
    assert guards == ("missing_value" in reasons)
    assert guards == ("unseen_category" in reasons)
