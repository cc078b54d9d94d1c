"""The real service for tests: its own processes, port, data folder and database."""

import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil
import pytest

from app.client.http import SHORTER_KEPT
from app.db import migrate
from app.db.session import Database, open_database
from tests.app.postgres import fresh_postgres, server_url
from tests.waiting import PAUSE_S, until

ENDED = ("succeeded", "failed", "cancelled")


@dataclass
class Service:
    """A running ``demur serve`` (or none, between ``stop`` and ``start``)."""

    data_dir: Path
    environment: dict[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ()
    command: tuple[str, ...] = (sys.executable, "-m", "app.cli")
    folder: Path = Path(__file__).parents[2]
    """Where it is started."""
    process: subprocess.Popen[str] | None = None
    url: str = ""
    http: httpx.Client = field(default_factory=httpx.Client)

    def start(self) -> "Service":
        """Start it and wait until it is ready."""
        log = (self.data_dir / "log").open("a")
        self.process = subprocess.Popen(
            [*self.command, "serve", "--port", "0", *self.arguments],
            env=self._environment(),
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        )
        log.close()
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, f"no address: {line!r}; {self.log()}"
        self.url = found[0]
        self.http = httpx.Client(base_url=self.url, timeout=60, limits=SHORTER_KEPT)
        self._await_ready()
        return self

    def _environment(self) -> dict[str, str]:
        outer = {k: v for k, v in os.environ.items() if not k.startswith("DEMUR_")}
        return {**outer, "DEMUR_DATA_DIR": str(self.data_dir), **self.environment}

    def _await_ready(self) -> None:
        def ready() -> bool:
            assert self.process is not None
            assert self.process.poll() is None, self.log()
            with suppress(httpx.TransportError):
                return self.http.get("/readyz").status_code == 200
            return False

        until(ready, self.log)

    def log(self) -> str:
        """Return the end of its log."""
        return (self.data_dir / "log").read_text()[-4000:]

    def descendants(self) -> list[psutil.Process]:
        """Return every process below the service."""
        assert self.process is not None
        return psutil.Process(self.process.pid).children(recursive=True)

    def api(self) -> psutil.Process:
        """Return the process that answers."""
        assert self.process is not None
        return psutil.Process(self.process.pid)

    def worker(self) -> psutil.Process:
        """Return its worker process."""
        return self._only("app.cli worker")

    def trainers(self) -> list[psutil.Process]:
        """Return the training processes, busy or standing by."""
        return [p for p in self.descendants() if _runs(p, "app.worker.child")]

    def _only(self, command: str) -> psutil.Process:
        # Between fork and exec a child still bears its parent's command.
        until(lambda: len(self._found(command)) == 1)
        return self._found(command)[0]

    def _found(self, command: str) -> list[psutil.Process]:
        return [p for p in self.descendants() if _runs(p, command)]

    def kill(self) -> None:
        """Kill everything at once with SIGKILL, as a power cut would."""
        assert self.process is not None
        victims = [psutil.Process(self.process.pid), *self.descendants()]
        for victim in victims:
            with suppress(psutil.NoSuchProcess):
                victim.send_signal(signal.SIGKILL)
        self.ended()
        psutil.wait_procs(victims, timeout=60)

    def stop(self) -> int:
        """Stop it with SIGTERM; return its exit status."""
        if self.process is None:
            return 0
        self.process.send_signal(signal.SIGTERM)
        return self.ended()

    def ended(self) -> int:
        """Wait until it ends by itself; return its exit status."""
        assert self.process is not None
        status = self.process.wait(240)
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.process = None
        self.http.close()
        return status

    def job(self, job_id: str) -> dict:
        """Return the job as it stands."""
        answer = self.http.get(f"/jobs/{job_id}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def await_job(self, job_id: str, *statuses: str) -> dict:
        """Wait until the job is in one of ``statuses`` (default: ended)."""
        wanted = statuses or ENDED

        def come() -> dict | None:
            job = self.job(job_id)
            if job["status"] in wanted:
                return job
            assert job["status"] not in ENDED, (job, wanted)
            return None

        # An end stays: looking for it less often leaves the processor to the job.
        longest_s = 0.2 if wanted == ENDED else PAUSE_S
        return until(come, lambda: (self.job(job_id), self.log()), longest_s)

    def await_progress(self, job_id: str, words: str) -> dict:
        """Wait until a running job says what this regular expression finds."""
        self.await_job(job_id, "running")

        def said() -> dict | None:
            job = self.job(job_id)
            if re.search(words, job["progress"]["message"]):
                return job
            assert job["status"] not in ENDED, (job, words)
            return None

        return until(said, lambda: self.job(job_id))

    def put_models_aside(self) -> None:
        """Give models names that nobody uses, so that their old ones are new again."""
        database = sqlite3.connect(self.data_dir / "demur.sqlite3", timeout=60)
        with closing(database), database:
            database.execute("UPDATE models SET name = hex(randomblob(16))")

    def train(self, request: dict, *, wait: bool = True, **headers: str) -> dict:
        """Post a training; return the job, ended when ``wait``."""
        answer = self.http.post("/train", json=request, headers=headers)
        assert answer.status_code == 202, answer.text
        job = answer.json()
        return self.await_job(job["id"]) if wait else job


def _runs(process: psutil.Process, command: str) -> bool:
    try:
        return command in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


@pytest.fixture(scope="session")
def service_type() -> type[Service]:
    """The class of services, for modules that start one in their own way."""
    return Service


StartService = Callable[..., Service]


@pytest.fixture
def start_service(tmp_path: Path) -> Iterator[StartService]:
    """Start services, each in a folder of its own; all are stopped at the end."""
    started: list[Service] = []

    def start(*arguments: str, **environment: str) -> Service:
        folder = tmp_path / f"service-{len(started)}"
        folder.mkdir()
        service = Service(folder, environment, arguments)
        started.append(service)
        return service.start()

    yield start
    for service in started:
        service.stop()


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """What ``server`` is to all modules of this process."""
    yield from _served(tmp_path_factory)


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """One running service with SQLite and no keys, and no model yet.

    Other modules have used it before: one that counts jobs or data sets has the mark
    ``own_server``, and a service that nothing has ever used.
    """
    if request.node.get_closest_marker("own_server"):
        yield from _served(tmp_path_factory)
        return
    shared: Service = request.getfixturevalue("shared_server")
    yield shared
    shared.put_models_aside()


def _served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = Service(tmp_path_factory.mktemp("server")).start()
    yield service
    service.stop()


@pytest.fixture(scope="session")
def postgres_server() -> str:
    """The URL of a PostgreSQL server, or the reason why there is none."""
    url = server_url()
    if url is None:
        required = os.environ.get("CI")
        reason = "no PostgreSQL at DEMUR_TEST_POSTGRES_URL or 127.0.0.1:5432"
        if required:
            pytest.fail(reason)
        pytest.skip(reason)
    return url


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """A fresh PostgreSQL database of the test's own."""
    with fresh_postgres(postgres_server) as url:
        yield url


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, on SQLite and on PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'database.sqlite3'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database with the tables of this version."""
    opened = open_database(database_url)
    migrate.upgrade(opened)
    yield opened
    opened.close()
