"""A service whose jobs wait because no worker runs."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.app.trainings import training


@pytest.fixture
def asked() -> Callable[..., dict[str, Any]]:
    """A training that is acceptable, with members replaced."""
    return training


@pytest.fixture(scope="module")
def idle(tmp_path_factory, service_type):
    """A service without a worker."""
    service = service_type(
        tmp_path_factory.mktemp("idle"),
        {
            "DEMUR_MAX_QUEUED_JOBS": "6",
            "DEMUR_MAX_JOB_SECONDS": "3600",
            "DEMUR_MAX_EVENT_STREAMS": "3",
        },
        ("--no-worker",),
    ).start()
    yield service
    service.stop()


@pytest.fixture(autouse=True)
def _empty_queue(request):
    """Leave no job of one test in the way of the next."""
    yield
    if "idle" in request.fixturenames:
        idle = request.getfixturevalue("idle")
        for job in idle.http.get("/jobs?status=queued").json()["jobs"]:
            idle.http.post(f"/jobs/{job['id']}/cancel")
