"""POST /predict as a plain ASGI application, in front of FastAPI's routes.

Small bodies are answered at once; larger ones in parts, one request at a time, with
other requests between the parts; very large ones in a process of their own.
"""

import asyncio
import logging
import re
from dataclasses import replace

from starlette.types import Receive, Scope, Send

from app.artifacts.loaded import LoadedModels
from app.errors import (
    ApiError,
    CorruptArtifactError,
    InvalidRequestError,
    MalformedRequestError,
)
from app.journal.counts import LogCounts
from app.journal.entries import Entry
from app.journal.journal import Journal
from app.models.catalogue import Catalogue, Reference
from app.models.queries import ResolvedVersion, resolve
from app.monitor.counts import BucketCounts
from app.predict.answer import Tally
from app.predict.at_once import Answered, answer, ask, has_more_keys
from app.predict.bulk import Limits
from app.predict.envelope import read_envelope
from app.predict.metrics import PredictionCounts
from app.predict.parts import answer_in_parts
from app.predict.pool import BulkPool
from app.predict.question import Question
from app.predict.ready_model import ReadyModel
from app.reviews.intake import Intake
from app.reviews.keeper import Keeper, Moved
from app.state import AppState
from app.web.bodies import receive_body
from app.web.content import without_mark
from app.web.depth import check_depth
from app.web.duplicates import check_keys
from app.web.failures import logged_problem
from app.web.json_bodies import require_json_in
from app.web.methods import answer_options
from app.web.problems import not_allowed, send_problem

__all__ = ["LARGE_BYTES", "PART_ROWS", "SMALL_BYTES", "PredictEndpoint"]

log = logging.getLogger(__name__)

SMALL_BYTES = 16 * 1024
"""Up to here a body is answered at once: well under a millisecond."""

LARGE_BYTES = 1024 * 1024
"""Above it even skimming a body is felt by other requests."""

PART_ROWS = 64
"""Rows that are answered before other requests get their turn, at first."""

PART_S = 0.002
"""Processor time of a part: its rows follow the rate of those before."""

_JSON = b"application/json"
_METHODS = ("POST",)
_CASES = re.compile(rb'"case":(?:"[0-9a-f-]{36}"|\[[^]]*\])')
"""Cases in the bytes of an answer, of a row or of all: no text in JSON holds a bare
quotation mark, and no case a bracket."""
_CASE = re.compile(rb'"([0-9a-f-]{36})"')


class PredictEndpoint:
    """Answer everything that is sent to /predict.

    Parameters
    ----------
    state : AppState
    """

    def __init__(self, state: AppState) -> None:
        settings, self._database = state.settings, state.database
        self._limits = Limits(
            settings.max_json_depth,
            settings.max_predict_rows,
            settings.database_seconds,
            settings.stale_seconds,
        )
        self._catalogue = Catalogue(self._find, stale_s=settings.stale_seconds)
        self._loaded = LoadedModels(
            state.store.read, ReadyModel, settings.models_in_memory
        )
        self._counts = PredictionCounts(state.metrics)
        self._buckets = BucketCounts(state.database)
        self._bulk = BulkPool(settings.database, settings.artifacts_dir, self._limits)
        self._one_at_a_time = asyncio.Lock()
        self._explaining = asyncio.Lock()
        self.cases = Keeper(state.database)
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
        self._buckets.close()
        self.journal.close()
        self.cases.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        scope["route"] = "/predict"
        if scope["method"] != "POST":
            if scope["method"] == "OPTIONS":
                await answer_options(_METHODS, scope, receive, send)
            else:
                await not_allowed(_METHODS, scope)(scope, receive, send)
            return
        try:
            require_json_in(scope)
            body = await receive_body(receive)
            if body is None:
                return
            answered = await self.decide(without_mark(body), scope["request_id"])
        except ApiError as error:
            await send_problem(error, scope, send)
        except Exception as error:  # noqa: BLE001 - told there
            await send_problem(
                logged_problem(error, "a prediction failed"), scope, send
            )
        else:
            self.note(answered.version, answered.tally)
            await _send(answered.body, send)

    async def decide(self, body: bytes, request_id: str) -> Answered:
        """Answer a body: its cases are open and its decisions logged, not yet counted.

        Raises
        ------
        ApiError
            When it cannot be answered.
        """
        entry = self.journal.entry(request_id)
        answered = await self._answer(body, entry)
        intake = answered.intake
        if intake is not None:
            if intake.opened:
                await self._open_cases(answered, intake)
            else:
                self.cases.audit(intake)
        if entry is not None:
            entry.rows = answered.tally.rows
            await self.journal.keep(entry, answered.logged)
        return answered

    @property
    def most_rows(self) -> int:
        """How many rows a request may have."""
        return self._limits.rows

    async def rehearse(self, body: bytes) -> Answered:
        """Say what would be answered: nothing is logged, and no case opened.

        Raises
        ------
        ApiError
            When it cannot be answered.
        """
        envelope = read_envelope(body)
        version, ready = await self.load(envelope.model)
        question = ask(ready, replace(version, review=None), envelope)
        return await asyncio.to_thread(answer, question)

    async def _answer(self, body: bytes, entry: Entry | None) -> Answered:
        if len(body) > LARGE_BYTES:
            stamp = None if entry is None else entry.stamp
            return await self._bulk.answer(body, stamp)
        try:
            return await self._read_and_answered(body, entry)
        except (MalformedRequestError, InvalidRequestError):
            # What is read in full has the few levels of a request: a body is looked
            # at for its depth where it is refused, to say that first.
            await check_depth(body, self._limits.depth)
            raise

    async def _read_and_answered(self, body: bytes, entry: Entry | None) -> Answered:
        envelope = read_envelope(body)
        if envelope.ignore_extra:  # what is passed over may have any depth
            await check_depth(body, self._limits.depth)
        version, ready = await self.load(envelope.model)
        question = ask(ready, version, envelope, entry, self._limits.rows)
        if question.slow:
            async with self._explaining:
                answered = await asyncio.to_thread(answer, question)
        elif _is_small(body):
            answered = answer(question)
        else:
            async with self._one_at_a_time:
                answered = await self._in_parts(question)
        if has_more_keys(body, envelope, question, answered.tally.rows):
            await check_keys(body)
        return answered

    async def _in_parts(self, question: Question) -> Answered:
        steps = answer_in_parts(question, PART_ROWS, PART_S)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                answered: Answered = end.value
                return answered
            await asyncio.sleep(0)

    async def _open_cases(self, answered: Answered, intake: Intake) -> None:
        """Store the cases that an answer names; name those that were open before."""
        moved = await self.cases.keep(intake)
        if moved is None or moved:
            answered.pieces = (_renamed(answered.body, moved),)

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

    async def load(self, model: str) -> tuple[ResolvedVersion, ReadyModel]:
        """Return the version that a reference means, loaded.

        Raises
        ------
        UnknownModelError
            When it means nothing.
        """
        version = self._catalogue.peek(model)
        if version is None:
            version = await self._catalogue.resolve(model)
        ready = self._loaded.peek(version.sha256)
        if ready is None:
            return await self._load(version, model)
        return version, ready

    def note(self, version: ResolvedVersion, tally: Tally) -> None:
        """Count answered rows, for Prometheus and for the monitor."""
        self._counts.note(version, tally)
        self._buckets.note(version, tally)

    def _find(self, reference: Reference) -> ResolvedVersion | None:
        with self._database.read() as session:
            return resolve(session, reference.name, reference.version, reference.alias)


def _renamed(body: bytes, moved: Moved | None) -> bytes:
    """Return an answer with cases as they are called now; with none of them by None."""

    def named(match: re.Match[bytes]) -> bytes:
        if moved is None:
            return b"null"
        case_id = match[1].decode()
        return b'"%s"' % moved.get(case_id, case_id).encode()

    return _CASES.sub(lambda match: _CASE.sub(named, match[0]), body)


def _is_small(body: bytes) -> bool:
    """Tell whether a body can only hold few rows; each ends with a bracket."""
    return (
        len(body) <= SMALL_BYTES
        and body.count(b"}") <= 2 * PART_ROWS
        and body.count(b"]") <= 2 * PART_ROWS
    )


async def _send(body: bytes, send: Send) -> None:
    headers = [
        (b"content-type", _JSON),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
