"""The peers of POST /predict: how each is started, asked and read.

MLServer, MLflow and BentoML live in an environment of their own (``.venv-peers``, made
by ``make bench`` from ``requirements/peers.txt``); the hand-written service runs in
ours. Each has one worker and its usual set-up, access logs switched off.
"""

import json
import re
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = [
    "BIN",
    "COLUMNS",
    "HERE",
    "PEERS",
    "NotStartedError",
    "Peer",
    "Values",
    "free_port",
    "last_words",
    "peer_python",
]

COLUMNS = [f"feature_{j}" for j in range(8)]  # as in fit.py
HERE = Path(__file__).parent
ROOT = HERE.parents[2]
BIN = ROOT / ".venv-peers" / "bin"
_WHY = ROOT / ".venv-peers" / "not-installed.txt"

Values = list[list[float]]


class NotStartedError(Exception):
    """A peer is not here or does not answer; the text says why."""


@dataclass(frozen=True)
class Peer:
    """A server to compare with.

    Parameters
    ----------
    name : str
    package : str or None
        Its distribution in the peers' environment; None runs in ours.
    bar : float
        How many times the requests of one row it must be outdone by.
    form : str or None
        As what ``fit.py`` stores the model for it.
    command : function (folder of the model, port) -> list of str
    path : str
    body : function (columns, values) -> JSON
    labels : function (answer) -> list of int
    """

    name: str
    package: str | None
    bar: float
    form: str | None
    command: Callable[[Path, int], list[str]]
    path: str
    body: Callable[[list[str], Values], Any]
    labels: Callable[[Any], list[int]]

    @property
    def python(self) -> str:
        """Return the interpreter of its environment.

        Raises
        ------
        NotStartedError
            When there is no such environment.
        """
        return sys.executable if self.package is None else peer_python()


def peer_python() -> str:
    """Return the interpreter of the peers' environment."""
    if _WHY.is_file():
        why = last_words(_WHY.read_text(encoding="utf-8"))
        msg = f"requirements/peers.txt could not be installed: {why}"
        raise NotStartedError(msg)
    if not (BIN / "python").is_file():
        msg = "there is no environment .venv-peers; `make bench` makes it"
        raise NotStartedError(msg)
    return str(BIN / "python")


def last_words(text: str) -> str:
    """Return the end of what a command said, without addresses and paths."""
    told = re.sub(r"(?:\w+://|/(?=[\w.]+/))\S+", "...", text)
    return " ".join(told.split())[-300:] or "it said nothing"


def free_port() -> int:
    """Return a port of the loopback that nobody listens on now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _mlserver(folder: Path, port: int) -> list[str]:
    settings = {
        "host": "127.0.0.1",
        "http_port": port,
        "grpc_port": free_port(),
        "metrics_port": free_port(),
        "debug": False,
    }
    model = {
        "name": "bench",
        "implementation": "mlserver_sklearn.SKLearnModel",
        "parameters": {"uri": str(folder / "model")},
    }
    for name, facts in (("settings.json", settings), ("model-settings.json", model)):
        (folder / name).write_text(json.dumps(facts), encoding="utf-8")
    return [str(BIN / "mlserver"), "start", str(folder)]


def _mlflow(folder: Path, port: int) -> list[str]:
    where = ("-m", str(folder / "model"), "-h", "127.0.0.1", "-p", str(port))
    how = ("--env-manager", "local", "--workers", "1")
    return [str(BIN / "mlflow"), "models", "serve", *where, *how]


def _bentoml(folder: Path, port: int) -> list[str]:
    del folder  # the service finds the model by its environment
    service = ("bento_service:Bench", "--working-dir", str(HERE))
    where = ("--host", "127.0.0.1", "--port", str(port))
    return [str(BIN / "bentoml"), "serve", *service, *where]


def _by_hand(folder: Path, port: int) -> list[str]:
    del folder
    return [sys.executable, str(HERE / "handwritten.py"), str(port)]


def _tensor(columns: list[str], values: Values) -> Any:
    shape = [len(values), len(columns)]
    tensor = {"name": "rows", "shape": shape, "datatype": "FP64", "data": values}
    return {"inputs": [tensor]}


PEERS = (
    Peer(
        "MLServer",
        "mlserver",
        6.0,
        "joblib",
        _mlserver,
        "/v2/models/bench/infer",
        _tensor,
        lambda answer: answer["outputs"][0]["data"],
    ),
    Peer(
        "MLflow",
        "mlflow",
        10.0,
        "mlflow",
        _mlflow,
        "/invocations",
        lambda columns, values: {
            "dataframe_split": {"columns": columns, "data": values}
        },
        lambda answer: answer["predictions"],
    ),
    Peer(
        "BentoML",
        "bentoml",
        10.0,
        "joblib",
        _bentoml,
        "/predict",
        lambda columns, values: {"rows": values},  # noqa: ARG005 - it takes no names
        lambda answer: answer,
    ),
    Peer(
        "hand-written (pydantic, pandas, Pipeline)",
        None,
        8.0,
        None,
        _by_hand,
        "/predict",
        lambda columns, values: {
            "instances": [dict(zip(columns, row, strict=True)) for row in values]
        },
        lambda answer: answer["predictions"],
    ),
)
