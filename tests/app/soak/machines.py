"""Machines without anything in common but a database and an object store.

Each is a namespace of processes and of mounts: it sees its own processes alone, and its
data folder is a disk that goes when it goes.
"""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import psutil
import pytest

from tests.app.conftest import Service

__all__ = ["Machine", "machine", "require_machines"]

_OWN = ("unshare", "--pid", "--fork", "--mount-proc", "--uts")
_BOOT = 'mount -t tmpfs none "$DEMUR_DATA_DIR" && { "$@" & wait $!; }'


class Machine(Service):
    """A service that is alone on its machine."""

    def _first(self) -> psutil.Process:
        """Return the process that the machine lives and dies with."""
        assert self.process is not None
        (first,) = psutil.Process(self.process.pid).children()
        return first

    def api(self) -> psutil.Process:
        """Return the process that answers."""
        (api,) = self._first().children()
        return api

    def kill(self) -> None:
        """End the machine with all that it runs and has on its disk."""
        below = self.descendants()
        self._first().kill()
        self.ended()
        psutil.wait_procs(below, timeout=60)

    def stop(self) -> int:
        """Stop the service, and with it the machine."""
        if self.process is None:
            return 0
        self.api().terminate()
        return self.ended()


def machine(folder: Path, environment: dict[str, str]) -> Machine:
    """Start a machine whose log is in a folder."""
    (folder / "disk").mkdir(parents=True)
    own = {**environment, "DEMUR_DATA_DIR": str(folder / "disk")}
    program = (*_OWN, "sh", "-c", _BOOT, "machine", sys.executable, "-m", "app.cli")
    made = Machine(folder, own, command=program)
    made.start()
    return made


@cache
def _why_not() -> str:
    try:
        tried = subprocess.run(
            [*_OWN, "sh", "-c", "mount -t tmpfs none /mnt"],
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError as error:
        return str(error)
    return tried.stderr.strip()


def require_machines() -> None:
    """Skip where namespaces cannot be made: it takes root, and Linux."""
    if reason := _why_not():
        pytest.skip(f"no machines of one's own here (user {os.getuid()}): {reason}")
