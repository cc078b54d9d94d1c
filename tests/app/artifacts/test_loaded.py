"""Loaded models: one load a digest, the new one ready before an old one goes."""

from threading import Barrier, Event, Thread

import pytest

from app.artifacts.loaded import LoadedModels
from app.errors import CorruptArtifactError


def _counting(capacity, reads):
    def read(sha256):
        reads.append(sha256)
        return {"name": sha256}

    return LoadedModels(read, lambda payload: payload["name"].upper(), capacity)


def test_the_least_used_leaves_first():
    reads = []
    loaded = _counting(2, reads)
    assert [loaded.get("a"), loaded.get("b"), loaded.get("a")] == ["A", "B", "A"]
    loaded.get("c")
    assert (loaded.peek("b"), loaded.peek("a"), loaded.peek("c")) == (None, "A", "C")
    assert reads == ["a", "b", "c"]
    assert len(loaded) == 2


def test_looking_counts_as_use():
    loaded = _counting(2, [])
    loaded.get("a")
    loaded.get("b")
    loaded.peek("a")
    loaded.get("c")
    assert loaded.peek("a") == "A"


def test_the_old_stays_until_the_new_is_ready():
    reading, go_on = Event(), Event()

    def read(sha256):
        if sha256 == "new":
            reading.set()
            assert go_on.wait(5)
        return {"name": sha256}

    loaded = LoadedModels(read, lambda payload: payload["name"], 1)
    loaded.get("old")
    thread = Thread(target=loaded.get, args=("new",))
    thread.start()
    assert reading.wait(5)
    assert loaded.peek("old") == "old"
    go_on.set()
    thread.join(5)
    assert (loaded.peek("old"), loaded.peek("new")) == (None, "new")


def test_many_threads_cause_one_read():
    reads, answers = [], []
    start, go_on = Barrier(8), Event()

    def read(sha256):
        reads.append(sha256)
        assert go_on.wait(5)
        return {"name": sha256}

    loaded = LoadedModels(read, lambda payload: payload["name"], 4)

    def ask():
        start.wait(5)
        answers.append(loaded.get("a"))

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(5)
    assert (reads, answers) == (["a"], ["a"] * 8)


def test_a_failed_load_is_told_and_tried_again():
    broken = [True]

    def read(sha256):
        if broken:
            broken.clear()
            msg = "damaged"
            raise CorruptArtifactError(msg)
        return {"name": sha256}

    loaded = LoadedModels(read, lambda payload: payload["name"], 1)
    with pytest.raises(CorruptArtifactError, match="damaged"):
        loaded.get("a")
    assert loaded.get("a") == "a"


def test_room_for_no_model_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        _counting(0, [])
