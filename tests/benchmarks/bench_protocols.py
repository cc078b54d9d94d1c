"""The same rows as binary tensors of the Open Inference Protocol, and to POST /predict.

Both go to one server, alternating, and ask for all that either tells of a row: eight
outputs in binary against rows of JSON. A ratio is the median of those of the rounds.
"""

import asyncio
import json
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.http_load import closed_loop, post
from tests.benchmarks.served_model import instances, serving, store_model, values

SIZES = (100, 10_000)
INFER = "/v2/models/bench/infer"


def run(quick: bool, data: Path | None) -> list[dict[str, Any]]:
    """Measure; see the module's words."""
    del data
    seconds, rounds = (1.0, 3) if quick else (3.0, 5)
    with tempfile.TemporaryDirectory() as folder:
        store_model(Path(folder))
        command = ("-m", "app.cli", "serve", "--port", "0", "--no-worker")
        with serving(folder, *command) as server:
            return [_beside(server.port, n, seconds, rounds) for n in SIZES]


def _beside(port: int, n: int, seconds: float, rounds: int) -> dict[str, Any]:
    asked = (post(INFER, *tensors(n)), post("/predict", instances(n)))

    def rate(request: bytes, span: float) -> float:
        return n * asyncio.run(closed_loop(port, request, 1, span)).per_second

    for request in asked:
        rate(request, 0.3)
    pairs = [tuple(rate(one, seconds) for one in asked) for _ in range(rounds)]
    ratio = median(v2 / predict for v2, predict in pairs)
    return {
        "work": f"{n} rows a request, V2 in binary, rows/s",
        "ours": median(v2 for v2, _ in pairs),
        "peer": "POST /predict, rows of JSON",
        "peer_value": median(predict for _, predict in pairs),
        "ratio": ratio,
        "bar": 1.0,
        "met": ratio > 1.0,
    }


def tensors(n: int) -> tuple[bytes, str]:
    """Return a request about so many rows as a client of Triton's sends it."""
    raw = values(n).tobytes()
    tensor = {
        "name": "x",
        "shape": [n, 8],
        "datatype": "FP64",
        "parameters": {"binary_data_size": len(raw)},
    }
    asked = {"inputs": [tensor], "parameters": {"binary_data_output": True}}
    head = json.dumps(asked).encode()
    return head + raw, f"Inference-Header-Content-Length: {len(head)}\r\n"
