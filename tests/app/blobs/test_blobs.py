"""A folder and an object store do the same: whole, checked, listed, aged, gone."""

import hashlib
import multiprocessing
import random
from contextlib import suppress
from pathlib import Path

import pytest

from app.blobs.interface import DamagedBlobError, StoreAwayError
from app.blobs.opening import address_of, open_blobs, place_of

CONTENT = random.Random(0).randbytes(9 << 20)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(params=["folder", "objects"])
def place(request, tmp_path):
    if request.param == "folder":
        return tmp_path / "store" / "things"
    return request.getfixturevalue("remote") / "things"


@pytest.fixture
def blobs(place):
    return open_blobs(place)


def test_what_is_read_is_what_was_written(blobs):
    assert blobs.find("a") is None
    assert list(blobs.list()) == []
    blobs.put("a", CONTENT)
    assert blobs.read("a", SHA256) == blobs.read("a") == CONTENT
    with blobs.held("a", SHA256) as path:
        assert path.read_bytes() == CONTENT
    found = blobs.find("a")
    assert (found.name, found.size) == ("a", len(CONTENT))
    blobs.put("b", CONTENT)
    of_2026 = 1767225600.0  # when neither was written: a moment of another clock
    assert blobs.find("b").written_s >= found.written_s > of_2026


def test_other_bytes_are_refused_each_time(blobs):
    blobs.put("a", b"something else")
    for _ in range(2):
        with pytest.raises(DamagedBlobError):
            blobs.read("a", SHA256)
        with pytest.raises(DamagedBlobError), blobs.held("a", SHA256):
            pass
    blobs.put("a", CONTENT)
    assert blobs.read("a", SHA256) == CONTENT, "written again, it is whole"


def test_what_is_not_there_is_no_file(blobs):
    with pytest.raises(FileNotFoundError):
        blobs.read("a")
    with pytest.raises(FileNotFoundError):
        blobs.read("a", SHA256)
    with pytest.raises(FileNotFoundError), blobs.held("a", SHA256):
        pass
    blobs.delete("a")


def test_a_finished_file_is_moved(blobs, place, tmp_path):
    blobs.put("other", b"")
    staged = (place.parent if isinstance(place, Path) else tmp_path) / "x"
    staged.write_bytes(CONTENT)
    blobs.take("a", staged)
    assert not staged.exists()
    assert blobs.read("a", SHA256) == CONTENT
    assert sorted(found.name for found in blobs.list()) == ["a", "other"]
    assert [found.name for found in blobs.list("o")] == ["other"]


def test_a_name_is_claimed_once(blobs):
    assert blobs.claim("token", b"1")
    assert not blobs.claim("token", b"2")
    assert blobs.read("token") == b"1"


def test_a_place_crosses_the_border_of_a_process(place):
    assert place_of(address_of(place)) == place
    assert (place / "below").parent == place


def write(place, content, times):
    blobs = open_blobs(place)
    for _ in range(times):
        blobs.put("a", content)


def test_two_that_write_one_name_leave_it_whole(place):
    """Names say what their bytes are, so both write the same."""
    context = multiprocessing.get_context("spawn")
    both = range(2)
    writers = [context.Process(target=write, args=(place, CONTENT, 3)) for _ in both]
    for one in writers:
        one.start()
    blobs = open_blobs(place)
    while any(one.is_alive() for one in writers):
        # Not there yet; or the tests' S3 server drops the bytes under a reader.
        with suppress(FileNotFoundError, StoreAwayError):
            assert blobs.read("a") == CONTENT, "seen half-written"
    assert [one.exitcode for one in writers] == [0, 0]
    assert blobs.read("a", SHA256) == CONTENT
    assert [found.name for found in blobs.list()] == ["a"]
