"""The systems beside auto: who runs on what, and the table that compares them."""

import pytest

from experiments import peers
from experiments.comparison import SPLITS, UNEQUAL

PRICES = [*(f"{0.05 * k:.2f}" for k in range(1, 10)), UNEQUAL]


def result(name, method, cost, seconds=60.0):
    return {
        "task": {"set": name, "split": 0, "method": method, "seconds": seconds},
        "costs": {price: {method: [cost, 0.1]} for price in PRICES},
        "log_loss": cost,
        "seconds": 60.0,
        "cpu_seconds": 50.0,
        "made_of": "",
    }


def test_every_system_gets_every_set():
    asked = [tuple(one.values()) for one in peers.tasks(quick=False)]
    assert len(asked) == len(set(asked))
    assert set(asked) == {
        (name, 0, method, seconds)
        for seconds, sets in peers.SETS.items()
        for name in sets
        for method in peers.METHODS
    }
    assert peers.SETS[60.0] == tuple(SPLITS)


def test_differences_are_paired_by_set(tmp_path):
    costs = {"a": (0.1, 0.3, 0.2), "b": (0.2, 0.2, 0.4)}
    found = [
        result(name, method, cost)
        for name, three in costs.items()
        for method, cost in zip(peers.METHODS, three, strict=True)
    ]
    section = peers.section(found, tmp_path)
    lines = {line.names: line for table in section.tables for line in table.lines}
    told = lines["ensemble minus AutoGluon, chow", UNEQUAL]
    assert told.ours == pytest.approx(-0.1)
    assert told.error == pytest.approx(0.1)
    assert lines["FLAML, chow", UNEQUAL].ours == pytest.approx(0.3)
    assert "60 seconds" in section.how
    assert "| b | 0.2000 | 0.2000 | 0.4000 |" in section.markdown()


def test_budgets_are_not_mixed(tmp_path):
    found = [
        result("a", method, seconds / 1000.0, seconds)
        for method in peers.METHODS
        for seconds in (60.0, 300.0)
    ]
    section = peers.section(found, tmp_path)
    costs = [table for table in section.tables if table.caption.startswith("Mean")]
    assert [table.caption for table in costs] == ["Mean cost, 60 s", "Mean cost, 300 s"]
    means = [table.lines[0].ours for table in costs]
    assert means == pytest.approx([0.06, 0.3])


def test_a_peer_that_is_not_there_says_how_it_comes(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "_PEERS", tmp_path / "python")
    rows = ([[0.0], [1.0]], [-1.0, 1.0])
    monkeypatch.setattr(peers, "split_of", lambda *_: (rows, rows))
    task = {"set": "a", "split": 0, "method": "FLAML, chow", "seconds": 1.0}
    with pytest.raises(FileNotFoundError, match="make automl"):
        peers.repeat(task, tmp_path)
