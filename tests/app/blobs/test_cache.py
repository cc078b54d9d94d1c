"""The cache: bounded, checked, shared, and nothing goes that is read."""

import hashlib
import os

import pytest

from app.blobs.cache import Cache
from app.blobs.interface import DamagedBlobError, StoreAwayError


class Source:
    """Blobs of 100 bytes by their digests, and how often each was fetched."""

    def __init__(self):
        self.contents = [bytes([k]) * 100 for k in range(6)]
        self.names = [hashlib.sha256(one).hexdigest() for one in self.contents]
        self.fetched = []

    def fetch(self, k):
        def give(write):
            self.fetched.append(k)
            write(self.contents[k][:60])
            write(self.contents[k][60:])

        return give


@pytest.fixture
def source():
    return Source()


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache", 350)


def use(cache, source, k):
    with cache.held(source.names[k], source.fetch(k)) as path:
        assert path.read_bytes() == source.contents[k]


def test_a_file_is_fetched_once(cache, source):
    for _ in range(3):
        use(cache, source, 0)
    assert source.fetched == [0]


def test_the_one_not_used_for_the_longest_goes_first(cache, source):
    for age, k in enumerate((0, 1, 2)):
        use(cache, source, k)
        os.utime(cache.folder / source.names[k], (1000 + age, 1000 + age))
    use(cache, source, 0)
    use(cache, source, 3)
    held = {path.name for path in cache.folder.iterdir()}
    assert held == {source.names[k] for k in (0, 2, 3)}
    assert sum(path.stat().st_size for path in cache.folder.iterdir()) <= 350


def test_what_is_read_stays(cache, source):
    with cache.held(source.names[0], source.fetch(0)) as path:
        os.utime(path, (1000, 1000))
        for k in (1, 2, 3, 4):
            use(cache, source, k)
        assert path.read_bytes() == source.contents[0]
    use(cache, source, 5)
    assert sum(path.stat().st_size for path in cache.folder.iterdir()) <= 350


def test_one_larger_than_the_cache_is_given_out(tmp_path, source):
    cache = Cache(tmp_path, 50)
    use(cache, source, 0)
    use(cache, source, 1)
    assert [path.name for path in cache.folder.iterdir()] == [source.names[1]]


def test_a_file_that_the_disk_has_changed_is_fetched_again(cache, source):
    use(cache, source, 0)
    (cache.folder / source.names[0]).write_bytes(b"rot")
    use(cache, source, 0)
    assert source.fetched == [0, 0]


def test_what_was_fetched_wrong_or_not_at_all_leaves_nothing(cache, source):
    with pytest.raises(DamagedBlobError), cache.held(source.names[1], source.fetch(0)):
        pass

    def fails(write):
        write(b"half")
        raise StoreAwayError

    with pytest.raises(StoreAwayError), cache.held(source.names[1], fails):
        pass
    assert list(cache.folder.iterdir()) == []


def test_what_a_killed_process_was_fetching_goes_an_hour_later(cache, source):
    use(cache, source, 0)
    fresh, old = cache.folder / "x.part", cache.folder / "y.part"
    for path in (fresh, old):
        path.touch()
    os.utime(old, (1000, 1000))
    use(cache, source, 1)
    assert fresh.exists()
    assert not old.exists()


def test_what_is_known_no_more_is_forgotten(cache, source):
    use(cache, source, 0)
    use(cache, source, 1)
    with cache.held(source.names[1], source.fetch(1)) as path:
        assert cache.forget({source.names[0]}) == 0, "it is being read"
        assert path.exists()
    assert cache.forget({source.names[0]}) == 1
    assert [path.name for path in cache.folder.iterdir()] == [source.names[0]]
