"""The ensemble beside single methods: one fit serves all prices; its tables."""

import pytest

from experiments import ensemble
from experiments.comparison import SPLITS, UNEQUAL


def result(name, split, cost, log_loss=(0.30, 0.32)):
    prices = [*(f"{0.05 * k:.2f}" for k in range(1, 10)), UNEQUAL]
    methods = {
        ensemble.ENSEMBLE: [cost, 0.1],
        ensemble.SVM: [0.5, 0.1],
        ensemble.TREES: [0.6, 0.1],
    }
    return {
        "task": {"set": name, "split": split},
        "costs": {price: dict(methods) for price in prices},
        "rows": [100, 25],
        "log_loss": list(log_loss),
        "weights": {"svm gamma=1/columns C=3": 0.25, "extra-trees": 0.75},
        "seconds": 4.0,
    }


def test_the_short_form_has_one_split_of_each_set_and_the_full_one_all():
    assert len(ensemble.tasks(quick=True)) == len(SPLITS)
    assert len(ensemble.tasks(quick=False)) == sum(SPLITS.values())


def test_differences_are_paired_by_set_and_the_optimism_is_told(tmp_path):
    found = [result("a", 0, 0.4), result("a", 1, 0.4), result("b", 0, 0.3)]
    section = ensemble.section(found, tmp_path)
    lines = {line.names: line for table in section.tables for line in table.lines}
    told = lines["ensemble minus svm, chow", UNEQUAL]
    assert told.ours == pytest.approx(-0.15)
    assert told.error == pytest.approx(0.05)
    assert lines["weight of extra-trees", "mean"].ours == pytest.approx(0.75)
    gap = lines["log loss on test rows - on the folds", "mean"]
    assert gap.ours == pytest.approx(0.02)
    assert "2 sets, 3 splits" in section.how
    assert "| auto's ensemble, chow | 0.3500 |" in section.markdown()
