"""What an operator does with the prediction log.

demur audit                 recompute every logged decision; status 1 if any differs
demur log delete --before   delete the files of all days before one
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from app import audit as auditing
from app.journal.files import delete_before, log_files
from app.settings import SettingsError, load_settings

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
    found = files or [path for _, path in log_files(_folder(data_dir))]
    report = auditing.audit(found)
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
    count = delete_before(_folder(data_dir), before.date())
    typer.echo(f"deleted {count} files of days before {before.date()}")


def _folder(data_dir: Path | None) -> Path:
    try:
        # Of a command that does not listen.
        settings = load_settings(data_dir=data_dir, host="127.0.0.1")
    except SettingsError as error:
        _stop(str(error))
    return settings.prediction_log_dir


def _stop(reason: str) -> None:
    typer.echo(f"demur: {reason}", err=True)
    raise typer.Exit(2)
