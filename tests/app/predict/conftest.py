"""A service in a thread, with models that were put into its database directly."""

import socket
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import numpy as np
import pytest
import uvicorn

from app.artifacts.model import ServedModel
from app.artifacts.store import ArtifactStore
from app.client.http import SHORTER_KEPT
from app.db import migrate
from app.db.session import open_database
from app.db.tables import Model, ModelVersion
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.main import create_app
from app.settings import Settings
from app.web.protocol import BoundedProtocol
from solvers.rules.band import Band
from tests.app.kernel_model import COSTS, kernel_model
from tests.waiting import until

COLUMNS = ["glucose", "bmi", "smoker", "town"]


def training_rows(n: int, seed: int = 0) -> list[list[Any]]:
    draw = np.random.default_rng(seed)
    towns = ["Rome", "Oslo", "Lima"]
    return [
        [
            float(draw.normal(120, 30)),
            None if i % 7 == 0 else float(draw.normal(30, 5)),
            bool(draw.integers(2)),
            towns[int(draw.integers(3))],
        ]
        for i in range(n)
    ]


def served(
    rule: dict[str, Any] | None = None,
    *,
    numeric_only: bool = False,
    seed: int = 2,
    **options: Any,
) -> ServedModel:
    """Return a kernel machine on random support vectors."""
    features = FeatureSchema.fit(
        Table.from_rows(COLUMNS, training_rows(200, seed)),
        columns=COLUMNS[:2] if numeric_only else COLUMNS,
    )
    return kernel_model(features, rule, seed=seed, **options)


class Registry:
    """Put models into a service's database."""

    def __init__(self, settings: Settings) -> None:
        self.store = ArtifactStore(settings.artifacts_dir)
        self.database = open_database(settings.database)
        migrate.upgrade(self.database)

    def add(self, name: str, model: ServedModel) -> str:
        """Store a new version; return its digest."""
        stored = self.store.write(model.to_payload())
        with self.database.write() as session:
            row = session.query(Model).filter_by(name=name).one_or_none()
            if row is None:
                row = Model(name=name)
                session.add(row)
                session.flush()
            row.last_version = (row.last_version or 0) + 1
            session.add(
                ModelVersion(
                    model_id=row.id,
                    version=row.last_version,
                    summary={
                        "labels": asdict(model.labels),
                        "features": model.features.to_payload()["columns"],
                    },
                    artifact_sha256=stored.sha256,
                    artifact_bytes=stored.size,
                )
            )
        return stored.sha256


class Running:
    """A service on a free port, in a thread of this process."""

    def __init__(self, settings: Settings) -> None:
        app = create_app(settings)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.server = uvicorn.Server(
            uvicorn.Config(app, http=BoundedProtocol, log_config=None)
        )
        self.thread = Thread(target=self.server.run, args=([self.listener],))
        self.thread.start()
        until(lambda: self.server.started or not self.thread.is_alive())
        assert self.thread.is_alive()
        self.http = httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}", timeout=60, limits=SHORTER_KEPT
        )

    def stop(self) -> None:
        self.http.close()
        self.server.should_exit = True
        self.thread.join(30)
        self.listener.close()


Serve = Callable[..., tuple[Running, Registry]]


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Start services; each has a folder of its own."""
    started: list[tuple[Running, Registry]] = []

    def start(**options: Any) -> tuple[Running, Registry]:
        folder: Path = tmp_path_factory.mktemp("data")
        settings = Settings(data_dir=folder, _env_file=None, **options)
        registry = Registry(settings)
        running = Running(settings)
        started.append((running, registry))
        return running, registry

    yield start
    for running, registry in started:
        running.stop()
        registry.database.close()


@pytest.fixture(scope="module")
def running(serve):
    """A service of small bodies with two models."""
    running, registry = serve(max_body_bytes=200_000)
    registry.add("pima", served())
    chow = Band(COSTS.p_minus, COSTS.p_plus, on="probability").payload()
    registry.add("chow", served({"kind": "chow", **chow}))
    return running


@pytest.fixture(scope="module")
def client(running):
    return running.http
