"""No test holds the machine to a time: one that fails when it is busy proves nothing.

What has to be quick is measured by benchmarks and in the soak; whoever waits for an
event does so by `tests.waiting`.
"""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
TIMED = {TESTS / "benchmarks", TESTS / "app" / "soak"}
CLOCKS = {"monotonic", "perf_counter", "process_time", "time"}


def reads_clock(node):
    called = (c.func for c in ast.walk(node) if isinstance(c, ast.Call))
    return any(getattr(f, "attr", getattr(f, "id", "")) in CLOCKS for f in called)


def is_slow(function):
    return any("slow" in ast.unparse(mark) for mark in function.decorator_list)


def asserted(path):
    """Yield the lines of assertions that read a clock, outside the slow tests."""
    tree = ast.parse(path.read_text())
    functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
    slow = {id(n) for f in functions if is_slow(f) for n in ast.walk(f)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and id(node) not in slow and reads_clock(node):
            yield node.lineno


@pytest.mark.parametrize(
    "mistake", ["assert monotonic() < 3", "assert time.time() > x"]
)
def test_such_an_assertion_is_found(tmp_path, mistake):
    (tmp_path / "a.py").write_text(f"def test_x():\n    {mistake}\n")
    assert list(asserted(tmp_path / "a.py")) == [2]


def test_no_assertion_reads_a_clock():
    files = [p for p in TESTS.rglob("*.py") if not TIMED & {p, *p.parents}]
    found = [f"{p.relative_to(TESTS)}:{n}" for p in files for n in asserted(p)]
    assert found == []
