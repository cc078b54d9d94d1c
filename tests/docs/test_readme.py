"""What the README tells to type can be typed: commands, options, files, a request."""

import csv
import json
import re
import shlex
from pathlib import Path

import pytest
import typer

from app.cli import demur

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
LINES = [line for block in BLOCKS for line in block.replace("\\\n", "").splitlines()]
COMMANDS = [line for line in LINES if line.startswith(".venv/bin/demur ")]


def columns(name: str) -> list[str]:
    with (ROOT / "examples" / name).open(newline="") as file:
        return next(csv.reader(file))


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_takes_its_options_and_has_its_file(line: str) -> None:
    name, *arguments = shlex.split(line)[1:]
    command = typer.main.get_command(demur).commands[name]  # type: ignore[attr-defined]
    given = command.make_context(name, arguments).params
    if (file := given.get("file")) is not None:
        assert (ROOT / file).is_file()
    if given.get("target") is not None:
        assert given["target"] in columns(file.name)


def test_the_request_has_the_columns_of_the_model() -> None:
    (body,) = re.findall(r"/predict [^']*'[^']*' -d '(.*?)'", README, re.DOTALL)
    wanted = columns("heart.csv")[:-1]
    assert wanted == columns("heart-new.csv")[1:]
    for row in json.loads(body)["instances"]:
        assert list(row) == wanted


def test_enough_is_told() -> None:
    assert len(COMMANDS) >= 5
    assert "make demo" in BLOCKS[0]
    assert "make serve" in BLOCKS[0]
