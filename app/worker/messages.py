"""What a worker and its training process say to each other, as JSON frames.

    worker  -> process   Begin, then the request's bytes as the next frame; Cancel
    process -> worker    Ready; Progress, Kept...; then one of Done, Planned, Decided,
                         Failed, Cancelled

A process that ends without a last word has crashed.
"""

from multiprocessing.connection import Connection
from typing import Any

import msgspec

from app.blobs.interface import Remote
from app.score.schemas import Shard

__all__ = [
    "Begin",
    "Cancel",
    "Cancelled",
    "Decided",
    "Done",
    "Failed",
    "FromChild",
    "Kept",
    "LastWord",
    "Planned",
    "Progress",
    "Ready",
    "ToChild",
    "decode_from_child",
    "decode_to_child",
    "send",
]


class Begin(msgspec.Struct, frozen=True, tag="begin"):
    """Train: the request follows. ``owner`` marks the files on their way.

    A folder is its path.
    """

    artifacts: str | Remote
    datasets: str | Remote
    owner: str
    memory_bytes: int = 0
    settings: dict[str, Any] | None = None
    """Of a job that decides rows; the request is a `Source` then."""
    plan: dict[str, Any] | None = None
    """What a training resolves to, where it was stored with the job."""
    figures: dict[str, dict[str, Any]] = {}
    """What an earlier attempt has found of the candidates of a search, by digest."""


class Cancel(msgspec.Struct, frozen=True, tag="cancel"):
    """Stop at the next report of progress."""


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """Everything is imported."""


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """How far the training is, from 0 to 1."""

    fraction: float
    message: str


class Kept(msgspec.Struct, frozen=True, tag="kept"):
    """A candidate of a search is finished; a further attempt goes on after it."""

    digest: str
    figures: dict[str, Any]


class Done(msgspec.Struct, frozen=True, tag="done"):
    """The artifact is on disk; this is what goes into the database."""

    sha256: str
    size: int
    summary: dict[str, Any]


class Planned(msgspec.Struct, frozen=True, tag="planned"):
    """A job that decides rows has these parts."""

    shards: list[Shard]


class Decided(msgspec.Struct, frozen=True, tag="decided"):
    """A part is written; this is what is known of it."""

    result: dict[str, Any]


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The training stopped with this problem."""

    problem: dict[str, Any]


class Cancelled(msgspec.Struct, frozen=True, tag="cancelled"):
    """The training stopped because it was asked to."""


LastWord = Done | Planned | Decided | Failed | Cancelled
ToChild = Begin | Cancel
FromChild = Ready | Progress | Kept | LastWord

_encoder = msgspec.json.Encoder()
decode_to_child = msgspec.json.Decoder(ToChild).decode
decode_from_child = msgspec.json.Decoder(FromChild).decode


def send(connection: Connection, message: ToChild | FromChild) -> None:
    """Send one message; raises OSError when nobody listens any more."""
    connection.send_bytes(_encoder.encode(message))
