"""A table with columns of every type, and trainings on it without a service."""

from typing import get_args

import numpy as np

from app.artifacts.model import ServedModel
from app.features.encoding import encode_table
from app.features.table import Table
from app.train.trainers.registry import Trainer
from app.worker.fit.pipeline import run
from tests.app.trainings import PRICES, changed, inline

EVEN = {**PRICES, "false_negative": 1, "reject_positive": 0.3}
TRAINER_SCHEMAS = {
    schema.model_fields["kind"].annotation.__args__[0]: schema
    for schema in get_args(get_args(Trainer)[0])
}
DOUBT = {"probability": True, "labels": {"positive": "yes", "negative": "no"}}
"""Of a target column whose cells are probabilities of yes."""
COLUMNS = ["age", "score", "ward", "smokes", "outcome"]


def rows(n=160, seed=0, labels=("yes", "no")):
    """Rows of every column type, with missing values in all of them."""
    generator = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        x, z = generator.normal(size=2).tolist()
        label = labels[0] if x + 0.6 * generator.normal() > 0.3 else labels[1]
        row = [50 + 10 * x, z, "a" if z > 0 else "b", x * z > 0, label]
        for j in range(4):
            if generator.random() < 0.05:
                row[j] = None
        made.append(row)
    return made


def doubtful(n=160, seed=0):
    """Rows whose last cell is the probability of yes."""
    return [
        [*row[:-1], float(p)]
        for row, p in zip(
            rows(n, seed), np.random.default_rng(seed).random(n), strict=True
        )
    ]


def request(table=None, columns=COLUMNS, **changes):
    body = {
        "model": "m",
        "trainer": {"kind": "double-hinge-svm"},
        "costs": PRICES,
        "data": inline(table or rows(), columns),
        "target": {"column": "outcome", "positive": "yes"},
    }
    return changed(body, **changes)


NEEDED = {
    "scores": {"column": "score"},
    "extra-trees": {"n_trees": 15, "max_features": 1.0},
    "forest": {"n_trees": 15},
    "ensemble": {"members": [{"kind": "svm"}, {"kind": "logistic"}]},
    "auto": {"budget_seconds": 0.001},  # its first members alone
}


def quick(kind):
    """A trainer whose boosting, where it boosts, ends soon."""
    boosts = "n_rounds" in TRAINER_SCHEMAS[kind].model_fields
    needed = NEEDED.get(kind, {})
    return {"kind": kind, **needed, **({"n_rounds": 12} if boosts else {})}


def trained(**changes):
    return run(request(**changes), lambda _fraction, _message: True)


def decided(model: ServedModel, table, columns=COLUMNS):
    encoded = encode_table(model.features, Table.from_rows(columns, table))
    return model.judge(encoded.matrix)
