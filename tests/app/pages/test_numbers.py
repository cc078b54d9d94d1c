"""A number that is typed on a page is read as over HTTP, whichever field takes it.

The fields are found in the code: those that a route declares, and the modules that read
a form by hand, which have one reader for it.
"""

import ast
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules
from typing import Annotated, Any, get_args

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter, ValidationError

import app.pages
from app.pages import new_model, prices
from app.strict import QueryModel

NO_NUMBERS = [
    "1_0",
    "\u0661",
    "\uff11",
    "NaN",
    "inf",
    "1e400",
    "5%",
    "0x10",
    "1 0",
    "--1",
]


def kinds(annotation):
    return {annotation}.union(*map(kinds, get_args(annotation)))


def routes():
    """Yield the routes of every module of pages."""
    for module in iter_modules(app.pages.__path__, "app.pages."):
        router = getattr(import_module(module.name), "router", None)
        own = () if router is None else router.routes
        yield from (one for one in own if isinstance(one, APIRoute))


def declared():
    """Yield the fields of pages that are numbers: where, and how they are read."""
    for route in routes():
        asked = route.dependant
        for one in (asked, *asked.dependencies):
            for field in (*one.path_params, *one.query_params, *one.body_params):
                info = field.field_info
                yield from fields(f"{route.path} {field.name}", info.annotation, info)


def fields(where, annotation, info):
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        for name, inner in annotation.model_fields.items():
            if issubclass(annotation, QueryModel):
                if kinds(inner.annotation) & {int, float}:
                    yield f"{where}.{name}", annotation, name
            else:
                yield from fields(f"{where}.{name}", inner.annotation, inner)
    elif kinds(annotation) & {int, float} and bool not in kinds(annotation):
        yield where, Annotated[annotation, *info.metadata], None


def test_every_declared_field_takes_digits_only():
    found = list(declared())
    assert len(found) >= 5
    for _, taken, name in found:
        for text in NO_NUMBERS:
            sent: Any = text if name is None else {name: text}
            with pytest.raises(ValidationError):
                TypeAdapter(taken).validate_python(sent)


def test_no_page_reads_numbers_in_a_way_of_its_own():
    """``float`` and ``int`` take more than people write; ``number_in`` reads texts."""
    for file in files("app.pages").iterdir():
        if not file.name.endswith(".py"):
            continue
        for call in ast.walk(ast.parse(file.read_text())):
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                continue
            if call.func.id in {"float", "int"}:
                (given,) = call.args
                place = f"{file.name}:{call.lineno}"
                # Formatted numbers of our own, and places that were checked to be one.
                ours = isinstance(given, ast.JoinedStr) or ast.unparse(given) == "i"
                assert ours, place


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_prices_of_forms_take_digits_only(text):
    for name in ("false_positive", "cases_a_day", "most_a_day", "minutes", "wage"):
        tried = prices.read({name: text}, None)
        assert name in tried.wrong
    assert new_model._number(text) == text


def test_a_price_may_have_white_space_and_a_comma():
    assert (
        prices.read({"false_negative": " 2,5 "}, None).prices["false_negative"] == 2.5
    )
    assert new_model._number(" 2,5 ") == 2.5


@pytest.mark.parametrize("text", ["1,234", "-12,345", "1,234,567", "1.234,5"])
def test_what_may_be_a_thousand_times_more_is_no_number_of_a_form(text):
    for name in ("false_negative", "cases_a_day"):
        assert name in prices.read({name: text}, None).wrong
    assert new_model._number(text) == text


@pytest.mark.parametrize("text", ["0,125", "12,5", "1234,567", "1,2345"])
def test_a_comma_that_can_only_stand_before_decimals_does(text):
    assert new_model._number(text) == float(text.replace(",", "."))
