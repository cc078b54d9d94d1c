"""The files that a model leaves as, run over rows: what each decides, and its scores.

The C file is compiled by gcc with a loop behind it, the ONNX graph runs in onnxruntime,
the Python file in a namespace of its own.
"""

import ctypes
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from app.export.description import Description
from app.export.service import export_description
from experiments.loading import Floats

__all__ = ["FILES", "FileAnswer"]

_CODES = {"+1": 1, "-1": -1, "reject": 0}
_BLOCK = 1_000
"""Rows at once, so that a kernel of many vectors fits into memory."""
_LOOP = """
void demur_all(int n, int d, int told, const REAL *x, int *y, REAL *numbers) {
  for (int i = 0; i < n; i++)
    y[i] = demur_decide(x + i * d, (struct demur_answer *)(numbers + i * told));
}
"""


@dataclass(frozen=True, slots=True, eq=False)
class FileAnswer:
    """What a file says of rows, and how large it is."""

    decisions: NDArray[Any]
    scores: Floats
    n_bytes: int


def _c(model: Description, X: Floats) -> FileAnswer:
    content = export_description(model, "c", "float64").content
    names = ("probability", "score", "expected_cost")
    outputs = [name for name in names if name in model.values]
    rows = np.ascontiguousarray(X)
    decisions = np.empty(len(X), dtype=np.intc)
    numbers = np.empty((len(X), len(outputs)))
    with TemporaryDirectory() as made:
        source, library = Path(made) / "model.c", Path(made) / "model.so"
        source.write_text(content.decode() + _LOOP, encoding="utf-8")
        files = ["-o", str(library), str(source), "-lm"]
        command = ["gcc", "-std=c99", "-O1", "-fPIC", "-shared", *files]
        subprocess.run(command, check=True)  # noqa: S603 - our own file
        pointers = (
            a.ctypes.data_as(ctypes.c_void_p) for a in (rows, decisions, numbers)
        )
        ctypes.CDLL(str(library)).demur_all(*X.shape, len(outputs), *pointers)
    return FileAnswer(decisions, numbers[:, outputs.index("score")], len(content))


def _onnx(model: Description, X: Floats) -> FileAnswer:
    content = export_description(model, "onnx", "float64").content
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    graph = onnxruntime.InferenceSession(
        content, options, providers=["CPUExecutionProvider"]
    )

    def decide(columns: Mapping[str, Floats]) -> tuple[Any, Any]:
        given = {name: column[:, np.newaxis] for name, column in columns.items()}
        codes, scores = graph.run(["decision_code", "score"], given)
        return codes.ravel(), scores.ravel()

    return _in_blocks(decide, model, X, len(content))


def _python(model: Description, X: Floats) -> FileAnswer:
    content = export_description(model, "python", "float64").content
    names: dict[str, Any] = {"__name__": "model"}
    exec(compile(content, "model.py", "exec"), names)  # noqa: S102 - that it runs is meant

    def decide(columns: Mapping[str, Floats]) -> tuple[Any, Any]:
        answer = names["decide"](columns)
        return [_CODES[word] for word in answer["decision"]], answer["score"]

    return _in_blocks(decide, model, X, len(content))


def _in_blocks(
    decide: Callable[[Mapping[str, Floats]], tuple[Any, Any]],
    model: Description,
    X: Floats,
    n_bytes: int,
) -> FileAnswer:
    def parts() -> Iterator[tuple[Any, Any]]:
        for start in range(0, len(X), _BLOCK):
            block = X[start : start + _BLOCK]
            yield decide(
                dict(zip((c.name for c in model.columns), block.T, strict=True))
            )

    decisions, scores = zip(*parts(), strict=True)
    return FileAnswer(np.concatenate(decisions), np.concatenate(scores), n_bytes)


FILES: Mapping[str, Callable[[Description, Floats], FileAnswer]] = {
    "C": _c,
    "ONNX": _onnx,
    "Python": _python,
}
"""How each kind of file is run over rows that have the model's columns in order."""
