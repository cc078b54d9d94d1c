import io

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from app.datasets.reading.limits import Limits
from app.errors import InvalidRequestError


@pytest.mark.parametrize("zero_based", [True, False])
def test_what_scikit_learn_writes_is_read_back(read, zero_based):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 7)).round(9) * (rng.random((50, 7)) < 0.3)
    X[0] = 1.0
    y = rng.integers(0, 3, 50)
    body = io.BytesIO()
    dump_svmlight_file(X, y, body, zero_based=zero_based, comment="made for a test")
    described, table = read(body.getvalue(), "svmlight")
    first = 0 if zero_based else 1
    assert list(table) == ["target", *(f"x{j}" for j in range(first, first + 7))]
    assert table["target"] == y.tolist()
    np.testing.assert_array_equal(np.column_stack(list(table.values())[1:]), X)
    assert {column.type for column in described.columns} == {"numeric"}


def test_comments_blank_lines_and_missing_values(read):
    body = b"# heading\n\n+1 1:2 3:nan # note\r\n-1\n1 2:5e-1\n"
    assert read(body, "svmlight")[1] == {
        "target": [1, -1, 1],
        "x1": [2, 0, 0],
        "x2": [0, 0, 0.5],
        "x3": [None, 0, 0],
    }


REFUSED = {
    "no pair": (b"1 1:2\n1 2\n", "line 2: a feature"),
    "qid": (b"1 qid:3 1:2\n", "line 1: a feature"),
    "text": (b"1 1:2\nx 1:2\n", "line 2: the label"),
    "value": (b"1 1:2\n1 2:y\n", "line 2: a value"),
    "twice": (b"1 1:2\n1 2:1 2:3\n", "line 2: an index comes twice"),
    "far": (b"1 1:2\n\n1 99999:1\n", "line 3: an index beyond"),
    "infinite": (b"1 1:2\n\n1 1:inf\n", "line 3, column 2 ('x1')"),
    "empty": (b"", "no rows"),
    "NUL": (b"1 1:2\n\x00", "line 2: a NUL"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_its_place(read, case):
    body, told = REFUSED[case]
    with pytest.raises(InvalidRequestError) as refusal:
        read(body, "svmlight")
    assert told in refusal.value.detail


def test_columns_are_limited(read):
    with pytest.raises(InvalidRequestError, match="an index beyond 4"):
        read(b"1 5:1\n", "svmlight", limits=Limits(columns=5))
