"""A number in an address is written in digits, on every route that takes one.

Python reads more as a number: ``1_0``, white space, digits of other scripts, ``5.0``
where a whole number is asked for. None of these is what somebody meant to send.
"""

import re
from urllib.parse import quote

import pytest

from app.strict import in_digits

ARABIC, WIDE = "\N{ARABIC-INDIC DIGIT THREE}", "\N{FULLWIDTH DIGIT ONE}"
NOT_WHOLE = ["1_0", " 1", "1 ", "+1", ARABIC, WIDE, "0x1", "1e0", "1.0", "nan", ""]
NOT_EVEN_NUMBERS = ["1_0.5", " .5", ARABIC, "nan", "inf", "infinity", "", "0x1p3", "1e"]


def asked(server):
    """Return (path, name of a number, whether whole) of every GET route."""
    document = server.http.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        for taken in methods.get("get", {}).get("parameters", []):
            if taken["in"] == "query":
                schema = taken["schema"]
                kinds = {kind.get("type") for kind in schema.get("anyOf", [schema])}
                if kinds & {"integer", "number"}:
                    yield path, taken["name"], "integer" in kinds


def test_numbers_in_addresses_are_written_in_digits(server):
    # Keys are out of reach over HTTP where there are none yet, whatever is asked.
    found = [one for one in asked(server) if one[0] != "/keys"]
    assert len(found) > 10
    assert {whole for *_, whole in found} == {True, False}
    for path, name, whole in found:
        place = re.sub(r"{version}", "1", path)
        place = re.sub(r"{[a-z_]+}", "m", place)
        for text in NOT_WHOLE if whole else NOT_EVEN_NUMBERS:
            reply = server.http.get(f"{place}?{name}={quote(text)}")
            assert reply.status_code == 422, (place, name, text, reply.text)
            faults = {fault["pointer"] for fault in reply.json()["errors"]}
            assert f"/query/{name}" in faults, (place, name, text, reply.text)


@pytest.mark.parametrize("text", ["0", "12", "-3", "00"])
def test_whole_numbers(text):
    assert in_digits(text, whole=True)


@pytest.mark.parametrize("text", ["0", "0.05", ".5", "5.", "1e-3", "+2", "-1.5E+2"])
def test_numbers(text):
    assert in_digits(text, whole=False)
