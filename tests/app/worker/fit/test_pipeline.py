"""Trainings from request to model, on small tables with everything in them."""

import json

import numpy as np
import pytest

from app.artifacts.model import ServedModel
from app.train.trainers.registry import TRAINERS
from app.worker.fit.pipeline import run
from solvers.costs import CostMatrix
from solvers.errors import Interrupted
from tests.app.worker.fit.mixed_columns import (
    COLUMNS,
    DOUBT,
    EVEN,
    PRICES,
    decided,
    doubtful,
    quick,
    request,
    rows,
    trained,
)

RULE_PARAMETERS = {
    "bounded-abstention": {"max_reject_rate": 0.1},
    "bounded-error": {"max_error": 0.2},
    "bounded-cost": {"max_cost": 0.28},
}


@pytest.mark.parametrize(
    ("trainer", "rule"),
    [(kind, rule) for kind, t in TRAINERS.items() for rule in t.rules],
)
@pytest.mark.thorough
def test_every_trainer_with_every_rule_that_fits(trainer, rule):
    chosen = {"kind": rule, **RULE_PARAMETERS.get(rule, {})}
    taught = {}
    if (trainer, rule) == ("p-svm", "plug-in"):  # believes what probabilities taught
        taught = {"table": doubtful(), "target": {"column": "outcome", **DOUBT}}
    result = trained(trainer=quick(trainer), rule=chosen, costs=EVEN, **taught)
    json.dumps(result.summary, allow_nan=False)
    assert result.summary["rule"]["kind"] == rule
    assert result.summary["evaluation"]["rows"] == 32
    assert result.summary["evaluation"]["beats_constant"] in {True, False}
    model = ServedModel.from_payload(result.artifact)
    judged = decided(model, rows(40, seed=9))
    assert set(judged.decisions.tolist()) <= {-1, 0, 1}
    assert ((judged.probabilities >= 0) & (judged.probabilities <= 1)).all()


@pytest.mark.parametrize("kind", TRAINERS)
@pytest.mark.parametrize("costs", [PRICES, None], ids=["costs", "no costs"])
def test_without_a_rule_the_decision_is_the_cheapest_that_is_shown(kind, costs):
    result = trained(trainer=quick(kind), costs=costs, rule=None)
    told = result.summary["rule"]["kind"]
    assert told == ("chow" if costs else "mutual-information")
    model = ServedModel.from_payload(result.artifact)
    judged = decided(model, rows(200, seed=9))
    if costs is not None:
        each = CostMatrix(**costs).expected(judged.probabilities)
        place = np.where(judged.decisions == 0, 2, np.where(judged.decisions > 0, 0, 1))
        np.testing.assert_allclose(each[np.arange(200), place], each.min(1), rtol=1e-12)


@pytest.mark.parametrize(
    "labels", [("yes", "no"), (1, 0), (2.5, 1), (True, False), (-1, 1), ("1", "0")]
)
def test_labels_of_every_type_train_the_same_model(labels):
    result = trained(
        table=rows(labels=labels), target={"column": "outcome", "positive": labels[0]}
    )
    assert result.summary["labels"] == {"positive": labels[0], "negative": labels[1]}
    reference = trained()
    np.testing.assert_array_equal(
        result.artifact["scorer"]["coefficients"],
        reference.artifact["scorer"]["coefficients"],
    )


def test_the_same_request_trains_the_same_model():
    first, second = trained(), trained()
    assert first.summary == second.summary
    np.testing.assert_array_equal(
        first.artifact["scorer"]["support_vectors"],
        second.artifact["scorer"]["support_vectors"],
    )
    assert trained(evaluation={"seed": 1}).summary != first.summary


def test_weight_two_is_the_row_twice():
    table = rows(80)
    columns = [*COLUMNS[:4], "w", "outcome"]
    weighted = [[*row[:4], 1 + (i % 3 == 0), row[4]] for i, row in enumerate(table)]
    target = {"column": "outcome", "positive": "yes", "weight": "w"}
    options = {"evaluation": {"holdout": 0}, "trainer": {"kind": "svm", "tol": 1e-6}}
    rule = {"kind": "chow", "reject_threshold": 0.2}
    once = trained(table=weighted, columns=columns, target=target, rule=rule, **options)
    assert once.artifact["evidence"]["out_of_fold"]["weight"].sum() == 80 + 27
    # A row of weight 0 leaves no trace.
    ghost = [*weighted, [None, 1e6, "zz", True, 0, "yes"]]
    again = trained(table=ghost, columns=columns, target=target, rule=rule, **options)
    np.testing.assert_array_equal(
        again.artifact["scorer"]["coefficients"],
        once.artifact["scorer"]["coefficients"],
    )
    assert again.summary["features"] == once.summary["features"]


@pytest.mark.parametrize("kind", ["abstention-boosting", "adaboost"])
def test_boosters_say_which_columns_matter(kind):
    summary = trained(trainer={"kind": kind}).summary
    importance = summary["importance"]["h"]
    assert set(importance) == set(COLUMNS[:4])
    assert max(importance, key=importance.get) == "age"
    assert summary["stumps"] > 1


@pytest.mark.parametrize("trainer", ["svm", "double-hinge-svm"])
@pytest.mark.parametrize(
    "reduction",
    [
        {"kind": "m1rs", "rejection_cost": 0.3},
        {"kind": "m2rs", "first_stage": {"gamma": 0.02, "C": 100.0}},
        {"kind": "sca", "removal": "flip"},
        {"kind": "ssca", "distance": 0.4},
    ],
)
def test_a_reduction_tells_the_machine_before_and_after(trainer, reduction):
    result = trained(
        trainer={"kind": trainer, "reduction": reduction}, rule={"kind": "chow"}
    )
    for told in (
        result.summary["reduction"],
        result.summary["evaluation"]["reduction"],
    ):
        assert told["after"]["support_vectors"] < told["before"]["support_vectors"]
        assert 0 <= told["decision_agreement"] <= 1
    served = ServedModel.from_payload(result.artifact).scorer.payload()
    assert len(served["coefficients"]) == result.summary["support_vectors"]


def test_a_reduction_that_costs_too_much_is_not_served_and_says_so():
    reduction = {
        "kind": "ssca",
        "distance": 3.0,
        "max_accuracy_loss": 0.0,
        "validation_fraction": 0.5,
    }
    result = trained(
        trainer={"kind": "svm", "reduction": reduction}, rule={"kind": "chow"}
    )
    assert result.summary["reduction"]["fallback"]
    assert any("was not reduced" in text for text in result.warnings)


def test_a_training_stops_at_the_next_report():
    reports = []

    def progress(fraction, message):
        reports.append((fraction, message))
        return len(reports) < 4

    with pytest.raises(Interrupted):
        run(request(), progress)
    assert len(reports) == 4


def test_progress_rises_to_its_end():
    fractions = []
    run(request(refit=True), lambda fraction, _: fractions.append(fraction) or True)
    assert fractions == sorted(fractions)
    assert fractions[0] == 0
    assert fractions[-1] >= 0.95
