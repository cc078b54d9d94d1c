"""Everything a service is asked for at once, each kind at a pace of its own."""

import itertools
import random
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import psutil

from tests.app.conftest import Service

__all__ = ["Mixed", "training"]

PRICES = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.6,
    "reject_negative": 0.3,
}
COLUMNS = ["a", "b", "c"]
CSV = {"content-type": "text/csv"}
ENDED = {"succeeded", "failed", "cancelled"}
TRAINERS: list[dict[str, Any]] = [
    {"kind": "double-hinge-svm"},
    {"kind": "abstention-boosting", "n_rounds": 60},
    {"kind": "gradient-boosting", "n_rounds": 40},
    {"kind": "abstention-trees", "n_rounds": 40},
    {"kind": "p-svm"},
]


def rows(n: int, seed: int) -> list[list[float]]:
    """Return rows of three columns."""
    draw = random.Random(seed)
    return [[round(draw.gauss(0, 1), 3) for _ in COLUMNS] for _ in range(n)]


def labelled(n: int, seed: int) -> list[list[Any]]:
    """Return rows with a label that depends on the first two columns."""
    draw = random.Random(seed + 1)
    return [
        [*row, "yes" if row[0] + row[1] + draw.gauss(0, 1) > 0 else "no"]
        for row in rows(n, seed)
    ]


def training(model: str, seed: int, **changes: Any) -> dict[str, Any]:
    """Return the body of a training."""
    return {
        "model": model,
        "trainer": TRAINERS[seed % len(TRAINERS)],
        "costs": PRICES,
        "data": {
            "kind": "inline",
            "columns": [*COLUMNS, "y"],
            "rows": labelled(400, seed),
        },
        "target": {"column": "y", "positive": "yes"},
        **changes,
    }


def as_csv(columns: list[str], table: list[list[Any]]) -> str:
    """Return a table as the text of a CSV file."""
    return "\n".join(",".join(map(str, row)) for row in [columns, *table]) + "\n"


@dataclass
class Mixed:
    """The load beside the small predictions, on a service with a model ``small``.

    Parameters
    ----------
    service : Service
    """

    service: Service
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    trained: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    rss_mib: list[float] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> "Mixed":
        # kind of work, and the pause after each of it
        for work, pause_s in (
            (self._hundred_rows, 0.2),
            (self._ten_thousand_rows, 5.0),
            (self._batch, 5.0),
            (self._data_set, 6.0),
            (self._listings, 0.5),
            (self._explain, 1.0),
            (self._reprice, 3.0),
            (self._evaluate, 4.0),
            (self._train, 0.0),
            (self._weigh, 1.0),
        ):
            thread = threading.Thread(target=self._again, args=(work, pause_s))
            self._threads.append(thread)
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _again(
        self, work: Callable[[httpx.Client], Iterator[None]], pause_s: float
    ) -> None:
        with httpx.Client(base_url=self.service.url, timeout=120) as http:
            try:
                for _ in work(http):
                    if self._stop.wait(pause_s):
                        return
            except Exception as error:  # noqa: BLE001 - told by the test, not lost
                self.problems.append(f"{work.__name__}: {error!r}")

    def _ask(
        self, http: httpx.Client, kind: str, method: str, path: str, **more: Any
    ) -> httpx.Response:
        answer = http.request(method, path, **more)
        self.statuses[kind, answer.status_code] += 1
        if answer.status_code >= 400:
            self.problems.append(f"{kind}: {answer.status_code} {answer.text[:300]}")
        return answer

    def _hundred_rows(self, http: httpx.Client) -> Iterator[None]:
        body = {"model": "small", "data": {"columns": COLUMNS, "rows": rows(100, 1)}}
        while True:
            self._ask(http, "100 rows", "POST", "/predict", json=body)
            yield

    def _ten_thousand_rows(self, http: httpx.Client) -> Iterator[None]:
        table = {"columns": COLUMNS, "rows": rows(10_000, 2)}
        while True:
            body = {"model": "stumps", "data": table}
            self._ask(http, "10,000 rows", "POST", "/predict", json=body)
            yield

    def _batch(self, http: httpx.Client) -> Iterator[None]:
        text = as_csv(COLUMNS, rows(20_000, 3))
        while True:
            path = "/predict/batch?model=small"
            self._ask(http, "batch", "POST", path, content=text, headers=CSV)
            yield

    def _data_set(self, http: httpx.Client) -> Iterator[None]:
        """Upload, train on it, and delete it."""
        text = as_csv([*COLUMNS, "y"], labelled(3_000, 4))
        for number in itertools.count():
            made = self._ask(
                http, "upload", "POST", "/datasets", content=text, headers=CSV
            ).json()
            data = {"kind": "dataset", "id": made["id"]}
            body = training("from-files", number, data=data, max_seconds=60)
            body["trainer"] = {"kind": "gradient-boosting", "n_rounds": 10}
            job = self._ask(http, "train", "POST", "/train", json=body).json()
            while not self._ended(http, job["id"]):
                yield  # a data set in use is not deleted
            path = f"/datasets/{made['id']}"
            self._ask(http, "delete data set", "DELETE", path)
            yield

    def _ended(self, http: httpx.Client, job_id: str) -> bool:
        """Tell whether a job has ended, and count how."""
        status = http.get(f"/jobs/{job_id}").json()["status"]
        if status in ENDED:
            self.trained[status] += 1
        return status in ENDED

    def _listings(self, http: httpx.Client) -> Iterator[None]:
        paths = (
            "/models?sort=-created_at",
            "/models/small?sort=created_at&limit=20",
            "/jobs?limit=20",
            "/datasets",
            "/metrics",
            "/models/small/versions/1",
            "/readyz",
        )
        for path in itertools.cycle(paths):
            self._ask(http, "listing", "GET", path)
            yield

    def _explain(self, http: httpx.Client) -> Iterator[None]:
        body = {
            "model": "stumps",
            "data": {"columns": COLUMNS, "rows": rows(5, 5)},
            "explain": True,
        }
        while True:
            self._ask(http, "explain", "POST", "/predict", json=body)
            yield

    def _reprice(self, http: httpx.Client) -> Iterator[None]:
        for number in itertools.count():
            costs = {**PRICES, "false_negative": 5.0 + number % 20}
            body = {"costs": costs, "rule": {"kind": "chow"}}
            key = {"idempotency-key": str(uuid.uuid4())}
            path = "/models/repriced/versions/1/reprice"
            told = [
                self._ask(http, "reprice", "POST", path, json=body, headers=key).json()
                for _ in range(2)
            ]
            if told[0] != told[1]:
                self.problems.append(f"reprice: two answers to one key {told}")
            yield

    def _evaluate(self, http: httpx.Client) -> Iterator[None]:
        data = {
            "kind": "inline",
            "columns": [*COLUMNS, "y"],
            "rows": labelled(300, 6),
        }
        while True:
            path = "/models/small/versions/1/evaluate"
            self._ask(http, "evaluate", "POST", path, json={"data": data})
            yield

    def _train(self, http: httpx.Client) -> Iterator[None]:
        """Keep a training running all the time, and one waiting behind it."""
        waiting: list[str] = []
        for seed in itertools.count():
            body = training(f"trained-{seed % 3}", seed)
            job = self._ask(http, "train", "POST", "/train", json=body)
            waiting.append(job.json()["id"])
            while len(waiting) > 1:
                if self._ended(http, waiting[0]):
                    waiting.pop(0)
                if self._stop.wait(0.2):
                    return
            yield

    def _weigh(self, http: httpx.Client) -> Iterator[None]:
        del http  # it asks the machine, not the service
        assert self.service.process is not None
        api = psutil.Process(self.service.process.pid)
        while True:
            self.rss_mib.append(api.memory_info().rss / 2**20)
            yield

    def told(self) -> str:
        """Return what was answered, in a line."""
        kinds = sorted(self.statuses.items())
        return ", ".join(f"{kind} {status}: {n}" for (kind, status), n in kinds)
