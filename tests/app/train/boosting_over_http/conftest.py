"""Boosters on the service: each with Chow's rule, and with rules of its own."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.artifacts.store import ArtifactStore
from app.train.trainers.registry import TRAINERS
from tests.app.conftest import Service
from tests.app.pima_like import PRICES, inline, patients, version

EVEN = {**PRICES, "false_negative": 1.0, "reject_positive": 0.3}
TRAINER: dict[str, dict[str, Any]] = {
    "abstention-boosting": {"n_rounds": 12},
    "abstention-trees": {"n_rounds": 25},
    "adaboost": {"n_rounds": 12},
    "gradient-boosting": {"n_rounds": 25},
}
LIMITS = {
    "bounded-abstention": {"max_reject_rate": 0.3},
    "bounded-error": {"max_error": 0.4},
    "bounded-cost": {"max_cost": 0.5},
}
ALL = [(kind, rule) for kind in TRAINER for rule in TRAINERS[kind].rules]
PAIRS = [
    *((kind, "chow") for kind in TRAINER),
    ("abstention-boosting", "embedded"),
    ("adaboost", "symmetric"),
]
TABLE = patients(260)


def request(kind: str, rule: str, **changes: Any) -> dict[str, Any]:
    """Return a training of a few rounds."""
    return {
        "model": f"{kind}.{rule}",
        "trainer": {"kind": kind, **TRAINER[kind]},
        "costs": EVEN,
        "rule": {"kind": rule, **LIMITS.get(rule, {})},
        "data": inline(TABLE),
        "target": {"column": "diabetes", "positive": "yes"},
        **changes,
    }


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for the folder: its models are trained once."""
    service = Service(tmp_path_factory.mktemp("boosting")).start()
    yield service
    service.stop()


@pytest.fixture(scope="package")
def models(server: Service) -> dict[tuple[str, str], dict[str, Any]]:
    """What the version of each pair says of itself."""
    jobs = [server.train(request(*pair), wait=False)["id"] for pair in PAIRS]
    for pair, job in zip(PAIRS, jobs, strict=True):
        ended = server.await_job(job)
        assert ended["status"] == "succeeded", (pair, ended)
    return {pair: version(server, ".".join(pair), 1) for pair in PAIRS}


@pytest.fixture
def artifact(server: Service):
    """Read the artifact of a version."""
    store = ArtifactStore(server.data_dir / "artifacts", "test")
    return lambda told: store.read(told["artifact_sha256"])
