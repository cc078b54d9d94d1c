"""Every public name of ``solvers`` says what it takes, in numpydoc's form."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import solvers
from solvers import calibration, display, metrics, rules

MODULES = (solvers, rules, metrics, display, calibration)


def public() -> Iterator[tuple[str, Any]]:
    """Yield the functions and classes that users import, and their public methods."""
    for module in MODULES:
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isfunction(found):
                yield name, found
            elif inspect.isclass(found):
                yield name, found
                for method, value in vars(found).items():
                    inner = getattr(value, "__func__", value)
                    if not method.startswith("_") and inspect.isfunction(inner):
                        yield f"{name}.{method}", inner


NAMED = dict(public())


def described(text: str) -> set[str]:
    """Return the names that the sections of a docstring describe."""
    found: set[str] = set()
    for line in re.findall(r"^([\w*, ]+?)(?: : .*)?$", text, re.MULTILINE):
        found |= {name.strip(" *") for name in line.split(",")}
    return found


@pytest.mark.parametrize("name", sorted(NAMED))
def test_it_says_what_it_is(name: str) -> None:
    assert inspect.getdoc(NAMED[name])


def own_parameters(found: Callable[..., Any]) -> list[str]:
    given = inspect.signature(found).parameters
    return [name for name in given if name not in {"self", "cls"}]


@pytest.mark.parametrize(
    "name", sorted(name for name, found in NAMED.items() if "." not in name)
)
def test_it_says_what_it_takes(name: str) -> None:
    text = inspect.getdoc(NAMED[name]) or ""
    missing = set(own_parameters(NAMED[name])) - described(text)
    assert not missing
