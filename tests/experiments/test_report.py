"""Tables and figures of the page."""

import json

import numpy as np
import pytest

from experiments import page
from experiments.benchmarks import benchmark_text
from experiments.counted import counted
from experiments.report import Line, Section, Table, mean_and_error, section_from


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

    def test_a_section_comes_back_from_its_facts(self):
        lines = (Line(("a", "b"), 1.0, 0.5, 2.0, 0.0, 3.0), Line(("c", "b"), 1.0))
        tables = (Table("T", ("m", "n"), lines, ("Said.",), digits=2, wide=True),)
        section = Section("S", "How.", tables, {"p.svg": "a plot"}, ("It differs.",))
        facts = json.loads(json.dumps(section.payload()))
        assert section_from(facts) == section

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
