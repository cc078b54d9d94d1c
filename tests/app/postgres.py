"""Databases of a PostgreSQL server, where one lets us in."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy

__all__ = ["fresh_postgres", "server_url"]

POSTGRES = (
    "postgresql+psycopg://root@127.0.0.1:5432/test",
    "postgresql+psycopg://postgres@127.0.0.1:5432/test",
)


def server_url() -> str | None:
    """Return the URL of a PostgreSQL server that lets us in."""
    named = os.environ.get("DEMUR_TEST_POSTGRES_URL")
    for url in (named,) if named else POSTGRES:
        engine = sqlalchemy.create_engine(url, connect_args={"connect_timeout": 2})
        try:
            with engine.connect():
                return url
        except sqlalchemy.exc.OperationalError:
            continue
        finally:
            engine.dispose()
    return None


@contextmanager
def fresh_postgres(server: str) -> Iterator[str]:
    """Make an empty database on a server; it goes at the end."""
    name = f"demur_{uuid.uuid4().hex[:12]}"
    admin = sqlalchemy.create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(sqlalchemy.text(f"CREATE DATABASE {name}"))
    url = sqlalchemy.make_url(server).set(database=name)
    yield url.render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.execute(sqlalchemy.text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()
