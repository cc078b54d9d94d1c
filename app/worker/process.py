"""A training process as its worker sees it: started early, given a job, heard out.

Starting early hides the seconds that its imports take, and so does giving it the next
job when one is done. Killing it is always safe: all that it has written before its last
word is a file nobody knows of.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing import Pipe

from app.errors import TrainingCrashedError
from app.worker.messages import (
    Begin,
    Cancel,
    Cancelled,
    Failed,
    Kept,
    LastWord,
    Progress,
    Ready,
    decode_from_child,
    send,
)

__all__ = ["LastWord", "TrainingProcess"]

GRACE_S = 0.4


class TrainingProcess:
    """One process, idle until it is given a job, and again after it.

    Parameters
    ----------
    run_path : str
        ``module:function`` of the training pipeline.
    environment : dict
        Variables that are set for the process.
    """

    def __init__(self, run_path: str, environment: dict[str, str]) -> None:
        self.connection, theirs = Pipe()
        with theirs:
            arguments = [str(theirs.fileno()), str(os.getpid()), run_path]
            self._process = subprocess.Popen(  # noqa: S603 # nosec B603 # our own
                [sys.executable, "-m", "app.worker.child", *arguments],
                stdin=subprocess.DEVNULL,
                env={**os.environ, **environment},
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self.ready = False
        self.progress: Progress | None = None
        self.kept: list[Kept] = []
        self.last_word: LastWord | None = None
        self._began_s = time.monotonic()
        self._stopped_at_s: float | None = None
        self._verdict: LastWord = Cancelled()
        self._spoke = False

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    @property
    def ran_s(self) -> float:
        """Seconds since it was given its job."""
        return time.monotonic() - self._began_s

    def begin(self, body: bytes, job: Begin) -> None:
        """Give the process its job; a dead one is noticed when it is heard."""
        self._began_s = time.monotonic()
        with suppress(OSError):
            send(self.connection, job)
            self.connection.send_bytes(body)

    def hear(self) -> None:
        """Take in everything that the process has said; notice its death."""
        try:
            while self.last_word is None and self.connection.poll():
                self._take(self.connection.recv_bytes())
        except (EOFError, OSError):
            self.last_word = self._obituary()

    def _take(self, frame: bytes) -> None:
        message = decode_from_child(frame)
        if isinstance(message, Ready):
            self.ready = True
        elif isinstance(message, Progress):
            self.progress = message
        elif isinstance(message, Kept):
            self.kept.append(message)
        else:
            cancelled = isinstance(message, Cancelled)
            self.last_word = self._verdict if cancelled else message
            self._spoke = True

    def _obituary(self) -> LastWord:
        """Say what the process died of."""
        if self._stopped_at_s is not None:
            return self._verdict
        try:
            status = self._process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self.kill()
            status = self._process.returncode
        return Failed(TrainingCrashedError(_cause(status)).problem())

    def stop(self, verdict: Cancelled | Failed) -> None:
        """Ask for a stop, and kill the process when it takes too long to obey.

        To be called again until there is a last word: the first ``verdict``, or what
        the process has reached meanwhile.
        """
        now_s = time.monotonic()
        if self._stopped_at_s is None:
            self._stopped_at_s, self._verdict = now_s, verdict
            with suppress(OSError):
                send(self.connection, Cancel())
        elif now_s - self._stopped_at_s > GRACE_S and self.last_word is None:
            self.kill()
            self.last_word = self._verdict

    def put_down(self, verdict: Failed) -> None:
        """Kill the process at once, for this reason."""
        if self.last_word is None:
            self.kill()
            self.last_word = verdict

    def rest(self) -> bool:
        """Wait for the next job, if the last one ended by its own word."""
        if self._process.poll() is not None or not self._spoke:
            return False
        self.ready = self._spoke = False
        self.progress = self.last_word = self._stopped_at_s = None
        self.kept = []
        self._verdict = Cancelled()
        return True

    def kill(self) -> None:
        """End the process, and all that it started, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def close(self) -> None:
        """Let go of the process; what still lives is killed."""
        self.kill()
        self.connection.close()


def _cause(status: int) -> str:
    if status == -signal.SIGKILL:
        return (
            "the training process was killed (SIGKILL), most often because the machine "
            "ran out of memory: train on fewer rows or with less cache"
        )
    if status < 0:
        return f"the training process died of {signal.Signals(-status).name}"
    return f"the training process ended with status {status} and without a result"
