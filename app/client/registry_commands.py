"""The commands on what a service has: models, jobs, data sets, aliases, prices."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from app.client.options import Json, Model, Prices, Reading, Service, number, whole

__all__ = ["COMMANDS"]

Share = Annotated[
    float | None,
    number("The share of +1 in use, where it is not that of the rows."),
]


def _run(act: str, service: Service, *arguments: Any, as_json: bool) -> None:
    from app.client import registry  # noqa: PLC0415 - other commands start without it

    action: Callable[..., Any] = getattr(registry, act)
    url, key = service.url, service.api_key
    raise typer.Exit(registry.run(action, arguments, url, key, as_json=as_json))


def models(
    model: Annotated[
        str | None, typer.Argument(help="Only this; NAME:VERSION shows one version.")
    ] = None,
    as_json: Json = False,
    *,
    service: Service,
) -> None:
    """List the models, the versions of one, or what a version is."""
    _run("models", service, model, as_json=as_json)


def evaluate(
    model: Model,
    file: Annotated[Path, typer.Argument(help="Labelled rows, new to the model.")],
    target: Annotated[
        str | None, typer.Option(help="The column of labels; as in training if not.")
    ] = None,
    positive: Annotated[
        str | None, typer.Option(help="The label that is +1; goes with --target.")
    ] = None,
    prevalence: Share = None,
    *,
    reading: Reading,
    as_json: Json = False,
    service: Service,
) -> None:
    """Compare what a model costs on new rows with what its training promised.

    The rows are deleted from the service afterwards.
    """
    query = reading.query()
    asked: dict[str, Any] = {}
    labels = {"column": target, "positive": positive}
    if named := {name: told for name, told in labels.items() if told is not None}:
        asked["target"] = named
    if prevalence is not None:
        asked["prevalence"] = prevalence
    _run("evaluate", service, model, file, query, asked, as_json=as_json)


def reprice(
    model: Model,
    *,
    prices: Prices,
    rule: Annotated[
        str | None, typer.Option(help="The rule that sets the thresholds from now on.")
    ] = None,
    max_reject_rate: Annotated[
        float | None, number("A limit on the share of rejected rows.")
    ] = None,
    max_error: Annotated[
        float | None, number("A limit on the error among decided rows.")
    ] = None,
    prevalence: Share = None,
    as_json: Json = False,
    service: Service,
) -> None:
    """Make a new version at other costs, by another rule or limit, without training."""
    asked = {
        "costs": prices.named() or None,
        "rule": None if rule is None else {"kind": rule},
        "max_reject_rate": max_reject_rate,
        "max_error": max_error,
        "prevalence": prevalence,
    }
    named = {name: value for name, value in asked.items() if value is not None}
    _run("reprice", service, model, named, as_json=as_json)


def export(
    model: Model,
    kind: Annotated[
        Literal["python", "c", "onnx"], typer.Option("--format", help="Of the file.")
    ] = "python",
    precision: Annotated[
        Literal["float64", "float32"],
        typer.Option(help="In which the file computes; Python: float64."),
    ] = "float64",
    output: Annotated[
        Path | None, typer.Option(help="The file; named by the service if not given.")
    ] = None,
    as_json: Json = False,
    *,
    service: Service,
) -> None:
    """Write a version as one file that decides without the service."""
    query = {"format": kind, "precision": precision}
    _run("export", service, model, query, output, as_json=as_json)


def rows(
    max_error: Annotated[float, number("The limit on the error among decided rows.")],
    expected_error: Annotated[
        float, number("The error that the model is expected to have.")
    ],
    confidence: Annotated[float, number("Of the promise.")] = 0.95,
    reject_rate: Annotated[
        float, number("The share that the model is expected to reject.")
    ] = 0.0,
    as_json: Json = False,
    *,
    service: Service,
) -> None:
    """Tell how many labelled rows a promise on the error will take."""
    query = {
        "max_error": max_error,
        "expected_error": expected_error,
        "confidence": confidence,
        "reject_rate": reject_rate,
    }
    _run("rows", service, query, as_json=as_json)


def alias(
    model: Annotated[str, typer.Argument(help="The name of a model.")],
    name: Annotated[
        str | None, typer.Argument(help="The alias, such as champion.")
    ] = None,
    version: Annotated[
        int | None, whole("The version that it is to point at.", typer.Argument)
    ] = None,
    delete: Annotated[bool, typer.Option(help="Remove the alias.")] = False,
    max_expected_cost: Annotated[
        float | None, number("A bar that the version has to pass.")
    ] = None,
    max_reject_rate: Annotated[
        float | None, number("A bar that the version has to pass.")
    ] = None,
    max_selective_error: Annotated[
        float | None, number("A bar that the version has to pass.")
    ] = None,
    beats_constant: Annotated[
        bool, typer.Option(help="Ask that it costs less than any constant answer.")
    ] = False,
    no_worse: Annotated[
        bool, typer.Option(help="Ask that it costs no more than the present version.")
    ] = False,
    as_json: Json = False,
    *,
    service: Service,
) -> None:
    """Show, move or remove a name that stands for one version."""
    bars = {
        "max_expected_cost": max_expected_cost,
        "max_reject_rate": max_reject_rate,
        "max_selective_error": max_selective_error,
        "beats_constant": beats_constant or None,
        "no_worse": no_worse or None,
    }
    gates = {bar: value for bar, value in bars.items() if value is not None}
    arguments = (model, name, version, delete, gates)
    _run("alias", service, *arguments, as_json=as_json)


def jobs(
    job: Annotated[str | None, typer.Argument(help="Only the job of this id.")] = None,
    model: Annotated[
        str | None, typer.Option(help="Only trainings of this model.")
    ] = None,
    status: Annotated[
        str | None, typer.Option(help="Only jobs in this state, such as running.")
    ] = None,
    cancel: Annotated[bool, typer.Option(help="Cancel the job.")] = False,
    follow: Annotated[bool, typer.Option(help="Wait until the job has ended.")] = False,
    as_json: Json = False,
    *,
    service: Service,
) -> None:
    """List trainings, newest first; show, follow or cancel one."""
    if job is None and (cancel or follow):
        msg = "name the job; `demur jobs` lists them"
        raise typer.BadParameter(msg)
    arguments = (job, {"model": model, "status": status}, cancel, follow)
    _run("jobs", service, *arguments, as_json=as_json)


def datasets(
    dataset: Annotated[
        str | None, typer.Argument(help="Only the data set of this id.")
    ] = None,
    delete: Annotated[
        bool,
        typer.Option(help="Delete it, and what versions keep of its single rows."),
    ] = False,
    drop_guards: Annotated[
        bool, typer.Option(help="Delete it though outlier guards are made of its rows.")
    ] = False,
    as_json: Json = False,
    *,
    service: Service,
) -> None:
    """List the data sets; show or delete one."""
    if dataset is None and delete:
        msg = "name the data set; `demur datasets` lists them"
        raise typer.BadParameter(msg)
    arguments = (dataset, delete, drop_guards)
    _run("datasets", service, *arguments, as_json=as_json)


COMMANDS = (models, evaluate, reprice, export, rows, alias, jobs, datasets)
