"""POST /predict as a plain ASGI application, in front of FastAPI's routes.

Small bodies are answered at once; larger ones in parts, one request at a time, with
other requests between the parts; very large ones in a process of their own.
"""

import asyncio
import logging
from typing import ClassVar

from starlette.types import Receive, Scope, Send

from app.artifacts.loaded import LoadedModels
from app.errors import (
    ApiError,
    CorruptArtifactError,
    MethodNotAllowedError,
    UnsupportedMediaTypeError,
)
from app.journal.counts import LogCounts
from app.journal.entries import Entry
from app.journal.journal import Journal
from app.models.catalogue import Catalogue, Reference
from app.models.queries import ResolvedVersion, resolve
from app.predict.answer import Tally
from app.predict.bulk import Limits
from app.predict.envelope import read_envelope
from app.predict.metrics import PredictionCounts
from app.predict.parts import answer_in_parts
from app.predict.pool import BulkPool
from app.predict.ready import ReadyModel
from app.predict.work import Answered, answer, ask
from app.state import AppState
from app.web.depth import check_depth
from app.web.failures import translate
from app.web.problems import send_problem

__all__ = ["LARGE_BYTES", "PART_ROWS", "SMALL_BYTES", "PredictEndpoint"]

log = logging.getLogger(__name__)

SMALL_BYTES = 16 * 1024
"""Up to here a body is answered at once: well under a millisecond."""

LARGE_BYTES = 1024 * 1024
"""Above it even skimming a body is felt by other requests."""

PART_ROWS = 64
"""Rows that are answered before other requests get their turn."""

PART_S = 0.002
"""Parts that take longer (many support vectors, many columns) get smaller."""

_JSON = b"application/json"


class PredictEndpoint:
    """Answer everything that is sent to /predict.

    Parameters
    ----------
    state : AppState
    """

    def __init__(self, state: AppState) -> None:
        settings, self._database = state.settings, state.database
        self._limits = Limits(settings.max_json_depth, settings.max_predict_rows)
        self._catalogue = Catalogue(self._find)
        self._loaded = LoadedModels(
            state.store.read, ReadyModel, settings.models_in_memory
        )
        self._counts = PredictionCounts(state.metrics)
        self._bulk = BulkPool(
            settings.database, str(settings.artifacts_dir), self._limits
        )
        self._one_at_a_time = asyncio.Lock()
        self.journal = Journal(
            settings.prediction_log_dir,
            settings.prediction_log,
            settings.prediction_log_days,
            LogCounts(state.metrics),
        )

    def close(self) -> None:
        """Let threads and the process for large requests end."""
        self._catalogue.close()
        self._bulk.close()
        self.journal.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        scope["route"] = "/predict"
        try:
            _check(scope)
            body = await _read(receive)
            if body is None:
                return
            entry = self.journal.entry(scope["request_id"])
            answered = await self._answer(body, entry)
            if entry is not None:
                entry.rows = answered.tally.rows
                await self.journal.keep(entry, answered.logged)
        except ApiError as error:
            await send_problem(error, scope, send)
        except Exception as error:
            log.exception("a prediction failed")
            await send_problem(translate(error), scope, send)
        else:
            self._counts.note(answered.version, answered.tally)
            await _send(answered.body, send)

    async def _answer(self, body: bytes, entry: Entry | None) -> Answered:
        if len(body) > LARGE_BYTES:
            stamp = None if entry is None else entry.stamp
            return await self._bulk.answer(body, stamp)
        await check_depth(body, self._limits.depth)
        envelope = read_envelope(body)
        version = self._catalogue.peek(envelope.model)
        if version is None:
            version = await self._catalogue.resolve(envelope.model)
        ready = self._loaded.peek(version.sha256)
        if ready is None:
            version, ready = await self._load(version, envelope.model)
        question = ask(ready, version, envelope, entry, self._limits.rows)
        if _is_small(body):
            return answer(question)
        async with self._one_at_a_time:
            steps = answer_in_parts(question, PART_ROWS, PART_S)
            while True:
                try:
                    next(steps)
                except StopIteration as end:
                    answered: Answered = end.value
                    return answered
                await asyncio.sleep(0)

    async def _load(
        self, version: ResolvedVersion, model: str
    ) -> tuple[ResolvedVersion, ReadyModel]:
        """Load a version; by its new artifact, if it was given one meanwhile."""
        try:
            return version, await asyncio.to_thread(self._loaded.get, version.sha256)
        except CorruptArtifactError:
            now = await self._catalogue.resolve(model)
            if now.sha256 == version.sha256:
                raise
            return now, await asyncio.to_thread(self._loaded.get, now.sha256)

    async def resolve(self, model: str) -> ResolvedVersion:
        """Return the version that a reference means.

        Raises
        ------
        UnknownModelError
            When it means nothing.
        """
        return await self._catalogue.resolve(model)

    def note(self, version: ResolvedVersion, tally: Tally) -> None:
        """Count rows that were answered elsewhere."""
        self._counts.note(version, tally)

    def _find(self, reference: Reference) -> ResolvedVersion | None:
        with self._database.read() as session:
            return resolve(session, reference.name, reference.version, reference.alias)


def _check(scope: Scope) -> None:
    """Refuse other methods and other content than JSON."""
    if scope["method"] != "POST":
        msg = "/predict takes POST; see /docs"
        raise _OnlyPostError(msg)
    content_type = b""
    for name, value in scope["headers"]:
        if name == b"content-type":
            content_type = value
        elif name == b"content-encoding" and value.lower() != b"identity":
            msg = "send the body as it is: no content encoding is taken"
            raise UnsupportedMediaTypeError(msg)
    if content_type != _JSON and not _is_json(content_type):
        msg = "send Content-Type: application/json, in UTF-8"
        raise UnsupportedMediaTypeError(msg)


class _OnlyPostError(MethodNotAllowedError):
    """Another method than POST."""

    headers: ClassVar[dict[str, str]] = {"allow": "POST"}


def _is_json(content_type: bytes) -> bool:
    kind, *parameters = content_type.lower().split(b";")
    charsets = [p.strip() for p in parameters if p.strip().startswith(b"charset=")]
    known = {b"charset=utf-8", b'charset="utf-8"'}
    return kind.strip() == _JSON and known.issuperset(charsets)


def _is_small(body: bytes) -> bool:
    """Tell whether a body can only hold few rows; each ends with a bracket."""
    return (
        len(body) <= SMALL_BYTES
        and body.count(b"}") <= 2 * PART_ROWS
        and body.count(b"]") <= 2 * PART_ROWS
    )


async def _read(receive: Receive) -> bytes | None:
    """Return the body; None when the client went away."""
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


async def _send(body: bytes, send: Send) -> None:
    headers = [
        (b"content-type", _JSON),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
