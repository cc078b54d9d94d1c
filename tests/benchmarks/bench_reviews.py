"""What reviews cost: people who claim at once, and /predict beside a review policy.

A claim is measured as its reviewer feels it, among others who claim and answer as fast
as they can, which people do not. /predict is measured on rows that are all accepted,
with and without a policy in turns: the median of the ratios of adjacent requests.
"""

import http.client
import json
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from app.db.session import open_database
from app.keys.service import issue
from app.settings import Settings
from tests.benchmarks.served_model import (
    COLUMNS,
    JSON,
    Server,
    instances,
    serving,
    store_model,
)

Row = dict[str, Any]
REVIEWERS = 8
KNOWN_AFTER_S = 2.0
POLICY = {"audit": None, "second_opinion": None}
AUDITED = {**POLICY, "audit": {"+1": 0.03, "-1": 0.03}}
BLOCKS, WARM = 30, 5


def run(quick: bool, data: Path | None) -> Iterator[Row]:
    """Measure; see the module's words."""
    del data
    cases = 500 if quick else 4_000
    rounds = 300 if quick else 3_000
    with tempfile.TemporaryDirectory() as folder:
        store_model(Path(folder))
        with serving(folder, "-m", "app.cli", "serve", "--port", "0") as ours:
            for n in (1, 100):
                yield _predict(ours, n, rounds)
            yield _claims(ours, _keys(folder), cases)


def _keys(folder: str) -> list[str]:
    """Issue keys while the service runs: the operator's, and one a reviewer."""
    database = open_database(Settings(data_dir=Path(folder), _env_file=None).database)
    with database.write() as session:
        lead = issue(session, "lead", {"admin"}).key
        people = [issue(session, f"r{i}", {"review"}).key for i in range(REVIEWERS)]
    database.close()
    time.sleep(KNOWN_AFTER_S)
    return [lead, *people]


@dataclass
class Caller:
    """One kept connection."""

    port: int
    key: str = ""
    seconds: list[float] = field(default_factory=list)
    """How long each claim took."""
    claimed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Return the answer; None where there is nothing in it."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {**JSON, "authorization": f"Bearer {self.key}"}
        self._connection.request(method, path, sent, headers)
        answer = self._connection.getresponse()
        told = answer.read()
        assert answer.status < 300, told[:2000]
        return json.loads(told) if told else None

    def median_s(self, path: str, body: bytes, times: int) -> float:
        """Return how long an answer takes."""
        took = []
        for i in range(times + WARM):
            began = time.perf_counter()
            self.ask("POST", path, body)
            if i >= WARM:
                took.append(time.perf_counter() - began)
        return median(took)

    def work_off(self) -> list[str]:
        """Claim and answer until no case waits; return which there were."""
        while True:
            began = time.perf_counter()
            claim = self.ask("POST", "/claims", {"model": "bench"})
            if claim is None:
                return self.claimed
            self.seconds.append(time.perf_counter() - began)
            self.claimed.append(claim["case"]["id"])
            verdict = {"token": claim["token"], "label": "yes", "sure": 1.0}
            self.ask("POST", f"/claims/{claim['id']}/verdict", verdict)


def _predict(server: Server, n: int, rounds: int) -> Row:
    """Ask the same rows with and without a policy, one after the other.

    A policy is in force from its answer on, so that a block follows the other closely;
    which of two comes first alternates.
    """
    asked = Caller(server.port)
    body = _accepted(asked, n)
    ratios, blocks = [], {True: [], False: []}
    for turn in range(BLOCKS):
        for on in (True, False) if turn % 2 else (False, True):
            asked.ask("PUT", "/models/bench/review", {**AUDITED, "enabled": on})
            blocks[on].append(asked.median_s("/predict", body, rounds // BLOCKS))
        ratios.append(blocks[True][-1] / blocks[False][-1])
    ratio = median(ratios)
    return {
        "work": f"/predict of {n} accepted rows with a policy, ms",
        "ours": median(blocks[True]) * 1e3,
        "peer": "ours, without",
        "peer_value": median(blocks[False]) * 1e3,
        "ratio": ratio,
        "bar": 1.03,
        "met": ratio <= 1.03,
    }


def _accepted(asked: Caller, n: int) -> bytes:
    """Return a request about rows that the model decides."""
    sent = json.loads(instances(20 * n + 20))
    told = asked.ask("POST", "/predict", sent)["predictions"]
    decided = [
        row
        for row, one in zip(sent["instances"], told, strict=True)
        if one["decision"] != "reject"
    ]
    references = [f"a-{i}" for i in range(n)]
    request = {**sent, "instances": decided[:n], "references": references}
    return json.dumps(request).encode()


def _claims(server: Server, keys: list[str], cases: int) -> Row:
    """Let people work a backlog off, all at once."""
    lead, *people = [Caller(server.port, key) for key in keys]
    lead.ask("PUT", "/models/bench/review", POLICY)
    rows = np.random.default_rng(2).normal(size=(cases, len(COLUMNS))).tolist()
    backlog = [
        {"reference": f"r-{i}", "features": dict(zip(COLUMNS, row, strict=True))}
        for i, row in enumerate(rows)
    ]
    told = lead.ask("POST", "/cases", {"model": "bench", "cases": backlog})["cases"]
    began = time.perf_counter()
    with ThreadPoolExecutor(REVIEWERS) as threads:
        claimed = [case for own in threads.map(Caller.work_off, people) for case in own]
    spent = time.perf_counter() - began
    assert len(set(claimed)) == len(claimed), "a case was claimed twice"
    assert set(claimed) >= {one["case"] for one in told}, "a case was lost"
    took = np.concatenate([one.seconds for one in people]) * 1e3
    p50, p95, p99 = np.percentile(took, [50, 95, 99])
    return {
        "work": f"POST /claims, {REVIEWERS} reviewers at once, p99 ms",
        "ours": float(p99),
        "bar": 100.0,
        "met": bool(p99 < 100.0),
        "p50_ms": float(p50),
        "p95_ms": float(p95),
        "most_ms": float(took.max()),
        "claims_per_s": len(claimed) / spent,
    }
