"""Files of plain data come back; a file that would run anything is damaged."""

import gzip
import hashlib
import io
import os
import pickle
import struct
from contextlib import suppress

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.artifacts.plain import loads
from app.artifacts.store import ArtifactStore
from app.errors import CorruptArtifactError


def dumped(payload):
    file = io.BytesIO()
    joblib.dump(payload, file)
    return file.getvalue()


ARRAYS = [
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.arange(12.0).reshape(3, 4)[::2, 1:],
    np.array(2.5),
    np.empty((0, 3)),
    np.array([True, False]),
    np.array(["", "ä", "日本"]),
    np.array([b"x", b"yz"]),
    np.arange(3, dtype=">i4"),
    np.array([1 + 2j, np.nan, -0.0], dtype=np.complex64),
    np.array([2**63], dtype=np.uint64),
]


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype}{a.shape}")
def test_arrays_come_back_bit_by_bit_and_can_be_written_to(array):
    same = loads(dumped({"a": array, "b": [array]}))["a"]
    native = array.astype(array.dtype.newbyteorder("="))
    assert (same.shape, same.dtype) == (native.shape, native.dtype)
    assert same.tobytes() == native.tobytes()
    assert same.flags.writeable
    assert same.flags.aligned
    by_joblib = joblib.load(io.BytesIO(dumped([array])))[0]
    assert not same.size or same.strides == by_joblib.strides


SCALARS = [np.float64(1.5), np.int8(-3), np.bool_(True), np.str_("ä"), np.str_("")]


@pytest.mark.parametrize("value", SCALARS, ids=repr)
def test_single_values_keep_their_type(value):
    found = loads(dumped({"a": value, "b": (value, value)}))
    assert type(found["a"]) is type(value)
    assert found == {"a": value, "b": (value, value)}


class Hostile:
    """What leaves a file behind when it is read by anybody who calls what it names."""

    def __init__(self, call, *arguments):
        self.told = call, arguments

    def __reduce__(self):
        return self.told


class Stateful:
    """The same by way of its state."""

    def __reduce__(self):
        return os.getcwd, (), {"a": 1}


def in_array(witness):
    array = np.empty(1, dtype=object)
    array[0] = Hostile(os.mkdir, witness)
    return dumped({"a": array})


def scalar_of_objects(witness):
    scalar = np._core.multiarray.scalar
    return pickle.dumps(
        {"a": Hostile(scalar, np.dtype("O"), Hostile(os.mkdir, witness))}
    )


def by_instance(witness):
    return b"(S'%s'\nios\nmkdir\n." % witness.encode()


def by_object(witness):
    return b"(cos\nmkdir\nS'%s'\no." % witness.encode()


def spoilt_names():
    """Would change the reader's own names for all files to come."""
    change = pickle.dumps((None, {"means": "array", "load_build": 1}))[:-1]
    name = b"\x8c\x05numpy\x8c\x07ndarray\x93"
    return b"\x80\x04" + name + change + b"b."


def swapped(content, one, other):
    """Return a file with a text in the place of another, the frame as long as it."""
    short = lambda text: b"\x8c" + bytes([len(text)]) + text  # noqa: E731
    changed = content.replace(short(one), short(other), 1)
    assert changed != content
    length = struct.unpack_from("<Q", content, 3)[0] + len(changed) - len(content)
    return changed[:3] + struct.pack("<Q", length) + changed[11:]


def enormous(shape):
    """An array of this shape, of which eight bytes are there."""
    wrapper = joblib.numpy_pickle.NumpyArrayWrapper(
        np.ndarray, shape, "C", np.dtype("f8")
    )
    return pickle.dumps(wrapper)[:-1] + b"\x00" + bytes(8) + b"."


RUNNING = {
    "a command": lambda w: dumped({"a": Hostile(os.system, f"mkdir {w}")}),
    "bare": lambda w: pickle.dumps(Hostile(os.mkdir, w), protocol=0),
    "protocol 2": lambda w: pickle.dumps({"a": Hostile(os.mkdir, w)}, protocol=2),
    "eval": lambda w: dumped({"a": Hostile(eval, f"__import__('os').mkdir({w!r})")}),
    "an array of objects": in_array,
    "a scalar of objects": scalar_of_objects,
    "an instance": by_instance,
    "an object": by_object,
}
STRANGE = {
    "getattr": dumped({"a": Hostile(getattr, "x", "join")}),
    "another file": dumped({"a": Hostile(joblib.load, "x")}),
    "an array called": dumped({"a": Hostile(np.ndarray, (2,))}),
    "a type of objects": dumped({"a": Hostile(np.dtype, "O")}),
    "a record": dumped({"a": np.zeros(1, [("a", "i4"), ("b", "O")])}),
    "a masked array": dumped({"a": np.ma.masked_array([1.0], [True])}),
    "a state": dumped({"a": Stateful()}),
    "an extension": b"\x80\x02\x82\x01.",
    "a persistent id": b"Px\n.",
    "spoilt names": spoilt_names(),
    "a name of this service": swapped(
        dumped({"a": np.zeros(2)}), b"joblib.numpy_pickle", b"app.artifacts.plain"
    ),
    "a set": dumped({"a": {1, 2}}),
    "a class": dumped({"a": dict}),
    "a date": dumped({"a": np.datetime64("2020-01-01")}),
    "compressed": gzip.compress(dumped({"a": 1})),
    "more than is there": enormous((2**40,)),
    "more than can be": enormous((2**62, 2**62)),
    "less than nothing": enormous((-1,)),
    "no mapping": dumped([1, 2]),
    "nothing": b"",
    "no end": dumped({"a": 1})[:-1],
    "a deep nest": b"\x80\x04" + b"]" * 100_000 + b"a" * 99_999 + b".",
}
HOSTILE = {**RUNNING, **{kind: lambda _, c=c: c for kind, c in STRANGE.items()}}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_file_that_names_anything_else_is_damaged(tmp_path, kind):
    store, witness = ArtifactStore(tmp_path / "artifacts"), tmp_path / "ran"
    content = HOSTILE[kind](str(witness))
    sha256 = hashlib.sha256(content).hexdigest()  # as an attacker's database says
    store.place.mkdir()
    store.blobs.path(f"{sha256}.joblib").write_bytes(content)
    with pytest.raises(CorruptArtifactError, match="what no training writes"):
        store.read(sha256)
    assert not witness.exists()
    assert loads(dumped({"a": np.ones(2)}))["a"].sum() == 2


@pytest.mark.parametrize("kind", RUNNING)
def test_a_reader_that_knows_all_would_run_it(tmp_path, kind):
    witness = tmp_path / "ran"
    with suppress(Exception):
        joblib.load(io.BytesIO(RUNNING[kind](str(witness))))
    assert witness.exists()


def test_parts_that_are_shared_are_looked_at_once():
    """Whoever walks them all meets 2 ** 60 lists."""
    shared = []
    for _ in range(60):
        shared = [shared, shared]
    found = loads(dumped({"a": shared}))["a"]
    for _ in range(60):
        assert found[0] is found[1]
        found = found[0]


GOOD = dumped({"a": np.arange(4.0), "b": ["x", 1, None, 2.5, True], "c": np.float32(1)})


@settings(max_examples=300)
@given(st.data())
def test_changed_bytes_are_read_or_damaged_and_nothing_else(data):
    content = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    with suppress(ValueError):
        assert isinstance(loads(bytes(content)), dict)
