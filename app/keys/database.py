"""Keys in the database itself, for the command line."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

import typer
from pydantic import ValidationError

from app.db import migrate
from app.db.session import Database, open_database
from app.errors import UnknownKeyError
from app.keys import service, store
from app.keys.schemas import KeyRequest, KeysQuery
from app.keys.scopes import SCOPES, words
from app.settings import Settings

__all__ = ["Commands"]


@dataclass(frozen=True, slots=True)
class Commands:
    """What may be done to keys, each in a transaction of its own."""

    database: Database

    @classmethod
    @contextmanager
    def on(cls, settings: Settings) -> Iterator["Commands"]:
        """Open the database; an embedded one is brought to the present tables."""
        database = open_database(settings.database)
        try:
            if settings.embedded:
                migrate.upgrade(database)
            elif (fault := migrate.fault(database)) is not None:
                _end(fault)
            yield cls(database)
        finally:
            database.close()

    def create(self, name: str, scopes: list[str], person: str | None) -> str:
        """Return the text of a fresh key."""
        sent = {"name": name, "scopes": scopes, "person": person}
        try:
            asked = KeyRequest.model_validate(sent)
        except ValidationError:
            _end(
                f"--scope takes {words(SCOPES, 'or')}; names take 1 to 200 characters,"
                " none of them a control character"
            )
        with self.database.write() as session:
            return service.issue(session, asked.name, asked.scopes, asked.person).key

    def listed(self) -> Iterator[str]:
        """Yield a line for each key."""
        query = KeysQuery(limit=200)
        while True:
            with self.database.read() as session:
                page = service.page(session, query)
            for key in page.keys:
                made = f"{key.created_at:%Y-%m-%d}"
                ended = f" revoked {key.revoked_at:%Y-%m-%d}" if key.revoked_at else ""
                whose = f" of {key.person}" if key.person else ""
                scopes = ",".join(key.scopes)
                yield f"{key.id}  {scopes:<7}  {made}  {key.name}{whose}{ended}"
            if page.next is None:
                return
            query = KeysQuery(limit=200, before=page.next)

    def revoke(self, key_id: str) -> str:
        """Revoke a key; return what to say of it."""
        try:
            with self.database.write() as session:
                key = service.revoke(session, key_id)
                left = store.issued(session).keys
        except UnknownKeyError:
            _end("no key has this id; see demur key list")
        if left:
            return f"{key.id} is revoked"
        return (
            f"{key.id} is revoked, the last one: only keys of DEMUR_API_KEYS open the"
            " service now, until `demur key create` makes another"
        )


def _end(reason: str) -> NoReturn:
    typer.echo(f"demur: {reason}", err=True)
    raise typer.Exit(1)
