"""What a data set looks like from outside."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from app.artifacts.forgetting import Keeps, Lost
from app.choices import ID, SHA256
from app.datasets.reading.options import ColumnType, Encoding, Format
from app.strict import Answer, QueryModel, with_examples

__all__ = [
    "ClassBalance",
    "DatasetAnswer",
    "DatasetDetail",
    "DatasetEntry",
    "DatasetQuery",
    "DatasetsAnswer",
    "DatasetsQuery",
    "DeleteQuery",
    "DeletedAnswer",
    "ModelMade",
    "ReadQuery",
    "UploadQuery",
]

Delimiter = Literal["auto", "comma", "semicolon", "tab", "pipe", ",", ";", "\t", "|"]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Names = Annotated[list[Name], Field(max_length=50)]
Marks = Annotated[list[Annotated[str, Field(max_length=40)]], Field(max_length=50)]
ENTRY: dict[str, Any] = {
    "id": "5b0c1d9e-7d0a-4c8e-9b55-0a7d3f3f7a11",
    "name": "pima.csv",
    "format": "csv",
    "rows": 768,
    "sha256": "9f86d081" * 8,
    "bytes": 23873,
    "created_at": "2026-03-02T09:29:58.120000Z",
}
COLUMNS: list[Any] = [
    {"name": "glucose", "type": "numeric", "missing": 5},
    {"name": "outcome", "type": "categorical", "missing": 0},
]


class ReadQuery(QueryModel):
    """How a table in CSV is to be read."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    delimiter: Delimiter = "auto"
    """What separates the cells; ``auto`` finds it in the first records."""
    decimal: Literal["auto", ".", ","] = "auto"
    """The decimal mark of numbers; ``auto`` reads each column by its own cells. The
    other mark may set thousands apart."""
    encoding: Encoding = "auto"
    """The encoding of the text; ``auto`` takes UTF-8, UTF-16 with its mark and
    windows-1252."""
    missing: Marks | None = None
    """A cell that means "no value" (repeat for several); instead of the empty cell, ?,
    NA, N/A, NaN and NULL."""


class UploadQuery(ReadQuery):
    """What a file does not say itself."""

    name: Name | None = None
    """What to call the data set; the file's name where none is given."""
    format: Format | None = None
    """Instead of what the content type or the file's name says."""
    header: bool | None = None
    """CSV: whether the first record holds the names of the columns; it does, where
    nothing is said, and is refused where half of its cells are numbers."""
    numeric: Names = Field(default=[])
    """A column that holds numbers (repeat for several); others are refused there."""
    boolean: Names = Field(default=[])
    """A column that holds true and false."""
    categorical: Names = Field(default=[])
    """A column that holds text, whatever it looks like."""


class DatasetsQuery(QueryModel):
    """Which data sets, and how many."""

    limit: int = Field(default=50, ge=1, le=200, description="Data sets on a page.")
    before: str | None = Field(
        default=None,
        pattern=ID,
        description="Only data sets older than this: `next` of the page before.",
    )
    sha256: str | None = Field(
        default=None,
        pattern=SHA256,
        description="Only uploads of exactly these bytes.",
    )


class DatasetQuery(QueryModel):
    """What to tell of a data set beside its columns."""

    preview: int = Field(
        default=5, ge=0, le=100, description="How many of its first rows to show."
    )
    target: str | None = Field(
        default=None,
        max_length=200,
        description="A column whose values are counted: the balance of the classes.",
    )


class ColumnAnswer(Answer):
    """A column of a data set."""

    name: str
    type: ColumnType
    missing: int
    """How many rows have no value here."""


class DatasetEntry(Answer):
    """A data set in the list."""

    id: str
    name: str
    format: Format
    """What it was uploaded as; it is kept as Parquet."""
    rows: int
    sha256: str
    """Digest of the bytes that were uploaded."""
    bytes: int
    """How many they were."""
    created_at: datetime


class DatasetAnswer(DatasetEntry):
    """A data set with its columns."""

    model_config = with_examples({**ENTRY, "columns": COLUMNS, "notes": []})

    columns: list[ColumnAnswer]
    notes: list[str]
    """What may not have been read as it was meant."""


class LabelCount(Answer):
    """A value of a column, and how many rows have it."""

    label: float | bool | str
    rows: int


class ClassBalance(Answer):
    """The values of a column, the most frequent first."""

    column: str
    classes: list[LabelCount]
    missing: int


class Preview(Answer):
    """The first rows."""

    columns: list[str]
    rows: list[list[float | bool | str | None]]


class DatasetDetail(DatasetAnswer):
    """A data set with its first rows and, where asked for, its class balance."""

    model_config = with_examples(
        {
            **ENTRY,
            "columns": COLUMNS,
            "notes": [],
            "preview": {
                "columns": ["glucose", "outcome"],
                "rows": [[148.0, "yes"], [None, "no"]],
            },
            "target": {
                "column": "outcome",
                "classes": [
                    {"label": "no", "rows": 500},
                    {"label": "yes", "rows": 268},
                ],
                "missing": 0,
            },
        }
    )

    preview: Preview
    target: ClassBalance | None


class DatasetsAnswer(Answer):
    """A page of data sets, newest first."""

    model_config = with_examples({"datasets": [ENTRY], "next": None})

    datasets: list[DatasetEntry]
    next: str | None
    """Give it as ``before`` for the next page; null on the last."""


class DeleteQuery(QueryModel):
    """What may go with a data set."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    outlier_guards: Literal["keep", "drop"] = "keep"
    """An outlier guard consists of rows. ``keep`` refuses to delete a data set that
    one was made of; with ``drop`` the versions answer without it from now on."""


class ModelMade(Answer):
    """A version that was trained on a data set, or re-priced from one that was."""

    name: str
    version: int
    lost: list[Lost]
    """What it can no longer do: what was kept of single rows for it is gone."""
    keeps: list[Keeps]
    """What is left of single rows: a kernel machine consists of encoded ones, and
    they go with the version only. ``unreadable``: its file is damaged, and left."""


class DeletedAnswer(Answer):
    """What went with a data set, and what stays without it."""

    model_config = with_examples(
        {
            "id": ENTRY["id"],
            "models": [
                {
                    "name": "pima",
                    "version": 1,
                    "lost": ["reprice"],
                    "keeps": ["support_vectors"],
                }
            ],
        }
    )

    id: str
    models: list[ModelMade]
    """Versions that were made of its rows; they go on answering."""
