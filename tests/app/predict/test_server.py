"""The real service: what was trained is served at once, and alike after a restart."""

import numpy as np
import pytest

from app.train.openapi import EXAMPLES


def _training(seed):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(120, 2))
    y = np.where(X.sum(axis=1) + draw.normal(size=120) > 0, "yes", "no")
    rows = [[*row, label] for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    return {
        **EXAMPLES["double-hinge"]["value"],
        "model": "fresh",
        "data": {"kind": "inline", "columns": ["a", "b", "outcome"], "rows": rows},
        "target": {"column": "outcome", "positive": "yes"},
    }


@pytest.mark.thorough
def test_a_succeeded_job_is_served_at_once_and_bit_equal_after_a_restart(
    start_service,
):
    service = start_service()
    body = {
        "model": "fresh",
        "instances": [{"b": 0.25, "a": x / 7} for x in range(-20, 21)],
    }
    for version in (1, 2):
        job = service.train(_training(version))
        assert job["status"] == "succeeded", job
        answer = service.http.post("/predict", json=body)
        assert answer.status_code == 200, answer.text
        assert answer.json()["model"] == {"name": "fresh", "version": version}
    before = service.http.post("/predict", json=body).content
    service.stop()
    service.start()
    assert service.http.post("/predict", json=body).content == before
