"""Train and predict through the published port of the compose stack.

``before`` trains on WDBC and keeps the answers in a temporary file; ``after`` asks the
restarted service the same and compares them bit by bit. ``tour`` uses the rest of the
service once: an upload, a search on it, an alias behind a gate, a batch, new prices,
labelled rows, a key of one scope, the metrics, and the deletion of all of it.
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


def train(client: httpx.Client, **asked: object) -> None:
    """Train one version and wait for it."""
    columns, rows = wdbc()
    body = {
        "model": "wdbc",
        "trainer": {"kind": "double-hinge-svm", "C": 1.0},
        "costs": COSTS,
        "rule": {"kind": "plug-in"},
        "data": {"kind": "inline", "columns": columns, "rows": rows},
        "target": {"column": "diagnosis", "positive": "malignant"},
    }
    answer = client.post("/train", json=body | asked)
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


def expect(answer: httpx.Response, status: int) -> httpx.Response:
    """Return the answer if it has this status; else stop and show it."""
    if answer.status_code != status:
        asked = f"{answer.request.method} {answer.request.url.path}"
        sys.exit(f"{asked}: {answer.status_code} instead of {status}: {answer.text}")
    return answer


def csv_of(columns: list[str], rows: list[list[object]]) -> str:
    """Return a table as CSV text."""
    return "".join(",".join(map(str, line)) + "\n" for line in [columns, *rows])


def tour(client: httpx.Client) -> None:
    """Use the other parts of the service once each."""
    columns, rows = wdbc()
    csv = {"content-type": "text/csv"}
    upload = client.post("/datasets", content=csv_of(columns, rows), headers=csv)
    dataset = expect(upload, 201).json()["id"]
    train(
        client,
        model="tour",
        trainer={"kind": "gradient-boosting"},
        rule={"kind": "chow"},
        data={"kind": "dataset", "id": dataset},
        search={"params": {"max_depth": [2, 3]}, "folds": 3},
    )
    alias, gate = "/models/tour/aliases/champion", {"max_expected_cost": 1e-9}
    barred = client.put(alias, json={"version": 1, "gates": gate})
    if barred.json()["type"] != "/problems/gate-failed":
        sys.exit(f"a gate that nothing passes let a version through: {barred.text}")
    expect(client.put(alias, json={"version": 1}), 200)
    cases = csv_of(columns[:-1], [row[:-1] for row in rows])
    batch = client.post(
        "/predict/batch?model=tour@champion", content=cases, headers=csv
    )
    lines = expect(batch, 200).text.splitlines()
    if len(lines) != len(rows) + 1 or "demur_decision" not in lines[0]:
        sys.exit(f"a batch of {len(rows)} rows came back as {len(lines)} lines")
    version = "/models/tour/versions/1"
    dearer = COSTS | {"false_negative": 20.0}
    expect(client.post(f"{version}/reprice", json={"costs": dearer}), 201)
    labelled = {"data": {"kind": "inline", "columns": columns, "rows": rows}}
    expect(client.post(f"{version}/evaluate", json=labelled), 200)
    issued = client.post("/keys", json={"name": "tour", "scope": "predict"})
    key = expect(issued, 201).json()
    narrow = {"authorization": f"Bearer {key['key']}"}
    expect(client.post("/train", json={}, headers=narrow), 403)
    expect(client.delete(f"/keys/{key['id']}"), 200)
    expect(client.get("/models", headers=narrow), 401)
    if "demur_" not in expect(client.get("/metrics"), 200).text:
        sys.exit("the metrics name nothing of this service")
    expect(client.delete(f"/datasets/{dataset}"), 200)
    expect(client.delete(alias), 200)
    expect(client.delete("/models/tour"), 200)
    expect(client.get(version), 404)
    print("containers: upload, search, gate, batch, reprice, evaluate, keys: as told")


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
        if sys.argv[1] == "tour":
            tour(client)
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
