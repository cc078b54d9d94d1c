"""A batch of any CSV is answered or refused, alike in blocks of any size."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.batch import csv as batch_csv
from app.batch.csv import CsvBatch
from app.batch.job import answer_csv
from app.datasets.reading.limits import Limits
from app.datasets.reading.options import ReadOptions
from app.errors import InvalidRequestError
from tests.app.batch.test_laws import ASKED, Drip
from tests.app.datasets.reading.csv_bodies import LONG, bodies, options

LIMITS = Limits(rows=50, columns=20, cell_length=30, record_bytes=1000)
ANY = (bodies("x", "kind"), options(), st.integers(1, 40))


def answered(body: bytes, chosen: ReadOptions, block_bytes: int) -> bytes | None:
    """Return the answer, in UTF-8 and of as many rows as are told; None if refused."""
    out = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch_csv, "_BLOCK_BYTES", block_bytes)
        batch = CsvBatch(ASKED, chosen, LIMITS)
    try:
        tally = answer_csv(batch, Drip(body, block_bytes), out)
    except InvalidRequestError:
        return None
    text = out.getvalue().decode()
    assert text.endswith("\n")
    assert tally.rows <= text.count("\n") - 1
    return out.getvalue()


def answered_or_refused(body: bytes, chosen: ReadOptions, block_bytes: int) -> None:
    whole = answered(body, chosen, 1 << 20)
    if chosen.delimiter is not None:  # else it is looked for in the first block
        assert answered(body, chosen, block_bytes) == whole


@given(*ANY)
def test_any_file_is_answered_or_refused(body, chosen, block_bytes):
    answered_or_refused(body, chosen, block_bytes)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@given(*ANY)
@settings(max_examples=LONG)
def test_any_of_very_many_files_is_answered_or_refused(body, chosen, block_bytes):
    answered_or_refused(body, chosen, block_bytes)
