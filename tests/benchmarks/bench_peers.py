"""POST /predict beside MLServer, MLflow, BentoML and a service written by hand.

Every peer serves one scikit-learn pipeline (a scaler and an SVC of 300 support vectors
on 8 columns) with one worker and its usual set-up; ours serves a machine of that size.
Peers answer labels; ours answers decisions with score, probability and costs, many rows
column by column, of each the decision, its probability and its expected cost. Real
servers over loopback, one after the other in every round; a ratio is the median of the
ratios of the rounds. Client and servers share the machine's cores; ``cpu_us`` is the
processor time that all of a server's processes spend on a request.
"""

import asyncio
import json
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from tests.benchmarks.http_load import closed_loop, post
from tests.benchmarks.peers.fit import pipeline
from tests.benchmarks.peers.running import Running, cpu_s_of, running
from tests.benchmarks.peers.servers import PEERS, NotStartedError, Peer
from tests.benchmarks.served_model import COLUMNS, Server, serving, store_model

Row = dict[str, Any]
Values = list[list[float]]
SERVE = ("-m", "app.cli", "serve", "--port", "0", "--no-worker")
# Rows a request, connections.
SIZES = ((1, 8), (100, 8), (10_000, 1))
_CHECKED = 100
_WEAKEST = ("MLServer", 100)
"""The peer that comes nearest, and where."""


def run(quick: bool, data: Path | None) -> list[Row]:
    """Measure; a peer that cannot be started is a row that says why."""
    del data
    seconds, rounds = (1.0, 3) if quick else (2.0, 5)
    values = _values(_CHECKED)
    labels = pipeline().predict(_table(values)).tolist()
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        (folder / "ours").mkdir()
        store_model(folder / "ours")
        ours = stack.enter_context(serving(str(folder / "ours"), *SERVE))
        there: list[Running] = []
        absent: list[Row] = []
        for k, peer in enumerate(PEERS):
            place = folder / str(k)
            try:
                one = stack.enter_context(running(peer, place, values, labels))
            except NotStartedError as error:
                absent.append(_absent(peer, str(error)))
            else:
                there.append(one)
        rows = [
            row
            for n, connections in SIZES
            for row in _measured(ours, there, n, connections, seconds, rounds)
        ]
    return [*rows, *absent]


def _values(n: int) -> Values:
    return np.random.default_rng(1).normal(size=(n, 8)).round(4).tolist()


def _table(values: Values) -> Any:
    import pandas as pd

    return pd.DataFrame(values, columns=COLUMNS)


def _ours(values: Values) -> bytes:
    asked: dict[str, Any] = {"model": "bench"}
    if len(values) == 1:
        asked["instances"] = [dict(zip(COLUMNS, values[0], strict=True))]
    else:
        fields = ["decision", "probability", "expected_cost"]
        asked |= {"data": {"columns": COLUMNS, "rows": values}}
        asked |= {"layout": "columns", "fields": fields}
    return json.dumps(asked).encode()


def _measured(
    ours: Server,
    peers: list[Running],
    n: int,
    connections: int,
    seconds: float,
    rounds: int,
) -> list[Row]:
    """Return a row for each peer, at one size of request."""
    values = _values(n)
    asked: list[tuple[Server | Running, bytes]] = [
        (ours, post("/predict", _ours(values)))
    ]
    asked += [(one, post(one.peer.path, one.body(values))) for one in peers]

    def once(k: int, span: float) -> tuple[float, float]:
        server, request = asked[k]
        before = cpu_s_of(server.process)
        load = asyncio.run(closed_loop(server.port, request, connections, span))
        return load.per_second, (cpu_s_of(server.process) - before) / len(
            load.latencies_s
        )

    for k in range(len(asked)):
        once(k, 0.5)
    found = [[once(k, seconds) for k in range(len(asked))] for _ in range(rounds)]
    return [
        _row(one, n, connections, [(told[0], told[k]) for told in found])
        for k, one in enumerate(peers, start=1)
    ]


def _row(
    one: Running,
    n: int,
    connections: int,
    pairs: list[tuple[tuple[float, float], tuple[float, float]]],
) -> Row:
    ratio = median(ours[0] / peer[0] for ours, peer in pairs)
    bar = one.peer.bar if n == 1 else 4.0 if (one.peer.name, n) == _WEAKEST else None
    return {
        "work": f"{n:,} row{'s' * (n > 1)} a request, {connections} connection"
        f"{'s' * (connections > 1)}, requests/s",
        "ours": median(ours[0] for ours, _ in pairs),
        "peer": f"{one.peer.name} {one.version}".strip(),
        "peer_value": median(peer[0] for _, peer in pairs),
        "ratio": ratio,
        "bar": bar,
        "met": None if bar is None else ratio >= bar,
        "cpu_us": 1e6 * median(ours[1] for ours, _ in pairs),
        "peer_cpu_us": 1e6 * median(peer[1] for _, peer in pairs),
    }


def _absent(peer: Peer, why: str) -> Row:
    return {
        "work": f"not measured: {why}",
        "peer": peer.name,
        "bar": peer.bar,
    }
