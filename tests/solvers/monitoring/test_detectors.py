"""Alarms by simulation against what they promise, and by what they must ignore."""

import json

import numpy as np
import pytest
from scipy.stats import betabinom

from solvers.monitoring import DriftDetector, LimitDetector, error_interval


def buckets_to_alarm(detector, totals, n) -> int | None:
    """Return after how many buckets it alarms; None where it does not."""
    for bucket, total in enumerate(totals, start=1):
        detector = detector.add(total, n)
        if detector.alarmed:
            return bucket
    return None


def test_false_alarms_of_a_limit_come_no_sooner_than_promised():
    draw, runs, patience = np.random.default_rng(0), 300, 100
    found = [
        buckets_to_alarm(LimitDetector(0.2, patience), draw.binomial(50, 0.2, 100), 50)
        for _ in range(runs)
    ]
    # Markov on the Shiryaev-Roberts sum: P(alarm within T) <= T / patience; in truth
    # far fewer, and the share within 50 buckets must stay below a half.
    early = np.mean([when is not None and when <= 50 for when in found])
    assert early <= 0.5
    assert np.mean([when is not None for when in found]) < 0.632 + 0.1


def test_a_share_well_below_its_limit_alarms_almost_never():
    draw = np.random.default_rng(1)
    found = [
        buckets_to_alarm(LimitDetector(0.2, 250), draw.binomial(200, 0.18, 250), 200)
        for _ in range(200)
    ]
    assert sum(when is not None for when in found) <= 4


@pytest.mark.parametrize(("share", "most"), [(0.25, 8), (0.3, 3), (0.4, 2)])
def test_a_share_above_its_limit_is_found_within_days(share, most):
    draw = np.random.default_rng(2)
    found = [
        buckets_to_alarm(LimitDetector(0.2, 250), draw.binomial(200, share, 60), 200)
        for _ in range(100)
    ]
    assert None not in found
    assert np.median(found) <= most


def test_values_between_zero_and_one_count_no_more_than_their_bets():
    values = np.random.default_rng(3).random(40) * 0.5
    detector = LimitDetector(0.2, 100).add(float(values.sum()), len(values))
    bets = detector._bets
    each = np.log1p(bets * (values[:, None] - 0.2)).sum(axis=0)
    assert detector.log_sums is not None
    assert (detector.log_sums <= each + 1e-12).all()


def test_a_bucket_at_once_is_the_same_cases_in_any_split():
    whole = LimitDetector(0.2, 10).add(12, 40).add(3, 10)
    again = LimitDetector.from_payload(
        json.loads(json.dumps(LimitDetector(0.2, 10).add(12, 40).payload()))
    ).add(3, 10)
    assert whole.log_evidence == again.log_evidence
    assert LimitDetector(0.2, 10).add(0, 0).log_evidence < np.inf


def drifting(draw, probabilities, n):
    return draw.multinomial(n, probabilities)


EVEN = np.full(16, 1 / 16)
TILTED = np.linspace(0.6, 1.4, 16) / 16


def shifted_until(seed, probabilities, buckets, per_bucket=40) -> int | None:
    draw = np.random.default_rng(seed)
    reference = drifting(draw, EVEN, 400).astype(float)
    detector = DriftDetector(reference, patience=50)
    for bucket in range(buckets):
        detector = detector.add(drifting(draw, probabilities, per_bucket), draw)
        if detector.alarmed:
            return bucket + 1
    return None


def test_without_a_change_drift_alarms_no_sooner_than_promised():
    found = [shifted_until(seed, EVEN, 25) for seed in range(60)]
    # Within half the patience; the bound on the sum allows half of the runs.
    assert np.mean([when is not None for when in found]) <= 0.4


def test_a_shift_of_the_scores_is_found():
    found = [shifted_until(seed, TILTED, 50) for seed in range(30)]
    assert sum(when is not None for when in found) >= 27


def test_p_values_are_uniform_while_nothing_changes():
    draw = np.random.default_rng(5)
    p = np.concatenate(
        [
            DriftDetector(drifting(draw, EVEN, 50).astype(float), 10)._p_values(
                drifting(draw, EVEN, 20), draw
            )[0]
            for _ in range(300)
        ]
    )
    shares = np.histogram(p, 10, (0, 1))[0] / len(p)
    assert np.abs(shares - 0.1).max() < 4 * np.sqrt(0.09 / len(p))


def test_a_drift_state_survives_as_plain_data():
    one = DriftDetector(np.ones(4), 10).add(np.array([3, 0, 0, 9]), _rng())
    kept = DriftDetector.from_payload(json.loads(json.dumps(one.payload())))
    more = np.array([1, 1, 0, 5])
    assert kept.add(more, _rng()).payload() == one.add(more, _rng()).payload()
    fresh = DriftDetector(np.ones(4), 10)
    assert DriftDetector.from_payload(fresh.payload()).log_sum == -np.inf


def _rng():
    return np.random.default_rng(8)


@pytest.mark.parametrize("error", [0.01, 0.05, 0.3])
def test_an_audited_error_is_held_at_every_look(error):
    draw, runs, looks = np.random.default_rng(6), 400, 600
    wrong = (draw.random((runs, looks)) < error).cumsum(axis=1)
    n = np.arange(1, looks + 1)
    # The interval misses exactly where the mixture outweighs the truth twenty times;
    # the mixture is the beta-binomial of scipy against the binomial.
    log_ratio = betabinom.logpmf(wrong, n, 0.5, 0.5) - _log_binomial(wrong, n, error)
    missed = (log_ratio >= np.log(20)).any(axis=1)
    assert missed.mean() <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / runs)
    for run, look in ((0, 10), (1, 300), (2, 599)):
        low, high = error_interval(int(n[look]), int(wrong[run, look]))
        assert (low <= error <= high) == (log_ratio[run, look] < np.log(20))


def _log_binomial(k, n, p):
    from scipy.stats import binom

    return binom.logpmf(k, n, p)


def test_intervals_narrow_with_audits_and_are_never_of_no_width():
    widths = []
    for n in (0, 5, 100, 1000, 10_000):
        low, high = error_interval(n, n // 20)
        assert 0 <= low <= n // 20 / max(n, 1) < high <= 1
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert error_interval(5, 0)[0] == 0.0
    assert error_interval(5, 5)[1] == 1.0


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: LimitDetector(0.0, 10), "limit"),
        (lambda: LimitDetector(0.2, 0), "patience"),
        (lambda: LimitDetector(0.2, 9).add(5, 4), "5"),
        (lambda: DriftDetector(np.zeros(3), 10), "reference"),
        (lambda: DriftDetector(np.ones(3), float("nan")), "patience"),
        (lambda: error_interval(3, 4), "errors"),
        (lambda: error_interval(3, 1, 1.0), "confidence"),
    ],
)
def test_what_is_no_limit_count_or_confidence_is_named(call, what):
    with pytest.raises(ValueError, match=what):
        call()
