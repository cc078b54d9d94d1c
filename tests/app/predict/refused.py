"""What is refused is told as a problem, and never repeated."""

import json

from tests.app.predict.conftest import COLUMNS, training_rows

ROW = dict(zip(COLUMNS, training_rows(2)[1], strict=True))
UNSAID = "s3cret-value"


def refused(client, body, status, **headers):
    """Post a body (bytes, or data for JSON); return the problem."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = client.post(
        "/predict",
        content=content,
        headers={"content-type": "application/json", **headers},
    )
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert UNSAID not in answer.text
    problem = answer.json()
    assert problem["status"] == status
    assert problem["type"].startswith("/problems/")
    return problem


def faults(client, *rows, **more):
    problem = refused(client, {"model": "pima", "instances": rows, **more}, 422)
    return problem["errors"]
