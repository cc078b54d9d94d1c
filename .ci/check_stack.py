"""Train and predict through the published port of the compose stack.

``before`` trains on WDBC and keeps the answers in a temporary file; ``after`` asks the
restarted service the same and compares them bit by bit.
"""

import contextlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import httpx
from sklearn.datasets import load_breast_cancer

KEPT = Path(tempfile.gettempdir()) / "demur-stack-answers.json"
ADDRESS = f"http://127.0.0.1:{os.environ['DEMUR_PUBLISH_PORT']}"
KEY = os.environ["DEMUR_API_KEYS"].split(",")[0]
COSTS = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.5,
    "reject_negative": 0.2,
}
DECISIONS = {"+1", "-1", "reject"}


def wdbc() -> tuple[list[str], list[list[object]]]:
    """Return the column names and the rows, the diagnosis last."""
    bunch = load_breast_cancer()
    names = [str(name) for name in bunch.feature_names]
    rows = [
        [*map(float, x), "malignant" if y == 0 else "benign"]
        for x, y in zip(bunch.data, bunch.target, strict=True)
    ]
    return [*names, "diagnosis"], rows


def wait_until_ready(client: httpx.Client, seconds: float = 60.0) -> None:
    """Ask /readyz until it says yes."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        # A refused connection means that the container is still starting.
        with contextlib.suppress(httpx.TransportError):
            if client.get("/readyz").status_code == 200:
                return
        time.sleep(0.2)
    sys.exit("the service did not become ready")


def train(client: httpx.Client) -> None:
    """Train one version and wait for it."""
    columns, rows = wdbc()
    answer = client.post(
        "/train",
        json={
            "model": "wdbc",
            "trainer": {"kind": "double-hinge-svm", "C": 1.0},
            "costs": COSTS,
            "rule": {"kind": "plug-in"},
            "data": {"kind": "inline", "columns": columns, "rows": rows},
            "target": {"column": "diagnosis", "positive": "malignant"},
        },
    )
    answer.raise_for_status()
    location = answer.headers["location"]
    end = time.monotonic() + 180
    while time.monotonic() < end:
        job = client.get(location).raise_for_status().json()
        if job["status"] in {"succeeded", "failed", "cancelled"}:
            break
        time.sleep(0.2)
    if job["status"] != "succeeded":
        sys.exit(f"the training ended as {job['status']}: {job.get('error')}")


def predict(client: httpx.Client) -> list[dict[str, object]]:
    """Return the answers for a hundred rows."""
    columns, rows = wdbc()
    instances = [dict(zip(columns[:-1], row[:-1], strict=True)) for row in rows[:100]]
    answer = client.post("/predict", json={"model": "wdbc", "instances": instances})
    answer.raise_for_status()
    return list(answer.json()["predictions"])


def main() -> None:
    """Run the half that is asked for."""
    with httpx.Client(base_url=ADDRESS, timeout=30) as stranger:
        wait_until_ready(stranger)
        refused = stranger.post("/predict", json={"model": "wdbc", "instances": []})
        if refused.status_code != 401:
            sys.exit(f"without a key the answer must be 401: {refused.status_code}")
    headers = {"Authorization": f"Bearer {KEY}"}
    with httpx.Client(base_url=ADDRESS, timeout=30, headers=headers) as client:
        if sys.argv[1] == "before":
            train(client)
            KEPT.write_text(json.dumps(predict(client)))
            return
        answers = predict(client)
        if answers != json.loads(KEPT.read_text()):
            sys.exit("the restarted service answers differently")
        decided = {str(answer["decision"]) for answer in answers}
        if not decided <= DECISIONS or len(decided) < 2:
            sys.exit(f"implausible decisions: {decided}")
        print(f"containers: {len(answers)} equal answers after a restart, {decided}")


if __name__ == "__main__":
    main()
