"""Keys that a request may have, and shapes of texts in words."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from app.choices import known_keys, shape_in_words
from app.main import create_app
from app.settings import Settings
from app.train.schemas import TrainRequest
from app.train.trainers.registry import TRAINERS, Trainer


@pytest.mark.parametrize(
    ("location", "some"),
    [
        ((), {"model", "trainer", "rule", "search"}),
        (("costs",), {"false_positive", "reject_negative"}),
        (("rule", "chow"), {"kind", "reject_threshold"}),
        (("trainer", "svm", "kernel", "rbf"), {"kind", "gamma"}),
        (("search", "candidates", 3, "adaboost"), {"n_rounds", "params"}),
        (("data", "dataset"), {"id", "columns"}),
        (("rule", "bounded-error", "max_error", "ByLabel"), {"+1", "-1"}),
    ],
)
def test_the_keys_of_an_object_are_known_by_its_place(location, some):
    assert some <= set(known_keys(TrainRequest, location))


@pytest.mark.parametrize("kind", sorted(TRAINERS))
def test_a_trainer_of_its_own_has_its_own_keys(kind):
    trainers = TypeAdapter(Trainer)
    (schema,) = (
        one
        for one in Trainer.__origin__.__args__
        if one.model_fields["kind"].annotation.__args__ == (kind,)
    )
    assert set(known_keys(trainers, (kind,))) == set(schema.model_fields)


def test_a_place_that_does_not_exist_has_no_keys():
    assert known_keys(TrainRequest, ("nowhere", 1)) == []


def patterns(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("pattern"), str):
            yield node["pattern"]
        for inner in node.values():
            yield from patterns(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from patterns(inner)


def models(kind: type[BaseModel] = BaseModel) -> Iterator[type[BaseModel]]:
    for one in kind.__subclasses__():
        if one.__module__.startswith("app.") and one is not Settings:
            yield one
        yield from models(one)


def test_no_text_is_refused_by_a_regular_expression(tmp_path):
    """Every pattern that a request may miss has words for people."""
    create_app(Settings(data_dir=tmp_path, _env_file=None))
    found = {
        pattern for model in models() for pattern in patterns(model.model_json_schema())
    }
    assert len(found) > 5
    wordless = {one for one in found if "another form" in shape_in_words(one)}
    assert wordless == set()
