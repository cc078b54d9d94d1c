"""What a training keeps apart, and what it says of the model on it."""

import numpy as np
import pytest

from app.artifacts.model import ServedModel
from app.errors import InvalidRequestError
from solvers.costs import CostMatrix
from tests.app.worker.fit.mixed_columns import COLUMNS, PRICES, decided, rows, trained


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


def test_a_model_that_learnt_nothing_is_told_to_be_no_better_than_a_constant():
    table = rows()
    generator = np.random.default_rng(3)
    for row in table:
        row[-1] = "yes" if generator.random() < 0.5 else "no"
        row[:4] = [1.0, 1.0, "a", True]
    result = trained(table=table)
    assert result.summary["evaluation"]["beats_constant"] is False
    assert any("no better than a constant" in text for text in result.warnings)


def test_a_model_beats_a_constant_only_where_the_paired_interval_says_so():
    figures = trained(table=rows(1200), evaluation={"holdout": 0.4}).summary[
        "evaluation"
    ]
    assert figures["beats_constant"] is True
    few = trained(table=rows(60), evaluation={"holdout": 0.15})
    told = few.summary["evaluation"]
    shown = {one["shown"] for one in told["against_constants"].values()}
    assert told["expected_cost"] < min(told["constants"].values())
    assert "not shown" in shown
    assert told["beats_constant"] is False
    assert any("not shown to be better than" in text for text in few.warnings)
    for name, one in told["against_constants"].items():
        low, high = one["interval"]
        assert low < one["difference"] < high
        constant = told["expected_cost"] - one["difference"]
        assert constant == pytest.approx(told["constants"][name])


def test_every_figure_has_an_interval_and_groups_widen_it():
    columns = [*COLUMNS[:4], "patient", "outcome"]
    table = [[*row[:4], i, row[4]] for i, row in enumerate(rows(60)) for _ in range(8)]
    whole = trained(table=table, columns=columns, groups="patient")
    figures = whole.summary["evaluation"]
    groups = whole.artifact["evidence"]["holdout"]["groups"]
    assert len(set(groups)) == figures["rows"] / 8
    for name in ("expected_cost", "brier_score", "calibration_error", "reject_rate"):
        low, high = figures["intervals"][name]
        assert low <= figures[name] <= high, name
        assert low < high, name
    low, high = figures["intervals"]["expected_cost"]
    assert high - low > 0.2, "some ten patients say little"
    weighed = trained(prevalence=0.1).summary["evaluation"]["intervals"]
    assert None not in weighed["expected_cost"]


def test_held_out_rows_that_equal_training_rows_are_told():
    table = [row for row in rows(80) for _ in range(2)]
    assert any("held-out rows equal" in text for text in trained(table=table).warnings)
    columns = [*COLUMNS[:4], "case", "outcome"]
    grouped = [[*row[:4], i // 2, row[4]] for i, row in enumerate(table)]
    told = trained(table=grouped, columns=columns, groups="case").warnings
    assert not any("held-out rows equal" in text for text in told)


def test_a_machine_whose_certificate_does_not_hold_is_told_once_with_its_gap():
    result = trained(trainer={"kind": "svm", "max_iter": 1})
    told = [text for text in result.warnings if "relative duality gap" in text]
    assert len(told) == 1
    assert f"{result.summary['duality_gap']:.2e}" in told[0]
    assert "lower C" in told[0]
    assert not any("duality gap" in text for text in trained().warnings)


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


def test_groups_of_one_class_each_are_refused_with_the_way_out():
    columns = [*COLUMNS[:4], "patient", "outcome"]
    table = [[*row[:4], row[4], row[4]] for row in rows()]
    with pytest.raises(
        InvalidRequestError,
        match=r"the label '(yes|no)' \([+-]1\) has 1 groups of positive weight",
    ):
        trained(table=table, columns=columns, groups="patient")
