"""Two APIs, two workers, one database, one object store, no common folder.

``before`` uploads to one API, trains, and hears the same answers from both; ``after``,
with one API, one worker and one Dask worker killed, hears them again from the other,
and trains anew, by a search.
"""

import json
import os
import sys
import time

import httpx
from check_stack import KEPT, csv_of, expect, wait_until_ready, wdbc

KEY = os.environ["DEMUR_API_KEYS"].split(",")[0]
PORTS = (os.environ["DEMUR_PUBLISH_PORT_1"], os.environ["DEMUR_PUBLISH_PORT_2"])
ANSWERS = KEPT.with_name("demur-many-answers.json")


def client(port: str) -> httpx.Client:
    """Return a client of one API, once that is ready."""
    headers = {"Authorization": f"Bearer {KEY}"}
    one = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, headers=headers)
    wait_until_ready(one)
    return one


def train(one: httpx.Client, model: str, dataset: str, **more: object) -> dict:
    """Train on a data set and wait for it; return the job."""
    body = {
        "model": model,
        "trainer": {"kind": "double-hinge-svm"},
        "rule": {"kind": "chow", "reject_threshold": 0.2},
        "data": {"kind": "dataset", "id": dataset},
        "target": {"column": "diagnosis", "positive": "malignant"},
        **more,
    }
    place = expect(one.post("/train", json=body), 202).headers["location"]
    end = time.monotonic() + 240
    while time.monotonic() < end:
        job = one.get(place).raise_for_status().json()
        if job["status"] == "succeeded":
            return job
        if job["status"] in {"failed", "cancelled"}:
            sys.exit(f"the training ended as {job['status']}: {job.get('error')}")
        time.sleep(0.2)
    sys.exit(f"the training did not end: {job}")


def predict(one: httpx.Client, model: str) -> object:
    """Return the answers for a hundred rows."""
    columns, rows = wdbc()
    instances = [dict(zip(columns[:-1], row[:-1], strict=True)) for row in rows[:100]]
    asked = {"model": model, "instances": instances}
    return expect(one.post("/predict", json=asked), 200).json()["predictions"]


def main() -> None:
    """Run the half that is asked for."""
    if sys.argv[1] == "before":
        first, second = map(client, PORTS)
        table = csv_of(*wdbc())
        kept = first.post(
            "/datasets", content=table, headers={"content-type": "text/csv"}
        )
        dataset = expect(kept, 201).json()["id"]
        train(second, "wdbc", dataset)
        answers = predict(first, "wdbc")
        if answers != predict(second, "wdbc"):
            sys.exit("two machines answer differently")
        ANSWERS.write_text(json.dumps({"dataset": dataset, "answers": answers}))
        print("containers: trained on one of two, answered by both")
        return
    left = client(PORTS[1])
    known = json.loads(ANSWERS.read_text())
    if predict(left, "wdbc") != known["answers"]:
        sys.exit("the machine that is left answers differently")
    job = train(left, "again", known["dataset"], search={"params": {"C": [1, 10]}})
    if job["result"]["search"]["failed"]:
        sys.exit(f"candidates of a search failed: {job['result']['search']}")
    predict(left, "again")
    print("containers: an API, a worker and a Dask worker killed, the others go on")


if __name__ == "__main__":
    main()
