"""A kernel machine scores by its formula, and every row by itself."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from solvers.errors import UnknownNameError
from solvers.scoring import load
from solvers.scoring.fixed_shapes import SEGMENT
from solvers.scoring.kernel_machine import (
    KernelMachineScorer,
    kernel_machine_payload,
)

KINDS = ("linear", "polynomial", "rbf", "sigmoid")


def _machine(kind, n_vectors, n_features, seed=0, **kernel):
    draw = np.random.default_rng(seed)
    return kernel_machine_payload(
        {"kind": kind, "gamma": 0.7 / n_features, "coef0": 0.5, **kernel},
        draw.normal(size=(n_vectors, n_features)),
        draw.normal(size=n_vectors),
        0.25,
    )


def _formula(payload, X):
    kernel = payload["kernel"]
    S, gamma, coef0 = payload["support_vectors"], kernel["gamma"], kernel["coef0"]
    if kernel["kind"] == "rbf":
        K = np.exp(-gamma * ((X[:, np.newaxis] - S) ** 2).sum(axis=2))
    elif kernel["kind"] == "linear":
        K = X @ S.T
    elif kernel["kind"] == "sigmoid":
        K = np.tanh(gamma * (X @ S.T) + coef0)
    else:
        K = (gamma * (X @ S.T) + coef0) ** kernel["degree"]
    return K @ payload["coefficients"] + payload["intercept"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_vectors", [1, 7, 300])
@pytest.mark.parametrize("n_rows", [0, 1, 8, 100])
def test_scores_follow_the_formula(kind, n_vectors, n_rows):
    payload = _machine(kind, n_vectors, 5)
    X = np.random.default_rng(1).normal(size=(n_rows, 5))
    scores = load(payload).score(X)
    assert scores.shape == (n_rows,)
    np.testing.assert_allclose(scores, _formula(payload, X), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("degree", range(8))
def test_a_power_is_the_power(degree):
    payload = _machine("polynomial", 20, 3, degree=degree)
    X = np.random.default_rng(2).normal(size=(9, 3))
    np.testing.assert_allclose(load(payload).score(X), _formula(payload, X), rtol=1e-9)


def test_more_vectors_than_a_segment():
    payload = _machine("rbf", SEGMENT + 3, 2)
    X = np.random.default_rng(3).normal(size=(5, 2))
    scorer = load(payload)
    np.testing.assert_allclose(scorer.score(X), _formula(payload, X), rtol=1e-9)
    assert scorer.score(X[3:4]).tobytes() == scorer.score(X)[3:4].tobytes()


def test_more_columns_than_a_segment():
    payload = _machine("linear", 3, SEGMENT + 5)
    X = np.random.default_rng(3).normal(size=(4, SEGMENT + 5))
    np.testing.assert_allclose(load(payload).score(X), _formula(payload, X), rtol=1e-9)


def test_a_machine_without_support_vectors_answers_its_intercept():
    payload = kernel_machine_payload({"kind": "rbf"}, np.empty((0, 4)), [], -1.5)
    np.testing.assert_array_equal(load(payload).score(np.ones((3, 4))), [-1.5] * 3)


def test_rows_far_from_the_origin_keep_their_digits():
    # Exponents of 1e12 that almost cancel would leave three digits.
    payload = _machine("rbf", 30, 3)
    X = np.random.default_rng(5).normal(size=(20, 3))
    far = {**payload, "support_vectors": payload["support_vectors"] + 1e6}
    expected = _formula(far, X + 1e6)
    np.testing.assert_allclose(load(far).score(X + 1e6), expected, rtol=1e-8)


@given(
    st.sampled_from(KINDS),
    st.integers(1, 400),
    st.integers(1, 40),
    st.integers(1, 60),
    st.integers(0, 2**32 - 1),
)
def test_a_row_has_the_same_bits_alone_in_any_batch_at_any_position(
    kind, n_vectors, n_features, n_rows, seed
):
    scorer = load(_machine(kind, n_vectors, n_features, seed))
    draw = np.random.default_rng(seed + 1)
    X = draw.normal(size=(n_rows, n_features)) * draw.choice([1e-3, 1.0, 1e3])
    together = scorer.score(X)
    order = draw.permutation(n_rows)
    assert scorer.score(X[order]).tobytes() == together[order].tobytes()
    first = int(draw.integers(n_rows))
    assert scorer.score(X[first:]).tobytes() == together[first:].tobytes()
    for row in order[:5]:
        assert scorer.score(X[[row]]).tobytes() == together[[row]].tobytes()
    again = load(scorer.payload())
    assert again.score(np.asfortranarray(X)).tobytes() == together.tobytes()
    with threadpool_limits(2):
        assert scorer.score(X).tobytes() == together.tobytes()


_IN_A_PROCESS = """
import sys
import numpy as np
from solvers.scoring import load
from tests.solvers.scoring.test_kernel_machine import bits_by_batch_size
sys.stdout.write(bits_by_batch_size())
"""


def bits_by_batch_size():
    """Return the bits of 67 scores, having tried all sizes of a batch."""
    said = []
    for kind in KINDS:
        for n_vectors, n_features in ((301, 7), (40, 33)):
            scorer = load(_machine(kind, n_vectors, n_features))
            X = np.random.default_rng(9).normal(size=(67, n_features))
            together = scorer.score(X)
            for size in (1, 2, 3, 7, 8, 64):
                parts = [scorer.score(X[i : i + size]) for i in range(0, 67, size)]
                assert np.concatenate(parts).tobytes() == together.tobytes()
            said.append(together.tobytes().hex())
    return "\n".join(said)


def _in_a_process(**variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLAS")}
    return subprocess.run(
        [sys.executable, "-c", _IN_A_PROCESS],
        env={**environment, **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        cwd=Path(__file__).parents[3],
    ).stdout


def test_all_processes_of_a_machine_agree():
    assert _in_a_process() == _in_a_process(OPENBLAS_NUM_THREADS="1")


@pytest.mark.parametrize("core", ["Haswell", "Nehalem", "Prescott"])
def test_other_matrix_kernels_keep_the_promise(core):
    # The bits may differ from ours there; that rows agree is asserted inside.
    assert len(_in_a_process(OPENBLAS_CORETYPE=core).splitlines()) == 2 * len(KINDS)


def test_a_block_of_one_row_is_the_way_out(monkeypatch):
    payload = _machine("rbf", 50, 4)
    monkeypatch.setattr(
        "solvers.scoring.kernel_machine.same_bits_everywhere", lambda _: False
    )
    scorer = KernelMachineScorer(payload)
    X = np.random.default_rng(1).normal(size=(20, 4))
    np.testing.assert_allclose(scorer.score(X), _formula(payload, X), rtol=1e-10)
    assert scorer.score(X[5:6]).tobytes() == scorer.score(X)[5:6].tobytes()


def test_the_callers_rows_are_left_alone():
    X = np.random.default_rng(1).normal(size=(10, 4))
    before = X.copy()
    for kind in KINDS:
        load(_machine(kind, 10, 4)).score(X)
    np.testing.assert_array_equal(X, before)


def test_what_cannot_be_scored_is_refused():
    payload = _machine("rbf", 3, 2)
    with pytest.raises(UnknownNameError, match="known: linear"):
        load({**payload, "kernel": {**payload["kernel"], "kind": "wavelet"}})
    with pytest.raises(ValueError, match="n coefficients"):
        load({**payload, "coefficients": np.ones(2)})
    with pytest.raises(ValueError, match="must be finite"):
        load({**payload, "intercept": np.nan})
    with pytest.raises(UnknownNameError, match="no scorer is called"):
        load({"kind": "oracle"})
