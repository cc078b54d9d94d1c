"""Chow's rule on joint trees acts on the probability that (h, r) imply."""

import numpy as np
import pytest

from app.artifacts.model import ServedModel
from app.evidence.decisions import decide
from app.evidence.stored import Stored
from app.features.encoding import encode_table
from app.features.table import Table
from tests.app.pima_like import COLUMNS, FEATURES, PRICES, inline, predict
from tests.app.train.boosting_over_http.conftest import EVEN, TABLE

CODES = {"+1": 1, "-1": -1, "reject": 0}
NAME = "abstention-trees.chow"


@pytest.fixture
def told(models, artifact):
    """The served model, its evidence, and the encoded table."""
    payload = artifact(models["abstention-trees", "chow"])
    model = ServedModel.from_payload(payload)
    table = Table.from_rows(FEATURES, [row[:-1] for row in TABLE])
    matrix = encode_table(model.features, table).matrix
    return model, Stored.from_payload(payload), matrix


def test_answers_carry_the_calibrated_probability_of_the_pair(server, told):
    model, _, matrix = told
    rows = [row[:-1] for row in TABLE]
    answers = predict(server, f"{NAME}:1", rows)["predictions"]
    outputs = model.scorer.outputs(matrix)
    wanted = model.calibration.probability(outputs.log_odds)
    assert [one["probability"] for one in answers] == wanted.tolist()
    assert [one["score"] for one in answers] == outputs.score.tolist()
    lower, upper = model.band.lower, model.band.upper
    for one, p in zip(answers, wanted.tolist(), strict=True):
        called = "+1" if p > upper else "-1" if p < lower else "reject"
        assert one["decision"] == called
    # r has its say: no function of h alone gives these probabilities.
    raw = model.scorer.probability(matrix)
    order = np.argsort(outputs.score)
    assert (np.diff(raw[order]) < 0).any()


def test_the_evaluation_counts_what_is_served(server, models, told):
    model, stored, _ = told
    held = stored.holdout
    calibration = stored.holdout_calibration
    counted = decide(model.rule, calibration, held)
    rows = [TABLE[i][:-1] for i in held.part.rows]
    answers = predict(server, f"{NAME}:1", rows)["predictions"]
    assert [CODES[one["decision"]] for one in answers] == counted.tolist()
    figures = models["abstention-trees", "chow"]["evaluation"]
    assert figures["reject_rate"] == pytest.approx(np.mean(counted == 0))
    chances = calibration.probability(held.log_odds)
    assert figures["brier_score"] == pytest.approx(
        np.mean((chances - held.part.positive) ** 2)
    )
    again = {
        "data": inline([TABLE[i] for i in held.part.rows], COLUMNS),
    }
    here = server.http.post(f"/models/{NAME}/versions/1/evaluate", json=again)
    assert here.status_code == 200, here.text
    for name in ("expected_cost", "reject_rate", "brier_score"):
        assert here.json()["evaluation"][name] == pytest.approx(figures[name])


def test_other_costs_move_the_band_on_the_same_probability(server, models):
    rows = [row[:-1] for row in TABLE[:30]]
    own = predict(server, f"{NAME}:1", rows)
    dearer = predict(server, f"{NAME}:1", rows, costs=PRICES)
    assert own["costs"] == EVEN
    assert [one["probability"] for one in own["predictions"]] == [
        one["probability"] for one in dearer["predictions"]
    ]
    repriced = server.http.post(
        f"/models/{NAME}/versions/1/reprice", json={"costs": PRICES}
    )
    assert repriced.status_code == 201, repriced.text
    stored = predict(server, f"{NAME}:2", rows)
    assert stored["predictions"] == dearer["predictions"]
