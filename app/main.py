"""Wiring only: settings in, one ASGI application out.

request -> Trace (-> Origins, where any are allowed) -> TimeLimit -> Gate -> BodyLimit
        -> POST /predict: the prediction endpoint
        -> addresses of other protocols: their skins
        -> anything else: Methods -> JsonBodies -> FastAPI's routes
"""

import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from app.artifacts.store import ArtifactStore
from app.batch.routes import router as batch
from app.blobs.tidying import Tidying
from app.datasets.routes import router as datasets
from app.db.session import open_database
from app.evaluate.routes import router as evaluate
from app.evaluate.schemas import EvaluateRequest
from app.export.routes import router as export
from app.health.metrics import Metrics
from app.health.routes import router as health
from app.jobs.feed import Feed
from app.jobs.routes import router as jobs
from app.keys import store as issued_keys
from app.keys.cache import KeyCache
from app.keys.routes import router as keys
from app.keys.secret import KnownKey, digest
from app.models.registry_routes import router as registry
from app.models.routes import router as models
from app.monitor.routes import router as monitor
from app.pages.routes import router as pages
from app.predict.endpoint import PredictEndpoint
from app.predict.openapi import add_operation
from app.protocols.openapi import add_operations
from app.protocols.table import Protocols
from app.reprice.routes import router as reprice
from app.reprice.schemas import RepriceRequest
from app.reviews import openapi as reviews_openapi
from app.reviews.case_routes import router as review_cases
from app.reviews.learning_routes import router as review_learning
from app.reviews.policy_routes import router as review_policy
from app.reviews.routes import router as reviews
from app.score.routes import router as scoring
from app.setting_texts import is_loopback
from app.settings import Settings
from app.state import AppState
from app.train.planning import router as planning
from app.train.routes import router as train
from app.train.schemas import TrainRequest
from app.web import docs, openapi, problem_pages, problems
from app.web.body_limit import BodyLimit
from app.web.gate import Gate
from app.web.json_bodies import JsonBodies
from app.web.methods import Methods
from app.web.origins import Origins
from app.web.paths import add_prefix, route_path
from app.web.time_limit import TimeLimit
from app.web.trace import Trace

__all__ = ["create_app"]

log = logging.getLogger(__name__)

ROUTERS = (
    train,
    planning,
    scoring,
    jobs,
    models,
    registry,
    review_policy,
    review_learning,
    reviews,
    review_cases,
    reprice,
    monitor,
    evaluate,
    export,
    batch,
    datasets,
    keys,
    health,
)

DESCRIPTION = """\
A prediction service that answers +1, -1 or "reject" (hand the case to a person), at the
prices its user sets. Errors are problem details (RFC 9457)."""


def create_app(
    settings: Settings,
    stopping: threading.Event | None = None,
    counts: Path | None = None,
) -> ASGIApp:
    """Return the service as an ASGI application; nothing is opened before it starts.

    Parameters
    ----------
    settings : Settings
    stopping : threading.Event, optional
        Set it to end the streams that would hold up a stop.
    counts : Path, optional
        Folder in which the processes of one port share what they count.
    """
    state = AppState(
        settings=settings,
        database=open_database(settings.database, patience_s=settings.database_seconds),
        store=ArtifactStore(settings.artifacts_dir, "api"),
        metrics=Metrics(counts),
        stopping=stopping or threading.Event(),
    )
    predict = PredictEndpoint(state)
    protocols = Protocols(state, predict)
    keys = _key_cache(state)
    app = _routes(state, predict, keys)
    bodies = JsonBodies(app, settings)
    routes = Methods(bodies, app.routes, settings.root_path)

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = route_path(scope, root_path)
            if path == "/predict":
                await predict(scope, receive, send)
                return
            if address := protocols.find(path):
                await protocols.answer(address, scope, receive, send)
                return
            add_prefix(scope, root_path)
        await routes(scope, receive, send)

    root_path = settings.root_path
    gate = Gate(BodyLimit(served, settings), settings, keys)
    limited: ASGIApp = TimeLimit(gate, settings)
    if settings.allowed_origins:
        limited = Origins(limited, settings.allowed_origins, keys)
    return Trace(limited, state.metrics)


def _key_cache(state: AppState) -> KeyCache:
    settings = state.settings

    def find() -> issued_keys.Issued:
        with state.database.read() as session:
            return issued_keys.issued(session)

    fixed = (
        KnownKey(digest(key.get_secret_value().encode()), ("admin",))
        for key in settings.api_keys
    )
    return KeyCache(
        find,
        tuple(fixed),
        always_locked=not is_loopback(settings.host),
        stale_s=settings.stale_seconds,
    )


def _routes(state: AppState, predict: PredictEndpoint, keys: KeyCache) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        del app
        keys.warm()
        tidying = Tidying(state.settings.place)
        yield
        tidying.close()
        predict.close()
        keys.close()
        state.database.close()
        state.metrics.close()

    app = FastAPI(
        title="Demur",
        version=version("demur"),
        summary="Decisions with a reject option",
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json" if state.settings.docs else None,
        lifespan=lifespan,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.app, app.state.predict, app.state.keys = state, predict, keys
    app.state.feed = Feed(
        state.database, state.stopping, state.settings.max_event_streams
    )
    problems.install(app)
    problem_pages.install(app)
    if state.settings.docs:
        docs.install(app)
    for router in ROUTERS:
        app.include_router(router)
    if state.settings.ui:
        app.include_router(pages)
    openapi.install(app, _tell_the_rest, keys_needed=lambda: keys.last().locked)
    return app


def _tell_the_rest(document: dict[str, Any]) -> None:
    """Add what FastAPI does not see: bodies read, and paths served, without it."""
    openapi.add_schemas(document, TrainRequest, RepriceRequest, EvaluateRequest)
    reviews_openapi.add_schemas(document)
    add_operation(document)
    add_operations(document)
