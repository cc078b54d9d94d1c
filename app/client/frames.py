"""Data frames on their way to a service and back, as Arrow."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from app.client.files import TableFile, open_table

__all__ = ["as_frame", "frame_file"]


def _package(frame: object) -> str:
    return type(frame).__module__.partition(".")[0]


def _table(frame: Any) -> pa.Table:
    """Return a frame as an Arrow table, without an index.

    Raises
    ------
    TypeError
        When it is no frame.
    """
    if _package(frame) == "pandas":
        return pa.Table.from_pandas(frame, preserve_index=False)
    if hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    msg = (
        "rows come as a data frame (pandas, polars, pyarrow or whatever gives an Arrow"
        f" stream), not as {type(frame).__name__}"
    )
    raise TypeError(msg)


@contextmanager
def frame_file(frame: Any) -> Iterator[TableFile]:
    """Give a frame as a file to be sent; raises TypeError when it is none."""
    table = _table(frame)
    with TemporaryDirectory(prefix="demur-") as folder:
        path = Path(folder) / "frame.arrow"
        with (
            pa.OSFile(str(path), "wb") as sink,
            pa.ipc.new_stream(sink, table.schema) as out,
        ):
            out.write_table(table)
        with open_table(path) as file:
            yield file


def as_frame(answer: pa.Table, like: Any) -> Any:
    """Return rows as the kind of frame that ``like`` is, in pandas with its index."""
    kind = _package(like)
    if kind == "pandas":
        return answer.to_pandas().set_axis(like.index)
    if kind == "polars":
        # Whoever gives one has it installed.
        return sys.modules["polars"].from_arrow(answer)
    return answer
