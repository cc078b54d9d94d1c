"""A served model is plain data: it comes back the same, and says so when it cannot."""

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.artifacts.model import FORMAT, Labels, ServedModel
from app.artifacts.store import ArtifactStore
from app.errors import CorruptArtifactError
from app.features.encoding import encode_table
from app.features.schema import FeatureSchema
from app.features.table import Table
from solvers.calibration import Calibration
from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.scoring import load
from solvers.scoring.kernel_machine import kernel_machine_payload

CALIBRATIONS = {
    "sigmoid": Calibration("sigmoid", slope=0.7, intercept=0.1),
    "isotonic": Calibration(
        "isotonic",
        knots=np.linspace(-2, 2, 30),
        heights=np.sort(np.random.default_rng(1).uniform(size=30)),
    ),
    "shifted": Calibration(
        "isotonic",
        knots=np.array([-1.0, 1.0]),
        heights=np.array([0.2, 0.9]),
        log_odds_shift=0.3,
    ),
    "curve": Calibration(
        "curve", knots=np.array([-1.0, 1.0]), heights=np.array([-2.0, 1.5])
    ),
    "link": Calibration.link(2.0),
}


def _model(calibration="sigmoid", rule=None, n_vectors=31):
    draw = np.random.default_rng(0)
    table = Table.from_rows(
        ["a", "b"],
        [[x, "uv"[i % 2]] for i, x in enumerate(draw.normal(size=50).tolist())],
    )
    features = FeatureSchema.fit(table)
    scorer = load(
        kernel_machine_payload(
            {"kind": "rbf", "gamma": 0.5},
            draw.normal(size=(n_vectors, features.n_encoded)),
            draw.normal(size=n_vectors),
            0.0,
        )
    )
    return ServedModel(
        features=features,
        scorer=scorer,
        rule=rule or {"kind": "plug-in", **Band(-0.5, 0.5).payload(), "slope": 1.0},
        calibration=CALIBRATIONS.get(calibration),
        costs=CostMatrix(),
        labels=Labels(True, False),
    )


def _rows(n, seed=3):
    draw = np.random.default_rng(seed)
    return Table.from_rows(
        ["a", "b"],
        [[x, "uvw"[int(draw.integers(3))]] for x in draw.normal(size=n).tolist()],
    )


def test_a_model_comes_back_from_disk_with_the_same_bits(tmp_path):
    model = _model()
    store = ArtifactStore(tmp_path)
    again = ServedModel.from_payload(store.read(store.write(model.to_payload()).sha256))
    matrix = encode_table(model.features, _rows(100)).matrix
    assert again.judge(matrix).scores.tobytes() == model.judge(matrix).scores.tobytes()
    assert again.to_payload()["labels"] == {"positive": True, "negative": False}
    assert again.costs == model.costs
    assert again.band == model.band


@given(
    st.sampled_from(sorted(CALIBRATIONS)),
    st.integers(1, 80),
    st.integers(0, 2**32 - 1),
)
def test_a_row_is_judged_alike_alone_and_in_any_batch(calibration, n, seed):
    model = _model(calibration)
    matrix = encode_table(model.features, _rows(n, seed)).matrix
    together = model.judge(matrix)
    for row in range(0, n, max(1, n // 7)):
        alone = model.judge(matrix[[row]])
        for part in ("scores", "probabilities", "decisions", "judged_by"):
            whole, single = getattr(together, part), getattr(alone, part)
            assert whole[[row]].tobytes() == single.tobytes()


def test_a_rule_acts_on_what_it_was_fitted_on():
    matrix = encode_table(_model().features, _rows(200)).matrix
    by_score = _model().judge(matrix)
    assert by_score.judged_by is by_score.scores
    band = Band(0.3, 0.7, on="probability")
    by_chance = _model(rule={"kind": "chow", **band.payload()}).judge(matrix)
    assert by_chance.judged_by is by_chance.probabilities
    np.testing.assert_array_equal(
        by_chance.decisions, band.decide(by_chance.probabilities)
    )
    other = _model().judge(matrix, Band(-9.0, 9.0))
    assert not other.decisions.any()


def test_a_model_without_calibration_has_no_probability():
    model = _model("none")
    assert not model.has_probability
    assert model.judge(np.zeros((1, model.features.n_encoded))).probabilities is None
    band = Band(0.3, 0.7, on="probability").payload()
    with pytest.raises(ValueError, match="needs a calibration"):
        _model("none", rule={"kind": "chow", **band})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": FORMAT + 1}, f"format {FORMAT + 1}"),
        ({"format": None}, "train it again"),
        ({"format": np.ones(2)}, "train it again"),
        ({"rule": 1}, "hold together"),
        ({"guards": []}, "hold together"),
        ({"calibration": [0.0]}, "hold together"),
        ({"scorer": {"kind": "oracle"}}, "hold together"),
        ({"labels": {"positive": 1}}, "hold together"),
        ({"rule": {"lower": 2, "upper": 1}}, "hold together"),
        ({"features": {"columns": [], "missing_native": False}}, "hold together"),
    ],
)
def test_what_does_not_hold_together_is_not_served(change, words):
    payload = {**_model().to_payload(), **change}
    with pytest.raises(CorruptArtifactError, match=words):
        ServedModel.from_payload(payload)


def test_a_payload_is_plain_data(tmp_path):
    path = tmp_path / "model.joblib"
    joblib.dump(_model().to_payload(), path)
    assert b"solvers" not in path.read_bytes()
    assert b"app." not in path.read_bytes()
