"""The worker: claim jobs, keep training processes, settle what they say, stop cleanly.

One thread does everything, a few times a second:

    hear the processes -> settle what they said -> beat, recover -> cancel, hold to
    their limits -> claim

Where a job may begin, a process that has imported everything stands by, so that the job
begins at once. What a process said is kept until the database has taken it: a database
that is away for a while loses nothing.
"""

import logging
import threading
from multiprocessing.connection import wait

from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from app.artifacts.store import ArtifactStore
from app.blobs.interface import Remote, StoreAwayError
from app.blobs.opening import address_of
from app.blobs.tidying import tidy
from app.datasets.store import DatasetStore
from app.db.base import utc_now
from app.db.session import Database
from app.db.states import JobKind, JobStatus
from app.db.tables import Job
from app.jobs.identity import own_identity
from app.journal.files import expire
from app.monitor.watch import expire as expire_counts
from app.monitor.watch import watch
from app.reviews import sweep as reviews
from app.settings import Settings
from app.timer import Timer
from app.worker import finish, recovery
from app.worker.bounds import Bounds
from app.worker.claim import Claim, claim, queued
from app.worker.compiled import cache_environment
from app.worker.limits import THREAD_LIMITS
from app.worker.messages import Begin, Cancelled, Failed, Planned
from app.worker.outcome import keep, settle
from app.worker.parts import attend_all, is_divided
from app.worker.process import TrainingProcess
from app.worker.scoring import child_settings
from app.worker.sweep import sweep, sweep_after, sweep_datasets, writer

__all__ = ["PIPELINE", "Worker"]

log = logging.getLogger(__name__)

PIPELINE = "app.worker.fit.pipeline:run"
TICK_S = 0.1
LOOK_EVERY_S = 0.2
NOTE_EVERY_S = 0.4
BEAT_EVERY_S = 2.0
RECOVER_EVERY_S = 3.0
SWEEP_EVERY_S = 600.0
WATCH_EVERY_S = 30.0
DUE_EVERY_S = 5.0
PARTS_EVERY_S = 0.5
AWAY_S = 1.0


class Worker:
    """One worker and its training processes; a context that enters and leaves.

    Parameters
    ----------
    settings : Settings
    database : Database
        With the tables of this version.
    stopping : threading.Event
        Ends ``run`` when it is set.
    run_path : str
        ``module:function`` of the training pipeline.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        stopping: threading.Event,
        run_path: str = PIPELINE,
    ) -> None:
        self.database, self.stopping = database, stopping
        self.settings, self.run_path = settings, run_path
        self.store = ArtifactStore(settings.artifacts_dir)
        self.datasets = DatasetStore(settings.datasets_dir)
        self.environment = {
            **THREAD_LIMITS,
            **cache_environment(settings.data_dir),
            "DEMUR_SEARCH_JOBS": str(settings.search_jobs),
            "DEMUR_CLUSTER": settings.cluster,
            "DEMUR_CLUSTER_TLS": ",".join(settings.cluster_tls),
        }
        self.busy: list[tuple[Claim, TrainingProcess]] = []
        self.divided: list[Claim] = []
        self.standby: TrainingProcess | None = None
        self._look, self._note = Timer(LOOK_EVERY_S), Timer(NOTE_EVERY_S)
        self._beat, self._recover = Timer(BEAT_EVERY_S), Timer(RECOVER_EVERY_S)
        self._sweep, self._watch = Timer(SWEEP_EVERY_S), Timer(WATCH_EVERY_S)
        self._due, self._parts = Timer(DUE_EVERY_S), Timer(PARTS_EVERY_S)
        with database.write() as session:
            self.id = recovery.enter(session, own_identity())
        self.watch = recovery.Watch(self.id)

    def run(self) -> None:
        """Work until ``stopping`` is set; then give back what is not done.

        A worker that fails instead leaves its jobs ``running``: whoever comes next
        finds them, and counts the attempt.
        """
        log.info("worker %s takes jobs", self.id)
        try:
            while not self.stopping.is_set():
                self._round()
        except BaseException:
            for process in self._processes:
                process.close()
            raise
        self._leave()

    @property
    def _processes(self) -> list[TrainingProcess]:
        """Return those that have a job, and the one that stands by."""
        busy = [process for _, process in self.busy]
        return busy if self.standby is None else [*busy, self.standby]

    def _round(self) -> None:
        if self.standby is None and len(self.busy) < self.settings.job_concurrency:
            self.standby = TrainingProcess(self.run_path, self.environment)
        self._hear()
        try:
            self._settle()
            self._attend_to_workers()
            if self.divided and self._parts.due():
                attend_all(self.database, self.settings, self.divided)
            if self._look.due():
                self._cancel_what_was_asked()
                self._hold_to_limits()
                self._claim()
        except OperationalError as error:
            log.warning("the database does not answer: %s", error.orig)
            self.stopping.wait(AWAY_S)
        except StoreAwayError as error:
            log.warning("%s; what needed it is done later", error)

    def _hear(self) -> None:
        """Wait a moment for any process to say something, and take it in."""
        processes = self._processes
        alive = [p.connection for p in processes if p.last_word is None]
        if not wait(alive, TICK_S):
            return
        for process in processes:
            process.hear()
        if self.standby is not None and self.standby.last_word is not None:
            log.error("a training process ended before it had a job")
            self.standby.close()
            self.standby = None
            self.stopping.wait(AWAY_S)

    def _settle(self) -> None:
        """Write down how far jobs are, and end those whose process has ended."""
        for held, process in list(self.busy):
            with recovery.later_if_held(f"job {held.job_id}"):
                keep(self.database, held, process.kept)
                if process.last_word is not None:
                    settle(self.database, held, process.last_word)
                    if isinstance(process.last_word, Planned):
                        self.divided.append(held)
                    self._drop(held, process)
        news = [(held, p) for held, p in self.busy if p.progress is not None]
        if news and self._note.due():
            with self.database.write() as session:
                free = finish.free(session, (held for held, _ in news))
                for held, process in news:
                    if held.job_id not in free:
                        continue
                    now, process.progress = process.progress, None
                    if now is not None:
                        finish.note_progress(session, held, now.fraction, now.message)

    def _drop(self, held: Claim, process: TrainingProcess) -> None:
        """Let a process whose job is over stand by; sweep up what the job left."""
        self.busy.remove((held, process))
        if self.standby is None and not self.stopping.is_set() and process.rest():
            self.standby = process
        else:
            process.close()
        sweep_after(self.store, held)

    def _attend_to_workers(self) -> None:
        """Show that we live, and settle what dead workers held."""
        settings = self.settings
        if self._beat.due():
            with (
                recovery.later_if_held(f"worker {self.id}"),
                self.database.write() as session,
            ):
                if not recovery.beat(session, self.id):
                    # a long silence: others have our jobs now
                    self.id = recovery.enter(session, own_identity())
                    self.watch = recovery.Watch(self.id)
        if self._recover.due() and (living := self.watch.recover(self.database)):
            sweep(self.database, self.store, living)
        if self._sweep.due():
            sweep_datasets(self.database, self.datasets)
            log_dir, days = settings.prediction_log_dir, settings.prediction_log_days
            expire(log_dir, utc_now().date(), days)  # also where the log is off by now
            if isinstance(settings.place, Remote):
                tidy(settings.place)
            reviews.forget(self.database)
            with self.database.write() as session:
                expire_counts(session, utc_now())
        if self._due.due():
            reviews.answer_due(self.database)
        if self._watch.due():
            with self.database.write() as session:
                watch(session, self.store, utc_now())

    def _cancel_what_was_asked(self) -> None:
        """Stop the processes whose job was cancelled, or is no longer ours."""
        if not self.busy:
            return
        ours = [held.job_id for held, _ in self.busy]
        with self.database.read() as session:
            rows = session.execute(
                select(Job.id, Job.worker_id, Job.attempts, Job.cancel_requested).where(
                    Job.id.in_(ours), Job.status == JobStatus.RUNNING
                )
            )
            running = {row.id: row for row in rows}
        for held, process in list(self.busy):
            row = running.get(held.job_id)
            expected = (held.worker_id, held.attempt)
            if row is None or (row.worker_id, row.attempts) != expected:
                log.warning("job %s is no longer ours", held.job_id)
                self._drop(held, process)
            elif row.cancel_requested:
                process.stop(Cancelled())

    def _hold_to_limits(self) -> None:
        """End the processes that take more time or memory than they may have."""
        for held, process in self.busy:
            bounds = Bounds.of(self.settings, held.max_seconds)
            if process.last_word is not None:
                continue
            if (error := bounds.overweight(process.pid)) is not None:
                process.put_down(Failed(error.problem()))
            elif (error := bounds.overtime(process.ran_s)) is not None:
                process.stop(Failed(error.problem()))

    def _claim(self) -> None:
        """Give a waiting job to the process that stands by."""
        full = len(self.busy) >= self.settings.job_concurrency
        if full or self.standby is None or not self.standby.ready:
            return  # a request may be larger than the pipe to a process that imports
        with self.database.read() as session:
            if not queued(session):
                return
        with self.database.write() as session:
            held = claim(session, self.id)
            divided = held is not None and is_divided(session, held.job_id)
        if held is None:
            return
        log.info("job %s: attempt %d", held.job_id, held.attempt)
        if divided:
            self.divided.append(held)
            return
        process, self.standby = self.standby, None
        self.busy.append((held, process))
        process.begin(
            held.body,
            Begin(
                address_of(self.store.place),
                address_of(self.datasets.place),
                writer(held),
                self.settings.max_job_memory_bytes,
                None if held.kind == JobKind.TRAIN else child_settings(self.settings),
                held.plan,
                held.figures,
            ),
        )

    def _leave(self) -> None:
        """End every process; queue again what they had not finished."""
        cut_off = [held for held, process in self.busy if process.last_word is None]
        for process in self._processes:
            if process.last_word is None:
                process.close()
        try:
            with self.database.write() as session:
                for held in [*cut_off, *self.divided]:
                    finish.give_back(session, held, "its worker stopped", counts=False)
            self._settle()
            with self.database.write() as session:
                recovery.leave(session, self.id)
        except OperationalError as error:
            log.warning("left without a word, others will see it: %s", error.orig)
