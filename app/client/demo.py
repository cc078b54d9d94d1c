"""The whole service in half a minute: ``python -m app.client.demo``.

Starts the service on a free loopback port with a temporary data folder, trains over
HTTP on real data (breast tumours, malignant or benign; the Wisconsin diagnostic set
that comes with scikit-learn), decides rows that the training never saw, and shows what
the decisions cost. Exits 0 only when everything worked and the decisions cost less
than the best answer that needs no model.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from app.client.http import ClientError, Connection
from app.client.training import follow
from solvers.costs import CostMatrix

__all__ = ["main", "running"]

_READY_S = 60.0
_STOP_S = 15.0
_SHOWN_ROWS = 14
_COSTS = CostMatrix(
    false_positive=1.0, false_negative=5.0, reject_positive=0.5, reject_negative=0.2
)
_PRICES = {
    "false_positive": _COSTS.false_positive,
    "false_negative": _COSTS.false_negative,
    "reject_positive": _COSTS.reject_positive,
    "reject_negative": _COSTS.reject_negative,
}


def main() -> int:
    """Run the demonstration; return the exit status."""
    console = Console(width=min(Console().width, 100))
    try:
        with (
            TemporaryDirectory(prefix="demur-demo-") as folder,
            running(Path(folder)) as url,
            Connection(url) as client,
        ):
            console.print(f"The service listens on {url}")
            return _demonstrate(client, console)
    except (ClientError, OSError) as error:
        console.print(f"the demonstration failed: {error}", style="red", markup=False)
        return 1


def _demonstrate(client: Connection, console: Console) -> int:
    columns, rows, truth, unseen = _tumours()
    training = [
        [*row, label]
        for row, label, out in zip(rows, truth, unseen, strict=True)
        if not out
    ]
    console.print(
        f"Training on {len(training)} tumours: a missed malignant one costs"
        f" {_COSTS.false_negative:g}, a false alarm {_COSTS.false_positive:g}, asking a"
        f" doctor {_COSTS.reject_positive:g} (malignant) or"
        f" {_COSTS.reject_negative:g} (benign)"
    )
    job = client.ask(
        "POST",
        "/train",
        json={
            "model": "tumours",
            # C was chosen by the evaluation on held-out rows of the training part.
            "trainer": {"kind": "double-hinge-svm", "C": 30.0},
            "rule": {"kind": "plug-in"},
            "costs": _PRICES,
            "data": {
                "kind": "inline",
                "columns": [*columns, "diagnosis"],
                "rows": training,
            },
            "target": {"column": "diagnosis", "positive": "malignant"},
        },
    )
    follow(client, job, console)
    held = [row for row, out in zip(rows, unseen, strict=True) if out]
    labels = [label for label, out in zip(truth, unseen, strict=True) if out]
    asked = {"model": "tumours", "data": {"columns": columns, "rows": held}}
    answer = client.ask("POST", "/predict", json=asked)
    return _report(answer["predictions"], labels, console)


def _tumours() -> tuple[list[str], list[list[float]], list[str], list[bool]]:
    """Return columns, rows, labels, and which fifth of the rows is kept unseen."""
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415 - half a second

    data = load_breast_cancer()
    labels = [str(data.target_names[code]) for code in data.target]
    order = np.random.default_rng(0).permutation(len(labels))
    unseen = np.zeros(len(labels), dtype=bool)
    unseen[order[: len(labels) // 5]] = True
    return (
        list(map(str, data.feature_names)),
        data.data.tolist(),
        labels,
        unseen.tolist(),
    )


def _report(
    predictions: list[dict[str, Any]], labels: list[str], console: Console
) -> int:
    """Print decisions and costs; return 0 when they beat every constant answer."""
    signs = np.array([1 if label == "malignant" else -1 for label in labels])
    codes = {"+1": 1, "-1": -1, "reject": 0}
    decisions = np.array([codes[one["decision"]] for one in predictions])
    spent = _COSTS.of_decisions(signs, decisions)
    table = Table(title="Decisions on tumours that the training never saw")
    for name, justify in (
        ("truth", "left"),
        ("decision", "left"),
        ("P(malignant)", "right"),
        ("expected cost", "right"),
        ("cost", "right"),
    ):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]  # a literal
    # The costly and the rejected first: they are what the reject option is about.
    for i in np.lexsort((np.abs(decisions), -spent))[:_SHOWN_ROWS]:
        one = predictions[i]
        table.add_row(
            labels[i],
            one["label"] or "reject: ask a doctor",
            f"{one['probability']:.3f}",
            f"{one['expected_cost']:.3f}",
            f"{spent[i]:.2f}",
        )
    console.print(table)
    constants = {
        name: float(_COSTS.of_decisions(signs, np.full(len(signs), code)).mean())
        for name, code in codes.items()
    }
    best = min(constants, key=lambda name: constants[name])
    wrong = int(((decisions != signs) & (decisions != 0)).sum())
    console.print(
        f"{len(signs)} tumours: {int((decisions == 0).sum())} rejected, {wrong} wrong."
        f" Mean cost {spent.mean():.4f}; the best constant answer (always {best})"
        f" costs {constants[best]:.4f}."
    )
    if not spent.mean() < constants[best]:
        console.print("the model is no better than a constant answer", style="red")
        return 1
    return 0


@contextmanager
def running(folder: Path, **environment: str) -> Iterator[str]:
    """Run the service on a free loopback port; yield its address when it is ready."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DEMUR_")}
    log = folder / "service.log"
    with log.open("w") as errors:
        process = subprocess.Popen(  # nosec B603 # our own command, no shell
            [sys.executable, "-m", "app.cli", "serve", "--port", "0"],
            env={
                **kept,
                **environment,
                "DEMUR_DATA_DIR": str(folder),
                "DEMUR_HOST": "127.0.0.1",
            },
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        yield _address(process, log)
    finally:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _address(process: "subprocess.Popen[str]", log: Path) -> str:
    """Return where the service listens, once it is ready."""
    line = process.stdout.readline() if process.stdout is not None else ""
    address = re.search(r"http://\S+", line)
    if address is None:
        msg = f"the service did not start:\n{log.read_text()[-2000:]}"
        raise ClientError(msg)
    deadline = monotonic() + _READY_S
    with Connection(address[0]) as client:
        while not client.is_ready():
            if monotonic() > deadline or process.poll() is not None:
                msg = f"the service is not ready:\n{log.read_text()[-2000:]}"
                raise ClientError(msg)
            sleep(0.05)
    return address[0]


if __name__ == "__main__":
    sys.exit(main())
