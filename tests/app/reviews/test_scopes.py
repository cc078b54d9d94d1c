"""Every route of the document is opened by the scopes that it names, and no other."""

import itertools
import re

import pytest

from app.keys.scopes import SCOPES, needed
from tests.app.reviews.conftest import Desk

PUBLIC = {"/livez", "/readyz", "/ping", "/v2/health/live", "/v2/health/ready"}


@pytest.fixture(scope="module")
def routes(desk: Desk) -> list[tuple[str, str, tuple[str, ...]]]:
    """Method, path and the scopes that the document names, of every operation."""
    document = desk.admin.get("/openapi.json").json()
    return [
        (method.upper(), path, tuple(s["key"][0] for s in told.get("security", [])))
        for path, operations in document["paths"].items()
        for method, told in operations.items()
    ]


def test_each_route_refuses_the_scopes_that_it_does_not_name(desk, routes):
    keys = {scope: desk.person(f"of {scope}", scope) for scope in SCOPES}
    assert len(routes) > 50
    wrong = []
    for (method, path, scopes), held in itertools.product(routes, SCOPES):
        if path in PUBLIC:
            assert not scopes
            continue
        filled = re.sub(r"\{[^}]*\}", "nothing", path)
        assert needed(method, filled) == scopes
        # a body that no route takes: what is let in is refused otherwise
        answer = keys[held].request(
            method, filled, content=b"<", headers={"content-type": "x/y"}
        )
        let_in = answer.status_code not in (401, 403)
        if let_in != (held in (*scopes, "admin")):
            wrong.append((method, path, held, answer.status_code))
    assert not wrong


def test_reviews_are_not_opened_by_the_scopes_of_others(routes):
    by_path = {(method, path): scopes for method, path, scopes in routes}
    assert by_path["POST", "/claims"] == ("review",)
    assert by_path["GET", "/cases"] == ("lead",)
    assert by_path["GET", "/cases/changes"] == ("predict",)
    assert by_path["DELETE", "/cases/{case_id}"] == ("admin",)
    assert by_path["PUT", "/models/{name}/review"] == ("lead",)
