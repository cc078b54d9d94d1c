"""The whole loop over HTTP: train, decide, ask people, train again on what they said.

Start the service (`make serve`), then `.venv/bin/python examples/review_loop.py`. The
first 120 patients of heart.csv are known, the others come later, and their own answers
play the person. DEMUR_URL names another service.
"""

import csv
import json
import os
import time
from pathlib import Path
from typing import Any

import httpx

HERE = Path(__file__).parent
URL = os.environ.get("DEMUR_URL", "http://127.0.0.1:8000")
COSTS = {
    "false_positive": 1,
    "false_negative": 5,
    "reject_positive": 0.6,
    "reject_negative": 0.3,
}


def main() -> None:
    """Go round the loop once."""
    with httpx.Client(base_url=URL, timeout=60) as service:
        header, *lines = (HERE / "heart.csv").read_text().splitlines(keepends=True)
        known, later = header + "".join(lines[:120]), lines[120:]
        data = call(service, "POST", "/datasets", content=known, headers=AS_CSV)
        first = train(service, {"kind": "dataset", "id": data["id"]}, COLUMN)
        print(f"version {first['version']} was trained on {data['rows']} patients")

        # A fifth of the decided cases is shown to people too: errors hide among them.
        policy = {"audit": {"+1": 0.2, "-1": 0.2}}
        call(service, "PUT", "/models/heart-loop/review", json=policy)
        rows = csv.DictReader([header, *later])
        patients = {f"patient {number}": row for number, row in enumerate(rows)}
        truth = {name: row.pop("disease") for name, row in patients.items()}
        typed = [{k: cell(v) for k, v in row.items()} for row in patients.values()]
        question = {
            "model": "heart-loop",
            "instances": typed,
            "references": list(patients),
        }
        summary = call(service, "POST", "/predict", json=question)["summary"]
        print(f"of {summary['n']} new patients, {summary['rejected']} go to people")

        decided = work(service, truth)
        print(f"people decided {decided} cases, audits among them")

        taught = call(service, "POST", "/models/heart-loop/review/dataset", json={})
        second = train(service, taught["train"]["data"], taught["train"])
        print(f"version {second['version']} learnt from their verdicts")


AS_CSV = {"content-type": "text/csv"}
COLUMN = {"target": {"column": "disease", "positive": "yes"}}


def cell(text: str) -> Any:
    """Return a cell as JSON says it: a number, true, false, null or text."""
    if text == "?":
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


def work(service: httpx.Client, truth: dict[str, str]) -> int:
    """Decide every case that waits, as a reviewer does; return how many there were."""
    decided = 0
    while claim := call(service, "POST", "/claims", json={"model": "heart-loop"}):
        # A reviewer looks at claim["case"]["features"]; here the answer is known.
        case = call(service, "GET", f"/cases/{claim['case']['id']}")
        verdict = {"token": claim["token"], "label": truth[case["reference"]]}
        call(service, "POST", f"/claims/{claim['id']}/verdict", json=verdict)
        decided += 1
    return decided


def train(service: httpx.Client, data: Any, members: Any) -> Any:
    """Train a version of the model and wait for it; return the job's result."""
    order = {
        **members,
        "model": "heart-loop",
        "data": data,
        "trainer": {"kind": "double-hinge-svm"},
        "costs": COSTS,
    }
    job = call(service, "POST", "/train", json=order)
    while job["status"] in ("queued", "running"):
        time.sleep(0.2)
        job = call(service, "GET", f"/jobs/{job['id']}")
    if job["status"] != "succeeded":
        raise SystemExit(f"the training ended as {job['status']}: {job['error']}")
    return job["result"]


def call(service: httpx.Client, method: str, path: str, **content: Any) -> Any:
    """Return the answer, None where it is empty; end with the problem's words."""
    try:
        answer = service.request(method, path, **content)
    except httpx.ConnectError:
        raise SystemExit(f"no service answers at {URL}; start it: make serve") from None
    if answer.is_error:
        raise SystemExit(f"{method} {path}: {answer.json()['detail']}")
    return answer.json() if answer.content else None


if __name__ == "__main__":
    main()
