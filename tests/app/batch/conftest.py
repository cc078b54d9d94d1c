"""One model on the real server, and ways to ask it."""

from typing import Any

import httpx
import numpy as np
import pytest

from app.artifacts.model import ServedModel
from app.artifacts.store import ArtifactStore
from app.db.session import open_database
from app.db.tables import Model, ModelVersion
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.settings import Settings
from tests.app.kernel_model import kernel_model

PARQUET = "application/vnd.apache.parquet"
ARROW = "application/vnd.apache.arrow.stream"
COLUMNS = ["glucose", "bmi", "smoker", "town"]
TOWNS = ["Rome", "Oslo", "Lima, Peru"]


def training_rows(n: int) -> list[list[Any]]:
    draw = np.random.default_rng(0)
    return [
        [
            float(draw.normal(120, 30)),
            None if i % 9 == 0 else float(draw.normal(30, 5)),
            bool(draw.integers(2)),
            TOWNS[int(draw.integers(3))],
        ]
        for i in range(n)
    ]


def some_rows(n, seed=1):
    draw = np.random.default_rng(seed)
    towns = ["Rome", "Oslo", "Lima, Peru", "Paris", None]
    return [
        {
            "patient": f"p {i}" if i % 3 else 'says "hi"\nthere',
            "glucose": None if i % 11 == 10 else float(draw.normal(120, 40)),
            "bmi": None if i % 5 == 4 else float(draw.normal(30, 5)),
            "smoker": None if i % 13 == 12 else bool(draw.integers(2)),
            "town": towns[int(draw.integers(5))],
        }
        for i in range(n)
    ]


def made(rule: dict[str, Any] | None = None) -> ServedModel:
    """Return a kernel machine; a label of it has a mark that CSV may use."""
    features = FeatureSchema.fit(Table.from_rows(COLUMNS, training_rows(200)))
    return kernel_model(features, rule, labels=("yes; surely", "no"))


def put(server, name: str, payloads: list[dict[str, Any]]) -> None:
    """Put a model with these versions into the server's registry."""
    settings = Settings(data_dir=server.data_dir, _env_file=None)
    store = ArtifactStore(settings.artifacts_dir)
    database = open_database(settings.database)
    with database.write() as session:
        row = Model(name=name, last_version=len(payloads))
        session.add(row)
        session.flush()
        for version, payload in enumerate(payloads, 1):
            stored = store.write(payload)
            session.add(
                ModelVersion(
                    model_id=row.id,
                    version=version,
                    summary={},
                    artifact_sha256=stored.sha256,
                    artifact_bytes=stored.size,
                )
            )
    database.close()


@pytest.fixture(scope="module")
def model(server) -> str:
    """The name of a model that was put into the server's registry."""
    put(server, "batch", [made().to_payload()])
    return "batch"


@pytest.fixture
def left(server):
    """Tell which files have come to the server's data sets since the test began."""

    def files():
        folder = server.data_dir / "datasets"
        return {path for path in folder.rglob("*") if path.is_file()}

    before = files()
    return lambda: files() - before


@pytest.fixture
def send(server, model):
    def sending(
        body: Any, media_type: str = "text/csv", **query: str
    ) -> httpx.Response:
        return server.http.post(
            "/predict/batch",
            content=body,
            params={"model": model, **query},
            headers={"content-type": media_type},
        )

    return sending


@pytest.fixture
def alone(server, model):
    """The predictions of POST /predict, each row asked alone."""

    def asking(rows: list[dict[str, Any]], **more: Any) -> list[dict[str, Any]]:
        found = []
        for row in rows:
            asked = {"model": model, "instances": [row], "extra_columns": "ignore"}
            answer = server.http.post("/predict", json={**asked, **more})
            assert answer.status_code == 200, answer.text
            found += answer.json()["predictions"]
        return found

    return asking
