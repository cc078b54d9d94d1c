"""Demur on many machines, shown with processes of one: ``make cluster-demo``.

Brings up a PostgreSQL database, an S3 server, a Dask scheduler with two workers, two
APIs and two workers of Demur, none of which share a folder. Then it trains, searches,
decides files and has a person review, and kills one of each on the way. Everything is
stopped and removed at the end. Exits 0 only when every answer was as it should be.
"""

import sys
from contextlib import ExitStack

import httpx
from cluster_machines import (
    MOTO,
    Machines,
    WrongError,
    database_server,
    require,
    say,
    until,
)
from sklearn.datasets import load_breast_cancer

COSTS = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.5,
    "reject_negative": 0.2,
}


def main() -> int:
    """Run the demonstration; return the exit status."""
    if not MOTO.exists():
        print("there is no S3 server to start: make objects")
        return 1
    server = database_server()
    if server is None:
        print("no PostgreSQL server lets us in: start one on 127.0.0.1:5432, or name")
        print("it in DEMUR_TEST_POSTGRES_URL (postgresql://USER@HOST/NAME)")
        return 1
    with ExitStack() as stack:
        machines = Machines(stack, server)
        try:
            show(machines)
        except (WrongError, httpx.HTTPError, TimeoutError) as error:
            print(f"\nThe demonstration failed: {error!r}")
            print(machines.logs())
            return 1
    print("\nAll processes are stopped, the database and the folders are removed.")
    return 0


def show(machines: Machines) -> None:
    """Train and search, with one of each killed on the way; then go on."""
    first, second = machines.api("API 1"), machines.api("API 2")
    columns, rows, labels = tumours()
    training = {
        "model": "tumours",
        "trainer": {"kind": "double-hinge-svm", "C": 10.0},
        "costs": COSTS,
        "data": {
            "kind": "inline",
            "columns": [*columns, "diagnosis"],
            "rows": [[*row, label] for row, label in zip(rows, labels, strict=True)],
        },
        "target": {"column": "diagnosis", "positive": "malignant"},
    }
    asked = {"model": "tumours:1", "data": {"columns": columns, "rows": rows[:50]}}

    say("1. Training. API 1 takes the request, one of the workers trains.")
    job = ended(first, post(first, "/train", training))
    answers = [post(api, "/predict", asked)["predictions"] for api in (first, second)]
    require(answers[0] == answers[1], "two machines answer differently")
    say(f"   Version {job['result']['version']} is there; both APIs decide 50 tumours")
    say("   alike, though only the object store has passed the model on.")

    say("2. A search of 10 candidates on 3 folds, on the Dask cluster.")
    search = {
        **training,
        "trainer": {"kind": "abstention-boosting"},
        "search": {
            "params": {"n_rounds": [400 + 10 * k for k in range(10)]},
            "folds": 3,
        },
    }
    job = post(second, "/train", search)
    until(lambda: fits(second, job) >= 6)
    machines.kill("Dask worker 1")
    say("   One of the two Dask workers is killed (SIGKILL); the search goes on.")
    until(lambda: fits(second, job) >= 12)
    holder = machines.holder(job["id"])
    machines.kill(holder)
    say(f"   {holder}, which held the job, is killed with it all.")
    job = ended(second, job)
    table = job["result"]["search"]["table"]
    require(job["attempts"] == 2)
    require(len(table) == 10)
    require(all(row["mean"] is not None for row in table))
    say("   The other worker took over: attempt 2, all candidates are in the table.")

    say("3. API 1 is killed. API 2 answers as before.")
    machines.kill("API 1")
    require(post(second, "/predict", asked)["predictions"] == answers[1])

    decide_and_review(machines, second, columns, rows)


def decide_and_review(
    machines: Machines,
    second: httpx.Client,
    columns: list[str],
    rows: list[list[float]],
) -> None:
    """Decide files by the model, and have a person look at what it rejects."""
    say("4. Files of the bucket are decided as a job; rejects go to people.")
    policy = {"audit": None, "second_opinion": None}
    second.put("/models/tumours/review", json=policy).raise_for_status()
    bucket = machines.bucket
    count = bucket.put("files/in", columns, rows)
    scoring = {
        "model": "tumours:1",
        "source": {"kind": "url", "url": bucket.url("files/in")},
        "target": bucket.url("files/out"),
        "part_rows": 1000,
        "review": True,
    }
    result = ended(second, post(second, "/jobs/score", scoring))["result"]
    require(result["rows"] == count)
    decisions = bucket.decisions("files/out")
    rejected = [row for row in decisions if row["demur_decision"] == "reject"]
    require(len(decisions) == count)
    require(len({row["demur_case"] for row in rejected}) == result["rejected"] > 0)
    say(f"   {result['rows']} rows in {result['parts']} parts, {result['rejected']} of")
    say("   them rejected, each with a case of its own.")

    say("5. A person takes a case and gives a verdict.")
    claim = post(second, "/claims", {"model": "tumours"}, 201)
    verdict = {"token": claim["token"], "label": "malignant", "sure": 0.9}
    post(second, f"/claims/{claim['id']}/verdict", verdict, 201)
    changes = second.get("/cases/changes").raise_for_status().json()["changes"]
    require([change["label"] for change in changes] == ["malignant"])
    say(f"   Row {changes[0]['reference'].rpartition('/')[2]} of a part is decided by")
    say("   a person; the caller hears of it by GET /cases/changes.")


def tumours() -> tuple[list[str], list[list[float]], list[str]]:
    """Return columns, rows and labels."""
    data = load_breast_cancer()
    labels = [str(data.target_names[code]) for code in data.target]
    return list(map(str, data.feature_names)), data.data.tolist(), labels


def post(api: httpx.Client, path: str, body: object, status: int | None = None) -> dict:
    """Send a body; return the answer."""
    answer = api.post(path, json=body)
    require(status in {None, answer.status_code}, answer.text)
    require(answer.is_success, answer.text)
    return answer.json()


def fits(api: httpx.Client, job: dict) -> int:
    """Return how many fits of a search are done."""
    now = api.get(f"/jobs/{job['id']}").raise_for_status().json()
    require(now["status"] in {"queued", "running"}, now)
    message = now["progress"]["message"]
    return int(message.split()[0]) if "fits on folds" in message else 0


def ended(api: httpx.Client, job: dict) -> dict:
    """Wait for a job; return it."""

    def over() -> dict | None:
        now = api.get(f"/jobs/{job['id']}").raise_for_status().json()
        require(now["status"] not in {"failed", "cancelled"}, now)
        return now if now["status"] == "succeeded" else None

    return until(over)


if __name__ == "__main__":
    sys.exit(main())
