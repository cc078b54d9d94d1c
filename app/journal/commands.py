"""What an operator does with the prediction log.

demur audit                 recompute every logged decision; status 1 if any differs
demur log delete --before   delete the files of all days before one
"""

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from app import audit as auditing
from app.blobs.interface import Place
from app.blobs.opening import open_blobs
from app.environment import SettingsError, load_settings
from app.journal.files import delete_before, log_files

__all__ = ["register"]

DataDir = Annotated[
    Path | None, typer.Option(help="The data folder; that of the settings if not said.")
]


def register(demur: typer.Typer) -> None:
    """Add the commands to ``demur``."""
    log = typer.Typer(help="The prediction log.", no_args_is_help=True)
    log.command("delete")(delete)
    demur.add_typer(log, name="log")
    demur.command("audit")(audit)


def audit(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Files of the log; all of the data folder if none."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Recompute every logged decision and its expected costs."""
    for file in files or ():
        if not file.is_file():
            _stop(f"there is no file {file}")
    report = auditing.audit(files or _local_files(_place(data_dir)))
    for line in report.words():
        typer.echo(line)
    raise typer.Exit(1 if report.differing else 0)


def delete(
    before: Annotated[
        datetime, typer.Option(formats=["%Y-%m-%d"], help="The first day that stays.")
    ],
    data_dir: DataDir = None,
) -> None:
    """Delete the log of all days (UTC) before one; today's is still written."""
    if before.date() > datetime.now(UTC).date():
        _stop("--before is today (UTC) at most: today's file is still written")
    count = delete_before(_place(data_dir), before.date())
    typer.echo(f"deleted {count} files of days before {before.date()}")


def _local_files(place: Place) -> Iterator[Path]:
    """Yield each file of the log, one of an object store for as long as it is read."""
    blobs = open_blobs(place)
    with tempfile.TemporaryDirectory(prefix="demur-audit-") as folder:
        for _, name in log_files(place):
            if isinstance(place, Path):
                yield place / name
                continue
            fetched = Path(folder) / name
            fetched.write_bytes(blobs.read(name))
            yield fetched
            fetched.unlink()


def _place(data_dir: Path | None) -> Place:
    try:
        # Of a command that does not listen.
        settings = load_settings(data_dir=data_dir, host="127.0.0.1")
    except SettingsError as error:
        _stop(str(error))
    return settings.prediction_log_dir


def _stop(reason: str) -> None:
    typer.echo(f"demur: {reason}", err=True)
    raise typer.Exit(2)
