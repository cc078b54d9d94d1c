"""What one API process holds: made once in ``create_app``, given to every part."""

import threading
from dataclasses import dataclass, field

from fastapi import Request

from app.artifacts.store import ArtifactStore
from app.db.session import Database
from app.health.metrics import Metrics
from app.settings import Settings

__all__ = ["AppState", "state_of"]


@dataclass(frozen=True, slots=True)
class AppState:
    """The parts that live as long as the process."""

    settings: Settings
    database: Database
    store: ArtifactStore
    metrics: Metrics
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set when the process was asked to stop: what would go on for long ends."""


def state_of(request: Request) -> AppState:
    """Return the state of the app that serves this request."""
    state: AppState = request.app.state.app
    return state
