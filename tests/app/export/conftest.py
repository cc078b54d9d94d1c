"""Models of every kind, and rows around those that they were trained on."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from app.artifacts.model import Judged, ServedModel
from app.export.description import Description, describe
from app.train.trainers.registry import TRAINERS
from solvers.calibration import Calibration
from solvers.scoring import load
from tests.app.worker.fit.mixed_columns import (
    COLUMNS,
    EVEN,
    decided,
    quick,
    rows,
    trained,
)


def by_rule(rule, trainer, **changes):
    """Return a training of a trainer by name, under a rule."""
    return {"trainer": {**quick(trainer), **changes}, "rule": rule}


def with_kernel(**kernel):
    return {"trainer": {**quick("double-hinge-svm"), "kernel": kernel}}


def shares(table):
    """Return rows whose column ``score`` holds probabilities."""
    made = [list(row) for row in table]
    for row in made:
        row[1] = None if row[1] is None else 1 / (1 + np.exp(-row[1])).item()
    return made


def by_ward(table):
    """Return rows whose label hangs on the ward, of which there are many."""
    draw = np.random.default_rng(1)
    made = [list(row) for row in table]
    for row in made:
        row[2] = draw.choice(WARDS).item()
        row[4] = "yes" if draw.random() < CHANCE[row[2]] else "no"
    return made


WARDS = ["a", "b", "c", "d", "e", 'Zoë "?\\']
CHANCE = dict(zip(WARDS, (0.9, 0.2, 0.8, 0.1, 0.9, 0.3), strict=True))
WIDE = by_ward(rows(600))
TRAININGS = {
    **{kind: {"trainer": quick(kind)} for kind in sorted(TRAINERS)},
    "plug-in": by_rule({"kind": "plug-in"}, "double-hinge-svm"),
    "embedded": by_rule({"kind": "embedded"}, "abstention-boosting"),
    "embedded trees": by_rule(
        {"kind": "embedded"}, "abstention-trees", loss="exponential"
    ),
    "symmetric": {**by_rule({"kind": "symmetric"}, "adaboost"), "costs": EVEN},
    "promise": {
        **by_rule({"kind": "bounded-error", "max_error": 0.2}, "logistic"),
        "costs": None,
    },
    "wards": {"trainer": quick("gradient-boosting"), "table": WIDE},
    "wards for a machine": {"trainer": quick("svm"), "table": WIDE},
    "polynomial": with_kernel(kind="polynomial"),
    "sigmoid": with_kernel(kind="sigmoid", gamma=0.01),
    "probabilities": {
        "trainer": {**quick("scores"), "scale": "probability"},
        "table": shares(rows()),
    },
}


def ensemble(model):
    """Return a model whose score is the mean log-odds of two others."""
    members = [
        {"scorer": each.scorer.payload(), "calibration": each.calibration.payload()}
        for each in (model, rebuilt(model, "svm"))
    ]
    weights = (0.25, 0.75)
    payload = [{**one, "weight": w} for one, w in zip(members, weights, strict=True)]
    scorer = load({"kind": "ensemble", "members": payload})
    return replace(model, scorer=scorer, calibration=Calibration.link(1.2, 0.5))


def rebuilt(model, kind):
    """Return the model of another trainer, on the same columns."""
    other = trained_as(kind)
    assert other.features.encoded_names == model.features.encoded_names
    return other


def stepped(model):
    """Return a model with the calibration of earlier releases, at another share."""
    knots = np.array([-1.0, -0.2, 0.0, 0.0, 0.7])
    heights = np.array([0.0, 0.1, 0.3, 0.5, 1.0])
    made = Calibration("isotonic", knots=knots, heights=heights, prevalence=0.4)
    return replace(model, calibration=made.with_prevalence(0.2))


def leaning(model):
    """Return a model whose probability knows what its rejector says."""
    scorer = load({**model.scorer.payload(), "leaning": 8.0})
    return replace(model, scorer=scorer)


CHANGED = {
    "leaning": ("embedded", leaning),
    "ensemble": ("logistic", ensemble),
    "isotonic": ("svm", stepped),
    "implied": ("abstention-trees", lambda model: replace(model, calibration=None)),
    "implied by exponentials": (
        "embedded trees",
        lambda model: replace(model, calibration=None),
    ),
}
NAMES = (*TRAININGS, *CHANGED)


@cache
def trained_as(name):
    """Return the model of that name."""
    if name in CHANGED:
        source, changed = CHANGED[name]
        return changed(trained_as(source))
    asked = TRAININGS[name]
    return ServedModel.from_payload(trained(**asked).artifact)


def near(n, probabilities, seed=7):
    """Return rows around training rows, with what training did not have."""
    draw = np.random.default_rng(seed)
    table = rows(seed=0)
    made = []
    for i in draw.integers(0, len(table), n):
        row = list(table[i])
        for j, spread in ((0, 8.0), (1, 0.8)):
            if row[j] is not None:
                row[j] += spread * draw.standard_normal()
        if draw.random() < 0.1:
            row[2] = draw.choice(["new", " a ", *WARDS, "NA"]).item()
        if draw.random() < 0.02:
            row[0] = draw.choice([1e30, -1e30, 0.0]).item()
        made.append(row)
    return shares(made) if probabilities else made


@pytest.fixture(scope="session", params=NAMES)
def case(request):
    """Return a model's description, rows, and how the service judges them."""
    model = trained_as(request.param)
    table = near(2_000, request.param == "probabilities")
    return describe(model, "wards", 3), table, judged(model, table)


def judged(model, table) -> Judged:
    return decided(model, table)


def columns_of(description: Description, table):
    """Return the columns that a model takes, by name."""
    return {
        column.name: [row[COLUMNS.index(column.name)] for row in table]
        for column in description.columns
    }
