"""Prove that migrations and tables agree, on a database of its own.

python -m migrations.check            fails when a migration is missing
python -m migrations.check "message"  writes the missing one
"""

import sys
import tempfile
from pathlib import Path

from app.db import migrate
from app.db.session import open_database

__all__ = ["main"]


def main(arguments: list[str]) -> None:
    """Upgrade an empty database; then compare, or write what is missing."""
    with tempfile.TemporaryDirectory() as folder:
        database = open_database(f"sqlite:///{Path(folder) / 'check.sqlite3'}")
        try:
            migrate.upgrade(database)
            if arguments:
                migrate.revise(database, " ".join(arguments))
            else:
                migrate.check(database)
        finally:
            database.close()


if __name__ == "__main__":
    main(sys.argv[1:])
