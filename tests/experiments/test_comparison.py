"""``auto`` beside the other methods: the service's own procedure, and its tables."""

import numpy as np
import pytest

from experiments import comparison
from experiments.automatic import automatic
from experiments.comparison_tables import (
    FIXED,
    auto_table,
    chosen_table,
    mean_table,
    merged,
)
from experiments.running import Repetition
from solvers import CostMatrix
from solvers.metrics import expected_cost


def blobs(n_rows, seed):
    """Return two classes that overlap around zero."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n_rows) < 0.5, 1.0, -1.0)
    return np.column_stack([y + rng.normal(size=n_rows), rng.normal(size=n_rows)]), y


def other(name, split, costs):
    return {
        "task": {"set": name, "split": split, "costs": list(costs)},
        "costs": {c: {"gradient boosting, chow": [v, 0.1]} for c, v in costs.items()},
    }


def auto(name, split, price, cost, promised, chosen=("svm", "chow")):
    return {
        "task": {"set": name, "split": split, "auto": price},
        "cost": cost,
        "rejected": 0.2,
        "chosen": list(chosen),
        "promised": promised,
    }


class TestAutomatic:
    @pytest.mark.parametrize("reject", [0.02, 0.45])
    def test_it_decides_rows_that_it_did_not_see_at_the_prices_given(self, reject):
        costs = CostMatrix(1.0, 1.0, reject, reject)
        X, y = blobs(400, 1)
        found = automatic(blobs(120, 0), X, costs, seed=0)
        assert found.decisions.shape == (400,)
        assert set(np.unique(found.decisions)) <= {-1, 0, 1}
        paid = expected_cost(y, found.decisions, costs)
        # Better than calling every row +1, and hardly dearer than rejecting all.
        assert paid < 0.4
        assert paid < reject + 0.01
        assert found.trainer in {"double-hinge-svm", "svm", "gradient-boosting"}
        assert found.rule in {"plug-in", "chow", "expected-cost"}
        assert 0.0 <= found.promised < 0.45

    def test_the_same_seed_gives_the_same_decisions(self):
        costs = CostMatrix(1.0, 5.0, 0.6, 0.3)
        X, _ = blobs(200, 3)
        one, two = (automatic(blobs(90, 2), X, costs, seed=4) for _ in range(2))
        np.testing.assert_array_equal(one.decisions, two.decisions)
        assert one.promised == two.promised


class TestTables:
    def test_auto_is_one_more_method_of_its_set_split_and_price(self):
        results = [
            other("s", 0, {"0.1": 0.05, "0.3": 0.2}),
            other("s", 1, {"0.1": 0.07, "0.3": 0.1}),
            auto("s", 0, "0.3", 0.15, 0.14),
            auto("s", 1, "0.1", 0.01, 0.01),
            auto("s", 0, "0.1", 0.02, 0.03),
            auto("s", 1, "0.3", 0.11, 0.09),
        ]
        found = merged(results)
        assert [one["task"]["split"] for one in found] == [0, 1]
        assert found[0]["costs"]["0.1"]["auto"] == [0.02, 0.2]
        assert found[0]["costs"]["0.3"]["auto"] == [0.15, 0.2]
        assert "auto" not in results[0]["costs"]["0.1"]
        lines = {line.names: line for line in mean_table(found, ["0.1"], "T").lines}
        assert lines["auto", "cost"].ours == pytest.approx(0.015)
        assert lines["auto", "minus"].ours == pytest.approx(0.015 - 0.06)

    def test_auto_is_held_against_one_choice_for_all_sets(self):
        results = [other("a", 0, {"0.1": 0.05}), other("b", 0, {"0.1": 0.20})]
        for one in results:
            methods = one["costs"]["0.1"]
            methods |= {name: [0.3, 0.1] for name in FIXED if name not in methods}
        results += [auto("a", 0, "0.1", 0.04, 0.0), auto("b", 0, "0.1", 0.17, 0.0)]
        table = auto_table(merged(results), {"cheap": ["0.1"]})
        lines = {line.names: line for line in table.lines}
        told = lines["auto minus gradient boosting, chow", "cheap"]
        assert told.ours == pytest.approx(-0.02)
        assert told.error == pytest.approx(0.01)
        assert lines["auto minus svm, chow", "cheap"].ours == pytest.approx(-0.195)
        assert len(lines) == len(FIXED)

    def test_what_was_chosen_is_counted_and_its_promise_compared(self):
        chosen = "gradient-boosting", "chow"
        table = chosen_table(
            [
                auto("a", 0, "0.1", 0.3, 0.2),
                auto("a", 1, "0.1", 0.1, 0.2),
                auto("b", 0, "0.1", 0.5, 0.2),
                auto("b", 0, "0.3", 0.4, 0.2, chosen),
            ]
        )
        lines = {line.names: line for line in table.lines}
        assert next(iter(lines))[:2] == ("svm, chow", "3 of 4")
        assert lines["gradient-boosting, chow", "1 of 4", "cost"].ours == 0.4
        every = lines["all", "4 of 4", "cost - promised"]
        # Over the sets: a's two differences are one value, 0; b's are .3 and .2.
        assert every.ours == pytest.approx(0.125)
        assert every.error == pytest.approx(0.125)


@pytest.mark.parametrize("quick", [True, False])
def test_auto_has_a_repetition_for_every_set_split_and_price(quick, tmp_path):
    tasks = comparison.tasks(quick)
    base = [task for task in tasks if "costs" in task]
    wanted = {(t["set"], t["split"], c) for t in base for c in t["costs"]}
    found = [(t["set"], t["split"], t["auto"]) for t in tasks if "auto" in t]
    assert set(found) == wanted
    assert len(found) == len(wanted)
    paths = {Repetition("comparison", 1, task, tmp_path).path for task in tasks}
    assert len(paths) == len(tasks)
