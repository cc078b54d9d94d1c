"""Repetitions: named, run in parallel, each kept as one small JSON file.

A file's name is a digest of the experiment, its protocol version and the repetition, so
a rerun continues where the last one stopped, and a changed protocol starts anew.
"""

import hashlib
import importlib
import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)

from experiments.report import Section

__all__ = ["Experiment", "Repetition", "results_of", "run_missing"]

Task = dict[str, Any]

SECONDS_BETWEEN_LINES = 60.0
"""Where no bar can be drawn (a log file), one line of progress in so much time."""


class Experiment(Protocol):
    """What a module of an experiment has."""

    VERSION: int

    def tasks(self, quick: bool) -> list[Task]:
        """Return one JSON-able description per repetition."""
        ...

    def repeat(self, task: Task, data: Path) -> dict[str, Any]:
        """Run one repetition; a function of its arguments alone."""
        ...

    def section(self, results: Sequence[dict[str, Any]], figures: Path) -> Section:
        """Turn the results into tables and plots."""
        ...


@dataclass(frozen=True, slots=True)
class Repetition:
    """One task of an experiment, and where its result lies."""

    experiment: str
    version: int
    task: Task
    folder: Path

    @property
    def path(self) -> Path:
        """Return the file of the result."""
        facts = [self.experiment, self.version, self.task]
        digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
        return self.folder / self.experiment / f"{digest[:20]}.json"

    def run(self, data: Path) -> None:
        """Run the task and keep its result: whole, or not at all."""
        module = importlib.import_module(f"experiments.{self.experiment}")
        result = {"task": self.task, **module.repeat(self.task, data)}
        part = self.path.with_suffix(f".{os.getpid()}.part")
        part.write_text(json.dumps(result) + "\n", encoding="utf-8")
        part.replace(self.path)


def repetitions(name: str, folder: Path, *, quick: bool) -> list[Repetition]:
    """Return all repetitions of an experiment."""
    module = importlib.import_module(f"experiments.{name}")
    tasks = module.tasks(quick)
    return [Repetition(name, module.VERSION, task, folder) for task in tasks]


def run_missing(
    names: Sequence[str], data: Path, folder: Path, *, quick: bool, jobs: int
) -> None:
    """Run the repetitions that have no result yet, and tell how far they are."""
    with _bars() as progress:
        lines = _Lines(progress.console)
        for name in names:
            every = repetitions(name, folder, quick=quick)
            missing = [one for one in every if not one.path.exists()]
            bar = progress.add_task(name, total=len(every))
            progress.advance(bar, len(every) - len(missing))
            (folder / name).mkdir(parents=True, exist_ok=True)
            for done, _ in enumerate(_run(missing, data, jobs), start=1):
                progress.advance(bar)
                lines.tell(name, len(every) - len(missing) + done, len(every))


def _bars() -> Progress:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    return Progress(*columns, console=console, disable=not console.is_terminal)


class _Lines:
    """Progress as lines, where standard error is a file and no bar is seen."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._start = self._last = time.monotonic()

    def tell(self, name: str, done: int, of: int) -> None:
        now = time.monotonic()
        due = done == of or now - self._last >= SECONDS_BETWEEN_LINES
        if self._console.is_terminal or not due:
            return
        self._last = now
        minutes = (now - self._start) / 60.0
        self._console.print(
            f"{name}: {done} of {of} repetitions, {minutes:.1f} min",
            highlight=False,
            soft_wrap=True,
        )


def results_of(name: str, folder: Path, *, quick: bool) -> list[dict[str, Any]] | None:
    """Return the results of all repetitions, or None while any is missing."""
    found = [one.path for one in repetitions(name, folder, quick=quick)]
    if not all(path.exists() for path in found):
        return None
    return [json.loads(path.read_text(encoding="utf-8")) for path in found]


def _run(missing: list[Repetition], data: Path, jobs: int) -> Iterator[None]:
    if jobs == 1:
        for one in missing:
            one.run(data)
            yield
        return
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered")
    yield from parallel(delayed(Repetition.run)(one, data) for one in missing)
