"""``auto`` beside the other methods: what it decides, and the tables that tell."""

import numpy as np
import pytest

from experiments import comparison
from experiments.comparison_methods import ensemble_of, priced, probability
from experiments.comparison_tables import ENSEMBLE, best_table, made_of, mean_table
from solvers import CostMatrix
from solvers.metrics import expected_cost


def blobs(n_rows, seed):
    """Return two classes that overlap around zero, far from it and in odd units."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n_rows) < 0.5, 1.0, -1.0)
    X = np.column_stack([y + rng.normal(size=n_rows), rng.normal(size=n_rows)])
    return 1000.0 + 50.0 * X, y


def result(name, split, costs, log_loss=(0.30, 0.32)):
    return {
        "task": {"set": name, "split": split, "costs": list(costs)},
        "costs": {
            price: {method: [cost, 0.1] for method, cost in methods.items()}
            for price, methods in costs.items()
        },
        "log_loss": list(log_loss),
        "weights": {"svm gamma=1/columns C=3": 0.25, "extra-trees": 0.75},
        "seconds": 4.0,
    }


def test_the_ensemble_decides_unseen_rows_in_the_units_of_the_training_part():
    train, test = blobs(150, 0), blobs(400, 1)
    p = probability(ensemble_of(train, 0), train, test[0])
    prices = {"cheap": CostMatrix(1, 1, 0.02, 0.02), "dear": CostMatrix(1, 1, 0.4, 0.4)}
    paid = {
        name: expected_cost(test[1], decisions, prices[name])
        for _, name, decisions in priced(ENSEMBLE, p, prices)
    }
    assert paid["cheap"] < 0.03
    assert paid["dear"] < 0.25  # half the rows would be wrong by chance


def tables():
    cheap = {ENSEMBLE: 0.02, "svm, chow": 0.05, "trees, chow": 0.03}
    dear = {ENSEMBLE: 0.10, "svm, chow": 0.08, "trees, chow": 0.20}
    return [
        result("a", 0, {"0.1": cheap}),
        result("a", 1, {"0.1": {**cheap, ENSEMBLE: 0.04}}),
        result("b", 0, {"0.1": dear}),
    ]


def test_differences_from_auto_are_paired_by_set():
    lines = {line.names: line for line in mean_table(tables(), ["0.1"], "T").lines}
    told = lines["svm, chow", "minus"]
    assert told.ours == pytest.approx((0.02 - 0.02) / 2)
    assert told.error == pytest.approx(0.02)
    assert lines[ENSEMBLE, "cost"].ours == pytest.approx(0.065)
    assert (ENSEMBLE, "minus") not in lines


def test_auto_stands_beside_the_cheapest_single_method_of_each_set():
    lines = {line.names: line for line in best_table(tables(), ["0.1"], "T").lines}
    assert lines["a", "trees, chow", "auto - cheapest"].ours == pytest.approx(0.0)
    assert lines["b", "svm, chow", "auto - cheapest"].ours == pytest.approx(0.02)


def test_weights_and_optimism_are_means_over_splits_and_sets():
    lines = {line.names: line for line in made_of(tables()).lines}
    assert lines["weight of extra-trees", "mean"].ours == pytest.approx(0.75)
    gap = lines["log loss on test rows - on the folds", "mean"]
    assert gap.ours == pytest.approx(0.02)


def test_all_splits_of_all_sets_are_planned():
    planned = [(one["set"], one["split"]) for one in comparison.tasks(quick=False)]
    wanted = {(s, k) for s, n in comparison.SPLITS.items() for k in range(n)}
    assert set(planned) == wanted
    assert len(planned) == len(wanted)
