"""A number on the command line is read as over HTTP, whichever option takes it.

The options are found in the code, so that a new one is held to the same.
"""

import typing

import pytest
import typer

from app.cli import demur
from app.client.http import ClientError, Connection, model_path
from app.client.training import Order, OrderError, read_values, request_of

NO_NUMBERS = [
    "1_0",
    "\u0661",
    "\uff11",
    "nan",
    "inf",
    "-Infinity",
    "1e400",
    "5%",
    "1,5",
    "0x10",
    "",
]
NOT_WHOLE = [*NO_NUMBERS, "1.0", "1e3", "+1"]


def commands(command, path=()):
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))
    yield path, command


def kinds(annotation):
    inner = typing.get_args(annotation)
    return {annotation}.union(*map(kinds, inner))


OPTIONS = [
    (path, command, option)
    for path, command in commands(typer.main.get_command(demur))
    for option in command.params
    if kinds(option.type_descriptor.annotation) & {int, float}
]


def test_options_are_found():
    names = {(path[-1], option.name) for path, _, option in OPTIONS}
    assert names >= {("serve", "port"), ("train", "seed"), ("alias", "version")}
    assert len(names) >= 25


@pytest.mark.parametrize(
    ("command", "option"),
    [pytest.param(c, o, id=f"{' '.join(path)} {o.name}") for path, c, o in OPTIONS],
)
def test_only_digits_are_a_number(command, option):
    context = typer.Context(command)
    whole = int in kinds(option.type_descriptor.annotation)
    for text in NOT_WHOLE if whole else NO_NUMBERS:
        with pytest.raises(typer.BadParameter) as told:
            option.handle_parse_result(context, {option.name: text}, [])
        assert option.name.replace("_", "-") in told.value.format_message().lower()
        assert not text or text not in str(told.value.message)
    assert option.process_value(context, " 7 ") == 7
    assert option.process_value(context, 3) == 3
    if not whole:
        assert option.process_value(context, "2.5e-1") == 0.25


def order(tmp_path, *settings):
    return Order(
        file=tmp_path / "rows.csv",
        target="y",
        positive="yes",
        model=None,
        trainer="logistic",
        search=(),
        rule=None,
        costs=None,
        weight=None,
        groups=None,
        order_by=None,
        holdout=0.2,
        seed=0,
        settings=settings,
        left_out=(),
        query={},
        types={},
    )


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e400", "[1, NaN]"])
def test_settings_hold_finite_numbers(tmp_path, value):
    with pytest.raises(OrderError, match="numbers are finite"):
        request_of(order(tmp_path, f"trainer.C={value}"))
    with pytest.raises(OrderError, match="numbers are finite"):
        read_values(f"C=1,{value}" if value[0] != "[" else f"C={value}")


def test_a_key_of_a_setting_counts_once(tmp_path):
    with pytest.raises(OrderError, match="'kind' is given twice"):
        request_of(order(tmp_path, 'trainer={"kind": "svm", "kind": "logistic"}'))
    asked = request_of(order(tmp_path, 'trainer={"kind": "svm", "C": 2}'))
    assert asked["trainer"] == {"kind": "svm", "C": 2}


def test_what_json_cannot_say_is_told():
    with (
        Connection("http://127.0.0.1:9") as client,
        pytest.raises(ClientError, match="numbers are finite"),
    ):
        client.ask("POST", "/train", json={"C": float("nan")})


@pytest.mark.parametrize("version", ["\u0661", "\uff11", "1_0", "+1", "1.0"])
def test_a_version_is_written_in_digits(version):
    with (
        Connection("http://127.0.0.1:9") as client,
        pytest.raises(ClientError, match="a model is NAME"),
    ):
        client.version(f"pima:{version}")


def test_a_model_has_a_name():
    with pytest.raises(ClientError, match="name a model"):
        model_path("")
