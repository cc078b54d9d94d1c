"""``demur key create``, ``list`` and ``revoke``: keys, where the database is at hand.

The first key is made here: while there is none, nobody on the network is the
administrator.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from app.settings import Settings

if TYPE_CHECKING:  # slow to import, and few commands need it
    from app.keys.database import Commands

__all__ = ["register"]

SetUp = Callable[[], Settings]
Guard = Callable[[], AbstractContextManager[None]]


def register(demur: typer.Typer, set_up: SetUp, guard: Guard) -> None:
    """Add the commands to a typer application.

    Parameters
    ----------
    demur : Typer
    set_up : callable
        Returns the settings of a command that does not listen.
    guard : callable
        A context that tells what is wrong with a database in one line.
    """
    keys = typer.Typer(help="Issue, list and revoke API keys.", no_args_is_help=True)

    @contextmanager
    def opened() -> Iterator["Commands"]:
        from app.keys.database import Commands  # noqa: PLC0415 - as above

        with guard(), Commands.on(set_up()) as commands:
            yield commands

    @keys.command()
    def create(
        name: Annotated[str, typer.Option(help="Who or what the key is for.")],
        scope: Annotated[
            list[str],
            typer.Option(
                help="What it opens, given as often as needed: predict, train, review,"
                " lead, or admin for everything."
            ),
        ],
        person: Annotated[
            str | None,
            typer.Option(help="Whose it is; of a reviewer, the name if not."),
        ] = None,
    ) -> None:
        """Issue a key and print it, once: only a digest is kept."""
        with opened() as commands:
            typer.echo(commands.create(name, scope, person))

    @keys.command("list")
    def list_() -> None:
        """List the issued keys, newest first, without their text."""
        with opened() as commands:
            for line in commands.listed():
                typer.echo(line)

    @keys.command()
    def revoke(
        key_id: Annotated[str, typer.Argument(help="The id that `list` shows.")],
    ) -> None:
        """Revoke a key: within a second it opens nothing any more."""
        with opened() as commands:
            typer.echo(commands.revoke(key_id))

    demur.add_typer(keys, name="key")
