"""A file as batches of columns, which can be gone through more than once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

__all__ = ["Batch", "Source"]


def _no_line(_: int) -> int | None:
    return None


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of a file, as one Arrow array a column."""

    columns: list[pa.Array]
    first_row: int
    line_of: Callable[[int], int | None] = _no_line
    """The line of row ``index`` of the batch, where the file has lines."""


class Source(Protocol):
    """A file that is read as often as it is asked."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""

    @property
    def text(self) -> bool:
        """Whether cells are text that is still to be understood."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of the file, once its rows were read."""

    def batches(self) -> Iterator[Batch]:
        """Yield all rows, in order, from the first."""
