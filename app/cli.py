"""The ``demur`` command.

    demur serve     the API and, beside it, a worker that is kept alive
    demur worker    a worker alone
    demur migrate   bring the database to the tables of this version
    demur backup    write everything the service has into one file
    demur restore   put such a file in the place of the service's data
    demur key       issue, list and revoke API keys
    demur audit     recompute every decision of the prediction log
    demur log       delete what the prediction log holds of past days
    demur train     train a model of a running service on a file
    demur predict   decide the rows of a file
    demur models    list models, versions and what they are
    demur evaluate  compare a model's cost on new rows with what training promised
    demur export    write a version as one file of Python, C or ONNX
    demur rows      tell how many labelled rows a promise will take
    demur reprice   make a version at other costs, without training
    demur alias     let a name stand for one version
    demur jobs      list, follow and cancel trainings
    demur datasets  list and delete uploaded tables

A wrong setting is one line on standard error and exit status 2.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

from app import logs
from app.client import commands, registry_commands
from app.client.options import register, whole
from app.environment import SettingsError, given_names, load_settings, misspelt
from app.journal.commands import register as register_journal
from app.keys.commands import register as register_keys
from app.operations.commands import register as register_operations
from app.settings import Settings

__all__ = ["main"]

_logger = logging.getLogger(__name__)

NOWHERE = "127.0.0.1"  # of a command that does not listen

demur = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"demur {version('demur')}")
        raise typer.Exit


@demur.callback()
def _root(
    shown: Annotated[
        bool,
        typer.Option(
            "--version", callback=_tell_version, is_eager=True, help="Tell the version."
        ),
    ] = False,
) -> None:
    """Decisions with a reject option, at the prices you set."""
    del shown


def _settings(**overrides: object) -> Settings:
    try:
        settings = load_settings(**overrides)
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    except SettingsError as error:
        _stop(str(error))
    except OSError as error:
        _stop(f"DEMUR_DATA_DIR cannot be used: {error.strerror}")
    logs.set_up(settings.log_level)
    for name, meant in misspelt(given_names()).items():
        _logger.warning("%s is no setting and says nothing; %s is one", name, meant)
    return settings


def _stop(reason: str) -> NoReturn:
    typer.echo(f"demur: {reason}", err=True)
    raise typer.Exit(2)


@contextmanager
def _database_faults() -> Iterator[None]:
    """Tell in one line that the database cannot be used, and end with status 1."""
    from sqlalchemy.exc import OperationalError  # noqa: PLC0415 - slow to import

    from app.db.migrate import LaterVersionError  # noqa: PLC0415 - slow to import

    try:
        yield
    except LaterVersionError as error:
        typer.echo(f"demur: {error}", err=True)
        raise typer.Exit(1) from None
    except OperationalError as error:
        reason = " ".join(str(error.orig).split())
        typer.echo(f"demur: the database cannot be used: {reason}", err=True)
        raise typer.Exit(1) from None


@demur.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, whole("Port to listen on; 0 takes a free one.")] = None,
    root_path: Annotated[
        str | None, typer.Option(help="Prefix under which a proxy publishes this.")
    ] = None,
    worker: Annotated[
        bool, typer.Option(help="Also run a worker, and keep it alive.")
    ] = True,
    processes: Annotated[
        int | None, whole("Processes that answer, all on one port.")
    ] = None,
) -> None:
    """Run the API, and a worker beside it."""
    settings = _settings(host=host, port=port, root_path=root_path, processes=processes)
    from app.serving import run  # noqa: PLC0415 - slow, and only this command needs it

    try:
        with _database_faults():
            status = run(settings, with_worker=worker)
    except SettingsError as error:
        _stop(str(error))
    raise typer.Exit(status)


@demur.command()
def worker(
    supervised: Annotated[
        bool,
        typer.Option(
            hidden=True, help="Stop when standard input ends: the parent is gone."
        ),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            help="Run none: end with status 0 if one of this machine is at work."
        ),
    ] = False,
) -> None:
    """Run a worker alone: it trains what is queued, one process a job."""
    settings = _settings(host=NOWHERE)
    if check:
        raise typer.Exit(_check_worker(settings))
    from app.worker.main import run  # noqa: PLC0415 - slow, and only this command

    with _database_faults():
        status = run(settings, supervised=supervised)
    raise typer.Exit(status)


def _check_worker(settings: Settings) -> int:
    from app.db.session import open_database  # noqa: PLC0415 - slow
    from app.health.workers import FRESH_S, is_working  # noqa: PLC0415 - slow

    database = open_database(settings.database)
    with _database_faults():
        working = is_working(database)
    database.close()
    if not working:
        typer.echo(
            f"demur: no worker of this machine was at work within {FRESH_S:.0f} s",
            err=True,
        )
    return 0 if working else 1


@demur.command()
def migrate() -> None:
    """Bring the database to the tables of this version."""
    settings = _settings(host=NOWHERE)
    from app.db import migrate as migrations  # noqa: PLC0415 - slow, and only this
    from app.db.session import open_database  # noqa: PLC0415 - command

    database = open_database(settings.database)
    with _database_faults():
        migrations.upgrade(database)
    database.close()
    typer.echo("the database has the tables of this version")


register(demur, *commands.COMMANDS, *registry_commands.COMMANDS)
register_journal(demur)
register_keys(demur, lambda: _settings(host=NOWHERE), _database_faults)
register_operations(demur, lambda: _settings(host=NOWHERE))


def main() -> None:
    """Run the command that was asked for.

    Where its reader has gone (``demur predict ... | head``) it ends without a word, as
    other programs do then. Processes that it starts take modules from where they are
    installed, never from the folder that it was called in: an ``app.py`` there is
    somebody else's.
    """
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        demur()
    finally:
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        except BrokenPipeError:
            # Python flushes once more at its end, and would complain then.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
