"""An object store, and the same by way of a proxy that fails as told."""

import uuid

import pytest

from app.blobs.interface import Remote
from tests.app.blobs.s3_server import KEYS, Proxy, S3Server, require_server


@pytest.fixture(scope="session")
def s3_server():
    require_server()
    server = S3Server().start()
    yield server
    server.stop()


@pytest.fixture
def keys(monkeypatch):
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def remote(s3_server, keys, tmp_path):
    """A prefix of the test's own."""
    return Remote(s3_server.url(uuid.uuid4().hex), str(tmp_path / "local"), 1 << 30)


@pytest.fixture
def proxy(s3_server):
    between = Proxy(s3_server)
    yield between
    between.close()


@pytest.fixture
def failing(s3_server, proxy, keys, tmp_path):
    """A prefix of the test's own, by way of the proxy."""
    url = s3_server.url(uuid.uuid4().hex, proxy.port)
    return Remote(url, str(tmp_path / "local"), 1 << 30)
