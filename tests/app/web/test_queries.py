"""A name of a query counts once, on every route, unless it stands for a list."""

import re

import pytest

from app.errors import InvalidRequestError
from app.web.queries import check_query

LISTS = {"missing"}


def test_what_stands_once_is_taken():
    for query in (b"", b"a=1&b=2", b"missing=1&missing=2", b"a=&b", b"A=1&a=2"):
        check_query(query, LISTS)


@pytest.mark.parametrize("query", [b"a=1&a=1", b"a=1&b=2&a=", b"a=1&%61=2", b"a&a"])
def test_what_stands_twice_is_named(query):
    with pytest.raises(InvalidRequestError, match="/query/a: is given twice"):
        check_query(query, LISTS)


@pytest.mark.parametrize("query", [b"a=%ff", b"a=\xff", b"%c3=1"])
def test_a_query_is_text(query):
    with pytest.raises(InvalidRequestError, match="no UTF-8"):
        check_query(query, LISTS)


def test_a_query_has_no_end_of_names():
    with pytest.raises(InvalidRequestError, match="1000 names"):
        check_query(b"&".join(b"%d=1" % i for i in range(1001)), LISTS)


def test_every_route_refuses_a_name_that_stands_twice(server):
    document, found = server.http.get("/openapi.json").json(), 0
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for taken in operation.get("parameters", []):
                if taken["in"] != "query":
                    continue
                kinds = [taken["schema"], *taken["schema"].get("anyOf", [])]
                is_list = any(kind.get("type") == "array" for kind in kinds)
                place = re.sub(r"{version}", "1", path)
                place = re.sub(r"{[a-z_]+}", "m", place)
                name = taken["name"]
                asked = f"{place}?{name}=1&{name}=2"
                reply = server.http.request(method, asked)
                twice = "is given twice" in reply.text
                assert twice is not is_list, (method, asked, reply.text)
                found += 1
    assert found > 40
