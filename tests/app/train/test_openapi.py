"""What the documentation says of POST /train agrees with what is accepted."""

import json

import jsonschema_rs
import pytest

from app.features.table import Table
from app.train.openapi import EXAMPLES, REQUEST_BODY
from app.train.schemas import TrainRequest
from app.train.service import accept
from app.train.trainers.registry import TRAINERS
from app.web.openapi import add_schemas
from solvers.rules.registry import RULES

COLUMNS = ["glucose", "bmi", "outcome"]


@pytest.fixture(scope="module")
def document():
    made = {}
    add_schemas(made, TrainRequest)
    return made


def references(node):
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        for child in node.values():
            yield from references(child)
    elif isinstance(node, list):
        for child in node:
            yield from references(child)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_accepted_and_fits_the_schema(document, name):
    body = EXAMPLES[name]["value"]
    accept(json.dumps(body).encode(), lambda _: Table.from_rows(COLUMNS, []))
    wanted = REQUEST_BODY["content"]["application/json"]["schema"]
    jsonschema_rs.validate({**document, **wanted}, body)


def test_every_reference_leads_somewhere(document):
    schemas = document["components"]["schemas"]
    found = set(references(document))
    assert found
    assert all(ref.removeprefix("#/components/schemas/") in schemas for ref in found)


def test_every_trainer_and_rule_is_told(document):
    request = document["components"]["schemas"]["TrainRequest"]["properties"]
    told = set(request["trainer"]["discriminator"]["mapping"])
    assert told == {*TRAINERS, "auto"}
    (rule,) = [one for one in request["rule"]["anyOf"] if "discriminator" in one]
    assert set(rule["discriminator"]["mapping"]) == set(RULES)


def test_every_rule_fits_some_trainer():
    assert {rule for entry in TRAINERS.values() for rule in entry.rules} == set(RULES)
