"""An object store that fails: nothing half-done, and no secret told."""

import hashlib
import random
from pathlib import Path

import pytest

from app.artifacts.store import ArtifactStore
from app.blobs.interface import DamagedBlobError, Remote, StoreAwayError
from app.blobs.opening import fault, open_blobs
from app.blobs.tidying import tidy
from app.errors import ServiceUnavailableError
from app.web.failures import translate
from tests.app.blobs.s3_server import CUT, KEYS, S3Server, free_port, require_server

pytestmark = pytest.mark.thorough

CONTENT = random.Random(1).randbytes(12 << 20)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
EXPIRED = (400, "ExpiredToken")
DENIED = (403, "AccessDenied")


def test_an_answer_cut_short_is_no_blob(failing, proxy):
    blobs = open_blobs(failing)
    blobs.put("a", CONTENT)
    proxy.fails = lambda asked: CUT if asked.method == "GET" else None
    for read in (lambda: blobs.read("a"), lambda: blobs.read("a", SHA256)):
        with pytest.raises((StoreAwayError, DamagedBlobError)) as caught:
            read()
        assert caught.type is StoreAwayError, "it is not the object that is damaged"
    proxy.heal()
    assert blobs.read("a", SHA256) == CONTENT


def test_one_answer_cut_short_is_asked_for_again(failing, proxy):
    blobs, cut = open_blobs(failing), []
    blobs.put("a", b"x" * 1000)

    def once(asked):
        if asked.method == "GET" and not cut:
            return cut.append(asked) or CUT
        return None

    proxy.fails = once
    assert blobs.read("a") == b"x" * 1000
    assert cut


@pytest.mark.parametrize("answer", [EXPIRED, DENIED], ids=["expired", "denied"])
def test_credentials_that_expire_and_are_renewed(failing, proxy, answer):
    store = ArtifactStore(failing)
    kept = store.write({"x": 1})
    proxy.break_down(answer)
    for do in (
        lambda: store.write({"x": 2}),
        lambda: store.read(kept.sha256),
        lambda: store.find(kept.sha256),
        lambda: store.delete(kept.sha256),
        lambda: store.sweep_orphans(lambda _: False, 0.0),
    ):
        with pytest.raises(StoreAwayError) as caught:
            do()
        assert not any(secret in str(caught.value) for secret in KEYS.values())
        assert isinstance(translate(caught.value), ServiceUnavailableError)
    proxy.heal()
    assert store.read(kept.sha256) == {"x": 1}
    assert [found.name for found in store.blobs.list()] == [f"{kept.sha256}.joblib"]


def test_a_write_that_fails_in_the_middle_leaves_no_object(failing, proxy, tmp_path):
    """Parts of 10 MB: the second is refused."""
    blobs = open_blobs(failing)
    large = CONTENT * 2
    proxy.fails = lambda asked: DENIED if "partNumber=2" in asked.path else None
    with pytest.raises(StoreAwayError):
        blobs.put("a", large)
    staged = tmp_path / "staged"
    staged.write_bytes(large)
    with pytest.raises(StoreAwayError):
        blobs.take("a", staged)
    assert staged.exists(), "what was not written is not lost"
    proxy.heal()
    assert blobs.find("a") is None
    blobs.take("a", staged)
    assert blobs.read("a", hashlib.sha256(large).hexdigest()) == large


class BadFile:
    """A disk whose file cannot be read to its end."""

    def __init__(self):
        self.left = 2

    def __iter__(self):
        return self

    def __next__(self):
        self.left -= 1
        if self.left < 0:
            raise OSError(5, "Input/output error")
        return CONTENT


def test_a_source_that_breaks_off_leaves_no_object(remote):
    """pyarrow would complete the object with what has come."""
    blobs = open_blobs(remote)
    with pytest.raises(OSError, match="Input/output"):
        blobs._write("a", BadFile(), 3 * len(CONTENT))
    assert blobs.find("a") is None


def test_what_was_deleted_leaves_the_caches(remote):
    store = ArtifactStore(remote / "artifacts")
    kept, gone = store.write({"x": 1}), store.write({"x": 2})
    for one in (kept, gone):
        store.read(one.sha256)
    assert tidy(remote) == 0
    store.delete(gone.sha256)
    assert tidy(remote) == 1
    held = [path.name for path in (Path(remote.local) / "cache").iterdir()]
    assert held == [kept.sha256]


def test_a_server_that_dies_and_returns(keys, tmp_path):
    require_server()
    server = S3Server().start()
    try:
        remote = Remote(server.url("models"), str(tmp_path / "local"), 1 << 30)
        store = ArtifactStore(remote)
        kept, other = store.write({"x": 1}), store.write({"x": 2})
        assert store.read(kept.sha256) == {"x": 1}
        server.stop()
        assert store.read(kept.sha256) == {"x": 1}, "from the cache"
        with pytest.raises(StoreAwayError):
            store.read(other.sha256)
        assert "cannot be reached" in fault(remote)
        server.start()
        assert store.write({"x": 2}) == other
        assert store.read(other.sha256) == {"x": 2}
        assert fault(remote) is None
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("step", "method"),
    [("reached", "HEAD"), ("written", "PUT"), ("read", "GET"), ("deleted", "DELETE")],
)
def test_what_cannot_be_done_is_said_by_name(failing, proxy, step, method):
    assert fault(failing) is None
    proxy.fails = lambda asked: (
        DENIED if asked.method == method and "list-type" not in asked.path else None
    )
    said = fault(failing)
    assert said.startswith(f"DEMUR_STORE {failing.shown} cannot be {step}")
    assert "?" not in said
    assert not any(secret in said for secret in KEYS.values())


def test_a_bucket_that_is_not_there_is_said(s3_server, keys, tmp_path):
    url = s3_server.url("x").replace("s3://demur/", "s3://another/")
    said = fault(Remote(url, str(tmp_path), 1 << 30))
    assert "s3://another/x cannot be written" in said


def test_an_address_where_nobody_listens_is_said(keys, tmp_path):
    url = f"s3://demur/x?endpoint_override=127.0.0.1:{free_port()}&scheme=http"
    assert "cannot be reached" in fault(Remote(url, str(tmp_path), 1 << 30))
