"""Settings are chosen on rows that the machine did not see."""

import numpy as np

from experiments import boosting_tables
from experiments.selection import best_setting, fitted, out_of_fold_scores
from solvers import DoubleHingeSVC


def test_selection_scores_rows_that_the_machine_did_not_see():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(rng.random(60) < 0.5, 1.0, -1.0)
    machine = DoubleHingeSVC()
    scores = out_of_fold_scores(machine, (X, y), (1.0, 50.0), (1e3,), seed=1)
    # Labels are pure noise: a narrow kernel fits them, and only seen rows show it.
    narrow = list(scores)[1]
    seen = fitted(machine, (X, y), narrow).decision_function(X)
    assert np.mean((seen > 0) == (y > 0)) == 1.0
    assert np.mean((scores[narrow] > 0) == (y > 0)) < 0.75


def test_the_setting_of_the_least_figure_wins_and_ties_go_to_the_first():
    scores = {"a": np.array([1.0]), "b": np.array([0.0]), "c": np.array([0.0])}
    assert best_setting(scores, lambda f: float(f[0])) == "b"


def test_boosting_settings_are_chosen_by_validation_loss_alone():
    losses = {"good": [0.2, 0.3, 0.0], "lucky on the test part": [0.4, 0.0, 0.0]}
    results = [
        {"task": {"set": "s", "partition": k}, "losses": {"0.1": {"BA": losses}}}
        for k in range(2)
    ]
    found = boosting_tables.chosen(results, "s", "0.1", "BA")
    assert found.setting == "good"
    assert found.losses == [0.3, 0.3]
