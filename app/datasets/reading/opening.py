"""A file of any format as a source, and an upload as Parquet."""

from pathlib import Path

from app.datasets.reading.arrow_sources import TypedSource
from app.datasets.reading.beginnings import check_beginning
from app.datasets.reading.columnar import ArrowStream, ParquetFile
from app.datasets.reading.convert import Described, to_parquet
from app.datasets.reading.csv_source import CsvSource
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import Format, ReadOptions
from app.datasets.reading.sources import Source
from app.datasets.reading.svmlight import SvmlightSource

__all__ = ["convert", "open_source"]


def open_source(
    path: Path, form: Format, options: ReadOptions, limits: Limits
) -> Source:
    """Look at the beginning of a file and return it as a source.

    Raises
    ------
    InvalidRequestError
        When the file is no table of that format.
    """
    check_beginning(path, form)
    if form == "csv":
        return CsvSource(path, options, limits)
    if form == "parquet":
        return TypedSource(ParquetFile(path, limits), limits)
    if form == "arrow":
        return TypedSource(ArrowStream(path, limits), limits)
    return SvmlightSource(path, limits)


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
