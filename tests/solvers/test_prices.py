"""What is no price is refused as one, in whatever type it comes: never counted as one.

A NumPy span of time is an integer there, a boolean one in Python, an int has no
largest, and a masked array shows what lies behind its mask to whoever asks.
"""

import decimal
import warnings

import numpy as np
import pytest

from solvers import CostMatrix, RowCosts
from solvers.errors import InvalidCostsError
from solvers.rules.base import as_costs

NO_PRICES = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "negative infinity": -float("inf"),
    "negative zero": -0.0,
    "negative": -1.0,
    "the least double": 5e-324,
    "too large": 1e300,
    "no double": 10**400,
    "text": "1",
    "bytes": b"1",
    "numpy text": np.str_("1"),
    "true": True,
    "numpy true": np.bool_(True),
    "none": None,
    "complex": 1 + 0j,
    "numpy complex": np.complex64(1),
    "half infinity": np.float16("inf"),
    "span": np.timedelta64(1, "s"),
    "date": np.datetime64("2020"),
    "decimal": decimal.Decimal(1),
    "mapping": {},
    "object": object(),
}
COLUMNS = {
    "ragged": [[1.0], [1.0, 2.0]],
    "a table": [[1.0, 2.0]],
    "masked": np.ma.array([1.0, 2.0], mask=[False, True]),
    "spans": np.array([1, 2], dtype="m8[s]"),
    "objects": np.array([1, 10**400], dtype=object),
    "booleans": [True, True],
}
PRICES = [1, 1.0, np.int8(1), np.uint64(1), np.float16(1), np.longdouble(1)]


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("kind", NO_PRICES)
def test_what_is_no_price_is_refused(kind):
    price = NO_PRICES[kind]
    with pytest.raises(InvalidCostsError, match="false_negative"):
        CostMatrix(false_negative=price)
    with pytest.raises(InvalidCostsError, match="false_negative"):
        as_costs({"false_negative": price})
    with pytest.raises(InvalidCostsError, match="false_negative"):
        RowCosts([1.0, 1.0], price)
    with pytest.raises(InvalidCostsError, match="false_negative"):
        RowCosts([1.0, 1.0], [price, price])


@pytest.mark.parametrize("kind", COLUMNS)
def test_what_is_no_column_of_prices_is_refused(kind):
    with pytest.raises(InvalidCostsError, match="false_negative"):
        RowCosts([1.0, 1.0], COLUMNS[kind])
    with pytest.raises(InvalidCostsError, match="false_negative is one price"):
        CostMatrix(false_negative=COLUMNS[kind])


@pytest.mark.parametrize("price", PRICES, ids=lambda price: type(price).__name__)
def test_a_price_may_be_any_real_number(price):
    assert CostMatrix(false_negative=price) == CostMatrix()
    assert (RowCosts([1.0, 1.0], price).false_negative == 1.0).all()
