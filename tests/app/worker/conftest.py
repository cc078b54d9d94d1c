"""A real worker process whose trainings behave as each test needs them to."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest
from sqlalchemy import select

from app.db.session import Database
from app.db.tables import Job, JobInput, ModelVersion
from app.jobs import service
from tests.waiting import until

HERE = Path(__file__).parent
START = (
    "import sys; from app.environment import load_settings;"
    "from app.worker.main import run; from app import logs; logs.set_up('info');"
    "sys.exit(run(load_settings(), supervised=sys.argv[1] == 'yes',"
    " run_path='injected_runs:by_request'))"
)


@dataclass
class Bench:
    """A database, a data folder, and workers on them."""

    database: Database
    data_dir: Path
    workers: list[subprocess.Popen] = field(default_factory=list)

    def start(self, *, concurrency: int = 1, supervised: bool = False, **settings):
        """Start a worker process; ``settings`` are named as in ``Settings``."""
        chosen = {f"DEMUR_{key.upper()}": str(value) for key, value in settings.items()}
        self.data_dir.mkdir(exist_ok=True)
        paths = os.pathsep.join([str(HERE), str(HERE.parents[2])])
        url = self.database.engine.url.render_as_string(hide_password=False)
        worker = subprocess.Popen(
            [sys.executable, "-c", START, "yes" if supervised else "no"],
            env={
                **os.environ,
                "PYTHONPATH": paths,
                "DEMUR_DATA_DIR": str(self.data_dir),
                "DEMUR_DATABASE_URL": url,
                "DEMUR_JOB_CONCURRENCY": str(concurrency),
                **chosen,
            },
            cwd=self.data_dir,
            stdin=subprocess.PIPE,
        )
        self.workers.append(worker)
        return worker

    def queue(self, do: str, model: str = "m", terms=None, **request) -> str:
        """Queue a job that does as its request says; return its id."""
        with self.database.write() as session:
            body = json.dumps({"do": do, **request}).encode()
            return service.enqueue(
                session, model=model, request_body=body, **(terms or {})
            ).id

    def job(self, job_id: str) -> Job:
        with self.database.read() as session:
            return session.scalars(select(Job).where(Job.id == job_id)).one()

    def until(self, job_id: str, *statuses: str) -> Job:
        """Wait until the job is in one of the states (default: ended)."""
        wanted = statuses or ("succeeded", "failed", "cancelled")
        return self._once(job_id, lambda job: job.status in wanted)

    def until_reported(self, job_id: str) -> Job:
        """Wait until the training itself has reported progress."""
        return self._once(job_id, lambda job: job.progress_fraction > 0)

    def _once(self, job_id: str, true: Callable[[Job], bool]) -> Job:
        def come() -> Job | None:
            job = self.job(job_id)
            return job if true(job) else None

        return until(come, lambda: self.job(job_id).progress_message)

    def cancel(self, job_id: str) -> None:
        with self.database.write() as session:
            service.cancel(session, job_id)

    def versions(self) -> list[tuple[int, str | None]]:
        with self.database.read() as session:
            rows = session.execute(
                select(ModelVersion.version, ModelVersion.job_id).order_by(
                    ModelVersion.version
                )
            )
            return [tuple(row) for row in rows]

    def inputs(self) -> int:
        with self.database.read() as session:
            return len(session.scalars(select(JobInput.job_id)).all())

    def files(self) -> list[str]:
        return sorted(p.name for p in (self.data_dir / "artifacts").glob("*"))


def children(worker: subprocess.Popen) -> list[psutil.Process]:
    """Return the training processes of a worker."""
    return psutil.Process(worker.pid).children()


def busy_child(worker: subprocess.Popen) -> psutil.Process:
    """Return the oldest training process: the one that has the job."""
    return min(children(worker), key=lambda process: process.create_time())


@pytest.fixture
def bench(database: Database, tmp_path: Path) -> Iterator[Bench]:
    """Workers on an empty database; all are killed at the end."""
    made = Bench(database, tmp_path / "data")
    yield made
    for worker in made.workers:
        if worker.poll() is None:
            victims = [*children(worker)]
            worker.kill()
            worker.wait()
            for victim in victims:
                with suppress(psutil.NoSuchProcess):
                    victim.kill()
        if worker.stdin is not None:
            worker.stdin.close()


@pytest.fixture
def child_of() -> Callable[[subprocess.Popen], psutil.Process]:
    """How a test finds the training process that has the job."""
    return busy_child
