"""The experiments without data: splits, reports, repetitions, selection."""

import gzip
import json
import sys
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments import boosting_tables, page, running
from experiments.__main__ import main
from experiments.benchmarks import benchmark_text
from experiments.counted import counted
from experiments.loading import draw, load
from experiments.report import Line, Section, Table, mean_and_error
from experiments.selection import best_setting, fitted, out_of_fold_scores
from experiments.splits import parts, scaled, standardised
from solvers import DoubleHingeSVC


def numbered(n_rows, rng):
    """Return rows whose first feature is their number, so that they can be traced."""
    y = np.where(rng.random(n_rows) < 0.3, 1.0, -1.0)
    return np.column_stack([np.arange(n_rows), rng.normal(size=n_rows)]), y


class TestSplits:
    @given(
        n_rows=st.integers(10, 200),
        shares=st.sampled_from([(4, 1), (3, 1, 1), (1, 1)]),
        stratified=st.booleans(),
        seed=st.integers(0, 2**31),
    )
    @settings(deadline=None)
    def test_every_row_lands_in_exactly_one_part(
        self, n_rows, shares, stratified, seed
    ):
        rows = numbered(n_rows, np.random.default_rng(seed))
        rng = np.random.default_rng(seed)
        found = parts(rows, shares, rng, stratified=stratified)
        assert len(found) == len(shares)
        numbers = np.concatenate([X[:, 0] for X, _ in found])
        assert sorted(numbers) == list(range(n_rows))
        for X, y in found:
            np.testing.assert_array_equal(y, rows[1][X[:, 0].astype(int)])
        for (X, _), share in zip(found, shares, strict=True):
            assert abs(len(X) - n_rows * share / sum(shares)) <= 2.0

    def test_stratified_parts_have_each_label_in_its_share(self):
        rows = np.zeros((1000, 1)), np.where(np.arange(1000) < 50, 1.0, -1.0)
        found = parts(rows, (3, 1, 1), np.random.default_rng(0), stratified=True)
        assert [int(np.sum(y > 0)) for _, y in found] == [30, 10, 10]

    def test_the_same_seed_gives_the_same_parts(self):
        rows = numbered(50, np.random.default_rng(0))
        one, two = (parts(rows, (4, 1), np.random.default_rng(3)) for _ in range(2))
        np.testing.assert_array_equal(one[1][0], two[1][0])

    def test_nothing_is_learnt_from_a_test_part(self):
        rng = np.random.default_rng(0)
        train = rng.normal(2.0, 3.0, (40, 2)), np.ones(40)
        test = rng.normal(50.0, 9.0, (7, 2)), np.ones(7)
        alone, _ = standardised(train, test)
        np.testing.assert_allclose(alone[0].mean(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(alone[0].std(axis=0), 1.0)
        others = standardised(train, (test[0] * 1e6, test[1]))
        np.testing.assert_array_equal(alone[0], others[0][0])

    def test_a_constant_feature_stays_finite(self):
        X = np.column_stack([np.ones(5), np.arange(5.0)])
        (Z, _), _ = standardised((X, np.ones(5)), (X, np.ones(5)))
        assert np.isfinite(Z).all()
        assert np.isfinite(scaled(X)[0]).all()

    def test_ranges_become_minus_one_to_one(self):
        X = np.array([[0.0, 4.0], [10.0, 8.0], [5.0, 6.0]])
        train, test = scaled(X, np.array([[20.0, 4.0]]))
        assert train.min() == -1.0
        assert train.max() == 1.0
        np.testing.assert_allclose(test, [[3.0, -1.0]])


class TestLoading:
    def test_the_last_column_is_the_label(self, tmp_path):
        (tmp_path / "toy.csv.gz").write_bytes(_gzipped("a,label\n1.5,1\n2,-1\n"))
        X, y = load(tmp_path, "toy")
        np.testing.assert_array_equal(X, [[1.5], [2.0]])
        np.testing.assert_array_equal(y, [1.0, -1.0])

    def test_a_missing_set_is_named(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="no data set 'wdbc'"):
            load(tmp_path, "wdbc")

    def test_other_labels_are_refused(self, tmp_path):
        (tmp_path / "toy.csv.gz").write_bytes(_gzipped("a,label\n1,0\n2,1\n"))
        with pytest.raises(ValueError, match="1 and -1 only"):
            load(tmp_path, "toy")

    def test_a_draw_has_no_row_twice(self):
        rows = numbered(100, np.random.default_rng(0))
        X, _ = draw(rows, 30, np.random.default_rng(1))
        assert len(set(X[:, 0])) == 30
        assert draw(rows, 500, np.random.default_rng(1)) is rows


def _gzipped(text):
    return gzip.compress(text.encode())


class TestReport:
    @pytest.mark.parametrize(
        ("low", "high", "inside"),
        [
            (1.0, 3.0, True),
            (2.5, 3.0, False),
            (None, 1.0, False),
            (1.5, None, True),
            (None, None, None),
        ],
    )
    def test_a_line_knows_whether_it_is_inside(self, low, high, inside):
        assert Line(("x",), 2.0, None, None, low, high).inside is inside

    def test_a_table_shows_what_is_known(self):
        lines = (
            Line(("wdbc", "plug-in"), 2.04, 0.31, 2.9, 1.4, 3.4),
            Line(("pima", "naive"), 30.0, None, None, 20.0, 26.0),
        )
        text = Table("T", ("set", "rule"), lines, ("Said.",), digits=1).markdown()
        assert "| set | rule | paper | ours | range | inside |" in text
        assert "| wdbc | plug-in | 2.9 | 2.0 ± 0.3 | 1.4 to 3.4 | yes |" in text
        assert "| pima | naive |  | 30.0 | 20.0 to 26.0 | **NO** |" in text
        assert text.endswith("\nSaid.")

    def test_a_wide_table_has_the_last_name_as_columns(self):
        lines = (
            Line(("svm", "cost"), 0.1),
            Line(("svm", "minus"), 0.02, 0.01),
            Line(("trees", "cost"), 0.3),
        )
        text = Table("T", ("method", ""), lines, digits=2, wide=True).markdown()
        assert "| method | cost | minus |" in text
        assert "| svm | 0.10 | 0.02 ± 0.01 |" in text
        assert "| trees | 0.30 |  |" in text

    def test_a_section_lists_what_lies_outside(self):
        lines = (Line(("a",), 1.0, None, None, 2.0, 3.0), Line(("b",), 1.0))
        section = Section("S", "How.", (Table("T", ("n",), lines),))
        assert [line.names for line in section.outside()] == [("a",)]
        told = section.payload()["tables"][0]["lines"]
        assert [line["inside"] for line in told] == [False, None]

    def test_the_error_is_that_of_the_mean(self):
        mean, error = mean_and_error([1.0, 2.0, 3.0])
        assert mean == 2.0
        assert error == pytest.approx(1.0 / np.sqrt(3.0))
        assert mean_and_error([5.0]) == (5.0, None)

    def test_the_page_holds_every_section_and_its_facts(self, tmp_path):
        sections = {
            "one": Section("One", "How.", plots={"p.svg": "a plot"}),
            "two": Section("Two", "So."),
        }
        text = page.write_page(sections, tmp_path).read_text(encoding="utf-8")
        assert text.index("## One") < text.index("## Two")
        assert "![a plot](figures/p.svg)" in text
        facts = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
        assert facts["one"]["how"] == "How."

    def test_benchmarks_follow_where_they_have_run(self, tmp_path):
        path = tmp_path / "benchmarks.json"
        assert benchmark_text(path) == ""
        rows = [{"work": "fit", "ratio": 0.5, "met": True}, {"work": "x", "met": False}]
        path.write_text(json.dumps({"svm": rows}), encoding="utf-8")
        text = benchmark_text(path)
        assert "1 of 2 bars met." in text
        assert "| work | ratio | met |" in text
        assert "| fit | 0.5 | yes |" in text
        assert "| x |  | **NO** |" in text
        written = page.write_page({}, tmp_path, text).read_text(encoding="utf-8")
        assert written.rstrip().endswith("| x |  | **NO** |")

    def test_benchmarks_say_what_they_ran_on_and_what_did_not_finish(self, tmp_path):
        path = tmp_path / "benchmarks.json"
        facts = {
            "machine": {
                "command": "python -m tests.benchmarks --data data",
                "time": "2026-01-02T03:04:05Z",
                "processor": "Some processor",
                "cores": 2,
                "python": "3.11.7",
                "versions": {"numpy": "2.4.6"},
            },
            "kernel_machines": [
                {"work": "fit", "met": True},
                {"work": "NOT FINISHED", "failed": "stopped"},
            ],
            "peers": [{"work": "not measured: no release", "peer": "X", "met": None}],
        }
        path.write_text(json.dumps(facts), encoding="utf-8")
        text = benchmark_text(path)
        for told in (
            "`python -m tests.benchmarks --data data`, 2026-01-02T03:04:05Z,"
            " Some processor, 2 cores, Python 3.11.7, numpy 2.4.6.",
            "1 of 1 bars met. Not finished: kernel_machines.",
            "**kernel machines**",
            "| NOT FINISHED |  | stopped |",
            "| not measured: no release | X |  |",
        ):
            assert told in text


def test_repetitions_are_counted_by_set():
    tasks = [
        *({"set": name, "run": k} for name in ("wdbc", "pima", "kc1") for k in (0, 1)),
        {"set": "wdbc", "run": 1, "costs": "others"},
        {"set": "skin"},
    ]
    results = [{"task": task} for task in tasks]
    assert counted(results, "run") == "2 of wdbc, pima and kc1, 1 of skin"
    assert counted(results[:2], "run", lambda _: "the set") == "2 of the set"


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


def test_without_a_folder_it_says_what_to_give(capsys):
    with pytest.raises(SystemExit):
        main(["--quick"])
    assert "--data FOLDER" in capsys.readouterr().err


def test_a_report_needs_no_data_and_shows_what_is_complete(tmp_path, capsys):
    assert main(["--report", "--output", str(tmp_path)]) == 0
    assert "# Results" in (tmp_path / "full" / "results.md").read_text(encoding="utf-8")
    assert "outside their range: 0" in capsys.readouterr().out
