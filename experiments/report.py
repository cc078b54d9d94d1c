"""Figures as tables: the paper's value beside ours, and where a right one lies.

A line is outside when ours is not in its acceptance range: that is a fault to find,
not a result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import sqrt
from typing import Any

import numpy as np

__all__ = ["Line", "Section", "Table", "mean_and_error", "section_from", "shown"]


@dataclass(frozen=True, slots=True)
class Line:
    """One figure: ours with its standard error, the paper's, the range, the verdict.

    ``names`` are the leading cells (set, method, what is measured). ``low`` and
    ``high`` bound where a correct implementation lands, about three standard errors
    wide; None where nobody knows.
    """

    names: tuple[str, ...]
    ours: float
    error: float | None = None
    paper: float | str | None = None
    low: float | None = None
    high: float | None = None

    @property
    def inside(self) -> bool | None:
        """Whether ours lies in the range; None without one."""
        if self.low is None and self.high is None:
            return None
        above = self.low is None or self.ours >= self.low
        return above and (self.high is None or self.ours <= self.high)


@dataclass(frozen=True, slots=True)
class Table:
    """Lines under a caption, and a sentence on what differs from the paper."""

    caption: str
    names: tuple[str, ...]
    lines: tuple[Line, ...]
    remarks: tuple[str, ...] = ()
    digits: int = 3
    wide: bool = False  # the last name as columns, for figures of ours alone

    def markdown(self) -> str:
        """Return the table; columns that no line fills are left out."""
        heads, rows = self._wide() if self.wide else self._long()
        left = len(self.names) - self.wide
        text = [f"**{self.caption}**", "", *grid(heads, rows, left)]
        text += [f"\n{remark}" for remark in self.remarks]
        return "\n".join(text)

    def _wide(self) -> tuple[list[str], list[list[str]]]:
        columns = list(dict.fromkeys(line.names[-1] for line in self.lines))
        cells: dict[tuple[str, ...], dict[str, str]] = {}
        for line in self.lines:
            value = self._value(line)
            cells.setdefault(line.names[:-1], {})[line.names[-1]] = value
        rows = [
            [*names, *(c.get(k, "") for k in columns)] for names, c in cells.items()
        ]
        return [*self.names[:-1], *columns], rows

    def _value(self, line: Line) -> str:
        error = "" if line.error is None else f" ± {shown(line.error, self.digits)}"
        return shown(line.ours, self.digits) + error

    def _long(self) -> tuple[list[str], list[list[str]]]:
        used = [
            ("paper", any(line.paper is not None for line in self.lines)),
            ("ours", True),
            ("range", any(line.inside is not None for line in self.lines)),
            ("inside", any(line.inside is not None for line in self.lines)),
        ]
        heads = [*self.names, *(name for name, wanted in used if wanted)]
        return heads, [self._cells(line, heads) for line in self.lines]

    def _cells(self, line: Line, heads: Sequence[str]) -> list[str]:
        verdict = {None: "", True: "yes", False: "**NO**"}[line.inside]
        cells = {
            "paper": shown(line.paper, self.digits),
            "ours": self._value(line),
            "range": self._range(line),
            "inside": verdict,
        }
        return [*line.names, *(cells[head] for head in heads[len(self.names) :])]

    def _range(self, line: Line) -> str:
        low, high = shown(line.low, self.digits), shown(line.high, self.digits)
        if low and high:
            return f"{low} to {high}"
        return f"from {low}" if low else f"to {high}" if high else ""


@dataclass(frozen=True, slots=True)
class Section:
    """The tables and plots of one experiment, and what does not come out as printed."""

    title: str
    how: str
    tables: tuple[Table, ...] = ()
    plots: Mapping[str, str] = field(default_factory=dict)  # file name -> caption
    remarks: tuple[str, ...] = ()

    def markdown(self) -> str:
        """Return the section; plots are looked for in figures/ beside the page."""
        text = [f"## {self.title}", self.how]
        text += [table.markdown() for table in self.tables]
        text += [
            f"![{caption}](figures/{file})" for file, caption in self.plots.items()
        ]
        return "\n\n".join(text)

    def outside(self) -> list[Line]:
        """Return the lines that lie outside their ranges."""
        lines = [line for table in self.tables for line in table.lines]
        return [line for line in lines if line.inside is False]

    def payload(self) -> dict[str, Any]:
        """Return everything as JSON-able facts, the verdicts among them."""
        facts = asdict(self)
        for table, shown in zip(self.tables, facts["tables"], strict=True):
            for line, row in zip(table.lines, shown["lines"], strict=True):
                row["inside"] = line.inside
        return facts


def section_from(facts: Mapping[str, Any]) -> Section:
    """Return a section from its facts, as ``payload`` gave them."""
    tables = []
    for table in facts["tables"]:
        lines = tuple(
            Line(
                **{key: row[key] for key in row if key not in {"inside", "names"}},
                names=tuple(row["names"]),
            )
            for row in table["lines"]
        )
        look = {key: table[key] for key in ("caption", "digits", "wide")}
        names, remarks = tuple(table["names"]), tuple(table["remarks"])
        tables.append(Table(names=names, lines=lines, remarks=remarks, **look))
    words = {key: facts[key] for key in ("title", "how", "plots")}
    return Section(tables=tuple(tables), remarks=tuple(facts["remarks"]), **words)


def mean_and_error(
    values: Sequence[float], tested: float = 0.0, splits: int | None = None
) -> tuple[float, float | None]:
    """Return the mean and its standard error (None for a single value).

    Random splits of the same rows share most of their training rows, so that their
    figures hang together. The correction of Nadeau and Bengio (2003),

        error^2 = variance (1 / n + tested),

    takes that into account; without it errors of ten 80/20 splits are half as large.

    Parameters
    ----------
    values : sequence of float
    tested : float, default=0
        Test rows per training row, where the values are of splits of the same rows; 0
        where each value has rows of its own.
    splits : int, optional
        How many of the values share rows, where there are several sets: all by default.
    """
    n = len(values)
    if n < 2:
        return float(np.mean(values)), None
    shared = 1.0 + tested * (n if splits is None else splits)
    return float(np.mean(values)), float(np.std(values, ddof=1) * sqrt(shared / n))


def shown(value: float | str | None, digits: int = 3) -> str:
    """Return a figure with that many digits behind the point; None as nothing."""
    if value is None:
        return ""
    return value if isinstance(value, str) else f"{value:.{digits}f}"


def grid(heads: Sequence[str], rows: Sequence[Sequence[str]], left: int) -> list[str]:
    """Return the lines of a Markdown table; the first ``left`` columns are text."""
    rule = [":--" if k < left else "--:" for k in range(len(heads))]
    return [f"| {' | '.join(cells)} |" for cells in (heads, rule, *rows)]
