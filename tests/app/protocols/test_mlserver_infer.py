"""MLServer's batch command, unmodified: a file of requests, a file of answers."""

import json
import os
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from tests.app.predict.conftest import COLUMNS, COSTS, served
from tests.app.protocols.conftest import ROWS

MLSERVER = Path(__file__).parents[3] / ".venv-clients/bin/mlserver"
KINDS = {"glucose": "FP64", "bmi": "FP64", "smoker": "BOOL", "town": "BYTES"}
KEY = "a-key-of-the-test"


@pytest.fixture
def infer(tmp_path):
    """Send lines of requests; return the answers by line."""
    if not MLSERVER.exists():
        pytest.skip("the clients of other servers are not installed: make clients")

    def sent(service, lines, *options, model="pima"):
        asked, told = tmp_path / "asked.jsonl", tmp_path / "told.jsonl"
        asked.write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = subprocess.run(
            [
                *(str(MLSERVER), "infer", "--url", f"127.0.0.1:{service.port}"),
                *("--model-name", model, "--retries", "1"),
                *("--input-data-path", str(asked), "--output-data-path", str(told)),
                *options,
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"]},
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        answers = map(json.loads, told.read_text().splitlines())
        return {answer["parameters"]["batch_index"]: answer for answer in answers}

    return sent


def request_of(rows):
    """Return a request of a tensor a column."""
    return {
        "inputs": [
            {"name": name, "shape": [len(rows), 1], "datatype": kind, "data": values}
            for (name, kind), values in zip(
                KINDS.items(), map(list, zip(*rows, strict=True)), strict=True
            )
        ]
    }


def outputs_of(answer):
    return {output["name"]: output["data"] for output in answer["outputs"]}


@pytest.mark.parametrize(
    "options",
    [(), ("--binary-data",), ("--batch-size", "3"), ("-b", "-s", "5", "-w", "1")],
    ids=" ".join,
)
def test_each_line_is_answered_as_by_predict(infer, service, options):
    data = {"columns": COLUMNS, "rows": ROWS}
    body = {"model": "pima", "data": data, "layout": "columns"}
    wanted = service.http.post("/predict", json=body).json()["predictions"]
    assert {"+1", "-1", "reject"} == set(wanted["decision"])
    assert None in [row[1] for row in ROWS]
    # Lines of one, two and three rows in turn.
    starts = [0]
    while starts[-1] < len(ROWS):
        starts.append(min(starts[-1] + len(starts) % 3 + 1, len(ROWS)))
    spans = list(pairwise(starts))
    told = infer(service, [request_of(ROWS[a:b]) for a, b in spans], *options)
    assert sorted(told) == list(range(len(spans)))
    for line, (a, b) in enumerate(spans):
        outputs = outputs_of(told[line])
        for name in ("decision", "probability", "score", "expected_cost", "would_be"):
            assert outputs[name] == wanted[name][a:b], (name, line)
        rejected = [decision == "reject" for decision in wanted["decision"][a:b]]
        assert outputs["reject"] == rejected
        assert outputs["label"] == [label or "" for label in wanted["label"][a:b]]
        assert outputs["reason"] == [why or "" for why in wanted["reason"][a:b]]


def test_a_line_that_is_refused_is_told_beside_the_others(infer, service):
    good = request_of(ROWS[:1])
    other = {"inputs": [{"name": "odd", "shape": [1], "datatype": "FP64", "data": [1]}]}
    told = infer(service, [good, other, good])
    assert "no such column" in told[1]["error"]["msg"]
    assert told[0]["outputs"] == told[2]["outputs"]
    unknown = infer(service, [good], model="nobody")
    assert "GET /models" in unknown[0]["error"]["msg"]


def test_a_key_goes_in_its_header(infer, serve):
    locked, registry = serve(api_keys=[KEY])
    registry.add("pima", served(costs=COSTS))
    line = request_of(ROWS[:2])
    refused = infer(locked, [line])
    assert "error" in refused[0]
    told = infer(locked, [line], "--request-headers", f"Authorization: Bearer {KEY}")
    assert len(outputs_of(told[0])["decision"]) == 2
