"""How far the experiments are is told where no bar can be drawn, as in a log file."""

import sys
from types import ModuleType

import pytest

from experiments import running


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    module = ModuleType("experiments.counting")
    module.VERSION = 1
    module.tasks = lambda quick: [{"n": n} for n in range(3 if quick else 4)]
    module.repeat = lambda task, data: {**task, "from": str(data)}
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def lines():
        running.run_missing(["counting"], tmp_path, tmp_path, quick=True, jobs=1)
        told = capsys.readouterr()
        assert told.out == ""
        return [line.rpartition(",")[0] for line in told.err.splitlines() if line]

    return lines


def test_the_end_is_told_and_no_line_sooner_than_a_minute(run):
    assert run() == ["counting: 3 of 3 repetitions"]


def test_a_rerun_with_nothing_to_do_is_silent(run):
    run()
    assert run() == []


def test_a_line_is_told_when_it_is_due(run, monkeypatch):
    monkeypatch.setattr(running, "SECONDS_BETWEEN_LINES", 0.0)
    assert run() == [f"counting: {done} of 3 repetitions" for done in (1, 2, 3)]
