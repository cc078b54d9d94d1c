"""Trainings on labels that nobody is sure of: probabilities, and their precision."""

import numpy as np
import pytest

from app.artifacts.model import ServedModel
from app.errors import InvalidRequestError
from app.features.encoding import encode_table
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.train.trainers.registry import TRAINERS
from solvers.costs import CostMatrix
from solvers.trainers.psvm import ProbabilisticLabelSVC
from tests.app.worker.fit.mixed_columns import (
    DOUBT,
    PRICES,
    decided,
    doubtful,
    quick,
    rows,
    trained,
)


def test_probabilities_train_the_p_svm():
    generator = np.random.default_rng(0)
    x = generator.uniform(-3, 3, 150)
    table = [[float(v), float(1 / (1 + np.exp(-2 * v)))] for v in x]
    table[:20] = [[v, 1 if v > 0 else -1] for v, _ in table[:20]]
    result = trained(
        table=table,
        columns=["x", "p"],
        trainer={"kind": "p-svm", "C": 10.0, "C_prob": 10.0},
        target={"column": "p", "probability": True},
    )
    assert result.summary["calibration"]["kind"] == "link"
    model = ServedModel.from_payload(result.artifact)
    grid = [[v] for v in (-2.0, -0.5, 0.0, 0.5, 2.0)]
    learnt = decided(model, grid, ["x"]).probabilities
    truth = 1 / (1 + np.exp(-2 * np.array(grid)[:, 0]))
    np.testing.assert_allclose(learnt, truth, atol=0.12)


@pytest.mark.parametrize(
    ("table", "target", "trainer", "kind"),
    [
        (doubtful(), {"column": "outcome", **DOUBT}, {}, "link"),
        (
            doubtful(),
            {"column": "outcome", **DOUBT},
            {"class_weight": "balanced"},
            "curve",
        ),
        (rows(), {"column": "outcome", "positive": "yes"}, {}, "sigmoid"),
        (
            [[*row[:-1], float(row[-1] == "yes")] for row in rows()],
            {"column": "outcome", **DOUBT},
            {},
            "sigmoid",
        ),
    ],
    ids=["probabilities", "weighted classes", "labels", "certain probabilities"],
)
def test_the_own_link_is_believed_where_probabilities_taught_it(
    table, target, trainer, kind
):
    p_svm = {"kind": "p-svm", **trainer}
    made = trained(trainer=p_svm, table=table, target=target)
    assert made.summary["calibration"]["kind"] == kind
    if kind != "link":
        rule = {"kind": "plug-in"}
        with pytest.raises(InvalidRequestError, match=r"p-svm.*chow"):
            trained(trainer=p_svm, table=table, target=target, rule=rule)


@pytest.mark.parametrize("kind", TRAINERS)
def test_every_trainer_learns_from_doubtful_labels_and_names_them(kind):
    result = trained(
        table=doubtful(),
        trainer=quick(kind),
        rule={"kind": "chow"},
        target={"column": "outcome", **DOUBT},
    )
    labels = result.artifact["labels"]
    assert labels == {"positive": "yes", "negative": "no"}
    assert result.summary["evaluation"]["rows"] == 32


@pytest.mark.parametrize("kind", [kind for kind in TRAINERS if kind != "p-svm"])
def test_certain_probabilities_are_labels(kind):
    certain = [[*row[:-1], float(row[-1] == "yes")] for row in rows()]
    asked = {"trainer": quick(kind), "rule": {"kind": "chow"}}
    told = trained(table=certain, target={"column": "outcome", **DOUBT}, **asked)
    plain = trained(**asked)
    for result in (told, plain):
        result.summary.pop("target", None)
    judged = [
        decided(ServedModel.from_payload(r.artifact), rows(50, seed=3))
        for r in (told, plain)
    ]
    np.testing.assert_allclose(judged[0].scores, judged[1].scores, rtol=1e-9, atol=1e-9)
    assert told.summary["evaluation"] == plain.summary["evaluation"]


@pytest.mark.parametrize("kind", ["svm", "gradient-boosting", "double-hinge-svm"])
def test_doubt_is_worth_more_than_its_rounding(kind):
    draw = np.random.default_rng(2)
    x = draw.normal(size=(400, 2))
    truth = 1 / (1 + np.exp(-1.5 * x[:, 0] - 0.5))
    table = [
        [*map(float, row), float(np.round(p, 1))]
        for row, p in zip(x, truth, strict=True)
    ]
    hard = [[*row[:-1], float(row[-1] > 0.5)] for row in table]
    grid = draw.normal(size=(2000, 2)).tolist()
    p_true = 1 / (1 + np.exp(-1.5 * np.array(grid)[:, 0] - 0.5))
    spent = []
    for taught in (table, hard):
        result = trained(
            table=taught,
            columns=["a", "b", "p"],
            trainer=quick(kind),
            rule={"kind": "chow"},
            target={"column": "p", **DOUBT},
        )
        model = ServedModel.from_payload(result.artifact)
        called = decided(model, grid, ["a", "b"]).decisions
        each = CostMatrix(**PRICES).expected(p_true)
        place = np.where(called == 0, 2, np.where(called > 0, 0, 1))
        spent.append(each[np.arange(len(grid)), place].mean())
    assert spent[0] < spent[1]


@pytest.mark.parametrize("doubtful", [True, False], ids=["probabilities", "labels"])
def test_a_column_of_precisions_is_each_rows_own_eta(doubtful):
    draw = np.random.default_rng(0)
    x = draw.uniform(-3, 3, 120)
    p = 1 / (1 + np.exp(-2 * x))
    eta = draw.choice([0.02, 0.1, 0.3], 120)

    def told(precision, own=0.1):
        table = [
            [float(v), float(q) if doubtful else int(v > 0), float(e)]
            for v, q, e in zip(x, p, precision, strict=True)
        ]
        reading = {"probability": True} if doubtful else {"positive": 1}
        return trained(
            table=table,
            columns=["x", "y", "eta"],
            trainer={"kind": "p-svm", "C": 10.0, "C_prob": 10.0, "eta": own},
            target={"column": "y", "label_precision": "eta", **reading},
        )

    result = told(eta)
    assert [f["name"] for f in result.summary["features"]] == ["x"]
    machine = ProbabilisticLabelSVC(C=10.0, C_prob=10.0, eta=0.1)
    known = result.artifact["evidence"]["split"]["training"]
    feature = FeatureSchema.from_payload(result.artifact["features"])
    X = encode_table(feature, Table.from_columns({"x": x[known]})).matrix
    y = p[known] if doubtful else np.where(x[known] > 0, 1.0, -1.0)
    machine.fit(X, y, label_precision=eta[known])
    np.testing.assert_array_equal(
        result.artifact["scorer"]["coefficients"], machine.dual_coef_[0]
    )
    alike = told(np.full(120, 0.2), own=0.2).artifact["scorer"]
    assert not np.array_equal(alike["coefficients"], machine.dual_coef_[0])
