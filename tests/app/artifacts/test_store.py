"""Artifacts on disk: whole or absent, loaded only when untouched, plain data only."""

import os
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.artifacts.store import ArtifactStore
from app.errors import CorruptArtifactError

PAYLOAD = {
    "format": 1,
    "kind": "kernel-machine",
    "vectors": np.linspace(-1, 1, 12).reshape(3, 4),
    "nested": [
        {"labels": ["yes", "no"], "open": None, "upper": float("inf")},
        (1, 2.5),
    ],
}


def equal(one, other):
    if isinstance(one, np.ndarray):
        same = one.dtype == other.dtype and one.tobytes() == other.tobytes()
        return same and one.shape == other.shape
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(equal(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple):
        pairs = zip(one, other, strict=True)
        return type(one) is type(other) and all(equal(a, b) for a, b in pairs)
    return type(one) is type(other) and one == other


def path_of(store, sha256):
    return store.blobs.path(f"{sha256}.joblib")


@pytest.fixture
def store(tmp_path):
    return ArtifactStore(tmp_path / "artifacts", "w1_j1")


def test_what_is_read_is_what_was_written(store):
    stored = store.write(PAYLOAD)
    assert equal(store.read(stored.sha256), PAYLOAD)
    assert path_of(store, stored.sha256).stat().st_size == stored.size
    assert [p.name for p in store.place.iterdir()] == [f"{stored.sha256}.joblib"]
    assert store.write(PAYLOAD) == stored, "the same data have the same name"


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)


@settings(max_examples=30)
@given(st.dictionaries(st.text(max_size=5), PLAIN, max_size=4))
def test_any_plain_data_come_back(tmp_path_factory, payload):
    store = ArtifactStore(tmp_path_factory.getbasetemp() / "plain")
    assert equal(store.read(store.write(payload).sha256), payload)


@settings(max_examples=60)
@given(st.data())
def test_any_flipped_byte_is_found_before_the_file_is_loaded(tmp_path_factory, data):
    store = ArtifactStore(tmp_path_factory.getbasetemp() / "flipped")
    stored = store.write(PAYLOAD)
    path = path_of(store, stored.sha256)
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    with pytest.raises(CorruptArtifactError, match="not what was written"):
        store.read(stored.sha256)


def test_a_file_that_would_run_something_is_not_loaded(store, tmp_path):
    """The name is the digest of other bytes: the content is never unpickled."""
    stored = store.write(PAYLOAD)
    witness = tmp_path / "ran"
    attack = f"cos\nsystem\n(S'touch {witness}'\ntR.".encode()
    path_of(store, stored.sha256).write_bytes(attack)
    with pytest.raises(CorruptArtifactError):
        store.read(stored.sha256)
    assert not witness.exists()


@pytest.mark.parametrize("cut", [0, 10, -1])
def test_a_file_cut_short_or_gone_is_refused(store, cut):
    stored = store.write(PAYLOAD)
    path = path_of(store, stored.sha256)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(CorruptArtifactError):
        store.read(stored.sha256)
    store.delete(stored.sha256)
    store.delete(stored.sha256)
    with pytest.raises(CorruptArtifactError, match="missing"):
        store.read(stored.sha256)


class Thing:
    pass


@pytest.mark.parametrize(
    "value",
    [Thing(), Thing, np.array([Thing()], dtype=object), {1, 2}, len, {"a": [Thing()]}],
    ids=lambda value: type(value).__name__,
)
def test_only_plain_data_are_written(store, value):
    with pytest.raises(TypeError, match="plain data"):
        store.write({"rule": value})
    assert not store.place.exists()


@pytest.mark.parametrize(
    "name", ["", "../x", "0" * 63, "0" * 63 + "G", "0" * 64 + "\n"]
)
def test_a_digest_is_no_path(store, name):
    with pytest.raises(ValueError, match="64"):
        store.read(name)


@pytest.mark.parametrize("fails", ["fsync", "replace"])
def test_a_write_that_fails_leaves_nothing(store, monkeypatch, fails):
    def no_room(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    if fails == "replace":
        monkeypatch.undo()
        monkeypatch.setattr("pathlib.Path.replace", no_room)
    with pytest.raises(OSError, match="No space"):
        store.write(PAYLOAD)
    assert list(store.place.iterdir()) == []


def test_only_what_was_abandoned_is_swept(store):
    kept = store.write(PAYLOAD).sha256
    orphan = store.write({"a": 1}).sha256
    fresh = store.write({"b": 1}).sha256
    hour_ago = time.time() - 3600
    for sha256 in (kept, orphan):
        os.utime(path_of(store, sha256), (hour_ago, hour_ago))
    (store.place / "x.w1_j1.staged").touch()
    (store.place / "y.w2_j2.staged").touch()
    assert store.sweep_staged(lambda owner: owner == "w2_j2") == 1
    assert store.sweep_orphans(lambda sha256: sha256 == kept, older_than_s=60) == 1
    assert sorted(p.name for p in store.place.iterdir()) == sorted(
        [f"{kept}.joblib", f"{fresh}.joblib", "x.w1_j1.staged"]
    )
