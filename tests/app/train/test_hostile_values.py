"""Numbers at the ends of their ranges and beyond: trained, or refused by place."""

import json
from math import inf, nextafter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import InvalidRequestError
from app.train.trainers.registry import TRAINERS
from solvers.errors import IndefiniteKernelError
from tests.app.worker.fit.mixed_columns import (
    COLUMNS,
    EVEN,
    PRICES,
    TRAINER_SCHEMAS,
    quick,
    rows,
    trained,
)

TABLE = rows(60)
FAR = [-1e308, -1.0, 0.0, 5e-324, 1e-300, 1e300, 1.7e308, 10**18, 10**30]
LEARNT_NOTHING = "the model learnt nothing: every row has the same score"


def values(schema, defs):
    """Values of a JSON schema: the ends of its ranges, its choices, its objects."""
    if "$ref" in schema:
        return values(defs[schema["$ref"].rpartition("/")[2]], defs)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return st.one_of([values(one, defs) for one in schema[union]])
    if "enum" in schema or "const" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    kind = schema["type"]
    if kind == "object":
        needed = set(schema.get("required", ()))
        members = {
            name: values(one, defs) for name, one in schema["properties"].items()
        }
        some = {name: one for name, one in members.items() if name not in needed}
        return st.fixed_dictionaries(
            {name: members[name] for name in needed}, optional=some
        )
    if kind in {"number", "integer"}:
        ends = [schema["minimum"], schema["maximum"]]
        return st.sampled_from(list(map(int, ends)) if kind == "integer" else ends)
    if kind == "array":
        inside = st.sampled_from([1e-6, 0.01, 0.5, 1 - 1e-6])
        return st.lists(inside, min_size=1, max_size=4, unique=True).map(sorted)
    return st.booleans() if kind == "boolean" else st.none()


def trainers(kind):
    """A trainer, each parameter left out or at an end of its range."""
    schema = TRAINER_SCHEMAS[kind].model_json_schema()
    drawn = values(schema, schema.get("$defs", {}))
    bounded = quick(kind)  # ranges of steps are wide: what is at their ends takes long
    if "max_iter" in schema["properties"]:
        bounded["max_iter"] = 2000
    return drawn.map(lambda made: {**_approximable(made), **bounded})


def _approximable(trainer):
    """The trainer with as many landmarks as these rows and its kernel allow."""
    made = dict(trainer)
    for name in ("approximation", "reduction"):
        asked = made.get(name)
        if not asked or "landmarks" not in asked:
            continue
        named = (made.get("kernel") or {}).get("kind", "rbf")
        if named != "rbf" or (name == "approximation" and made.get("reduction")):
            made[name] = None
        else:
            most = min(asked["landmarks"], len(TABLE) // 10)
            made[name] = {**asked, "landmarks": most}
    return made


def test_a_kernel_without_a_positive_eigenvalue_is_named():
    kernel = {"kind": "sigmoid", "gamma": 1e-9, "coef0": -1000}
    few = {"kind": "svm", "kernel": kernel, "approximation": {"landmarks": 1}}
    with pytest.raises(IndefiniteKernelError, match="sigmoid kernel has no positive"):
        trained(trainer=few, costs=EVEN, table=TABLE)


# A scale of given scores is no end of a range: whether they fit it is theirs to say.
@pytest.mark.parametrize("kind", sorted(set(TRAINERS) - {"scores"}))
@settings(max_examples=10)
@given(data=st.data())
@pytest.mark.thorough
def test_at_the_ends_of_the_ranges_a_training_ends_in_a_model(kind, data):
    trainer = data.draw(trainers(kind))
    result = trained(trainer=trainer, costs=EVEN, table=TABLE)
    json.dumps(result.summary, allow_nan=False)
    assert result.summary["trainer"]["kind"] == kind


def numbers(schema, defs, path):
    """Where an object has numbers, the kinds of objects around, and their bounds."""
    if "$ref" in schema:
        yield from numbers(defs[schema["$ref"].rpartition("/")[2]], defs, path)
    for union in ("anyOf", "oneOf"):
        for one in schema.get(union, ()):
            yield from numbers(one, defs, path)
    for name, one in schema.get("properties", {}).items():
        given_kind = schema["properties"].get("kind", {}).get("const")
        inner = f"{path}/{name}"
        yield from (
            (place, {**kinds, path: given_kind}, bounds)
            for place, kinds, bounds in numbers(one, defs, inner)
        )
    if schema.get("type") in {"number", "integer"} and "const" not in schema:
        yield path, {}, schema


def with_number(place, kinds, value):
    """A request's trainer with one number, at this place."""
    *outer, last = place.removeprefix("/trainer/").split("/")
    made = dict(quick(kinds["/trainer"]))
    here, path = made, "/trainer"
    for key in outer:
        path += f"/{key}"
        here[key] = {} if kinds.get(path) is None else {"kind": kinds[path]}
        here = here[key]
    here[last] = value
    return made


EVERY = [
    found
    for schema in TRAINER_SCHEMAS.values()
    for told in [schema.model_json_schema()]
    for found in numbers(told, told.get("$defs", {}), "/trainer")
]


@pytest.mark.parametrize(("place", "kinds", "bounds"), EVERY)
def test_every_number_of_a_trainer_has_a_range_and_is_refused_beyond(
    place, kinds, bounds
):
    low, high = bounds["minimum"], bounds["maximum"]
    assert -inf < low < high < inf
    for value in [nextafter(low, -inf), nextafter(high, inf), *FAR]:
        whole = bounds["type"] == "integer" and value != int(value)
        if (low <= value <= high and not whole) or place.endswith("max_iter"):
            continue  # max_iter has a word for no limit: -1
        with pytest.raises(InvalidRequestError) as caught:
            trained(trainer=with_number(place, kinds, value), table=TABLE)
        assert place in {error.pointer for error in caught.value.errors}


@settings(max_examples=40)
@given(
    st.sampled_from(["evaluation.holdout", "evaluation.calibration", "prevalence"])
    | st.sampled_from([f"costs.{name}" for name in PRICES])
    | st.sampled_from(["rule.confidence", "rule.max_error", "rule.max_cost"])
    | st.sampled_from(["rule.largest_cost", "rule.reviews_per_day", "weight"]),
    st.sampled_from([*FAR, 1e-12, 1e-9, 1e-6, 0.01, 0.5, 0.99, 1 - 1e-9, 1e9, 1e12]),
)
def test_whatever_a_number_says_it_is_a_model_or_a_refusal(name, value):
    asked = {"trainer": {"kind": "svm"}, "costs": EVEN}
    head, _, last = name.partition(".")
    kind = {"max_error": "bounded-error", "reviews_per_day": "bounded-abstention"}
    needs = {
        "bounded-error": {"max_error": 0.2},
        "bounded-cost": {"max_cost": 0.28},
        "bounded-abstention": {"cases_per_day": 3.0},
    }
    if head == "rule" or last == "calibration":
        rule = kind.get(last, "bounded-cost")
        asked["rule"] = {"kind": rule, **needs[rule]}
    if name == "weight":
        table = [
            [*row[:4], 1.0 if i % 2 else value, row[4]] for i, row in enumerate(TABLE)
        ]
        target = {"column": "outcome", "positive": "yes", "weight": "weight"}
        asked |= {"columns": [*COLUMNS[:4], "weight", "outcome"], "target": target}
    else:
        table = TABLE
        asked[head] = {**asked.get(head, {}), last: value} if last else value
    try:
        result = trained(table=table, **asked)
    except InvalidRequestError as refusal:
        places = [error.pointer for error in refusal.errors]
        assert "" not in places, places
    else:
        json.dumps(result.summary, allow_nan=False)


@pytest.mark.parametrize(
    "trainer",
    [
        {"kind": "svm", "kernel": {"kind": "rbf", "gamma": 1e9}},
        {"kind": "double-hinge-svm", "kernel": {"kind": "sigmoid", "coef0": 1000.0}},
        {"kind": "gradient-boosting", "min_samples_leaf": 1_000_000},
        {"kind": "abstention-boosting", "beta": 1e6, "n_rounds": 10},
        {"kind": "abstention-trees", "min_leaf_weight": 1e12, "n_rounds": 10},
    ],
)
def test_a_machine_that_learnt_nothing_says_so(trainer):
    said = trained(trainer=trainer).warnings
    assert sum(text.startswith(LEARNT_NOTHING) for text in said) == 1


@pytest.mark.parametrize("kind", TRAINERS)
def test_a_machine_that_learnt_something_says_no_such_thing(kind):
    said = trained(trainer=quick(kind)).warnings
    assert not any(text.startswith(LEARNT_NOTHING) for text in said)
