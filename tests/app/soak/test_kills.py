"""kill -9 of API, worker or training at random moments: what was accepted is not lost.

Trainings are sent all the while, each with an Idempotency-Key of its own, and again
under the same key whenever no answer came: that is what the header is for. A model that
was there before answers all the while, and says the same.

With two machines, which have nothing but a database and an object store in common, a
whole machine dies as well, with its disk.
"""

import itertools
import random
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

import httpx
import psutil
import pytest

from app.artifacts.store import ArtifactStore
from tests.app.soak.mixed import COLUMNS, training

KINDS = ("api", "worker", "training")
STILL = "still"
ROW = dict(zip(COLUMNS, (0.3, -0.2, 0.1), strict=True))
ENDS_S = 180
LASTING = {"kind": "abstention-boosting", "n_rounds": 1000}
"""More than a second of work, so that a kill meets it."""


class Sender(threading.Thread):
    """Sends trainings to wherever services are now, until it is told to stop."""

    def __init__(self, services, still) -> None:
        super().__init__()
        self.services, self.stop = itertools.cycle(services), threading.Event()
        self.service, self.still = services[0], still
        self.accepted: dict[str, str] = {}
        self.refused: list[str] = []
        self.answered = 0

    def run(self) -> None:
        for number in itertools.count():
            key = f"key-{number}"
            body = training(f"m-{number % 2}", number, trainer=LASTING)
            while key not in self.accepted:
                if self.stop.wait(0.1):
                    return
                self.service = next(self.services)
                with suppress(httpx.TransportError):  # nobody there: once more
                    self._predict()
                    if not self._waiting():
                        self._send(key, body)

    def _predict(self) -> None:
        """Ask the model that was there before; it says what it said then."""
        answer = ask(self.service.url, f"{STILL}:1")
        if answer.status_code == 200 and answer.json() == self.still:
            self.answered += 1
        else:
            self.refused.append(f"{answer.status_code} {answer.text[:300]}")

    def _waiting(self) -> list[dict]:
        """Return the jobs that wait: one is enough to keep the worker busy."""
        path = f"{self.service.url}/jobs?status=queued"
        return httpx.get(path, timeout=30).json()["jobs"]

    def _send(self, key: str, body: dict) -> None:
        answer = httpx.post(
            f"{self.service.url}/train",
            json=body,
            headers={"idempotency-key": key},
            timeout=30,
        )
        if answer.status_code == 202:
            self.accepted[key] = answer.json()["id"]
        else:
            self.refused.append(f"{answer.status_code} {answer.text[:300]}")


def ask(url: str, model: str) -> httpx.Response:
    """Have a row decided."""
    asked = {"model": model, "instances": [ROW]}
    return httpx.post(f"{url}/predict", json=asked, timeout=30)


def storm(
    services, kills: int, seed: int, first: Sequence[str] = KINDS, kinds=KINDS
) -> Sender:
    """Send trainings, and kill something again and again: first these, then any."""
    draw = random.Random(seed)
    before = services[0].train(training(STILL, 0))
    assert before["status"] == "succeeded", before
    sender = Sender(services, ask(services[0].url, f"{STILL}:1").json())
    sender.start()
    last = datetime.now(UTC)
    try:
        for number in range(kills):
            kind = first[number] if number < len(first) else draw.choice(kinds)
            killed = False
            while not killed:
                await_a_run(services[0], last)
                time.sleep(draw.uniform(0.0, 0.7))
                killed = kill(draw.choice(services), kind)
            last = datetime.now(UTC)
    finally:
        sender.stop.set()
        sender.join()
    return sender


def await_a_run(service, since: datetime) -> None:
    """Wait until a training has begun since then, so that there is something to lose.

    A job whose worker was killed reads "running" until another worker has found it.
    """
    until = time.monotonic() + ENDS_S
    while time.monotonic() < until:
        for job in service.http.get("/jobs?status=running").json()["jobs"]:
            if datetime.fromisoformat(job["started_at"]) > since:
                return
        time.sleep(0.05)
    pytest.fail(f"no training began: {service.log()}")


def kill(service, kind: str) -> bool:
    """Kill one process with SIGKILL; tell whether it was there to be killed.

    An API, and a machine, is started again.
    """
    if kind == "machine":
        service.kill()
        service.start()
        return True
    if kind == "training":
        # the oldest: the one that stands by was started when it got its job
        victims = sorted(service.trainers(), key=lambda p: p.create_time())[:1]
    elif kind == "worker":
        victims = [p for p in service.descendants() if is_worker(p)]
    else:
        victims = [service.api()]
    below = service.descendants()
    try:
        for victim in victims:
            victim.send_signal(signal.SIGKILL)
    except psutil.NoSuchProcess:
        return False
    if kind == "api":
        service.ended()
        _, alive = psutil.wait_procs(below, timeout=60)
        assert alive == [], "worker and trainings end with their API"
        service.start()
    return bool(victims)


def is_worker(process: psutil.Process) -> bool:
    """Tell whether this is the worker; one that has just gone is not."""
    with suppress(psutil.NoSuchProcess):
        return "app.cli worker" in " ".join(process.cmdline())
    return False


def check(services, sender: Sender, kills: int, store: ArtifactStore) -> str:
    """Hold what is there now against what was accepted."""
    service = services[0]
    assert sender.refused == []
    assert sender.answered
    jobs = [service.await_job(job_id) for job_id in sender.accepted.values()]
    assert len({job["id"] for job in jobs}) == len(jobs), "one job for each key"
    failed = [job for job in jobs if job["status"] != "succeeded"]
    for job in failed:
        assert job["error"]["type"] == "/problems/training-crashed", job
    assert len(failed) <= kills
    after = service.train(training("after", 0))
    assert after["status"] == "succeeded", after
    made = {
        (job["result"]["model"], job["result"]["version"]): job["id"]
        for job in jobs
        if job["result"]
    }
    for (model, version), job_id in made.items():
        told = service.http.get(f"/models/{model}/versions/{version}").json()
        assert told["job_id"] == job_id
        assert store.read(told["artifact_sha256"])["scorer"]
        answers = [ask(one.url, f"{model}:{version}") for one in services]
        assert {answer.status_code for answer in answers} == {200}, answers[0].text
        assert answers[0].json()["model"] == {"name": model, "version": version}
        assert len({answer.text for answer in answers}) == 1
    listed = {
        (model["name"], entry["version"])
        for model in service.http.get("/models").json()["models"]
        for entry in service.http.get(f"/models/{model['name']}?limit=200").json()[
            "versions"
        ]
    }
    unheard = (
        listed - set(made) - {("after", 1), (STILL, 1)}
    )  # accepted, but the answer was lost with its API
    assert len(unheard) <= kills
    for one in services:
        assert list(one.data_dir.glob("artifacts/*.staged")) == []
    attempts = [job["attempts"] for job in jobs]
    assert max(attempts) <= 3
    return (
        f"{kills} kills: {len(jobs)} jobs accepted, {len(failed)} failed as"
        f" training-crashed, {sum(n > 1 for n in attempts)} begun again;"
        f" {sender.answered} predictions"
    )


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_a_few_kills_lose_no_accepted_job(anywhere, database_name, say):
    """Five in all: three on SQLite, two on PostgreSQL."""
    first = {"sqlite": KINDS, "postgresql": ("training", "api")}[database_name]
    say(killed([anywhere()], len(first), 1, first))


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seed", [2, 3])
def test_twenty_kills_lose_no_accepted_job(anywhere, say, seed):
    say(killed([anywhere()], 20, seed))


def killed(services, kills: int, seed: int, first: Sequence[str] = KINDS) -> str:
    """Kill and check a service with its own store."""
    sender = storm(services, kills, seed, first)
    store = ArtifactStore(services[0].data_dir / "artifacts")
    return check(services, sender, kills, store)


@pytest.mark.postgres
@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_a_few_kills_on_two_machines_lose_no_accepted_job(two_machines, remote, say):
    first = ("machine", "worker", "api")
    sender = storm(two_machines, len(first), 4, first)
    say(check(two_machines, sender, len(first), ArtifactStore(remote / "artifacts")))


@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_twenty_kills_on_two_machines_lose_no_accepted_job(two_machines, remote, say):
    kinds = (*KINDS, "machine")
    sender = storm(two_machines, 20, 5, kinds, kinds)
    say(check(two_machines, sender, 20, ArtifactStore(remote / "artifacts")))
