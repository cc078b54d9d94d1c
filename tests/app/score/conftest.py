"""A service that decides the files of one folder, and ways to ask it."""

import numpy as np
import pyarrow as pa
import pytest

from tests.app.trainings import inline, training

ROWS = [
    [float(k), float(k % 7), "yes" if k + 20 * (k % 2) > 50 else "no"]
    for k in range(90)
]
TRAINING = training(
    rule={"kind": "chow", "reject_threshold": 0.3},
    data=inline(ROWS, ["x", "z", "y"]),
)
GROUP, GROUPS = 500, 5


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """A folder that requests may name."""
    return tmp_path_factory.mktemp("places")


@pytest.fixture(scope="module")
def service(service_type, tmp_path_factory, places):
    """A service of the module's own, without a model."""
    running = service_type(
        tmp_path_factory.mktemp("scoring"), {"DEMUR_SCORE_PLACES": str(places)}
    ).start()
    yield running
    running.stop()


def table(seed, rows=GROUP * GROUPS):
    drawn = np.random.default_rng(seed)
    return pa.table(
        {
            "id": [f"{seed}-{k}" for k in range(rows)],
            "x": drawn.uniform(0, 90, rows),
            "z": drawn.integers(0, 7, rows).astype(float),
        }
    )


def ask(service, files, target, **changes):
    body = {
        "model": "m",
        "source": {"kind": "url", "url": str(files)},
        "target": str(target),
        "part_rows": 1000,
        **changes,
    }
    return service.http.post("/jobs/score", json=body)


def queued(service, files, target, **changes):
    answer = ask(service, files, target, **changes)
    assert answer.status_code == 202, answer.text
    assert answer.headers["location"].endswith(answer.json()["id"])
    return answer.json()
