"""Options that several commands have in common, alone and in groups."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, is_dataclass
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, Literal

import typer

from app.strict import number_in

__all__ = [
    "Columns",
    "Json",
    "Model",
    "Prices",
    "Reading",
    "Service",
    "number",
    "register",
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


def whole(description: str, kind: Any = typer.Option) -> Any:
    """Return an option (or argument) that takes a whole number, read as over HTTP."""
    shown = "<int>" if kind is typer.Option else None  # an argument shows its name
    return kind(help=description, parser=_whole, metavar=shown)


def number(description: str) -> Any:
    """Return an option that takes a number, read as over HTTP: never NaN."""
    return typer.Option(help=description, parser=_number, metavar="<float>")


Model = Annotated[str, typer.Argument(help="NAME, NAME:VERSION or NAME@ALIAS.")]
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


@dataclass(frozen=True, slots=True)
class Service:
    """The group of options of where the service is."""

    url: Url = LOCAL
    api_key: Key = None


@dataclass(frozen=True, slots=True)
class Reading:
    """The group of options of how a file is to be read."""

    delimiter: Delimiter = "auto"
    decimal: Decimal = "auto"
    encoding: TextEncoding = "auto"
    missing: Missing = None

    def query(self) -> dict[str, Any]:
        """Return them as parameters of a request."""
        return {
            name: value for name, value in asdict(self).items() if value is not None
        }


@dataclass(frozen=True, slots=True)
class Prices:
    """The group of options of costs."""

    false_positive: Price = None
    false_negative: Price = None
    reject_positive: Price = None
    reject_negative: Price = None

    def named(self) -> dict[str, float]:
        """Return the costs that were named, by their names."""
        return {
            name: price for name, price in asdict(self).items() if price is not None
        }


def register(demur: typer.Typer, *commands: Callable[..., None]) -> None:
    """Add commands to a typer application.

    Parameters
    ----------
    demur : Typer
    commands : callables
        A parameter whose type is a dataclass is a group: its fields are the options.
    """
    for command in commands:
        demur.command()(_with_groups(command))


def _with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes the options of its groups one by one."""
    groups: dict[str, Any] = {}
    options: list[Parameter] = []
    for parameter in signature(command).parameters.values():
        if is_dataclass(parameter.annotation):
            groups[parameter.name] = parameter.annotation
            options += signature(groups[parameter.name]).parameters.values()
        else:
            options.append(parameter)

    def run(**values: Any) -> None:
        for name, kind in groups.items():
            members = {field.name: values.pop(field.name) for field in fields(kind)}
            values[name] = kind(**members)
        command(**values)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {option.name: option.annotation for option in options}
    by_name = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in options]
    run.__signature__ = Signature(by_name)  # type: ignore[attr-defined]
    return run
