"""A batch of a million rows takes bounded memory, and nobody waits for it."""

import statistics
import threading
import time

import httpx
import pytest

from app.audit import audit
from tests.app.batch.conftest import COLUMNS, training_rows
from tests.app.datasets.test_memory import Peak

ROWS = 1_000_000
CHUNK = 10_000


@pytest.fixture(scope="module")
def server(tmp_path_factory, service_type):
    """A service that logs what it decides."""
    service = service_type(
        tmp_path_factory.mktemp("server"), {"DEMUR_PREDICTION_LOG": "required"}
    ).start()
    yield service
    service.stop()


def written(cell):
    return "" if cell is None else str(cell).lower() if cell is True else str(cell)


def lines(n_rows):
    """Yield a CSV file of so many rows, a few at a time."""
    yield (",".join(COLUMNS) + "\n").encode()
    rows = [
        [*row[:3], f'"{row[3]}"' if "," in row[3] else row[3]]
        for row in training_rows(CHUNK)
    ]
    chunk = "".join(",".join(map(written, row)) + "\n" for row in rows).encode()
    for _ in range(n_rows // CHUNK):
        yield chunk


def batch(server, model, n_rows):
    """Send a batch; return how many rows came back, without keeping them."""
    with server.http.stream(
        "POST",
        "/predict/batch",
        content=lines(n_rows),
        params={"model": model},
        headers={"content-type": "text/csv"},
        timeout=600,
    ) as answer:
        assert answer.status_code == 200, answer.read()
        return sum(chunk.count(b"\n") for chunk in answer.iter_bytes()) - 1


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_million_rows_are_answered_and_logged_in_bounded_memory(server, model):
    for _ in range(2):  # both processes have started then
        batch(server, model, CHUNK)
    row = dict(zip(COLUMNS, training_rows(1)[0], strict=True))
    done, took = threading.Event(), []

    def ask():
        with httpx.Client(base_url=server.url) as http:
            while not done.wait(0.02):
                began = time.perf_counter()
                body = {"model": model, "instances": [row]}
                assert http.post("/predict", json=body).status_code == 200
                took.append(time.perf_counter() - began)

    asking = threading.Thread(target=ask)
    with Peak(server.process.pid) as peak:
        asking.start()
        assert batch(server, model, ROWS) == ROWS
        done.set()
        asking.join()
    assert peak.bytes < 400e6
    assert len(took) > 20
    assert statistics.median(took) < 0.1
    logged = sorted((server.data_dir / "predictions").glob("*.jsonl"))
    report = audit(logged)
    assert report.differing == 0
    assert report.decisions == ROWS + 2 * CHUNK + len(took)
