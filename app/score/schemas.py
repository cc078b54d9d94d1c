"""The body of POST /jobs/score, and of the jobs that it is divided into."""

from typing import Annotated, Any, Literal

import msgspec
from pydantic import ConfigDict, Field

from app.choices import ID
from app.strict import StrictModel

__all__ = ["DatasetSource", "ScoreRequest", "Shard", "Source", "Stored", "UrlSource"]

LONGEST_URL = 1000

EXAMPLE: dict[str, Any] = {
    "model": "pima",
    "source": {"kind": "url", "url": "s3://bucket/january/"},
    "target": "s3://bucket/decided/january/",
}


class DatasetSource(StrictModel):
    """An uploaded data set."""

    kind: Literal["dataset"]
    id: Annotated[str, Field(pattern=ID)]
    """As POST /datasets gave it."""


class UrlSource(StrictModel):
    """A file, or all files of one folder, at a place that the service may use."""

    kind: Literal["url"]
    url: Annotated[str, Field(min_length=1, max_length=LONGEST_URL)]
    """``s3://BUCKET/NAME.parquet`` or ``.csv``; or a folder, whose Parquet and CSV
    files are taken in the order of their names."""


class ScoreRequest(StrictModel):
    """Which rows are decided by what, and where the decisions go."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    model: Annotated[str, Field(min_length=1, max_length=202, examples=["pima"])]
    """``name`` (its newest version), ``name:version`` or ``name@alias``; the version
    is settled when the job is queued."""
    source: Annotated[DatasetSource | UrlSource, Field(discriminator="kind")]
    """Where the rows are."""
    target: Annotated[str, Field(min_length=1, max_length=LONGEST_URL)]
    """A folder, at a place that the service may use, which holds nothing yet. Each part
    is a file there, of the format of its source: ``part-00000.parquet``. The last file
    is ``manifest.json``."""
    part_rows: Annotated[int, Field(ge=1000, le=10_000_000)] = 1_000_000
    """About how many rows of Parquet a part has; whole row groups. A CSV file is one
    part."""
    review: bool = False
    """Whether rejected rows become cases, as the review policy of the model says. Parts
    then have the column `demur_case`. Cases are opened part by part, each row's once;
    those that are open stay where the job fails or is cancelled later."""
    reference: Annotated[str | None, Field(min_length=1, max_length=200)] = None
    """With ``review``: the column that says what you call the rows. Without it, a row
    is called by job, part and its number there, from 0: ``JOB/part-00000/17``."""
    priority: Annotated[int, Field(ge=-100, le=100)] = 0
    """Jobs of a higher one are begun first; parts come after trainings of the same."""


class Stored(msgspec.Struct, frozen=True):
    """A file of rows as it was when the job was planned."""

    name: str
    size: int
    written_s: float
    sha256: str | None = None
    """Of a data set."""


class Shard(msgspec.Struct, frozen=True):
    """One part of a job: some row groups of a file, or a whole one."""

    number: int
    file: Stored
    groups: list[int] | None
    """Of Parquet; null is all of a file of CSV."""
    rows: int | None
    """Null where only reading tells."""

    @property
    def part(self) -> str:
        """The name of its file."""
        form = "csv" if self.groups is None else "parquet"
        return f"{self.stem}.{form}"

    @property
    def stem(self) -> str:
        """The same without the format."""
        return f"part-{self.number:05}"


class Source(msgspec.Struct, frozen=True):
    """Everything that planning and each part of a job are told."""

    model: str
    version: int
    sha256: str
    """Of the artifact."""
    dataset: str | None
    url: str | None
    target: str
    part_rows: int
    review: bool = False
    reference: str | None = None
    job: str | None = None
    """Of which this is a part."""
    shard: Shard | None = None
