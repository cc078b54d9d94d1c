"""What the Open Inference Protocol's route refuses, in words of ours."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.protocols.tensors import DTYPES
from tests.app.protocols.tensors import INFER, as_json, column, packed


@pytest.mark.parametrize(
    ("place", "change", "words"),
    [
        (0, {"shape": [39, 1]}, "39 values"),
        (0, {"shape": [-1]}, "negative"),
        (0, {"shape": [2**50]}, "too large"),
        (0, {"datatype": "FP128"}, "known are"),
        (0, {"datatype": "BOOL"}, "none of BOOL"),
        (0, {"datatype": "BOOL", "data": [True] * 40}, "numbers, not BOOL"),
        (0, {"datatype": "BOOL", "data": [None] * 40}, "numbers, not BOOL"),
        (2, {"data": [1] * 40}, "/inputs/2: a value is none of BOOL"),
        (0, {"datatype": "INT8", "data": [1000] * 40}, "out of the range"),
        (0, {"datatype": "BYTES", "data": ["s3cret"] * 40}, "'glucose': the column is"),
        (0, {"data": [[1e308 * 10] * 40]}, "no JSON"),
        (0, {"datatype": "FP32", "data": [1e200] * 40}, "not finite"),
        (1, {"name": "glucose"}, "given twice"),
        (1, {"name": "s3cret"}, "no such column"),
        (2, {"datatype": "FP64", "data": [3] * 40}, "smoker"),
        (3, {"data": [7] * 40}, "'town': the column is BYTES"),
        (3, {"datatype": "FP64", "data": [7] * 40}, "'town': the column is BYTES"),
    ],
)
def test_tensors_that_do_not_fit_are_refused_in_our_words(client, place, change, words):
    body = as_json()
    body["inputs"][place] |= change
    content = json.dumps(body)
    answer = client.post(INFER, content=content)
    assert answer.status_code in (400, 422), answer.text
    assert words in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"inputs": []}, 422),
        ({"inputs": 1}, 422),
        ([], 422),
        (as_json(outputs=[{"name": "odds"}]), 422),
        (as_json(parameters={"on_reject": "maybe"}), 422),
    ],
)
def test_what_is_no_request_is_refused(client, body, status):
    answer = client.post(INFER, json=body)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]


def test_a_byte_of_bool_is_0_or_1(client):
    body, headers = packed()
    at = body.index(np.array(column("smoker"), "?").tobytes())
    for byte, status in ((b"\0", 200), (b"\1", 200), (b"\2", 422), (b"\xff", 422)):
        sent = body[:at] + byte + body[at + 1 :]
        answer = client.post(INFER, content=sent, headers=headers)
        assert answer.status_code == status, answer.text


def test_bytes_that_are_no_tensors_are_refused(client):
    body, headers = packed()
    size = int(headers["Inference-Header-Content-Length"])
    sent = [
        (body[:-1], headers),
        (body + b"x", headers),
        (body, {"Inference-Header-Content-Length": "x"}),
        (body, {"Inference-Header-Content-Length": str(len(body) + 1)}),
        (body, {"Inference-Header-Content-Length": str(size - 1)}),
        (body, {}),
        (body.replace(b"Oslo", b"\xff\xff\xff\xff"), headers),
        (body[:-8] + b"\xff" * 8, headers),
    ]
    for content, more in sent:
        answer = client.post(INFER, content=content, headers=more)
        assert answer.status_code in (400, 422), answer.text
        assert list(answer.json()) == ["error"]


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.data())
def test_no_request_makes_the_service_fail(client, data):
    body = as_json(rows=2)
    tensor = data.draw(st.sampled_from(body["inputs"]))
    member = data.draw(st.sampled_from(["name", "shape", "datatype", "data"]))
    odd = {
        "datatype": st.sampled_from(["BYTES", *DTYPES]),
        "shape": st.lists(st.integers(-1, 3), max_size=3),
    }
    tensor[member] = data.draw(odd.get(member, JSONS) | JSONS)
    if data.draw(st.booleans()):
        tensor["parameters"] = data.draw(JSONS)
    answer = client.post(INFER, content=json.dumps(body))
    assert answer.status_code in (200, 400, 422), answer.text
