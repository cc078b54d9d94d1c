"""Wide and narrow models read the same rows and refuse the same ones."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.features.schema import FeatureSchema
from app.features.table import Table
from app.predict import rows
from app.predict.rows import RowReaders

NAMES = ["n", "b", "c", "m"]
SCHEMA = FeatureSchema.fit(
    Table.from_rows(NAMES, [[1, True, "x", 0.5], [2, False, "y", 1.5]])
)
NARROW = RowReaders(SCHEMA)
with pytest.MonkeyPatch.context() as patch:
    patch.setattr(rows, "_WIDE", 3)
    WIDE = RowReaders(SCHEMA)

ANYTHING = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.text("ab1", max_size=2)
)
CELLS = {
    "n": st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9),
    "b": st.booleans(),
    "c": st.sampled_from(["x", "y", "é", "z"]),
    "m": st.floats(-1, 1),
}
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            name: cell | cell | cell | st.none() | ANYTHING
            for name, cell in CELLS.items()
        },
        optional={"more": ANYTHING | st.just([1, {"a": 2}])},
    )
    | st.dictionaries(st.sampled_from([*NAMES, "more"]), ANYTHING),
    max_size=4,
)


def _read(reader, raw):
    try:
        return reader.read(raw)
    except (ValueError, RecursionError):
        return None


@settings(max_examples=300)
@given(ROWS, st.booleans(), st.randoms())
def test_both_ways_of_reading_agree(drawn, ignore_extra, random):
    shuffled = []
    for row in drawn:
        keys = list(row)
        random.shuffle(keys)
        shuffled.append({key: row[key] for key in keys})
    raw = json.dumps(shuffled).encode()
    one = _read(NARROW.objects(ignore_extra=ignore_extra), raw)
    other = _read(WIDE.objects(ignore_extra=ignore_extra), raw)
    assert (one is None) == (other is None)
    if one is not None:
        assert one.numbers.tobytes() == other.numbers.tobytes()
        assert one.categories == other.categories


def test_a_model_of_thousands_of_columns_reads_rows_in_any_order():
    names = [f"gene {j}" for j in range(3000)]
    values = np.random.default_rng(0).normal(size=(3, 3000))
    readers = RowReaders(FeatureSchema.fit(Table.from_rows(names, values.tolist())))
    rows_ = [dict(zip(names[::-1], row[::-1], strict=True)) for row in values.tolist()]
    read = readers.objects(ignore_extra=False).read(json.dumps(rows_).encode())
    np.testing.assert_array_equal(read.numbers, values)
    data = json.dumps(values[:, ::-1].tolist()).encode()
    read = readers.lists(names[::-1], ignore_extra=False).read(data)
    np.testing.assert_array_equal(read.numbers, values)
