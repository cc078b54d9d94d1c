"""Options that several commands have in common."""

from typing import Annotated, Any, Literal

import typer

from app.strict import number_in

__all__ = [
    "LOCAL",
    "Columns",
    "Decimal",
    "Delimiter",
    "Json",
    "Key",
    "Missing",
    "Price",
    "TextEncoding",
    "Url",
    "number",
    "prices",
    "reading",
    "whole",
]


def _whole(value: str | int) -> int:
    try:
        return value if isinstance(value, int) else number_in(value, whole=True)
    except ValueError as error:
        raise typer.BadParameter(f"it {error}") from None  # noqa: EM102


def _number(value: str | float) -> float:
    try:
        return value if isinstance(value, int | float) else number_in(value)
    except ValueError as error:
        raise typer.BadParameter(f"it {error}") from None  # noqa: EM102


def whole(told: str, kind: Any = typer.Option) -> Any:
    """Return an option (or argument) that takes a whole number, read as over HTTP."""
    shown = "<int>" if kind is typer.Option else None  # an argument shows its name
    return kind(help=told, parser=_whole, metavar=shown)


def number(told: str) -> Any:
    """Return an option that takes a number, read as over HTTP: never NaN."""
    return typer.Option(help=told, parser=_number, metavar="<float>")


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
    Literal["auto", ".", ","],
    typer.Option(
        help="The decimal mark of the numbers; auto reads each column by its own cells."
    ),
]
TextEncoding = Annotated[
    Literal["auto", "utf-8", "utf-16", "latin-1", "windows-1252"],
    typer.Option(help="The encoding of the file; auto finds it."),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        help="A cell that means no value, instead of the empty cell, ?, NA, N/A, NaN"
        " and NULL; may be repeated."
    ),
]
Price = Annotated[float | None, number("Other costs than the model's: give all four.")]
Columns = list[str] | None
LOCAL = "http://127.0.0.1:8000"
Json = Annotated[
    bool, typer.Option("--json", help="Print the service's answer as it is.")
]


def reading(
    delimiter: str, decimal: str, encoding: str, missing: list[str] | None
) -> dict[str, Any]:
    """Return how a file is to be read, as parameters of a request."""
    query: dict[str, Any] = {
        "delimiter": delimiter,
        "decimal": decimal,
        "encoding": encoding,
    }
    return query if missing is None else {**query, "missing": missing}


def prices(
    false_positive: float | None,
    false_negative: float | None,
    reject_positive: float | None,
    reject_negative: float | None,
) -> dict[str, float]:
    """Return the costs that were named, by their names."""
    named = {
        "false_positive": false_positive,
        "false_negative": false_negative,
        "reject_positive": reject_positive,
        "reject_negative": reject_negative,
    }
    return {name: price for name, price in named.items() if price is not None}
