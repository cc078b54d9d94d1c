"""One row by plain numbers, many by arrays: the same bits in every kind of model."""

import json
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features.encoding import Encoder
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.models.queries import ResolvedVersion
from app.predict.at_once import answer, ask
from app.predict.envelope import read_envelope
from app.predict.many import predictions
from app.predict.ready_model import ReadyModel
from solvers.calibration import Calibration
from solvers.rules.band import Band
from solvers.scoring import load
from solvers.scoring.kernel_machine import kernel_machine_payload
from tests.app.predict.conftest import COLUMNS, COSTS, served, training_rows

VERSION = ResolvedVersion("m", 1, "0" * 64)
CHOW = {
    "kind": "chow",
    **Band(COSTS.p_minus, COSTS.p_plus, on="probability").payload(),
}
MODELS = {
    "plug-in": served(),
    "chow": served(CHOW),
    "without costs": served(costs=None),
    "numbers only": served(numeric_only=True),
    "many vectors": served(n_vectors=300),
    "isotonic": served(
        calibration=Calibration(
            "isotonic",
            knots=np.array([-2.0, 0.0, 1.5]),
            heights=np.array([0.1, 0.4, 0.9]),
        )
    ),
    "curve": served(
        calibration=Calibration(
            "curve",
            knots=np.array([-2.0, 0.0, 1.5]),
            heights=np.array([-2.1, -0.4, 2.2]),
        )
    ),
    "own link": served(
        {"kind": "plug-in", **Band(-0.5, 0.5).payload(), "slope": 2.0},
        calibration=Calibration.link(2.0),
    ),
}
READY = {name: ReadyModel(model.to_payload()) for name, model in MODELS.items()}


def told(ready, rows):
    columns = COLUMNS[: len(ready.schema.names)]
    grid = {"columns": columns, "rows": [row[: len(columns)] for row in rows]}
    body = json.dumps({"model": "m", "data": grid}).encode()
    return json.loads(answer(ask(ready, VERSION, read_envelope(body))).body)


@pytest.mark.parametrize("name", READY)
def test_a_row_alone_has_the_answer_it_has_among_others(name):
    ready = READY[name]
    rows = training_rows(40, seed=8)
    rows += [[1e9, -1e9, True, "Rome"], [0, 30, False, "Lima"], [1, 2.5, None, "Oslo"]]
    together = told(ready, rows)["predictions"]
    assert [told(ready, [row])["predictions"][0] for row in rows] == together
    assert len({row["decision"] for row in together}) > 1


@pytest.mark.parametrize("name", READY)
def test_plain_rows_need_no_arrays_and_others_take_the_way_of_many(name):
    ready = READY[name]
    width = len(ready.schema.names)
    cells = (30.0, 25.0, True, "Rome")[:width]
    if width == 4:
        cells = (*cells[:3], cells[3])
        assert ready.single.answer((*cells[:3], "Paris"), ready.pricing) is None
        assert ready.single.answer((*cells[:3], None), ready.pricing) is None
    assert ready.single.answer((None, *cells[1:]), ready.pricing) is None
    found, tally = ready.single.answer(cells, ready.pricing)
    assert (tally.rows, tally.rejected) == (1, int(found.decision == "reject"))


@given(st.lists(st.floats(-1e200, 1e200), min_size=3, max_size=3), st.booleans())
def test_a_row_is_encoded_to_the_same_bits(numbers, native):
    rows = [[1.0, -2.0, 3.0, True, "x"], [2.5, -2.0, 9.0, False, "y"]]
    names = ["a", "constant", "c", "flag", "kind"]
    schema = FeatureSchema.fit(Table.from_rows(names, rows), missing_native=native)
    encoder = Encoder(schema)
    one = encoder.encode_one((*numbers, True, "y"))
    many = encoder.encode(np.array([[*numbers, 1.0]]), [["y"]]).matrix
    assert one in (None, many[0].tolist())
    if max(map(abs, numbers)) < 1e6 and (native or numbers[1] == -2.0):
        assert one is not None


@pytest.mark.parametrize("kind", ["rbf", "polynomial", "sigmoid", "linear"])
@pytest.mark.parametrize("n_vectors", [1, 37, 8200])
@pytest.mark.parametrize("width", [1, 6, 8, 30])
def test_a_row_of_plain_numbers_is_scored_to_the_same_bits(kind, n_vectors, width):
    draw = np.random.default_rng(width)
    payload = kernel_machine_payload(
        {"kind": kind, "gamma": 0.2, "coef0": 0.5},
        draw.normal(size=(n_vectors, width)),
        draw.normal(size=n_vectors),
        -0.3,
    )
    scorer = load(payload)
    rows = draw.normal(size=(40, width))
    scores = scorer.score(rows).tolist()
    assert [scorer.score_of(row) for row in rows.tolist()] == scores


SCORES = st.floats(allow_nan=False, allow_infinity=False)


@given(SCORES, SCORES, st.floats(-3, 3), st.sampled_from(["sigmoid", "link"]))
def test_one_probability_has_the_bits_of_many(score, slope, shift, kind):
    calibration = Calibration(kind, slope=slope, intercept=0.5, log_odds_shift=shift)
    with np.errstate(over="ignore"):
        many = calibration.probability(np.array([0.0, score, 1.0, score]))
    assert calibration.probability_of(score) == many[1] == many[3]


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8, unique=True),
    st.floats(0.0, 1e3),
    st.one_of(SCORES, st.integers(0, 7)),
    st.floats(-3, 3),
)
def test_one_probability_on_a_curve_has_the_bits_of_many(knots, rise, score, shift):
    places = np.sort(knots)
    if isinstance(score, int):  # at a knot
        score = float(places[score % len(places)])
    heights = rise * np.arange(len(places)) - 2.0
    calibration = Calibration(
        "curve", knots=places, heights=heights, log_odds_shift=shift
    )
    many = calibration.probability(np.array([0.0, score, *places, score]))
    assert calibration.probability_of(score) == many[1] == many[-1]


@given(
    value=SCORES | st.sampled_from([0.25, 0.75, inf, -inf, np.nan]),
    reject=st.floats(),
    closed=st.booleans(),
    on=st.sampled_from(["score", "probability", "reject-function"]),
)
def test_one_decision_is_that_of_many(value, reject, closed, on):
    band = Band(0.25, 0.75, closed=closed, on=on)
    many = band.decide(np.array([value]), np.array([reject]))
    assert band.decision_of(value, reject) == many[0]


def test_a_rule_on_the_reject_function_needs_one():
    with pytest.raises(ValueError, match="reject_score"):
        Band(0.0, 0.0, on="reject-function").decision_of(1.0)


@pytest.mark.parametrize("name", READY)
def test_what_is_counted_of_rows_is_the_sum_of_what_is_counted_of_each(name):
    ready, model = READY[name], MODELS[name]
    draw = np.random.default_rng(3).normal(size=(50, model.features.n_encoded))
    judged = model.judge(draw)
    _, together = predictions(judged, ready.pricing, model.labels, {})
    counted = [
        predictions(model.judge(draw[i : i + 1]), ready.pricing, model.labels, {})[1]
        for i in range(50)
    ]
    for part in ("rows", "positive", "rejected", "priced"):
        assert getattr(together, part) == sum(getattr(one, part) for one in counted)
    assert together.cost == pytest.approx(sum(one.cost for one in counted))
