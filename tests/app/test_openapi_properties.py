"""The OpenAPI document against the real server: every check, drawn requests."""

import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.app.conftest import Service, StartService

pytestmark = pytest.mark.own_server  # its log is read, and its models are asked

CONFIG = Path(__file__).with_name("schemathesis.toml")


def examples(document: dict, path: str) -> list[dict]:
    body = document["paths"][path]["post"]["requestBody"]["content"]
    told = body["application/json"]
    named = [entry["value"] for entry in told.get("examples", {}).values()]
    return named or [told["example"]]


def train_the_example(service: Service) -> None:
    """Train what the document's own example asks for, so that /predict has a model."""
    document = service.http.get("/openapi.json").json()
    job = service.train(examples(document, "/train")[0])
    assert job["status"] == "succeeded", job


def run_schemathesis(service: Service, examples: int, *arguments: str) -> int:
    """Hold the service against its document; return how many requests were drawn."""
    ended = subprocess.run(
        [
            str(Path(sys.executable).with_name("schemathesis")),
            f"--config-file={CONFIG}",
            "run",
            f"{service.url}/openapi.json",
            "--checks=all",
            f"--max-examples={examples}",
            "--generation-database=none",
            *arguments,
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=service.data_dir,
    )
    report = "\n".join(line[:600] for line in ended.stdout.splitlines()[-150:])
    assert ended.returncode == 0, report
    assert '"level": "error"' not in service.log(), service.log()
    cases = re.search(r"(\d+) generated", ended.stdout)
    assert cases, report
    return int(cases[1])


def test_every_example_of_the_document_is_a_good_request(server: Service) -> None:
    document = server.http.get("/openapi.json").json()
    trainings = examples(document, "/train")
    stumps = {"kind": "abstention-boosting", "n_rounds": 20}
    explainable = {**trainings[0], "model": "pima-stumps", "trainer": stumps}
    for request in [*trainings, {**explainable, "rule": {"kind": "embedded"}}]:
        job = server.train(request)
        assert job["status"] == "succeeded", job
    for request in examples(document, "/predict"):
        answer = server.http.post("/predict", json=request)
        assert answer.status_code == 200, answer.text


# The short forms draw the same requests every time; the long form draws new ones.
SEED = "--seed=20261127"


@pytest.mark.thorough
def test_a_service_without_keys_keeps_its_document(server: Service) -> None:
    # The cases that cover each rule of the schema are drawn with keys, below.
    run_schemathesis(server, 3, SEED, "--phases=fuzzing,stateful")


@pytest.mark.thorough
def test_a_service_with_keys_keeps_its_document(start_service: StartService) -> None:
    service = start_service(DEMUR_API_KEYS="a-key-of-the-test")
    service.http.headers["Authorization"] = "Bearer a-key-of-the-test"
    train_the_example(service)
    bearer = "--header=Authorization: Bearer a-key-of-the-test"
    run_schemathesis(service, 1, SEED, bearer)
    with httpx.Client(base_url=service.url) as stranger:
        document = stranger.get("/openapi.json").json()
        assert document["components"]["securitySchemes"]
        assert stranger.get("/models").status_code == 401


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_thousands_of_drawn_requests_get_no_fault_of_ours(server: Service) -> None:
    train_the_example(server)
    assert run_schemathesis(server, 500) >= 5000
