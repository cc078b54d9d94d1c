"""The demur command on a folder of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.db import migrate
from app.db.session import open_database
from tests.app.postgres import fresh_postgres

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
    with fresh_postgres(request.getfixturevalue("postgres_server")) as made:
        database = open_database(made)
        migrate.upgrade(database)
        database.close()
        yield made
