"""A peer's processes: started, known to answer rightly, and all of them stopped."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from tests.benchmarks.peers.servers import (
    BIN,
    COLUMNS,
    HERE,
    NotStartedError,
    Peer,
    Values,
    free_port,
    last_words,
)

__all__ = ["Running", "cpu_s_of", "running"]

_PATIENCE_S = 180.0
_STOPPING_S = 20.0


@dataclass(frozen=True)
class Running:
    """A peer that answers."""

    peer: Peer
    port: int
    process: psutil.Process
    version: str
    log: Path

    def body(self, values: Values) -> bytes:
        """Return a request's body as this peer wants it."""
        return json.dumps(self.peer.body(COLUMNS, values)).encode()

    def cpu_s(self) -> float:
        """Return the seconds of processor time that all its processes have used."""
        return cpu_s_of(self.process)


def cpu_s_of(process: psutil.Process) -> float:
    """Return the seconds that a process and all below it have used."""
    spent = 0.0
    for one in [process, *process.children(recursive=True)]:
        with suppress(psutil.NoSuchProcess):
            used = one.cpu_times()
            spent += used.user + used.system
    return spent


@contextmanager
def running(
    peer: Peer,
    folder: Path,
    values: Values,
    labels: list[int],
    patience_s: float = _PATIENCE_S,
) -> Iterator[Running]:
    """Start a peer, and wait until it gives these rows these labels.

    Raises
    ------
    NotStartedError
        When it is not installed, does not start, or answers wrongly.
    """
    folder.mkdir(parents=True)
    model = folder / "model"
    if peer.form is not None:
        _say([peer.python, str(HERE / "fit.py"), peer.form, str(model)], folder)
    port = free_port()
    log = folder / "log.txt"
    with log.open("wb") as lines:
        process = subprocess.Popen(
            peer.command(folder, port),
            cwd=folder,
            env=_environment(model),
            stdin=subprocess.DEVNULL,
            stdout=lines,
            stderr=lines,
            start_new_session=True,
        )
    tree = psutil.Process(process.pid)
    try:
        found = Running(peer, port, tree, _version(peer, folder), log)
        _await_labels(found, process, values, labels, patience_s)
        yield found
    finally:
        _stop(process)


def _environment(model: Path) -> dict[str, str]:
    quiet = {
        "BENTOML_DO_NOT_TRACK": "True",
        "DO_NOT_TRACK": "true",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "UVICORN_ACCESS_LOG": "false",  # MLflow starts uvicorn by its command line
    }
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, **quiet, "PATH": path, "PEER_MODEL": str(model)}


def _say(command: list[str], folder: Path) -> str:
    """Return what a command prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=_environment(folder / "model"),
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
    )
    if done.returncode:
        raise NotStartedError(last_words(done.stderr))
    return done.stdout.strip()


def _version(peer: Peer, folder: Path) -> str:
    if peer.package is None:
        return ""
    ask = f"from importlib.metadata import version; print(version({peer.package!r}))"
    return _say([peer.python, "-c", ask], folder)


def _await_labels(
    found: Running,
    process: subprocess.Popen[bytes],
    values: Values,
    labels: list[int],
    patience_s: float,
) -> None:
    until = time.monotonic() + patience_s
    address = f"http://127.0.0.1:{found.port}{found.peer.path}"
    headers = {"content-type": "application/json"}
    said = "it did not answer"
    while time.monotonic() < until:
        if process.poll() is not None:
            said = "it ended by itself"
            break
        try:
            answer = httpx.post(
                address, content=found.body(values), headers=headers, timeout=30.0
            )
        except httpx.TransportError:
            time.sleep(0.1)
            continue
        if answer.status_code == 200:
            if found.peer.labels(answer.json()) != labels:
                msg = "it does not give the labels of the pipeline"
                raise NotStartedError(msg)
            return
        said = f"it answered {answer.status_code}"
        time.sleep(0.1)
    words = last_words(found.log.read_text(encoding="utf-8", errors="replace"))
    msg = f"{said}: {words}"
    raise NotStartedError(msg)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a process and all that it started, those that left it too."""
    mine: list[psutil.Process] = []
    with suppress(psutil.NoSuchProcess):
        mine = psutil.Process(process.pid).children(recursive=True)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_STOPPING_S)
    _, left = psutil.wait_procs(mine, timeout=_STOPPING_S / 4)
    for one in left:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(_STOPPING_S)
