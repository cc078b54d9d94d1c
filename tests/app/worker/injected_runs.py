"""Training functions for the worker's tests, each with one way to behave."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

from app.errors import FieldError, InvalidRequestError
from solvers.errors import InfeasibleRuleError, Interrupted


@dataclass
class Trained:
    artifact: dict
    summary: dict
    warnings: list = field(default_factory=list)


def by_request(request, progress, datasets, plan, kept):
    """Do what the request says."""
    return BEHAVIOURS[request["do"]](request, progress)


def succeed(request, progress):
    progress(0.5, "half")
    artifact = {"format": 1, "weights": np.arange(5.0) * request.get("scale", 1)}
    return Trained(artifact, {"trainer": {"kind": "test"}, "lower": -float("inf")})


def wait_for_order(request, progress):
    """Report progress until told to stop, as a solver does."""
    began = time.monotonic()
    while time.monotonic() - began < request.get("seconds", 60):
        fraction = (time.monotonic() - began) / request.get("seconds", 60)
        if not progress(fraction, f"step {fraction:.3f}"):
            raise Interrupted
        time.sleep(0.01)
    return succeed(request, progress)


def hear_nothing(request, progress):
    """Never ask whether to stop; the message tells which process it is."""
    progress(0.1, f"deaf from here on: {os.getpid()}")
    time.sleep(60)


def exit_badly(request, progress):
    os._exit(3)


def be_killed(request, progress):
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def segfault(request, progress):
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(60)


def refuse(request, progress):
    place = FieldError("/data/rows/3/0", "no number", 3, "a")
    msg = "row 3, column 'a': no number"
    raise InvalidRequestError(msg, [place])


def fail_in_solver(request, progress):
    msg = "no threshold satisfies the limit"
    raise InfeasibleRuleError(msg)


def fail_unforeseen(request, progress):
    msg = "patient 4711 has value 12"
    raise RuntimeError(msg)


def run_out_of_memory(request, progress):
    raise MemoryError


def sign(request, progress):
    """Leave a line on a sheet, so that every run is counted."""
    # The parent was forked to serve jobs; its own parent is the worker.
    worker = psutil.Process(os.getppid()).ppid()
    line = f"{request['name']} {worker}\n".encode()
    sheet = os.open(request["sheet"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(sheet, line)
    os.close(sheet)
    time.sleep(0.05)
    return succeed(request, progress)


def leave_behind(request, progress):
    """Start a process that nobody waits for; say its number on a sheet."""
    left = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(request["sheet"]).write_text(str(left.pid))
    return succeed(request, progress)


def leap(request, progress):
    """Ask for far more memory than there is to be had, at once."""
    return np.ones(request["bytes"], dtype=np.uint8)


def grow(request, progress):
    """Take more memory step by step."""
    held = []
    while progress(0.1, f"{len(held)} blocks"):
        held.append(np.ones(8 * 2**20, dtype=np.uint8))
        time.sleep(0.02)


def alone(request, progress):
    """Train for a while; leave a mark when another run of the same job still lives."""
    folder, name = Path(request["folder"]), request["name"]
    for sheet in folder.glob(f"{name}.*"):
        if _lives(int(sheet.suffix[1:]), sheet.read_text()):
            (folder / f"twice-{name}").touch()
    own = psutil.Process()
    (folder / f"{name}.{own.pid}").write_text(str(own.create_time()))
    return wait_for_order(request, progress)


def _lives(pid, began):
    """Tell whether this very process still runs; a zombie does not."""
    try:
        process = psutil.Process(pid)
        return (
            str(process.create_time()) == began
            and process.status() != psutil.STATUS_ZOMBIE
        )
    except psutil.NoSuchProcess:
        return False


EATER = "import time; x = b'x' * 250_000_000; time.sleep(60)"


def grow_elsewhere(request, progress):
    """Let other processes take the memory, each a part of it."""
    eaters = [subprocess.Popen([sys.executable, "-c", EATER]) for _ in range(2)]
    progress(0.1, "watching")
    return [eater.wait() for eater in eaters]


def pickle_something(request, progress):
    return Trained({"rule": Trained({}, {})}, {})


BEHAVIOURS = {
    f.__name__: f
    for f in (
        succeed,
        wait_for_order,
        hear_nothing,
        exit_badly,
        be_killed,
        segfault,
        refuse,
        fail_in_solver,
        fail_unforeseen,
        run_out_of_memory,
        sign,
        leap,
        grow,
        grow_elsewhere,
        leave_behind,
        pickle_something,
        alone,
    )
}
