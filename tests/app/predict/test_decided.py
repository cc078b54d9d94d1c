"""One row by numbers and many rows by arrays say the same, and what they should."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.artifacts.model import Judged, Labels
from app.errors import InvalidRequestError
from app.predict.answer import JudgedRow, Tally, prediction
from app.predict.decided import decide
from app.predict.pricing import Pricing
from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.scoring import Outputs

EVEN = CostMatrix(1.0, 1.0, 0.25, 0.25)
UNEVEN = CostMatrix(1.0, 5.0, 0.6, 0.3)
LABELS = Labels("yes", "no")


def judged(scores, probabilities, decisions):
    """Return rows as a model judges them."""
    values = np.asarray(scores, dtype=float)
    p = None if probabilities is None else np.asarray(probabilities, dtype=float)
    codes = np.asarray(decisions, dtype=np.int8)
    return Judged(values, p, codes, values, None, Outputs(values))


def likely(score, p, costs):
    """Return whether a forced answer is +1, by the definition."""
    if p is None:
        return score > 0.0
    if costs is None:
        return p >= 0.5
    return (1.0 - p) * costs.false_positive <= p * costs.false_negative


rows = st.lists(
    st.tuples(
        st.sampled_from([-2.0, -0.0, 0.0, 1e-9, 3.0]),
        st.sampled_from([0.0, 1 / 6, 0.3, 0.5, 0.9, 1.0]),
        st.sampled_from([-1, 0, 1]),
    ),
    min_size=1,
    max_size=12,
)


@given(rows, st.sampled_from([None, EVEN, UNEVEN]), st.booleans())
def test_arrays_and_numbers_say_the_same(drawn, costs, calibrated):
    scores, p, decisions = zip(*drawn, strict=True)
    pricing = Pricing(Band(-1.0, 1.0), costs)
    many = decide(judged(scores, p if calibrated else None, decisions), pricing, {}, 0)
    for k, (score, chance, decision) in enumerate(drawn):
        chance = chance if calibrated else None  # noqa: PLW2901
        one, tally = prediction(
            JudgedRow(score, score, decision, chance), pricing, LABELS
        )
        forced = decision > 0 if decision else likely(score, chance, costs)
        assert one.would_be == ("yes" if forced else "no")
        assert many.forced[k] == forced
        assert bool(one.warnings) == many.not_cheapest[k]
        told = None if many.expected_costs is None else many.expected_costs[k]
        assert one.expected_cost == told
        assert tally.cost == (told or 0.0)


@given(rows, st.integers(0, 12), st.sampled_from([None, EVEN]))
def test_the_parts_of_a_request_count_what_the_whole_does(drawn, cut, costs):
    pricing = Pricing(Band(-1.0, 1.0), costs)

    def counted(part):
        told = judged(*zip(*part, strict=True)) if part else judged([], [], [])
        return decide(told, pricing, {}, 0).tally()

    together = Tally()
    for part in (drawn[:cut], drawn[cut:]):
        together.add(counted(part))
    whole = counted(drawn)
    codes = [decision for *_, decision in drawn]
    assert (whole.rows, whole.rejected) == (len(codes), codes.count(0))
    assert whole.positive == codes.count(1)
    assert whole.priced == (len(codes) if costs else 0)
    assert together.cost == pytest.approx(whole.cost, rel=1e-12)
    together.cost = whole.cost
    assert together == whole


prices = st.floats(0.5, 10.0)


@given(prices, prices, st.floats(0.2, 0.9), st.floats(0.2, 0.8))
def test_costs_that_differ_by_rounding_only_are_equal(fp, fn, total, share):
    """At p- and p+ two decisions cost the same; either is the cheapest."""
    costs = CostMatrix(fp, fn, total * share * fn, total * (1 - share) * fp)
    pricing = Pricing(Band(costs.p_minus, costs.p_plus, on="probability"), costs)
    edges = [costs.p_minus, costs.p_minus, costs.p_plus, costs.p_plus]
    codes = [-1, 0, 0, 1]
    many = decide(judged(np.zeros(4), edges, codes), pricing, {}, 0)
    assert not many.not_cheapest.any()
    for p, code in zip(edges, codes, strict=True):
        one, _ = prediction(JudgedRow(0.0, p, code, p), pricing, LABELS)
        assert one.warnings == []


@pytest.mark.parametrize("first_row", [0, 1000])
def test_rows_whose_scores_overflow_are_named_by_their_place_in_the_request(first_row):
    scores = [0.0, np.inf, 1.0, np.nan]
    with pytest.raises(InvalidRequestError) as caught:
        decide(
            judged(scores, None, np.zeros(4)),
            Pricing(Band(-1.0, 1.0), None),
            {},
            first_row,
        )
    places = [(fault.row, fault.pointer) for fault in caught.value.errors]
    wanted = [first_row + 1, first_row + 3]
    assert places == [(row, f"/instances/{row}") for row in wanted]
