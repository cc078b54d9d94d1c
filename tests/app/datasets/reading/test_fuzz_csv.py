"""An upload of any CSV is kept or refused, alike in blocks of any size."""

from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.datasets.reading import csv_source
from app.datasets.reading.blocks import Cutter
from app.datasets.reading.convert import to_parquet
from app.datasets.reading.limits import Limits
from app.datasets.reading.opening import open_source
from app.datasets.reading.options import ReadOptions
from app.errors import InvalidRequestError
from tests.app.datasets.reading.csv_bodies import LONG, bodies, options

LIMITS = Limits(rows=50, columns=20, cell_length=30, record_bytes=1000)
DECLARED = st.sampled_from(
    [
        (),
        (),
        (("x", "numeric"),),
        (("kind", "categorical"),),
        (("column_1", "boolean"),),
    ]
)
ANY = (
    bodies("x", "kind"),
    options(header=st.booleans(), types=DECLARED),
    st.integers(1, 40),
)


def kept(folder: Path, body: bytes, chosen: ReadOptions) -> pa.Table | None:
    """Return what an upload would keep; None where it is refused."""
    uploaded, stored = folder / "uploaded", folder / "stored"
    uploaded.write_bytes(body)
    try:
        source = open_source(uploaded, "csv", chosen, LIMITS)
        described = to_parquet(source, stored, chosen, LIMITS)
    except InvalidRequestError:
        return None
    table = pq.read_table(stored)
    assert table.num_rows == described.rows > 0
    found = [(column.name, column.missing) for column in described.columns]
    assert found == [(name, table[name].null_count) for name in table.column_names]
    return table


def read_or_refused(
    folder: Path, body: bytes, chosen: ReadOptions, block_bytes: int
) -> None:
    whole = kept(folder, body, chosen)
    if chosen.delimiter is None:  # it is looked for in the first block
        return
    with pytest.MonkeyPatch.context() as patch:
        small = partial(Cutter, block_bytes=block_bytes)
        patch.setattr(csv_source, "Cutter", small)
        again = kept(folder, body, chosen)
    assert (whole is None) == (again is None)
    if whole is not None and again is not None:
        assert whole.equals(again)


@given(*ANY)
def test_any_file_is_read_or_refused(tmp_path, body, chosen, block_bytes):
    read_or_refused(tmp_path, body, chosen, block_bytes)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@given(*ANY)
@settings(max_examples=LONG)
def test_any_of_very_many_files_is_read_or_refused(tmp_path, body, chosen, block_bytes):
    read_or_refused(tmp_path, body, chosen, block_bytes)
