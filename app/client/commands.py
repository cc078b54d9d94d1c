"""``demur train`` and ``demur predict``: from a file to a model, to decisions."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from app.client.options import Columns, Model, Prices, Reading, Service, number, whole

__all__ = ["COMMANDS"]


def train(
    file: Annotated[
        Path,
        typer.Argument(
            help="A table: CSV with a header, Parquet, Arrow or svmlight; also packed"
            " by gzip, bzip2, xz or zstd."
        ),
    ],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    positive: Annotated[str, typer.Option(help="The label that is +1.")],
    model: Annotated[
        str | None, typer.Option(help="Name of the model; the file's when left out.")
    ] = None,
    trainer: Annotated[
        str, typer.Option(help='Kind of trainer; "auto" averages several.')
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
        str | None,
        typer.Option(
            help="Kind of rule; left out: chow, without costs mutual-information."
        ),
    ] = None,
    false_positive: Annotated[float, number("Cost of calling a true -1 +1.")] = 1.0,
    false_negative: Annotated[float, number("Cost of calling a true +1 -1.")] = 1.0,
    reject_positive: Annotated[float, number("Cost of rejecting a true +1.")] = 0.25,
    reject_negative: Annotated[float, number("Cost of rejecting a true -1.")] = 0.25,
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
    holdout: Annotated[float, number("Share of rows held out.")] = 0.2,
    seed: Annotated[int, whole("Seed of the split.")] = 0,
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
    numeric: Annotated[
        Columns, typer.Option(metavar="COLUMN", help="A column that holds numbers.")
    ] = None,
    boolean: Annotated[
        Columns, typer.Option(metavar="COLUMN", help="One that holds true and false.")
    ] = None,
    categorical: Annotated[
        Columns,
        typer.Option(metavar="COLUMN", help="One that holds text, such as codes."),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="Whether the first line of CSV has the names."
        ),
    ] = None,
    *,
    reading: Reading,
    service: Service,
) -> None:
    """Train a model on a file and wait for it."""
    from app.client import training  # noqa: PLC0415 - other commands start without it

    prices = Prices(false_positive, false_negative, reject_positive, reject_negative)
    order = training.Order(
        file=file,
        target=target,
        positive=positive,
        model=model,
        trainer=trainer,
        search=tuple(search or ()),
        rule=rule,
        costs=prices.named() if costs else None,
        weight=weight,
        groups=groups,
        order_by=order_by,
        holdout=holdout,
        seed=seed,
        settings=tuple(setting or ()),
        left_out=tuple(leave_out or ()),
        query=reading.query() | ({} if header is None else {"header": header}),
        types={
            "numeric": numeric or [],
            "boolean": boolean or [],
            "categorical": categorical or [],
        },
    )
    raise typer.Exit(training.run(order, service.url, service.api_key))


def predict(
    model: Model,
    file: Annotated[Path, typer.Argument(help="A table with the model's columns.")],
    output: Annotated[
        Path | None, typer.Option(help="Where to write; standard output if left out.")
    ] = None,
    output_format: Annotated[
        Literal["csv", "json"] | None,
        typer.Option("--format", help="json makes an array; else as the file is."),
    ] = None,
    *,
    prices: Prices,
    reading: Reading,
    service: Service,
) -> None:
    """Decide the rows of a file: it comes back with eight columns more.

    They are those of POST /predict/batch: demur_decision, demur_label, demur_score,
    demur_probability, demur_expected_cost, demur_reason, demur_would_be and
    demur_warnings. All other columns pass through unchanged.
    """
    from app.client import predicting  # noqa: PLC0415 - see above

    question = predicting.Question(
        model,
        file,
        output,
        output_format,
        reading.query(),
        prices.named(),
    )
    raise typer.Exit(predicting.run(question, service.url, service.api_key))


COMMANDS = (train, predict)
