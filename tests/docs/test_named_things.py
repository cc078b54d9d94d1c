"""What the pages name is there: files, commands, settings and their defaults."""

import re
from pathlib import Path

import pytest
import typer

from app.cli import demur
from app.errors.base import ApiError
from app.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
CODE = re.compile(r"`([^`\n]+)`")
TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def by_page(pattern: str) -> list[tuple[str, str]]:
    """Return (page, what was found) for every match of the pattern's only group."""
    return sorted(
        {
            (name, str(m))
            for name, text in TEXTS.items()
            for m in re.findall(pattern, text)
        }
    )


def own_paths() -> list[tuple[str, str]]:
    first = {path.name for path in ROOT.iterdir() if not path.name.startswith(".venv")}
    return [
        (page, name)
        for page, name in by_page(CODE.pattern)
        if re.fullmatch(r"[\w.-]+(/[\w.{}-]+)+/?", name) and name.split("/")[0] in first
    ]


@pytest.mark.parametrize(("page", "name"), own_paths())
def test_a_path_that_is_named_exists(page: str, name: str) -> None:
    assert (ROOT / name).exists(), page


@pytest.mark.parametrize(("page", "module"), by_page(r"python -m ([\w.]+)"))
def test_a_module_that_is_run_exists(page: str, module: str) -> None:
    path = ROOT.joinpath(*module.split("."))
    assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), page


@pytest.mark.parametrize(("page", "target"), by_page(r"\bmake ([a-z-]+)\b(?=[`\s])"))
def test_a_target_of_make_exists(page: str, target: str) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    if f"`make {target}" in TEXTS[page] or f"\nmake {target}" in TEXTS[page]:
        assert target in targets


@pytest.mark.parametrize(
    ("page", "words"), by_page(r"(?:`|\n(?: {4})?|bin/)demur ((?:[a-z]+ ?){1,2})")
)
def test_a_command_exists(page: str, words: str) -> None:
    command = typer.main.get_command(demur)
    for word in words.split():
        if not hasattr(command, "commands"):
            break  # an argument of the command
        assert word in command.commands, page
        command = command.commands[word]


@pytest.mark.parametrize(("page", "name"), by_page(r"\bDEMUR_([A-Z_]+[A-Z])\b"))
def test_a_setting_exists(page: str, name: str) -> None:
    of_tests = {"DATA_FOLDER", "TEST_POSTGRES_URL"}
    of_compose = set(
        re.findall(r"DEMUR_([A-Z_]+)", (ROOT / "docker-compose.yml").read_text())
    )
    known = {field.upper() for field in Settings.model_fields}
    assert name in known | of_tests | of_compose, page


def told_defaults() -> dict[str, str]:
    """Return the second cell of each row of the tables of settings, by setting."""
    rows = re.findall(
        r"^\| (`DEMUR_[^|]+) \| ([^|]+) \|", TEXTS["operating.md"], re.MULTILINE
    )
    told = {}
    for names, cells in rows:
        names_ = re.findall(r"`DEMUR_(\w+)`", names)
        cells_ = cells.split(", ") if len(names_) > 1 else [cells]
        told |= {
            name.lower(): cell.strip()
            for name, cell in zip(names_, cells_, strict=True)
        }
    return told


def read_default(cell: str) -> object:
    """Return what a cell says: a number with or without a unit, a word, or nothing."""
    number = re.match(r"([\d,]+)(?: (KiB|MiB|GiB))?(?: a process)?$", cell)
    if number:
        return int(number[1].replace(",", "")) * UNITS.get(number[2], 1)
    words = {"none": None, "true": True, "SQLite in the data folder": None}
    words["the data folder"] = None
    return words.get(cell, cell.strip("`"))


def test_every_default_is_the_one_that_is_told() -> None:
    told = {name: read_default(cell) for name, cell in told_defaults().items()}
    own = {name: field.default for name, field in Settings.model_fields.items()}
    none = {None, "", (), 0}
    for name, default in own.items():
        if told[name] is None:
            assert default in none, name
        else:
            assert str(default) == str(told[name]) or default == told[name], name


def test_every_status_of_an_error_is_in_the_table() -> None:
    kinds = [ApiError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    table = TEXTS["api.md"].partition("## Errors")[2]
    rows = re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE)
    told = {int(status) for row in rows for status in row.split(",")}
    statuses = {kind.status for kind in kinds}
    assert len(kinds) > 20
    assert statuses == told


def test_every_folder_has_its_line_in_the_architecture() -> None:
    page = TEXTS["architecture.md"]
    for package in ("app", "solvers"):
        folders = {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}
        missing = [name for name in folders if f"`{name}/`" not in page]
        assert not missing, package
