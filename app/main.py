"""Wiring only: settings in, one ASGI application out.

request -> Trace -> TimeLimit -> Gate -> BodyLimit
        -> POST /predict: the prediction endpoint
        -> anything else: FastAPI's routes
"""

import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from app.artifacts.store import ArtifactStore
from app.batch.routes import router as batch
from app.datasets.routes import router as datasets
from app.db.session import open_database
from app.evaluate import openapi as evaluate_openapi
from app.evaluate.routes import router as evaluate
from app.health.metrics import Metrics
from app.health.routes import router as health
from app.jobs.feed import Feed
from app.jobs.routes import router as jobs
from app.models.routes import router as models
from app.predict.endpoint import PredictEndpoint
from app.predict.openapi import add_operation
from app.reprice import openapi as reprice_openapi
from app.reprice.routes import router as reprice
from app.settings import Settings
from app.state import AppState
from app.train.openapi import add_schemas
from app.train.routes import router as train
from app.web import docs, openapi, problems
from app.web.body_limit import BodyLimit
from app.web.gate import Gate
from app.web.paths import add_prefix, route_path
from app.web.time_limit import TimeLimit
from app.web.trace import Trace

__all__ = ["create_app"]

log = logging.getLogger(__name__)

DESCRIPTION = """\
A prediction service that answers +1, -1 or "reject" (hand the case to a person), at the
prices its user sets. Errors are problem details (RFC 9457)."""


def create_app(settings: Settings, stopping: threading.Event | None = None) -> ASGIApp:
    """Return the service as an ASGI application; nothing is opened before it starts.

    Parameters
    ----------
    settings : Settings
    stopping : threading.Event, optional
        Set it to end the streams that would hold up a stop.
    """
    state = AppState(
        settings=settings,
        database=open_database(settings.database),
        store=ArtifactStore(settings.artifacts_dir, "api"),
        metrics=Metrics(),
        stopping=stopping or threading.Event(),
    )
    predict = PredictEndpoint(state)
    routes = _routes(state, predict)

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and route_path(scope, root_path) == "/predict":
            await predict(scope, receive, send)
            return
        if scope["type"] == "http":
            add_prefix(scope, root_path)
        await routes(scope, receive, send)

    root_path = settings.root_path
    gate = Gate(BodyLimit(served, settings), settings)
    return Trace(TimeLimit(gate, settings), state.metrics)


def _routes(state: AppState, predict: PredictEndpoint) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        del app
        yield
        predict.close()
        state.database.close()

    app = FastAPI(
        title="Demur",
        version=version("demur"),
        summary="Decisions with a reject option",
        description=DESCRIPTION,
        root_path=state.settings.root_path,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.app, app.state.predict = state, predict
    app.state.feed = Feed(
        state.database, state.stopping, state.settings.max_event_streams
    )
    problems.install(app)
    docs.install(app)
    for router in (train, jobs, models, reprice, evaluate, batch, datasets, health):
        app.include_router(router)
    openapi.install(app, _tell_the_rest, keys_needed=bool(state.settings.api_keys))
    return app


def _tell_the_rest(document: dict[str, Any]) -> None:
    """Add what FastAPI does not see: bodies read, and paths served, without it."""
    add_schemas(document)
    reprice_openapi.add_schemas(document)
    evaluate_openapi.add_schemas(document)
    add_operation(document)
