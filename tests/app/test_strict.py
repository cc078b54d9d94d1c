"""A schema that is made at run time is not searched for in the sources."""

import inspect
import sys
from collections.abc import Iterator
from functools import cache

from pydantic import BaseModel

import app.main  # noqa: F401 - all schemas


def below(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for one in model.__subclasses__():
        yield one
        yield from below(one)


@cache
def source(module: str) -> str:
    return inspect.getsource(sys.modules[module])


def test_only_schemas_that_are_written_down_are_described_beside_their_fields() -> None:
    ours = {m for m in below(BaseModel) if m.__module__.startswith("app.")}
    made = {m for m in ours if f"class {m.__name__}(" not in source(m.__module__)}
    assert {"PlugInRule", "ByLabel", "DoubleHingeCandidate"} <= {
        m.__name__ for m in made
    }
    searched = {m for m in made if m.model_config.get("use_attribute_docstrings")}
    assert searched == set(), "give them MadeModel as their last base"
