"""Files of svmlight (and LIBSVM) as batches of dense columns.

    line = label *(space index ":" value) ["#" comment]

``target`` is the label, ``x1`` ... ``xN`` the features up to the largest index of the
file (from ``x0`` where it counts from zero); an index that a line leaves out is 0.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from app.datasets.reading.blocks import BLOCK_BYTES, check_text
from app.datasets.reading.cells import Marks, first, numbers
from app.datasets.reading.columnar import check_cells
from app.datasets.reading.faults import fault
from app.datasets.reading.limits import Limits
from app.datasets.reading.sources import Batch

__all__ = ["SvmlightSource"]

_CELLS = 1 << 21
_NONE = Marks(())


@dataclass(frozen=True, slots=True)
class _Lines:
    """The filled lines of a block as triplets; ``rows`` is ascending."""

    numbers: NDArray[np.int64]
    """The line of each row."""
    labels: NDArray[np.float64]
    rows: NDArray[np.int64]
    indices: NDArray[np.int64]
    values: NDArray[np.float64]


class SvmlightSource:
    """See ``sources.Source``."""

    text = False
    notes = ()

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path, self._limits = path, limits
        low, high, rows = 1, 0, 0
        for lines in self._lines():
            low = min(low, int(lines.indices.min(initial=1)))
            high = max(high, int(lines.indices.max(initial=0)))
            rows += len(lines.labels)
            check_cells(rows, high - low + 2, limits)
        self._low = low
        self._width = high - low + 1
        self.names = ("target", *(f"x{j}" for j in range(low, high + 1)))

    def batches(self) -> Iterator[Batch]:
        """Yield dense rows, as many at once as a bounded number of cells."""
        step = max(1, _CELLS // (self._width + 1))
        row = 0
        for lines in self._lines():
            for start in range(0, len(lines.labels), step):
                part = slice(start, start + step)
                columns = self._dense(lines, part)
                yield Batch(columns, row, _Places(lines.numbers[part]))
                row += len(columns[0])

    def _dense(self, lines: _Lines, part: slice) -> list[pa.Array]:
        labels = lines.labels[part]
        table = np.zeros((self._width, len(labels)))
        low, high = np.searchsorted(lines.rows, [part.start, part.start + len(labels)])
        table[
            lines.indices[low:high] - self._low, lines.rows[low:high] - part.start
        ] = lines.values[low:high]
        return [pa.array(labels), *(pa.array(column) for column in table)]

    def _lines(self) -> Iterator[_Lines]:
        line, rest = 1, b""
        with self._path.open("rb") as file:
            while chunk := file.read(BLOCK_BYTES):
                data = rest + chunk
                end = data.rfind(b"\n") + 1
                if len(data) - end > self._limits.record_bytes:
                    detail = f"longer than {self._limits.record_bytes} bytes"
                    raise fault(detail, line=line + data.count(b"\n"))
                yield from self._parsed(data[:end], line)
                line, rest = line + data.count(b"\n"), data[end:]
        yield from self._parsed(rest, line)

    def _parsed(self, data: bytes, line: int) -> Iterator[_Lines]:
        check_text(data, line)
        text = pa.array(data.decode().split("\n"), pa.large_string())
        text = pc.ascii_trim_whitespace(pc.replace_substring_regex(text, "#.*", ""))
        filled = np.flatnonzero(pc.not_equal(text, "").to_numpy(zero_copy_only=False))
        if len(filled):
            yield self._triplets(text.take(pa.array(filled)), filled + line)

    def _triplets(self, text: pa.Array, places: NDArray[np.int64]) -> _Lines:
        words = pc.ascii_split_whitespace(text)
        starts = words.offsets.to_numpy()[:-1]
        flat = words.flatten()
        rows = pc.list_parent_indices(words).to_numpy()
        is_pair = np.ones(len(flat), dtype=bool)
        is_pair[starts] = False
        rows = rows[is_pair]
        pairs = flat.filter(pa.array(is_pair))
        good = pc.match_substring_regex(pairs, r"^[0-9]{1,9}:[^:]+$")
        if not pc.all(good, min_count=0).as_py():
            place = places[rows[first(pc.invert(good))]]
            detail = "a feature is written index:value; qid and text are not taken"
            raise fault(detail, line=int(place))
        indices = pc.cast(
            pc.replace_substring_regex(pairs, ":.*", ""), pa.int64()
        ).to_numpy()
        self._check_indices(indices, rows, places)
        labels = _values(flat.take(pa.array(starts)), places, "the label")
        cells = pc.replace_substring_regex(pairs, "^[^:]*:", "")
        values = _values(cells, places[rows], "a value")
        return _Lines(places, labels, rows.astype(np.int64), indices, values)

    def _check_indices(
        self,
        indices: NDArray[np.int64],
        rows: NDArray[np.int64],
        places: NDArray[np.int64],
    ) -> None:
        if not len(indices):
            return
        if indices.max() >= self._limits.columns:
            place = places[rows[int(np.argmax(indices >= self._limits.columns))]]
            detail = (
                f"an index beyond {self._limits.columns - 1}, the most that is taken"
            )
            raise fault(detail, line=int(place))
        keys = np.sort(rows.astype(np.int64) * self._limits.columns + indices)
        again = np.flatnonzero(keys[1:] == keys[:-1])
        if len(again):
            place = places[keys[again[0]] // self._limits.columns]
            msg = "an index comes twice"
            raise fault(msg, line=int(place))


class _Places:
    """The line of each row of a batch."""

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        self._numbers = numbers

    def __call__(self, index: int) -> int:
        return int(self._numbers[index])


def _values(
    cells: pa.Array, places: NDArray[np.int64], what: str
) -> NDArray[np.float64]:
    """Return numbers, NaN where a file says so."""
    values, wrong = numbers(cells, _NONE)
    if wrong is not None:
        msg = f"{what} is no number"
        raise fault(msg, line=int(places[first(wrong)]))
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)
