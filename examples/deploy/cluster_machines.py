"""The processes of the cluster demonstration, and its database."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import psycopg
from cluster_files import KEYS, Bucket

__all__ = [
    "MOTO",
    "Machines",
    "WrongError",
    "database_server",
    "require",
    "say",
    "until",
]

ROOT = Path(__file__).parents[2]
MOTO = ROOT / ".venv-objects" / "bin" / "moto_server"
SERVERS = (
    os.environ.get("DEMUR_TEST_POSTGRES_URL", ""),
    "postgresql://postgres@127.0.0.1:5432/postgres",
    "postgresql://root@127.0.0.1:5432/postgres",
)
PATIENCE_S = 300


class WrongError(Exception):
    """An answer that is not as it should be."""


def require(true: object, fault: object = "an answer is not as it should be") -> None:
    """Go on where something is true."""
    if not true:
        raise WrongError(fault)


class Machines:
    """All processes, and the database."""

    def __init__(self, stack: ExitStack, server: str) -> None:
        self.folder = Path(
            stack.enter_context(tempfile.TemporaryDirectory(prefix="demur-cluster-"))
        )
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        stack.callback(self.stop)
        database = create_database(stack, server)
        s3, dask = free_port(), free_port()
        self.environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("DEMUR_")},
            **KEYS,
            "DEMUR_DATABASE_URL": database,
        }
        self.bucket = Bucket(f"127.0.0.1:{s3}")
        self.start("S3 server", MOTO, "-H", "127.0.0.1", "-p", s3)
        until(self.bucket.made)
        say("PostgreSQL has a fresh database, an S3 server has an empty bucket.")
        self.environment |= {
            "DEMUR_STORE": self.bucket.place("store"),
            "DEMUR_SCORE_PLACES": self.bucket.place("files"),
            "DEMUR_CLUSTER": f"tcp://127.0.0.1:{dask}",
        }
        plain = ("--no-dashboard", "--dashboard-address", "127.0.0.1:0")
        host = ("--host", "127.0.0.1", "--port", dask)
        self.python("Dask scheduler", "distributed.cli.dask_scheduler", *host, *plain)
        for number in (1, 2):
            name = f"Dask worker {number}"
            own = ("--nthreads", 1, "--no-nanny", "--local-directory", self.folder)
            address = self.environment["DEMUR_CLUSTER"]
            worker = "distributed.cli.dask_worker"
            self.python(name, worker, address, *own, *plain)
        self.python("migration", "app.cli", "migrate")
        require(self.running.pop("migration").wait(PATIENCE_S) == 0, self.logs())
        for number in (1, 2):
            serve = ("serve", "--no-worker", "--port", 0)
            self.python(f"API {number}", "app.cli", *serve)
            self.python(f"worker {number}", "app.cli", "worker")
        say(
            "A Dask scheduler, two Dask workers, two APIs and two workers are starting."
        )

    def python(self, name: str, module: str, *arguments: object) -> None:
        """Start a module as a process, with a data folder of its own."""
        self.start(name, sys.executable, "-m", module, *arguments)

    def start(self, name: str, *command: object) -> None:
        """Start a process; what it says is in a file of its name."""
        own = {"DEMUR_DATA_DIR": str(self.folder / f"{name} data")}
        with (self.folder / name).open("ab") as log:
            self.running[name] = subprocess.Popen(  # noqa: S603 - our own
                list(map(str, command)),
                cwd=ROOT,
                env={**self.environment, **own},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def api(self, name: str) -> httpx.Client:
        """Return a client of an API, once that is ready."""

        def ready() -> str | None:
            line = (self.folder / name).read_text()
            _, there, rest = line.partition("http://")
            url = f"http://{rest.split()[0]}" if there and "\n" in rest else ""
            with suppress(httpx.TransportError):
                if url and httpx.get(f"{url}/readyz").status_code == 200:
                    return url
            return None

        return httpx.Client(base_url=until(ready), timeout=60)

    def holder(self, job_id: str) -> str:
        """Return the worker that has begun a job."""
        (name,) = (
            name
            for name in ("worker 1", "worker 2")
            if f"job {job_id}: attempt 1" in (self.folder / name).read_text()
        )
        return name

    def kill(self, name: str) -> None:
        """End a process at once, as a machine that loses its power."""
        process = self.running.pop(name)
        process.kill()
        process.wait()

    def stop(self) -> None:
        """End all that still runs."""
        for process in self.running.values():
            process.terminate()
        for process in self.running.values():
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def logs(self) -> str:
        """Return the ends of what processes said."""
        files = [path for path in self.folder.iterdir() if path.is_file()]
        return "\n".join(f"{path.name}: {path.read_text()[-1500:]}" for path in files)


def database_server() -> str | None:
    """Return the first PostgreSQL server that lets us in."""
    return next(filter(reachable, SERVERS), None)


def reachable(server: str) -> bool:
    """Tell whether a PostgreSQL server lets us in."""
    if not server:
        return False
    with (
        suppress(psycopg.OperationalError),
        psycopg.connect(plain(server), connect_timeout=3),
    ):
        return True
    return False


def plain(url: str) -> str:
    """Return the address of a database as its own library writes it."""
    return url.replace("+psycopg", "", 1)


def create_database(stack: ExitStack, server: str) -> str:
    """Make a database that goes at the end; return its address."""
    name = f"demur_demo_{uuid.uuid4().hex[:12]}"

    def ask(statement: str) -> None:
        with psycopg.connect(plain(server), autocommit=True) as connection:
            connection.execute(statement.encode())

    ask(f'CREATE DATABASE "{name}"')
    stack.callback(ask, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
    return f"postgresql+psycopg{plain(server)[10:].rpartition('/')[0]}/{name}"


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def say(text: str) -> None:
    """Print a line at once."""
    print(text, flush=True)


def until(look: Callable) -> object:
    """Return what ``look`` returns, once that is true."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.1)
    msg = f"what was waited for did not come within {PATIENCE_S} s"
    raise TimeoutError(msg)
