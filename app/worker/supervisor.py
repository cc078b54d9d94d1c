"""Keep one worker process alive beside the API.

The worker's standard input is a pipe that nobody writes to: it ends when this process
is gone, however it went, and the worker then stops too. A worker that dies is started
again, sooner the longer it had lived.
"""

import logging
import subprocess
import sys
import threading
import time
from typing import Self

__all__ = ["Supervisor"]

log = logging.getLogger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S, HEALTHY_S = 0.2, 10.0, 30.0
STOP_S = 10.0
COMMAND = (sys.executable, "-m", "app.cli", "worker", "--supervised")


class Supervisor:
    """A context in which a worker runs."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="worker-supervisor")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _keep(self) -> None:
        pause = FIRST_PAUSE_S
        while not self._stopping.is_set():
            began = time.monotonic()
            process = subprocess.Popen(  # noqa: S603 # nosec B603 # a constant
                COMMAND, stdin=subprocess.PIPE
            )
            while process.poll() is None and not self._stopping.wait(0.1):
                pass
            if self._stopping.is_set():
                self._end(process)
                return
            lived = time.monotonic() - began
            pause = FIRST_PAUSE_S if lived > HEALTHY_S else pause
            log.error(
                "the worker ended with status %s after %.0f s; starting another",
                process.returncode,
                lived,
            )
            self._stopping.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_S)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
