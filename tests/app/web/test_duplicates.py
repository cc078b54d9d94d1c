"""A key that stands twice is found wherever it stands, and nowhere else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import InvalidRequestError
from app.web.duplicates import MOST_KEYS, require_distinct_keys

KEYS = st.sampled_from(["a", "b", "a ", "{", '"', ":", "\\", "ä", "a/b", ""])


class Pairs(list):
    """An object as it is written, its keys in order."""


values = st.recursive(
    st.none() | st.integers() | KEYS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(st.tuples(KEYS, inner), max_size=4).map(Pairs)
    ),
    max_leaves=20,
)


def written(value, escaped):
    if isinstance(value, Pairs):
        inside = (
            f"{json.dumps(k, ensure_ascii=escaped)}: {written(v, escaped)}"
            for k, v in value
        )
        return f"{{{', '.join(inside)}}}"
    if isinstance(value, list):
        return f"[{', '.join(written(one, escaped) for one in value)}]"
    return json.dumps(value, ensure_ascii=escaped)


def twice(value):
    """Return every key that stands twice in an object of a value, white space apart."""
    if not isinstance(value, list):
        return set()
    inside = [v for _, v in value] if isinstance(value, Pairs) else value
    found = set().union(*map(twice, inside))
    if isinstance(value, Pairs):
        names = [k.strip() for k, _ in value]
        found |= {name for name in names if names.count(name) > 1}
    return found


@given(values, st.booleans())
def test_exactly_what_stands_twice_is_refused_and_named(value, escaped):
    body = written(value, escaped).encode()
    duplicates = twice(value)
    if not duplicates:
        require_distinct_keys(body)
        return
    with pytest.raises(InvalidRequestError) as raised:
        require_distinct_keys(body)
    (fault,) = raised.value.errors
    name = fault.pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")
    assert name in duplicates
    assert repr(name) in fault.detail


def test_letters_that_are_escaped_are_the_same_letters():
    with pytest.raises(InvalidRequestError) as raised:
        require_distinct_keys(b'[1, {"x": {"\\u0061": 1, "a": 2}}]')
    assert raised.value.errors[0].pointer == "/1/x/a"


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"a":1', b"nonsense", b'{"a" 1}', b"\xff"]
)
def test_what_is_no_json_is_left_to_its_reader(body):
    require_distinct_keys(body)


def test_very_many_keys_are_refused():
    body = json.dumps({f"k{i}": i for i in range(MOST_KEYS + 1)}).encode()
    with pytest.raises(InvalidRequestError, match=str(MOST_KEYS)):
        require_distinct_keys(body)
