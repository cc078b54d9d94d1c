"""Every setting of the service: frozen, typed, read from ``DEMUR_*`` or ``.env``.

A variable of the environment wins over the same name in ``.env``. How they are read,
and what a wrong value is answered with: ``app.environment``.
"""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from app.blobs.interface import Place, Remote
from app.blobs.systems import check_place
from app.setting_texts import check_cluster, is_origin, split

__all__ = ["Settings"]

Names = Annotated[tuple[str, ...], NoDecode]
Keys = Annotated[tuple[SecretStr, ...], NoDecode]


class Settings(BaseSettings):
    """What an operator may choose; nothing else changes how the service behaves."""

    model_config = SettingsConfigDict(
        env_prefix="DEMUR_",
        env_file=".env",
        extra="ignore",
        frozen=True,
        use_attribute_docstrings=True,
        hide_input_in_errors=True,
    )

    data_dir: Path = Path("var")
    """Folder of the artifacts and of the embedded database; made when missing."""

    store: str = ""
    """Where models, data sets and the prediction log are: a folder (empty: that of the
    data), or ``s3://BUCKET/PREFIX``, ``gs://...``, ``abfs://...``."""

    store_cache_bytes: int = Field(default=10 * 1024**3, ge=1024**2)
    """What is kept of an object store in the data folder, in bytes at most."""

    database_url: str = ""
    """SQLAlchemy URL: ``sqlite:///FILE`` or ``postgresql+psycopg://...``. Empty: SQLite
    in the data folder."""

    host: str = "127.0.0.1"
    """Address to listen on. Anything but loopback needs a key: one of
    ``DEMUR_API_KEYS``, or one made by ``demur key create``."""

    port: int = Field(default=8000, ge=0, le=65535)
    """Port to listen on; 0 takes a free one and prints it."""

    api_keys: Keys = ()
    """Keys of scope admin, separated by commas, beside those that were issued. With
    any key, every request must bear one. None at all: open, on loopback only."""

    docs: bool = True
    """Whether /docs, /redoc, /guide and /openapi.json are served, to everybody."""

    ui: bool = True
    """Whether the page under /ui is served; with keys it asks for one."""

    processes: int = Field(default=1, ge=1, le=64)
    """Processes that ``demur serve`` answers with, all on one port."""

    allowed_hosts: Names = ()
    """Further names, separated by commas, that the ``Host`` header may carry when no
    key is set (``localhost`` and loopback addresses always may)."""

    allowed_origins: Names = ()
    """Web origins, separated by commas, whose pages may ask; only where keys exist."""

    max_body_bytes: int = Field(default=32 * 1024 * 1024, ge=1024)
    """Largest request body in bytes; a larger one is answered 413 before it is read."""

    max_upload_bytes: int = Field(default=2 * 1024**3, ge=1024)
    """Largest file in bytes that POST /datasets and POST /predict/batch take."""

    max_dataset_rows: int = Field(default=20_000_000, ge=1)
    """Most rows of a data set."""

    max_dataset_columns: int = Field(default=10_000, ge=1)
    """Most columns of a data set, of a batch, and of the table in a training (422)."""

    max_dataset_cells: int = Field(default=500_000_000, ge=1)
    """Most cells (rows times columns) of a data set and of a batch (422)."""

    max_reader_memory_bytes: int = Field(default=1024**3, ge=0)
    """Memory that one file may take while it is read, in bytes, at least 256 MiB; 0 is
    no limit (422). Up to four are read at once, each in its own process."""

    max_cell_bytes: int = Field(default=10_000, ge=1)
    """Longest text, in bytes of UTF-8, in one cell of a data set, and of the table in a
    training (422). A category has 1,000 characters at most in any case."""

    max_training_rows: int | None = Field(default=None, ge=1)
    """Most rows that one training may take into memory (POST /train: 422). Where it is
    not set, as many as the memory of a job allows, by the data set's rows and columns;
    an evaluation takes a million."""

    max_predict_rows: int = Field(default=1_000_000, ge=1)
    """Most rows of one POST /predict (413). POST /predict/batch takes any number."""

    max_json_depth: int = Field(default=32, ge=8, le=200)
    """Deepest nesting of a JSON body; a deeper one is answered 400."""

    request_seconds: float = Field(default=60.0, gt=0)
    """Time for a request, from its first byte to the first of its answer: 408 when
    its body has not come by then, else 503 (it may still take effect)."""

    upload_seconds: float = Field(default=3600.0, gt=0)
    """The same for POST /datasets and POST /predict/batch, which take files."""

    head_seconds: float = Field(default=10.0, gt=0)
    """Time for the head of a request, from its first byte (or the connection's
    beginning) to its end: 408, and the connection is closed."""

    unread_seconds: float = Field(default=60.0, gt=0)
    """How long a client may take nothing of an answer; then its connection is cut."""

    max_connections: int = Field(default=1000, ge=8)
    """Connections of one API process. A further client takes the place of one that has
    sent half a request, or reads no answer, for the longest."""

    database_seconds: float = Field(default=2.0, ge=0.5, le=60)
    """Silence after which a PostgreSQL server is taken to be away: what needs it is
    answered 503 at once, until it answers again."""

    stale_seconds: float = Field(default=300.0, ge=0, le=86_400)
    """How long predictions go on by what was known last of models and keys, while the
    database does not answer. 0: not at all."""

    job_concurrency: int = Field(default=1, ge=1, le=64)
    """Trainings that one worker runs at once, each in its own process."""

    max_queued_jobs: int = Field(default=1000, ge=1)
    """Jobs that may wait; one more is answered 503 with Retry-After."""

    max_job_seconds: int = Field(default=86_400, ge=1, le=2_592_000)
    """Longest that one attempt at a training may run, and what ``max_seconds`` of
    POST /train may ask for at most (422). Over it the job fails: training-limit."""

    max_job_memory_bytes: int = Field(default=0, ge=0)
    """Memory of a training process and those that it starts, in bytes, at least 256
    MiB; 0 is no limit. Over it the job fails: training-limit."""

    idempotency_hours: float = Field(default=24.0, gt=0, le=8760)
    """How long an ``Idempotency-Key`` (POST /train, reprice) is remembered: the same
    body is answered as before, another one 409."""

    max_event_streams: int = Field(default=100, ge=1)
    """Streams of GET /jobs/{id}/events that one API process keeps open (503)."""

    search_jobs: int = Field(default=1, ge=1, le=64)
    """Threads of one training: fits of its search, folds, or parts of a large fit."""

    cluster_tls: Names = ()
    """Files for ``DEMUR_CLUSTER``: an authority's certificate, one's own, its key."""

    cluster: str = ""
    """Dask cluster for the fits of searches and ``auto``: ``tcp://HOST:PORT`` (on a
    private network), ``tls://HOST:PORT``, or ``local``, ``local:N``: processes here."""

    models_in_memory: int = Field(default=32, ge=1)
    """Model versions that one API process keeps loaded; the least used leaves first."""

    default_model: str = Field(
        default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*([:@][A-Za-z0-9._-]+)?)?$"
    )
    """The model that answers where a protocol names none (``/invocations``): name,
    name:version or name@alias."""

    score_places: Names = ()
    """Folders and URLs, separated by commas, that POST /jobs/score may use."""

    prediction_log: Literal["off", "best-effort", "required"] = "off"
    """Whether decisions are logged. ``best-effort`` answers also where that fails, and
    counts what is lost; ``required`` answers 503 or 507 then."""

    prediction_log_days: int = Field(default=30, ge=1, le=36_500)
    """How many days files of the prediction log are kept after their own (UTC)."""

    root_path: str = ""
    """Path under which a proxy publishes the service, such as ``/demur``."""

    log_level: str = Field(default="info", pattern="^(debug|info|warning|error)$")
    """Least important messages that are logged: debug, info, warning or error."""

    @field_validator("api_keys", mode="before")
    @classmethod
    def _split_keys(cls, value: object) -> object:
        keys = split(value)
        if isinstance(keys, tuple) and not all(
            isinstance(key, str) and key.isascii() and key.isprintable() for key in keys
        ):
            msg = "keys are printable ASCII, separated by commas"
            raise ValueError(msg)
        return keys

    @field_validator(
        "allowed_hosts", "allowed_origins", "score_places", "cluster_tls", mode="before"
    )
    @classmethod
    def _split_names(cls, value: object) -> object:
        return split(value)

    @field_validator("allowed_origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(map(is_origin, value)):
            msg = "an origin is https://name or http://name:port, and nothing behind it"
            raise ValueError(msg)
        return value

    @field_validator("max_job_memory_bytes", "max_reader_memory_bytes")
    @classmethod
    def _enough_to_start(cls, value: int) -> int:
        if 0 < value < 256 * 1024**2:
            msg = "it takes 268435456 bytes (256 MiB) at least; 0 is no limit"
            raise ValueError(msg)
        return value

    @field_validator("store", "score_places")
    @classmethod
    def _are_places(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        for place in (value,) if isinstance(value, str) else value:
            check_place(place)
        return value

    @field_validator("cluster")
    @classmethod
    def _safe_cluster(cls, value: str, info: ValidationInfo) -> str:
        check_cluster(value, info.data.get("cluster_tls", ()))
        return value

    @field_validator("root_path")
    @classmethod
    def _rooted(cls, value: str) -> str:
        path = value.rstrip("/")
        if not re.fullmatch(r"(/[A-Za-z0-9._~-]+)*", path):
            msg = (
                "a root path is /name or /name/name, of letters, digits, dots, hyphens,"
                " underscores and tildes"
            )
            raise ValueError(msg)
        return path

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        if value.startswith("postgresql://"):
            return value.replace("postgresql://", "postgresql+psycopg://", 1)
        if value.startswith("sqlite") and value.partition("///")[2] in {"", ":memory:"}:
            msg = "SQLite needs a file: the API and its worker are several processes"
            raise ValueError(msg)
        if value and not value.startswith(("sqlite:///", "postgresql+psycopg://")):
            msg = "use sqlite:///FILE or postgresql+psycopg://USER@HOST/NAME"
            raise ValueError(msg)
        return value

    @property
    def database(self) -> str:
        """The database URL, with the embedded default filled in."""
        return self.database_url or f"sqlite:///{self.data_dir.resolve()}/demur.sqlite3"

    @property
    def embedded(self) -> bool:
        """Whether the database is a file of this machine, migrated by the service."""
        return self.database.startswith("sqlite")

    @property
    def place(self) -> Place:
        """Where the store is."""
        if "://" not in self.store:
            return Path(self.store) if self.store else self.data_dir
        return Remote(self.store, str(self.data_dir.resolve()), self.store_cache_bytes)

    @property
    def artifacts_dir(self) -> Place:
        """The place of the model artifacts."""
        return self.place / "artifacts"

    @property
    def prediction_log_dir(self) -> Place:
        """The place of the prediction log."""
        return self.place / "predictions"

    @property
    def datasets_dir(self) -> Place:
        """The place of the uploaded data sets."""
        return self.place / "datasets"
