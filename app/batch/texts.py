"""Decisions as the text behind the records of a CSV file.

    record, decision, label, | score, | probability, | cost, | reason, label, warnings

Columns of few values are put together before they are written: a block has few
different pairs of decision and label, and few different ends of a line. So a line is
joined of at most five parts, each of them with the delimiter that follows it.
"""

from dataclasses import dataclass

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from app.artifacts.model import Labels
from app.batch.columns import DECISIONS, REASONS, guards_of, of_labels, warnings_of
from app.predict.decided import Decided, Floats

__all__ = ["Wording"]

_ENCODER = msgspec.json.Encoder()
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
    """

    labels: Labels
    delimiter: str
    decimal: str
    line_end: str

    def parts(self, decided: Decided) -> list[pa.Array | str]:
        """Return what is written behind each record, from its delimiter to its end.

        Parameters
        ----------
        decided : Decided
            At least one row.
        """
        middle: list[pa.Array | str] = [
            self.delimiter if values is None else self._numbers(values)
            for values in (
                decided.judged.scores,
                decided.judged.probabilities,
                decided.expected_costs,
            )
        ]
        return [self._beginnings(decided), *middle, self._ends(decided)]

    def _beginnings(self, decided: Decided) -> pa.StringArray:
        """Return the cells of decision and label, a delimiter around each."""
        d = self.delimiter
        both = self._quoted(of_labels(self.labels))
        label = pa.concat_arrays([both[:1], _NOTHING, both[1:]])
        told = pc.binary_join_element_wise("", DECISIONS, label, "", d)
        return told.take(pa.array(decided.decisions + 1))

    def _ends(self, decided: Decided) -> pa.StringArray:
        """Return the cells of reason, would-be label and warnings; the line's end."""
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
        found, rank = np.flatnonzero(there), np.cumsum(there) - 1
        cells = [
            values.take(pa.array(places))
            for (values, _), places in zip(
                axes, np.unravel_index(found, sizes), strict=True
            )
        ]
        told = pc.binary_join_element_wise(*cells, self.delimiter)
        ended = pc.binary_join_element_wise(told, "", self.line_end)
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

    def _numbers(self, values: Floats) -> pa.StringArray:
        """Return the shortest digits that read back the same, and a delimiter.

        A JSON list is almost this already: only its commas and its last bracket are to
        become delimiters, its points decimal marks.
        """
        listed = _ENCODER.encode(values.tolist())
        marks = bytes.maketrans(b".,]", f"{self.decimal}{self.delimiter * 2}".encode())
        offsets = np.empty(len(values) + 1, np.int32)
        offsets[0], offsets[-1] = 1, len(listed)
        offsets[1:-1] = np.flatnonzero(np.frombuffer(listed, np.uint8) == ord(",")) + 1
        text = listed.translate(marks)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(text)]
        return pa.Array.from_buffers(pa.string(), len(values), buffers)
