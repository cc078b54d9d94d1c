"""Whether exported models decide as the service does, on the real sets.

Each model is trained as the service trains it, leaves as C, ONNX and Python, and every
file decides the rows that no training saw, and rows around them. What is counted is
rows that a file decides otherwise than the service.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from app.export.description import describe
from experiments.exported import FILES
from experiments.loading import Floats, Rows, draw, load
from experiments.report import Line, Section, Table
from experiments.served import judged, served
from solvers import CostMatrix

__all__ = ["VERSION", "repeat", "section", "tasks"]

VERSION = 1

SMALL = ("thyroid", "haberman", "banknote")
SPLIT = ("a9a", "ijcnn1", "pendigits")
"""Sets that come as a training and a test part."""
SETS = (
    *SMALL,
    *("liver", "wdbc", "australian", "pima", "german", "kc1", "mammography"),
    *("cod_rna", "cod_rna_rest", "skin", "cover"),
    *SPLIT,
)
TRAINERS = {
    "double-hinge-svm": "plug-in",
    "logistic": "chow",
    "gradient-boosting": "chow",
    "abstention-trees": "embedded",
    "forest": "chow",
}
"""Each trainer with its rule: on the score, on the probability, on a pair."""
COSTS = CostMatrix(1.0, 5.0, 0.6, 0.3)
MOST_TRAINING, MOST_HELD_OUT, MOVED = 2_000, 10_000, 10_000
STEP = 0.1
"""How far rows are moved, in standard deviations of each column."""


def tasks(quick: bool) -> list[dict[str, Any]]:
    """Return every trainer on every set; in quick, on three small ones."""
    sets = SMALL if quick else SETS
    return [{"set": name, "trainer": trainer} for name in sets for trainer in TRAINERS]


def repeat(task: dict[str, Any], data: Path) -> dict[str, Any]:
    """Return what each file decides otherwise, and how far scores are apart."""
    rng = np.random.default_rng(0)
    train, held_out = _parts(task["set"], data, rng)
    trainer = task["trainer"]
    model, _ = served(
        train,
        COSTS,
        0,
        trainer={"kind": trainer},
        rule={"kind": TRAINERS[trainer]},
    )
    X = np.vstack([held_out, _moved(held_out, train[0].std(axis=0), rng)])
    expected = judged(model, X)
    description = describe(model, task["set"], 1)
    size = np.maximum(1.0, np.abs(expected.scores))
    files = {}
    for kind, run in FILES.items():
        answer = run(description, X)
        files[kind] = {
            "differ": int((answer.decisions != expected.decisions).sum()),
            "apart": float((np.abs(answer.scores - expected.scores) / size).max()),
            "bytes": answer.n_bytes,
        }
    return {
        "files": files,
        "rows": [len(train[1]), len(held_out), len(X)],
        "rejected": float((expected.decisions == 0).mean()),
        "day": datetime.now(tz=UTC).date().isoformat(),
    }


def _parts(name: str, data: Path, rng: np.random.Generator) -> tuple[Rows, Floats]:
    """Return the rows that train, and features of others."""
    if name in SPLIT:
        train = draw(load(data, f"{name}.train"), MOST_TRAINING, rng)
        return train, draw(load(data, f"{name}.test"), MOST_HELD_OUT, rng)[0]
    X, y = load(data, name)
    order = rng.permutation(len(y))
    n = min(MOST_TRAINING, len(y) * 4 // 5)
    others = order[n : n + MOST_HELD_OUT]
    return (X[order[:n]], y[order[:n]]), X[others]


def _moved(X: Floats, spread: Floats, rng: np.random.Generator) -> Floats:
    """Return rows near those of X."""
    chosen = X[rng.integers(0, len(X), MOVED)]
    return chosen + STEP * spread * rng.standard_normal(chosen.shape)


def section(results: Sequence[dict[str, Any]], figures: Path) -> Section:
    """Return the counts a model, and a line for each kind of file."""
    del figures  # a table says it all
    days = sorted({one["day"] for one in results})
    how = (
        "`.venv/bin/python -m experiments --data FOLDER --only exports`, run on"
        f" {' to '.join(dict.fromkeys((days[0], days[-1])))}. Each model is trained by"
        f" the service's own function on at most {MOST_TRAINING:,} rows (its part for"
        " training, or four fifths), with its defaults, at the prices 1, 5, 0.6 and"
        " 0.3, and leaves as C, ONNX and Python in double precision. *rows* are the"
        f" others as they are, at most {MOST_HELD_OUT:,}, and {MOVED:,} drawn from them"
        " whose every number is moved by a normal draw of a tenth of its column's"
        " standard deviation. *C*, *ONNX* and *Python* are how many of these rows the"
        " file decides otherwise than the service. Files add up in another order, so"
        " that a score may differ in its last digits: a row that lies that near to a"
        " threshold may go either way."
    )
    lines = []
    for one in results:
        task = one["task"]
        names = (task["set"], f"{task['trainer']}, {TRAINERS[task['trainer']]}")
        lines.append(Line((*names, "rows"), one["rows"][2]))
        lines.append(Line((*names, "rejected, %"), 100.0 * one["rejected"]))
        lines += [
            Line((*names, kind), answer["differ"])
            for kind, answer in one["files"].items()
        ]
    heads = ("set", "trainer and rule", "figure")
    caption = "Rows that a file decides otherwise than the service"
    table = Table(caption, heads, tuple(lines), _together(results), 0, wide=True)
    return Section("Exported models", how, (table,))


def _together(results: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    """Return a sentence on each kind of file, over all models."""
    n_rows = sum(one["rows"][2] for one in results)
    remarks = []
    for kind in FILES:
        files = [one["files"][kind] for one in results]
        remarks.append(
            f"{kind}: {sum(one['differ'] for one in files)} of {n_rows:,} decisions of"
            f" {len(results)} models differ; scores are at most"
            f" {max(one['apart'] for one in files):.0e} apart (relative to the larger"
            f" of 1 and the score); files of {min(one['bytes'] for one in files):,} to"
            f" {max(one['bytes'] for one in files):,} bytes."
        )
    return tuple(remarks)
