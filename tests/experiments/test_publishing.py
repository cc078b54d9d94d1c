"""Publishing never loses a part of the page that was there."""

import sys
from types import ModuleType

import pytest

from experiments import __main__ as program
from experiments.benchmarks import HEADING
from experiments.report import Section

SPEED = f"# Results\n\n## Old\n\nold\n\n{HEADING}\n\n| work | ours |\n\n| fit | 1 |\n"


@pytest.fixture
def main(monkeypatch, tmp_path):
    for name in ("first", "second", "third"):
        module = ModuleType(f"experiments.{name}")
        module.VERSION = 1
        module.tasks = lambda quick: [{"n": n} for n in range(1 if quick else 2)]
        module.repeat = lambda task, data: {**task, "from": str(data)}
        module.section = lambda results, figures, name=name: Section(
            name.title(), f"{len(results)} results; figures in {figures.name}."
        )
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(program, "NAMES", ("first", "second"))
    monkeypatch.setattr(program, "OPTIONAL", ("third",))
    monkeypatch.setattr(program, "BENCHMARKS", tmp_path / "benchmarks.json")
    (tmp_path / "docs").mkdir()
    where = ["--output", str(tmp_path / "output"), "--docs", str(tmp_path / "docs")]
    data = ["--data", str(tmp_path), "--jobs", "1"]

    def run(*arguments):
        return program.main([*data, *where, *arguments])

    return run


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "docs" / "results.md"

    def text():
        return path.read_text(encoding="utf-8")

    text.path = path
    return text


def test_a_clone_without_a_benchmark_keeps_the_published_one(main, page):
    page.path.write_text(SPEED, encoding="utf-8")
    assert main("--publish") == 0
    for _ in range(2):  # again from its own page
        told = page()
        assert "## First" in told
        assert "## Old" not in told
        assert told.endswith(SPEED[SPEED.index(HEADING) :])
        assert main("--report", "--publish") == 0


def test_a_new_benchmark_replaces_the_published_one(main, page, tmp_path):
    page.path.write_text(SPEED, encoding="utf-8")
    rows = '{"svm": [{"work": "fit", "ratio": 7.25}]}'
    (tmp_path / "benchmarks.json").write_text(rows, encoding="utf-8")
    assert main("--publish") == 0
    assert "7.25" in page()
    assert page().count(HEADING) == 1
    assert "| fit | 1 |" not in page()


def test_some_benchmarks_leave_the_others_as_they_were(main, page, tmp_path):
    path = tmp_path / "benchmarks.json"
    row = '{"work": "fit", "ratio": %s, "bar": 3, "met": true}'
    path.write_text(f'{{"svm": [{row % 4.5}], "rules": [{row % 6.5}]}}')
    assert main("--publish") == 0
    assert page().count("bars met.") == 1
    path.write_text(f'{{"two_threads": [{row % 1.75}], "rules": [{row % 8.5}]}}')
    for _ in range(2):  # again from its own page
        assert main("--report", "--publish") == 0
        text = page()
        assert "4.5" in text
        assert "6.5" not in text
        assert "8.5" in text
        assert "**two threads**" in text
        assert "1.75" in text
        assert "2 of 2 bars met." in text  # of the whole run, which its opening tells
        assert text.count("1 of 1 bars met.") == 2
        assert text.count(HEADING) == 1


def test_a_part_is_not_published_where_the_page_would_lack_the_rest(main, page, capsys):
    page.path.write_text(SPEED, encoding="utf-8")
    assert main("--only", "first", "--publish") == 1
    assert "not published: not complete are second" in capsys.readouterr().out
    assert page() == SPEED
    assert main("--only", "second", "--publish") == 0
    assert "## First" in page()


def test_what_has_not_run_stays_as_it_was_published(main, page, tmp_path):
    assert main("--publish") == 0
    before = page()
    (tmp_path / "output").rename(tmp_path / "elsewhere")
    assert main("--only", "second", "--publish") == 0
    assert page() == before
    assert main("--only", "third", "--publish") == 0
    assert page().startswith(before.rstrip())
    assert "## Third" in page()


def test_the_short_form_is_not_published(main, page, capsys):
    page.path.write_text(SPEED, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main("--quick", "--publish")
    assert ended.value.code == 2
    assert "short form" in capsys.readouterr().err
    assert page() == SPEED
