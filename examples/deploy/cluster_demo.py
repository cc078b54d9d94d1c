"""Demur on many machines, shown with processes of one: ``make cluster-demo``.

Brings up a PostgreSQL database, an S3 server, a Dask scheduler with two workers, two
APIs and two workers of Demur, none of which share a folder. Then it trains, searches,
decides files and has a person review, and kills one of each on the way. Everything is
stopped and removed at the end. Exits 0 only when every answer was as it should be.
"""

import io
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
import numpy as np
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs
from sklearn.datasets import load_breast_cancer

ROOT = Path(__file__).parents[2]
MOTO = ROOT / ".venv-objects" / "bin" / "moto_server"
SERVERS = (
    os.environ.get("DEMUR_TEST_POSTGRES_URL", ""),
    "postgresql://postgres@127.0.0.1:5432/postgres",
    "postgresql://root@127.0.0.1:5432/postgres",
)
BUCKET = "demur"
PATIENCE_S = 300
COSTS = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.5,
    "reject_negative": 0.2,
}
KEYS = {
    "AWS_ACCESS_KEY_ID": "demo",
    "AWS_SECRET_ACCESS_KEY": "demo",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


class WrongError(Exception):
    """An answer that is not as it should be."""


def require(true: object, told: object = "an answer is not as it should be") -> None:
    """Go on where something is true."""
    if not true:
        raise WrongError(told)


def main() -> int:
    """Run the demonstration; return the exit status."""
    if not MOTO.exists():
        print("there is no S3 server to start: make objects")
        return 1
    server = next(filter(reachable, SERVERS), None)
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


def show(machines: "Machines") -> None:
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
    machines: "Machines",
    second: httpx.Client,
    columns: list[str],
    rows: list[list[float]],
) -> None:
    """Decide files by the model, and have a person look at what it rejects."""
    say("4. Files of the bucket are decided as a job; rejects go to people.")
    policy = {"audit": None, "second_opinion": None}
    second.put("/models/tumours/review", json=policy).raise_for_status()
    count = machines.put_files(columns, rows)
    scoring = {
        "model": "tumours:1",
        "source": {"kind": "url", "url": f"s3://{BUCKET}/files/in"},
        "target": f"s3://{BUCKET}/files/out",
        "part_rows": 1000,
        "review": True,
    }
    result = ended(second, post(second, "/jobs/score", scoring))["result"]
    require(result["rows"] == count)
    opened = machines.decided()
    rejected = [row for row in opened if row["demur_decision"] == "reject"]
    require(len(opened) == count)
    require(len({row["demur_case"] for row in rejected}) == result["rejected"] > 0)
    say(f"   {result['rows']} rows in {result['parts']} parts, {result['rejected']} of")
    say("   them rejected, each with a case of its own.")

    say("5. A person takes a case and gives a verdict.")
    claim = post(second, "/claims", {"model": "tumours"}, 201)
    verdict = {"token": claim["token"], "label": "malignant", "sure": 0.9}
    post(second, f"/claims/{claim['id']}/verdict", verdict, 201)
    changes = second.get("/cases/changes").raise_for_status().json()["changes"]
    require([one["label"] for one in changes] == ["malignant"])
    say(f"   Row {changes[0]['reference'].rpartition('/')[2]} of a part is decided by")
    say("   a person; the caller hears of it by GET /cases/changes.")


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
        self.s3 = f"127.0.0.1:{s3}"
        place = f"?endpoint_override={self.s3}&scheme=http"
        self.start("S3 server", MOTO, "-H", "127.0.0.1", "-p", s3)
        until(self.made_bucket)
        say("PostgreSQL has a fresh database, an S3 server has an empty bucket.")
        self.environment |= {
            "DEMUR_STORE": f"s3://{BUCKET}/store{place}",
            "DEMUR_SCORE_PLACES": f"s3://{BUCKET}/files{place}",
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

    def made_bucket(self) -> bool:
        """Make the bucket; tell whether it is there."""
        with suppress(httpx.TransportError):
            return httpx.put(f"http://{self.s3}/{BUCKET}").status_code == 200
        return False

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

    def files(self) -> fs.FileSystem:
        """Return the bucket as a file system."""
        return fs.S3FileSystem(
            endpoint_override=self.s3,
            scheme="http",
            access_key="demo",
            secret_key="demo",  # noqa: S106 - of a server that is made here
            region="us-east-1",
        )

    def put_files(self, columns: list[str], rows: list[list[float]]) -> int:
        """Write two files of Parquet to the bucket; return how many rows they have."""
        drawn = np.random.default_rng(0)
        rows_of_a_file = 4000
        for number in (1, 2):
            taken = drawn.choice(np.array(rows), rows_of_a_file)
            taken = taken * drawn.normal(1.0, 0.01, taken.shape)
            table = pa.table(dict(zip(columns, taken.T, strict=True)))
            out = io.BytesIO()
            pq.write_table(table, out, row_group_size=500)
            name = f"{BUCKET}/files/in/{number}.parquet"
            with self.files().open_output_stream(name) as stream:
                stream.write(out.getvalue())
        return 2 * rows_of_a_file

    def decided(self) -> list[dict[str, object]]:
        """Return the decisions of all parts that the target holds."""
        wanted = ["demur_decision", "demur_case"]
        found = self.files().get_file_info(fs.FileSelector(f"{BUCKET}/files/out"))
        tables = [
            pq.read_table(one.path, filesystem=self.files(), columns=wanted)
            for one in found
            if one.extension == "parquet"
        ]
        return list(pa.concat_tables(tables).to_pylist())


def tumours() -> tuple[list[str], list[list[float]], list[str]]:
    """Return columns, rows and labels."""
    data = load_breast_cancer()
    labels = [str(data.target_names[code]) for code in data.target]
    return list(map(str, data.feature_names)), data.data.tolist(), labels


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


def until(come: Callable) -> object:
    """Return what ``come`` returns, once that is true."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if found := come():
            return found
        time.sleep(0.1)
    msg = f"what was waited for did not come within {PATIENCE_S} s"
    raise TimeoutError(msg)


if __name__ == "__main__":
    sys.exit(main())
