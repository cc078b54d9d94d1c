"""What the process beside the server does with an upload."""

from pathlib import Path

from app.datasets.reading.convert import Described, to_parquet
from app.datasets.reading.limits import Limits
from app.datasets.reading.opening import open_source
from app.datasets.reading.options import Format, ReadOptions

__all__ = ["convert"]


def convert(
    uploaded: Path, stored: Path, form: Format, options: ReadOptions, limits: Limits
) -> Described:
    """Read an upload, write it as Parquet, say what it holds.

    Raises
    ------
    InvalidRequestError
        With line and column of the first fault.
    """
    source = open_source(uploaded, form, options, limits)
    return to_parquet(source, stored, options, limits)
