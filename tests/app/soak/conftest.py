"""A service on each database, for tests that put it under load or kill it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.db import migrate
from app.db.session import open_database
from tests.app.blobs.conftest import keys, remote, s3_server
from tests.app.blobs.s3_server import KEYS
from tests.app.conftest import Service, StartService
from tests.app.soak.machines import Machine, machine, require_machines

__all__ = ["keys", "remote", "s3_server"]

StartAnywhere = Callable[..., Service]


@pytest.fixture(
    params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
)
def database_name(request: pytest.FixtureRequest) -> str:
    """Which database the service is on."""
    name: str = request.param
    return name


@pytest.fixture
def anywhere(
    database_name: str, request: pytest.FixtureRequest, start_service: StartService
) -> StartAnywhere:
    """Start a service with these settings: on SQLite, and on PostgreSQL."""
    if database_name == "sqlite":
        return start_service
    url = request.getfixturevalue("postgres_url")
    database = open_database(url)
    migrate.upgrade(database)  # the service does so by itself for SQLite only
    database.close()

    def start(*arguments: str, **environment: str) -> Service:
        return start_service(*arguments, DEMUR_DATABASE_URL=url, **environment)

    return start


@pytest.fixture
def two_machines(
    tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[list[Machine]]:
    """Two machines with a database and an object store in common, and nothing else."""
    require_machines()
    url = request.getfixturevalue("postgres_url")
    database = open_database(url)
    migrate.upgrade(database)
    database.close()
    own = {
        **KEYS,
        "DEMUR_DATABASE_URL": url,
        "DEMUR_STORE": request.getfixturevalue("remote").url,
    }
    made: list[Machine] = []
    try:
        made.extend(machine(tmp_path / f"machine-{n}", own) for n in range(2))
        yield made
    finally:
        for one in made:
            one.stop()


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Print figures also when the test passes."""

    def said(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}", flush=True)

    return said
