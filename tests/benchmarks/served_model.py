"""A machine of 300 support vectors on 8 columns, and servers that answer with it."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import numpy as np
import psutil

from app.artifacts.model import Labels, ServedModel
from app.artifacts.store import ArtifactStore
from app.db import migrate
from app.db.session import open_database
from app.db.tables import Model, ModelVersion
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.settings import Settings
from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.scoring import load
from solvers.scoring.kernel_machine import kernel_machine_payload

COLUMNS = [f"feature_{j}" for j in range(8)]
N_VECTORS = 300
ROOT = Path(__file__).parents[2]
JSON = {"content-type": "application/json"}


def store_model(folder: Path) -> None:
    """Put the model into the data folder of a service, as ``bench``."""
    draw = np.random.default_rng(0)
    table = Table.from_rows(COLUMNS, draw.normal(size=(500, 8)).tolist())
    lower, upper = CostMatrix().thresholds
    model = ServedModel(
        features=FeatureSchema.fit(table),
        scorer=load(
            kernel_machine_payload(
                {"kind": "rbf", "gamma": 0.125},
                draw.normal(size=(N_VECTORS, 8)),
                draw.normal(size=N_VECTORS),
                0.0,
            )
        ),
        rule={"kind": "plug-in", **Band(lower, upper).payload()},
        calibration=Calibration("sigmoid"),
        costs=CostMatrix(),
        labels=Labels("yes", "no"),
    )
    settings = Settings(data_dir=folder, _env_file=None)
    stored = ArtifactStore(settings.artifacts_dir).write(model.to_payload())
    database = open_database(settings.database)
    migrate.upgrade(database)
    with database.write() as session:
        row = Model(name="bench", last_version=1)
        session.add(row)
        session.flush()
        session.add(
            ModelVersion(
                model_id=row.id,
                version=1,
                summary={},
                artifact_sha256=stored.sha256,
                artifact_bytes=stored.size,
            )
        )
    database.close()


@dataclass(frozen=True)
class Server:
    """A running server: where it listens, and what it has used of the processor."""

    port: int
    process: psutil.Process

    def cpu_s(self) -> float:
        """Return the seconds of processor time used so far."""
        used = self.process.cpu_times()
        return used.user + used.system


@contextmanager
def launched(folder: str, *command: str) -> Iterator[tuple[int, psutil.Process]]:
    """Start a server that prints its port; stop it at the end."""
    process = subprocess.Popen(
        [sys.executable, *command],
        env={**os.environ, "DEMUR_DATA_DIR": folder, "DEMUR_LOG_LEVEL": "warning"},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r":(\d+)\s*$", process.stdout.readline())
        assert found is not None
        yield int(found[1]), psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)
        if process.stdout is not None:
            process.stdout.close()


@contextmanager
def serving(folder: str, *command: str) -> Iterator[Server]:
    """Start a server and wait until it answers ``POST /predict``."""
    with launched(folder, *command) as (port, process):
        _await_answer(port)
        yield Server(port, process)


def _await_answer(port: int) -> None:
    until = time.monotonic() + 30
    while True:
        try:
            answer = httpx.post(
                f"http://127.0.0.1:{port}/predict", content=instances(1), headers=JSON
            )
            answer.raise_for_status()
        except httpx.TransportError:
            assert time.monotonic() < until
            time.sleep(0.05)
        else:
            return


def instances(n: int) -> bytes:
    """Return a request about so many rows, as JSON."""
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in values(n).tolist()]
    return json.dumps({"model": "bench", "instances": rows}).encode()


def values(n: int) -> np.ndarray:
    """Return so many rows, always the same."""
    return np.random.default_rng(1).normal(size=(n, 8)).round(4)
