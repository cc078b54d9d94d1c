"""The commands of an operator: ``demur backup``, ``demur restore``."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from app.operations.archive import OperationError
from app.settings import Settings

__all__ = ["register"]


def register(demur: typer.Typer, read_settings: Callable[[], Settings]) -> None:
    """Add the commands to a typer application."""

    @demur.command()
    def backup(
        file: Annotated[Path, typer.Argument(help="The archive; it must not exist.")],
    ) -> None:
        """Write database, models and data sets into one file; the service may run."""
        settings = read_settings()
        from app.operations.backup import backup as write  # noqa: PLC0415 - slow

        with _reasons_shown():
            made = write(settings, file)
        typer.echo(f"{file} holds {len(made.files)} files, each with its digest")

    @demur.command()
    def restore(
        file: Annotated[Path, typer.Argument(help="An archive of demur backup.")],
        force: Annotated[
            bool, typer.Option(help="Replace what the data folder holds.")
        ] = False,
    ) -> None:
        """Put an archive in the place of the service's data; the service is stopped.

        Restore only an archive that you trust: its models decide.
        """
        settings = read_settings()
        from app.operations.restore import restore as put_back  # noqa: PLC0415 - slow

        with _reasons_shown():
            put = put_back(settings, file, force=force)
        typer.echo(f"restored {len(put.files)} files of {put.made_at}")


@contextmanager
def _reasons_shown() -> Iterator[None]:
    """Tell in one line why nothing was done, and end with status 1."""
    from sqlalchemy.exc import OperationalError  # noqa: PLC0415 - slow to import

    try:
        yield
    except OperationError as error:
        typer.echo(f"demur: {error}", err=True)
        raise typer.Exit(1) from None
    except (OperationalError, sqlite3.Error) as error:
        reason = " ".join(str(getattr(error, "orig", error)).split())
        typer.echo(f"demur: the database cannot be used: {reason}", err=True)
        raise typer.Exit(1) from None
    except OSError as error:
        place = f": {error.filename}" if error.filename else ""
        typer.echo(f"demur: {error.strerror}{place}", err=True)
        raise typer.Exit(1) from None
