"""An artifact of another layout is refused: what a file holds is pinned to its format.

Whoever changes what a trainer writes changes ``FORMAT`` with it, and files of the old
one are refused from then on; or reads both, and says so here.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from app.artifacts.model import FORMAT, ServedModel
from app.errors import CorruptArtifactError
from app.train.trainers.registry import TRAINERS
from app.worker.fit.pipeline import run
from tests.app.worker.fit.mixed_columns import EVEN, quick, request

PINNED = Path(__file__).with_name("layouts.json")


@pytest.fixture(scope="module", params=sorted(TRAINERS))
def made(request_of, request):
    """A trainer's name, and the artifact of its training."""
    return request.param, run(request_of(request.param), lambda *_: True).artifact


@pytest.fixture(scope="module")
def request_of():
    guards = {"outlier": True, "unseen_category": True, "missing_value": True}

    def one(kind):
        return request(trainer=quick(kind), costs=EVEN, guards=guards)

    return one


def layout(value):
    """Return what a reader relies on: the names, and the type of each thing."""
    if isinstance(value, dict):
        return {str(key): layout(item) for key, item in sorted(value.items())}
    if isinstance(value, np.ndarray):
        return f"{value.dtype.kind}{value.ndim}d"
    if isinstance(value, list | tuple):
        inner = {json.dumps(layout(item), sort_keys=True) for item in value}
        return [json.loads(item) for item in sorted(inner)]
    return type(value).__name__


def test_what_is_written_is_what_this_format_pins(made):
    kind, artifact = made
    served = {k: v for k, v in artifact.items() if k not in {"evidence", "labels"}}
    pinned = json.loads(PINNED.read_text())
    assert pinned["format"] == FORMAT == artifact["format"]
    assert layout(served) == pinned["layouts"][kind], (
        "the layout has changed: raise FORMAT in app/artifacts/model.py, and write"
        " the new one into layouts.json"
    )


def test_a_file_of_the_format_before_is_read_and_has_no_typical_row(made):
    _, artifact = made
    old = {k: v for k, v in artifact.items() if k != "typical"}
    model = ServedModel.from_payload({**old, "format": 2})
    assert model.typical is None
    assert ServedModel.from_payload(artifact).typical.shape == (
        model.features.n_encoded,
    )


def test_a_file_of_the_first_format_is_read_and_decides_as_it_did(made):
    """It knew no limits of columns; a guard of missing values took them all."""
    _, artifact = made
    columns = [
        {k: v for k, v in column.items() if k not in {"least", "most"}}
        for column in artifact["features"]["columns"]
    ]
    features = {**artifact["features"], "columns": columns}
    old = {**artifact, "format": 1, "features": features}
    for guards in ({}, {**artifact["guards"], "missing_value": {}}):
        model = ServedModel.from_payload({**old, "guards": guards})
        assert all(f.least is None and f.most is None for f in model.features.features)
        assert model.guards.missing_value == ("any" if guards else None)
    with pytest.raises(CorruptArtifactError, match="formats up to 3"):
        ServedModel.from_payload({**artifact, "format": FORMAT + 1})


def test_a_scorer_that_lacks_something_is_refused(made):
    _, artifact = made
    scorer = artifact["scorer"]
    assert ServedModel.from_payload(artifact).scorer.n_features > 0
    # Facts about the model that its scores do not need, and a link that not all have.
    told_only = {"importance", "link_slope"}
    for name in set(scorer) - told_only:
        rest = {key: value for key, value in scorer.items() if key != name}
        with pytest.raises(CorruptArtifactError):
            ServedModel.from_payload({**artifact, "scorer": rest})


def test_a_scorer_of_another_kind_of_machine_is_refused(made):
    kind, artifact = made
    others = {"kernel-machine", "stumps", "abstention-trees", "forest-of-2030"}
    for other in others - {artifact["scorer"]["kind"]}:
        if kind == "adaboost" and other == "stumps":
            continue  # the same sums, by the same fields
        changed = {**artifact["scorer"], "kind": other}
        with pytest.raises(CorruptArtifactError):
            ServedModel.from_payload({**artifact, "scorer": changed})


@pytest.mark.parametrize("kind", ["abstention-trees", "gradient-boosting"])
def test_trees_whose_arrays_were_cut_are_refused(request_of, kind):
    artifact = run(request_of(kind), lambda *_: True).artifact
    trees = artifact["scorer"]["trees"]
    for name in ("feature", "threshold", "left", "right", "missing_left", "value"):
        cut = {**trees, name: np.asarray(trees[name])[:-1]}
        with pytest.raises(CorruptArtifactError):
            ServedModel.from_payload(
                {**artifact, "scorer": {**artifact["scorer"], "trees": cut}}
            )
