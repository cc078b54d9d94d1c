"""Decisions as the text behind the records of a CSV file.

    record | decision, label | score | probability | cost | reason, label, warnings

Columns of few values are put together before they are written: a block has few
different pairs of decision and label, and few different ends of a line. So a line is
joined of six parts.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.artifacts.model import Labels
from app.artifacts.rating import Rating
from app.batch.columns import (
    DECISIONS,
    REASONS,
    bands_of,
    costs_of,
    guards_of,
    of_labels,
    warnings_of,
)
from app.predict.decided import Decided, Floats

__all__ = ["Wording"]

_NOTHING = pa.array([""])


@dataclass(frozen=True, slots=True)
class Wording:
    """How the decisions of one file are written.

    Parameters
    ----------
    labels : Labels
    delimiter : str
        One ASCII character.
    decimal : str
        The decimal mark.
    line_end : str
    rating : Rating, optional
        Of a model that rates rows.
    """

    labels: Labels
    delimiter: str
    decimal: str
    line_end: str
    rating: Rating | None = None

    def lines(
        self,
        records: pa.StringArray,
        decided: Decided,
        cases: pa.StringArray | None = None,
    ) -> pa.StringArray:
        """Return records with their decisions behind them, and the ends of their lines.

        Parameters
        ----------
        records : StringArray of length n_rows
            As they came, without their ends.
        decided : Decided
        cases : StringArray of length n_rows, optional
            A last column.
        """
        judged = decided.judged
        behind = []
        if self.rating is not None:
            behind.append(pc.cast(bands_of(decided, self.rating), pa.string()))
        if cases is not None:
            behind.append(cases.fill_null(""))
        ends = [self._ends(decided, "" if behind else self.line_end), *behind]
        if behind:
            ends[-1] = pc.binary_join_element_wise(ends[-1], "", self.line_end)
        numbers = (judged.scores, judged.probabilities)
        return pc.binary_join_element_wise(
            records,
            self._beginnings(decided),
            *map(self._numbers, numbers),
            self._costs(decided),
            *ends,
            self.delimiter,
        )

    def _beginnings(self, decided: Decided) -> pa.StringArray:
        """Return the cells of decision and label."""
        both = self._quoted(of_labels(self.labels))
        label = pa.concat_arrays([both[:1], _NOTHING, both[1:]])
        beginnings = pc.binary_join_element_wise(DECISIONS, label, self.delimiter)
        return beginnings.take(pa.array(decided.decisions + 1))

    def _ends(self, decided: Decided, end: str) -> pa.StringArray:
        """Return the cells of reason, would-be label and warnings; and an end."""
        coded = warnings_of(decided)
        rejected = decided.decisions == 0
        axes = (
            (
                pa.concat_arrays([_NOTHING, REASONS]),
                np.where(rejected, guards_of(decided) + np.int64(1), 0),
            ),
            (self._quoted(of_labels(self.labels)), decided.forced),
            (
                pa.concat_arrays([_NOTHING, self._quoted(coded.dictionary)]),
                coded.indices.fill_null(-1).to_numpy() + 1,
            ),
        )
        sizes = [len(values) for values, _ in axes]
        codes = np.zeros(len(rejected), np.int64)
        for size, (_, places) in zip(sizes, axes, strict=True):
            codes *= size
            codes += places
        there = np.bincount(codes) > 0
        rows, rank = np.flatnonzero(there), np.cumsum(there) - 1
        cells = [
            values.take(pa.array(places))
            for (values, _), places in zip(
                axes, np.unravel_index(rows, sizes), strict=True
            )
        ]
        cells_joined = pc.binary_join_element_wise(*cells, self.delimiter)
        ended = pc.binary_join_element_wise(cells_joined, "", end)
        return ended.take(pa.array(rank[codes]))

    def _quoted(self, column: pa.Array) -> pa.StringArray:
        """Return values as cells, in quotes where they need them."""
        if not pa.types.is_string(column.type):
            cells = pc.cast(column, pa.string())
            if self.decimal == "," and pa.types.is_floating(column.type):
                cells = pc.replace_substring(cells, ".", ",")
            return cells
        special = pc.match_substring_regex(column, f'["\r\n{self.delimiter}]')
        escaped = pc.replace_substring(column, '"', '""')
        quoted = pc.binary_join_element_wise('"', escaped, '"', "")
        return pc.if_else(special, quoted, column)

    def _costs(self, decided: Decided) -> pa.Array | str:
        if not len(decided.unpriced):
            return self._numbers(decided.expected_costs)
        return self._quoted(costs_of(decided)).fill_null("")

    def _numbers(self, values: Floats | None) -> pa.Array | str:
        """Return the shortest digits that read back the same; nothing for nothing."""
        return "" if values is None else self._quoted(pa.array(values))
