"""Boosters over HTTP: every rule that fits, their facts, and who needs numba."""

import numpy as np
import psutil
import pytest

from app.predict.ready_model import ReadyModel
from app.predict.rows import Rows
from app.train.trainers.registry import SCORE_RULES
from app.worker.fit.pipeline import run
from tests.app.pima_like import FEATURES, predict
from tests.app.train.boosting_over_http.conftest import (
    ALL,
    PAIRS,
    TABLE,
    TRAINER,
    request,
)

ROWS = [row[:-1] for row in TABLE[:40]]


def test_the_pairs_are_those_of_the_table():
    wanted = {(kind, rule) for kind in TRAINER for rule in SCORE_RULES}
    joint = {(f"abstention-{kind}", "embedded") for kind in ("boosting", "trees")}
    assert set(ALL) == wanted | joint


@pytest.mark.parametrize("pair", sorted(set(ALL) - set(PAIRS)), ids=".".join)
def test_every_other_pair_is_trained_and_evaluated(pair):
    """The same work that the service gives its training processes."""
    trained = run(request(*pair), lambda _fraction, _message: True)
    assert trained.summary["rule"]["kind"] == pair[1]
    assert trained.summary["evaluation"]["rows"] == 52
    ready = ReadyModel(trained.artifact)
    rows = Rows(
        np.array([row[:3] for row in ROWS], dtype=float), [[row[3] for row in ROWS]]
    )
    told, _ = ready.answer(rows, ready.pricing)
    first = Rows(rows.numbers[:1], [rows.categories[0][:1]])
    (alone,), _ = ready.answer(first, ready.pricing)
    assert alone == told[0]


@pytest.mark.parametrize("pair", PAIRS, ids=".".join)
def test_a_row_gets_the_same_answer_alone_as_among_others(server, models, pair):
    name = ".".join(pair)
    together = predict(server, name, ROWS)["predictions"]
    for i in (0, 7):
        (alone,) = predict(server, name, ROWS[i : i + 1])["predictions"]
        assert alone == together[i]
    assert models[pair]["evaluation"]["rows"] == 52


@pytest.mark.parametrize("kind", TRAINER)
def test_importance_is_told_by_the_users_columns(models, kind):
    told = models[kind, "chow"]["importance"]
    parts = {"h", "r", "rejected"} if kind.startswith("abstention") else {"h"}
    assert set(told) == parts
    for part in told.values():
        assert list(part) == FEATURES
    assert max(told["h"], key=told["h"].get) == "plas"
    assert told["h"]["ward"] < told["h"]["plas"] / 2


def test_the_api_process_has_neither_numba_nor_scikit_learn(server, models):
    for pair in PAIRS:
        predict(server, ".".join(pair), ROWS[:3])

    def heavy(process):
        paths = [mapped.path for mapped in process.memory_maps()]
        return {
            name
            for name in ("llvmlite", "numba", "sklearn")
            if any(f"/{name}/" in path for path in paths)
        }

    assert heavy(psutil.Process(server.process.pid)) == set()
    # The same look at this process, which trains, finds what it has.
    assert heavy(psutil.Process()) >= {"llvmlite", "sklearn"}


@pytest.mark.parametrize(
    ("trainer", "pointer"),
    [
        ({"kind": "abstention-trees", "max_depth": 9}, "/trainer/max_depth"),
        (
            {"kind": "abstention-trees", "min_leaf_weight": 0},
            "/trainer/min_leaf_weight",
        ),
        ({"kind": "abstention-boosting", "cost": 0.2}, "/trainer/cost"),
        ({"kind": "abstention-trees", "costs": {}}, "/trainer/costs"),
        ({"kind": "adaboost", "cost": 0.2}, "/trainer/cost"),
        ({"kind": "gradient-boosting", "n_rounds": 0}, "/trainer/n_rounds"),
    ],
    ids=str,
)
def test_what_the_library_refuses_is_refused_at_once(server, trainer, pointer):
    body = request("adaboost", "chow", trainer=trainer)
    answer = server.http.post("/train", json=body)
    assert answer.status_code == 422
    assert pointer in {fault["pointer"] for fault in answer.json()["errors"]}


def test_the_deepest_trees_that_are_allowed_can_be_trained(server):
    trainer = {"kind": "abstention-trees", "max_depth": 8, "n_rounds": 3}
    job = server.train(request("abstention-trees", "embedded", trainer=trainer))
    assert job["status"] == "succeeded", job
