"""How deeply a body is nested: as a reader of JSON would count it, at any length."""

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import MalformedRequestError
from app.web import depth
from app.web.depth import require_depth

texts = st.text(alphabet='[]{}"\\ax\u00e9', max_size=8)
values = st.recursive(
    texts | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner),
    max_leaves=40,
)


def levels(value):
    if isinstance(value, dict):
        return 1 + max(map(levels, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(levels, value), default=0)
    return 0


def accepts(body, most):
    try:
        require_depth(body, most)
    except MalformedRequestError:
        return False
    return True


@given(
    value=values, most=st.integers(0, 6), size=st.integers(1, 40), plain=st.booleans()
)
def test_exactly_what_is_deeper_is_refused(value, most, size, plain):
    """Wherever the slices are cut: in strings, in escapes, in the middle of a level."""
    body = json.dumps(value, ensure_ascii=plain).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(depth, "SLICE_BYTES", size)
        assert accepts(body, most) == (levels(value) <= most)


def test_brackets_in_strings_do_not_count():
    assert accepts(
        json.dumps({"a": "[" * 10_000, "b": '\\"' * 9 + "{" * 99}).encode(), 1
    )


@pytest.mark.parametrize("body", [b"[" * 10**6, b'{"a":' * 10**5])
def test_what_never_ends_is_refused_too(body):
    assert not accepts(body, 32)


@pytest.mark.parametrize("pair", [(b"[", b"]"), (b'{"a":[', b"]}"), (b"[[]", b"]")])
def test_every_byte_is_looked_at_a_bounded_number_of_times(pair):
    """Nested to the middle: whatever takes pairs away would take as many rounds."""
    opening, closing = pair
    bodies = [opening * n + closing * n for n in (500, 8000)]

    def steps(body):
        taken = 0

        def count(frame, event, argument):
            nonlocal taken
            taken += 1

        sys.setprofile(count)
        try:
            assert not accepts(body, 32)
        finally:
            sys.setprofile(None)
        return taken

    assert max(map(len, bodies)) <= depth.SLICE_BYTES
    assert steps(bodies[0]) == steps(bodies[1]), "each is one pass over all bytes"
