"""Trainings from request to model, on small tables with everything in them."""

import json
from typing import get_args

import numpy as np
import pytest

from app.artifacts.model import ServedModel
from app.errors import InvalidRequestError
from app.features.encoding import encode_table
from app.features.table import Table
from app.train.trainers.registry import TRAINERS, Trainer
from app.worker.fit.pipeline import run
from solvers.costs import CostMatrix
from solvers.errors import Interrupted

PRICES = {
    "false_positive": 1,
    "false_negative": 5,
    "reject_positive": 0.6,
    "reject_negative": 0.3,
}
EVEN = {**PRICES, "false_negative": 1, "reject_positive": 0.3}
TRAINER_SCHEMAS = {
    schema.model_fields["kind"].annotation.__args__[0]: schema
    for schema in get_args(get_args(Trainer)[0])
}
COLUMNS = ["age", "score", "ward", "smokes", "outcome"]
RULE_PARAMETERS = {
    "bounded-abstention": {"max_reject_rate": 0.1},
    "bounded-error": {"max_error": 0.2},
    "bounded-cost": {"max_cost": 0.28},
}


def rows(n=160, seed=0, labels=("yes", "no")):
    """Rows of every column type, with missing values in all of them."""
    generator = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        x, z = generator.normal(size=2).tolist()
        label = labels[0] if x + 0.6 * generator.normal() > 0.3 else labels[1]
        row = [50 + 10 * x, z, "a" if z > 0 else "b", x * z > 0, label]
        for j in range(4):
            if generator.random() < 0.05:
                row[j] = None
        made.append(row)
    return made


def request(table=None, columns=COLUMNS, **changes):
    body = {
        "model": "m",
        "trainer": {"kind": "double-hinge-svm"},
        "costs": PRICES,
        "data": {"kind": "inline", "columns": columns, "rows": table or rows()},
        "target": {"column": "outcome", "positive": "yes"},
    }
    return {k: v for k, v in {**body, **changes}.items() if v is not None}


def quick(kind):
    """A trainer whose boosting, where it boosts, ends soon."""
    boosts = "n_rounds" in TRAINER_SCHEMAS[kind].model_fields
    return {"kind": kind, **({"n_rounds": 12} if boosts else {})}


def trained(**changes):
    return run(request(**changes), lambda _fraction, _message: True)


def decided(model: ServedModel, table, columns=COLUMNS):
    encoded = encode_table(model.features, Table.from_rows(columns, table))
    return model.judge(encoded.matrix)


@pytest.mark.parametrize(
    ("trainer", "rule"),
    [(kind, rule) for kind, t in TRAINERS.items() for rule in t.rules],
)
def test_every_trainer_with_every_rule_that_fits(trainer, rule):
    chosen = {"kind": rule, **RULE_PARAMETERS.get(rule, {})}
    result = trained(trainer=quick(trainer), rule=chosen, costs=EVEN)
    json.dumps(result.summary, allow_nan=False)
    assert result.summary["rule"]["kind"] == rule
    assert result.summary["evaluation"]["rows"] == 32
    assert result.summary["evaluation"]["beats_constant"] in {True, False}
    model = ServedModel.from_payload(result.artifact)
    judged = decided(model, rows(40, seed=9))
    assert set(judged.decisions.tolist()) <= {-1, 0, 1}
    assert ((judged.probabilities >= 0) & (judged.probabilities <= 1)).all()


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


def test_the_evaluation_can_be_recomputed_from_the_held_out_rows():
    table = rows()
    result = trained(table=table)
    held = result.artifact["evidence"]["split"]["holdout"]
    model = ServedModel.from_payload(result.artifact)
    decisions = decided(model, [table[i] for i in held]).decisions
    truth = np.array([1 if table[i][-1] == "yes" else -1 for i in held])
    costs = CostMatrix(**PRICES)
    figures = result.summary["evaluation"]
    assert figures["expected_cost"] == pytest.approx(
        costs.of_decisions(truth, decisions).mean(), rel=1e-12
    )
    assert figures["reject_rate"] == np.mean(decisions == 0)
    wrong = (decisions != 0) & (decisions != truth)
    assert figures["error_rate"] == wrong.mean()
    assert figures["confusion"]["+1"]["-1"] == (wrong & (truth > 0)).sum()
    for name, code in (("+1", 1), ("-1", -1), ("reject", 0)):
        constant = costs.of_decisions(truth, np.full(len(truth), code)).mean()
        assert figures["constants"][name] == pytest.approx(constant, rel=1e-12)


def test_no_row_is_in_two_parts_and_none_is_lost():
    split = trained().artifact["evidence"]["split"]
    everyone = np.concatenate([split[part] for part in ("training", "holdout")])
    np.testing.assert_array_equal(np.sort(everyone), np.arange(160))


def test_the_same_request_trains_the_same_model():
    first, second = trained(), trained()
    assert first.summary == second.summary
    np.testing.assert_array_equal(
        first.artifact["scorer"]["support_vectors"],
        second.artifact["scorer"]["support_vectors"],
    )
    assert trained(evaluation={"seed": 1}).summary != first.summary


def test_a_model_that_learnt_nothing_is_told_to_be_no_better_than_a_constant():
    table = rows()
    generator = np.random.default_rng(3)
    for row in table:
        row[-1] = "yes" if generator.random() < 0.5 else "no"
        row[:4] = [1.0, 1.0, "a", True]
    result = trained(table=table)
    assert result.summary["evaluation"]["beats_constant"] is False
    assert any("no better than a constant" in text for text in result.warnings)


def test_held_out_rows_that_equal_training_rows_are_told():
    table = [row for row in rows(80) for _ in range(2)]
    assert any("held-out rows equal" in text for text in trained(table=table).warnings)
    columns = [*COLUMNS[:4], "case", "outcome"]
    grouped = [[*row[:4], i // 2, row[4]] for i, row in enumerate(table)]
    told = trained(table=grouped, columns=columns, groups="case").warnings
    assert not any("held-out rows equal" in text for text in told)


def test_without_costs_every_cost_is_null():
    result = trained(
        trainer={"kind": "svm"},
        rule={"kind": "chow", "reject_threshold": 0.2},
        costs=None,
    )
    figures = result.summary["evaluation"]
    assert result.summary["costs"] is None
    assert figures["expected_cost"] is figures["constants"] is figures["beats_constant"]
    assert figures["expected_cost"] is None
    assert figures["normalized_mutual_information"] > 0


def test_without_a_held_out_part_it_says_so():
    result = trained(evaluation={"holdout": 0})
    assert result.summary["evaluation"]["rows"] == 0
    assert result.summary["training_rows"] == 160
    assert any("nothing was held out" in text for text in result.warnings)


def test_refit_serves_a_model_of_all_rows_with_the_evaluation_of_the_other():
    plain, refit = trained(), trained(refit=True)
    assert refit.summary["training_rows"] == 160
    assert refit.summary["evaluation"] == plain.summary["evaluation"]
    assert any("refit on all rows" in text for text in refit.warnings)


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


def test_groups_stay_together_and_are_no_feature():
    columns = [*COLUMNS[:4], "patient", "outcome"]
    table = [[*row[:4], i // 4, row[4]] for i, row in enumerate(rows())]
    result = trained(table=table, columns=columns, groups="patient")
    assert "patient" not in {c["name"] for c in result.summary["features"]}
    evidence = result.artifact["evidence"]
    held = set(evidence["split"]["holdout"] // 4)
    assert held.isdisjoint(evidence["split"]["training"] // 4)
    fold_of: dict[int, int] = {}
    scored = evidence["out_of_fold"]
    for group, fold in zip(scored["rows"] // 4, scored["fold"], strict=True):
        assert fold_of.setdefault(group, fold) == fold


def test_the_past_trains_and_the_future_evaluates():
    columns = [*COLUMNS[:4], "day", "outcome"]
    days = np.random.default_rng(5).permutation(160)
    table = [
        [*row[:4], f"20{day // 12:02}-{day % 12 + 1:02}-03", row[4]]
        for day, row in zip(days, rows(), strict=True)
    ]
    result = trained(table=table, columns=columns, evaluation={"order_by": "day"})
    split = result.artifact["evidence"]["split"]
    assert len(split["holdout"]) == 32
    assert days[split["training"]].max() < days[split["holdout"]].min()


def by_time(n_late):
    """Rows whose last ones, of one class, are the future."""
    table = sorted(rows(), key=lambda row: row[-1] == "no")
    return [
        [*row[:4], i + (1000 if i >= 160 - n_late else 0), row[4]]
        for i, row in enumerate(table)
    ]


def test_a_future_of_one_class_is_evaluated_but_has_no_prevalence():
    options = {
        "table": by_time(32),
        "columns": [*COLUMNS[:4], "t", "outcome"],
        "evaluation": {"order_by": "t"},
    }
    figures = trained(**options).summary["evaluation"]
    assert figures["share_positive"] == 0.0
    assert figures["normalized_mutual_information"] is None
    assert sum(figures["confusion"]["+1"].values()) == 0
    with pytest.raises(InvalidRequestError, match="one class only"):
        trained(**options, prevalence=0.1)


def test_prevalence_moves_probabilities_and_the_evaluation():
    options = {"trainer": {"kind": "svm"}, "rule": {"kind": "chow"}, "table": rows(600)}
    plain, rare = trained(**options), trained(**options, prevalence=0.05)
    assert rare.summary["evaluation"]["share_positive"] == pytest.approx(0.05)
    new = rows(200, seed=4)
    p, q = (
        decided(ServedModel.from_payload(r.artifact), new).probabilities
        for r in (plain, rare)
    )
    assert q.mean() < 0.6 * p.mean()
    # A constant that is right nearly always costs little where +1 is rare.
    assert rare.summary["evaluation"]["constants"]["-1"] == pytest.approx(0.25)


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


def test_a_promise_is_kept_apart_from_training_and_evaluation():
    result = trained(
        table=rows(900),
        rule={"kind": "bounded-error", "max_error": 0.2, "confidence": 0.9},
    )
    split = result.artifact["evidence"]["split"]
    assert [len(split[part]) for part in ("calibration", "holdout")] == [225, 180]
    everyone = np.concatenate(list(split.values()))
    np.testing.assert_array_equal(np.sort(everyone), np.arange(900))
    assert result.summary["feasible"] is True
    assert result.summary["rule"]["rows"] == 225
    assert "90" in result.summary["promise"]
    assert result.summary["evaluation"]["selective_error"] < 0.25


def test_a_promise_that_cannot_be_given_rejects_every_row_and_says_so():
    result = trained(rule={"kind": "bounded-error", "max_error": 0.001})
    assert result.summary["feasible"] is False
    assert result.summary["evaluation"]["reject_rate"] == 1.0
    assert any("every row is rejected" in text for text in result.warnings)


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


def test_groups_of_one_class_each_are_refused_with_the_way_out():
    columns = [*COLUMNS[:4], "patient", "outcome"]
    table = [[*row[:4], row[4], row[4]] for row in rows()]
    with pytest.raises(InvalidRequestError, match="groups of positive weight"):
        trained(table=table, columns=columns, groups="patient")
