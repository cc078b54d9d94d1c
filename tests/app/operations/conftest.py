"""The demur command on a folder of its own."""

import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
import sqlalchemy

from app.db import migrate
from app.db.session import open_database

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def demur():
    """Run ``demur`` with these arguments on a data folder."""

    def run(*arguments, data_dir, **environment):
        outer = {k: v for k, v in os.environ.items() if not k.startswith("DEMUR_")}
        return subprocess.run(
            [sys.executable, "-m", "app.cli", *map(str, arguments)],
            env={**outer, "DEMUR_DATA_DIR": str(data_dir), **environment},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def url(request):
    """The database of the module; none given is SQLite in the data folder."""
    if request.param == "sqlite":
        yield ""
        return
    server = sqlalchemy.make_url(request.getfixturevalue("postgres_server"))
    name = f"demur_{uuid.uuid4().hex[:12]}"
    admin = sqlalchemy.create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(sqlalchemy.text(f"CREATE DATABASE {name}"))
    made = server.set(database=name).render_as_string(hide_password=False)
    database = open_database(made)
    migrate.upgrade(database)
    database.close()
    yield made
    with admin.connect() as connection:
        connection.execute(sqlalchemy.text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()
