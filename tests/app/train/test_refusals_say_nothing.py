"""No refusal repeats what was sent, whatever was sent."""

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import ApiError
from app.train.parsing import read_mapping
from app.train.service import accept, check

MakeBody = Callable[..., dict[str, Any]]

PRIVATE = "zq-private-zq"
values = st.recursive(
    st.sampled_from([PRIVATE, f"{PRIVATE}-2", -987654321, 9.87654321e8, None, True]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "rows", "C", "column"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
members = [
    "model",
    "trainer",
    "costs",
    "rule",
    "data",
    "target",
    "evaluation",
    "groups",
]


@settings(max_examples=150)
@given(
    changes=st.dictionaries(st.sampled_from(members), values, min_size=1, max_size=3)
)
def test_no_refusal_repeats_what_was_sent(body: MakeBody, changes):
    whole = {**body(), **changes}
    problem = {"status": 202}
    try:
        accept(json.dumps(whole).encode())
    except ApiError as error:
        problem = error.problem()
    told = json.dumps(problem)
    assert problem["status"] in {202, 400, 422}
    assert all(fault["detail"] for fault in problem.get("errors", []))
    assert PRIVATE not in told
    assert "987654321" not in told
    assert "9.8765" not in told


@settings(max_examples=150)
@given(changes=st.dictionaries(st.sampled_from(members), values, max_size=3))
def test_decoded_and_raw_bodies_are_judged_alike(body: MakeBody, changes):
    """The worker reads a decoded body; it must not refuse what the API accepted."""
    whole = {**body(), **changes}

    def verdict(read):
        try:
            read()
        except ApiError as error:
            return error.status, error.detail, error.errors
        return "accepted"

    raw = verdict(lambda: accept(json.dumps(whole).encode()))
    decoded = verdict(lambda: check(read_mapping(whole)))
    assert raw == decoded
