"""What one API process holds: made once in ``create_app``, given to every part."""

import threading
from dataclasses import dataclass, field

from fastapi import Request

from app.artifacts.loaded import LoadedModels
from app.artifacts.model import ServedModel
from app.artifacts.store import ArtifactStore
from app.db.session import Database
from app.evidence.stored import Stored, with_evidence
from app.health.metrics import Metrics
from app.settings import Settings

__all__ = ["AppState", "state_of"]

EVIDENCE_IN_MEMORY = 2
"""Versions whose stored scores stay in memory: prices are tried on one, or on two."""


@dataclass(frozen=True, slots=True)
class AppState:
    """The parts that live as long as the process."""

    settings: Settings
    database: Database
    store: ArtifactStore
    metrics: Metrics
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set when the process was asked to stop: what would go on for long ends."""
    evidence: LoadedModels[tuple[ServedModel, Stored]] = field(init=False)
    """The versions last looked into, with the scores of rows that they never saw."""

    def __post_init__(self) -> None:
        kept = LoadedModels(self.store.read, with_evidence, EVIDENCE_IN_MEMORY)
        object.__setattr__(self, "evidence", kept)


def state_of(request: Request) -> AppState:
    """Return the state of the app that serves this request."""
    state: AppState = request.app.state.app
    return state
