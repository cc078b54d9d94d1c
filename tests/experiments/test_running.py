"""Repetitions that resume, and the command that runs them."""

import sys
from types import ModuleType

import pytest

from experiments import running
from experiments.__main__ import main


@pytest.fixture
def experiment(monkeypatch):
    """Return an experiment that counts its runs."""
    module = ModuleType("experiments.counting")
    module.VERSION = 1
    module.runs = []
    module.tasks = lambda quick: [{"n": n} for n in range(2 if quick else 4)]

    def repeat(task, data):
        module.runs.append(task["n"])
        if getattr(module, "broken", None) == task["n"]:
            msg = "stopped"
            raise RuntimeError(msg)
        return {"square": task["n"] ** 2}

    module.repeat = repeat
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


class TestRepetitions:
    def run(self, tmp_path, **kw):
        running.run_missing(["counting"], tmp_path, tmp_path, jobs=1, **kw)

    def results(self, tmp_path, **kw):
        return running.results_of("counting", tmp_path, **kw)

    def test_a_rerun_continues_where_the_last_one_stopped(self, experiment, tmp_path):
        experiment.broken = 2
        with pytest.raises(RuntimeError, match="stopped"):
            self.run(tmp_path, quick=False)
        assert self.results(tmp_path, quick=False) is None
        experiment.broken = None
        self.run(tmp_path, quick=False)
        assert experiment.runs == [0, 1, 2, 2, 3]
        squares = [one["square"] for one in self.results(tmp_path, quick=False)]
        assert squares == [0, 1, 4, 9]

    def test_more_repetitions_keep_those_that_are_there(self, experiment, tmp_path):
        self.run(tmp_path, quick=True)
        self.run(tmp_path, quick=False)
        assert experiment.runs == [0, 1, 2, 3]

    def test_a_changed_protocol_starts_anew(self, experiment, tmp_path):
        self.run(tmp_path, quick=True)
        experiment.VERSION = 2
        assert self.results(tmp_path, quick=True) is None
        self.run(tmp_path, quick=True)
        assert experiment.runs == [0, 1, 0, 1]

    @pytest.mark.usefixtures("experiment")
    def test_half_a_result_is_no_result(self, tmp_path):
        self.run(tmp_path, quick=True)
        assert not list(tmp_path.rglob("*.part"))
        assert len(list(tmp_path.rglob("*.json"))) == 2


def test_without_a_folder_it_says_what_to_give(capsys):
    with pytest.raises(SystemExit):
        main(["--quick"])
    assert "--data FOLDER" in capsys.readouterr().err


def test_a_report_needs_no_data_and_shows_what_is_complete(tmp_path, capsys):
    assert main(["--report", "--output", str(tmp_path)]) == 0
    assert "# Results" in (tmp_path / "full" / "results.md").read_text(encoding="utf-8")
    assert "outside their range: 0" in capsys.readouterr().out
