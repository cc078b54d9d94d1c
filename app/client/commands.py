"""The commands that talk to a running service: ``demur train``, ``demur predict``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from app.datasets.reading.options import Encoding, ReadOptions

__all__ = ["register"]

Url = Annotated[
    str, typer.Option(envvar="DEMUR_URL", help="Address of the running service.")
]
Key = Annotated[
    str | None,
    typer.Option(envvar="DEMUR_API_KEY", help="A key, where the service has keys."),
]
Delimiter = Annotated[
    Literal["auto", "comma", "semicolon", "tab", "pipe"],
    typer.Option(help="What separates the cells; auto finds it."),
]
Decimal = Annotated[
    Literal[".", ","], typer.Option(help="The decimal mark of the numbers.")
]
TextEncoding = Annotated[
    Literal["utf-8", "utf-16", "latin-1", "windows-1252"],
    typer.Option(help="The encoding of the file."),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        help="A cell that means no value, instead of the empty cell, ?, NA, N/A, NaN"
        " and NULL; may be repeated."
    ),
]
LOCAL = "http://127.0.0.1:8000"


def register(demur: typer.Typer) -> None:
    """Add the commands to a typer application."""
    demur.command()(train)
    demur.command()(predict)


def train(  # noqa: PLR0913, PLR0917 - one parameter an option
    file: Annotated[Path, typer.Argument(help="A CSV file with a header.")],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    positive: Annotated[str, typer.Option(help="The label that is +1.")],
    model: Annotated[
        str | None, typer.Option(help="Name of the model; the file's when left out.")
    ] = None,
    trainer: Annotated[
        str, typer.Option(help='Kind of trainer; "auto" lets the costs choose one.')
    ] = "double-hinge-svm",
    search: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="Values of a parameter to try, such as C=0.1,1,10 or"
            " kernel.gamma=0.01,scale; may be repeated.",
        ),
    ] = None,
    rule: Annotated[
        str | None, typer.Option(help="Kind of rule; the trainer's own when left out.")
    ] = None,
    false_positive: Annotated[
        float, typer.Option(help="Cost of calling a true -1 +1.")
    ] = 1.0,
    false_negative: Annotated[
        float, typer.Option(help="Cost of calling a true +1 -1.")
    ] = 1.0,
    reject_positive: Annotated[
        float, typer.Option(help="Cost of rejecting a true +1.")
    ] = 0.25,
    reject_negative: Annotated[
        float, typer.Option(help="Cost of rejecting a true -1.")
    ] = 0.25,
    costs: Annotated[
        bool, typer.Option(help="Whether to name costs; some rules need none.")
    ] = True,
    weight: Annotated[str | None, typer.Option(help="A column of row weights.")] = None,
    groups: Annotated[
        str | None, typer.Option(help="A column whose equal values stay together.")
    ] = None,
    order_by: Annotated[
        str | None, typer.Option(help="A column of dates: the future evaluates.")
    ] = None,
    holdout: Annotated[float, typer.Option(help="Share of rows held out.")] = 0.2,
    seed: Annotated[int, typer.Option(help="Seed of the split.")] = 0,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PATH=VALUE",
            help="Anything else of the request, such as trainer.C=10 or"
            ' trainer.kernel={"kind":"linear"}; may be repeated.',
        ),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column to leave out, such as an identifier; may be repeated.",
        ),
    ] = None,
    delimiter: Delimiter = "auto",
    decimal: Decimal = ".",
    encoding: TextEncoding = "utf-8",
    missing: Missing = None,
    url: Url = LOCAL,
    api_key: Key = None,
) -> None:
    """Train a model on a CSV file and wait for it."""
    from app.client import training  # noqa: PLC0415 - other commands start without it

    prices = {
        "false_positive": false_positive,
        "false_negative": false_negative,
        "reject_positive": reject_positive,
        "reject_negative": reject_negative,
    }
    order = training.Order(
        file=file,
        target=target,
        positive=positive,
        model=model,
        trainer=trainer,
        search=tuple(search or ()),
        rule=rule,
        costs=prices if costs else None,
        weight=weight,
        groups=groups,
        order_by=order_by,
        holdout=holdout,
        seed=seed,
        settings=tuple(setting or ()),
        left_out=tuple(leave_out or ()),
        options=_options(delimiter, decimal, encoding, missing),
    )
    raise typer.Exit(training.run(order, url, api_key))


def predict(  # noqa: PLR0913, PLR0917 - one parameter an option
    model: Annotated[str, typer.Argument(help="NAME, NAME:VERSION or NAME@ALIAS.")],
    file: Annotated[Path, typer.Argument(help="A CSV file with the model's columns.")],
    output: Annotated[
        Path | None, typer.Option(help="Where to write; standard output if left out.")
    ] = None,
    output_format: Annotated[
        Literal["csv", "json"], typer.Option("--format", help="Form of the decisions.")
    ] = "csv",
    delimiter: Delimiter = "auto",
    decimal: Decimal = ".",
    encoding: TextEncoding = "utf-8",
    missing: Missing = None,
    url: Url = LOCAL,
    api_key: Key = None,
) -> None:
    """Decide the rows of a CSV file; other columns pass through unchanged."""
    from app.client import predicting  # noqa: PLC0415 - see above

    options = _options(delimiter, decimal, encoding, missing)
    question = predicting.Question(model, file, output, output_format, options)
    raise typer.Exit(predicting.run(question, url, api_key))


def _options(
    delimiter: str,
    decimal: Literal[".", ","],
    encoding: "Encoding",
    missing: list[str] | None,
) -> "ReadOptions":
    from app.datasets.reading.options import (  # noqa: PLC0415 - see above
        DELIMITERS,
        MISSING,
        ReadOptions,
    )

    if DELIMITERS.get(delimiter) == decimal:
        msg = "the decimal mark cannot separate cells too"
        raise typer.BadParameter(msg, param_hint="--decimal")
    return ReadOptions(
        delimiter=DELIMITERS.get(delimiter),
        decimal=decimal,
        encoding=encoding,
        missing=MISSING if missing is None else tuple(map(str.strip, missing)),
    )
