"""One way to read a body in these tests: through a file, as the service does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from app.datasets.reading.convert import Described, to_parquet
from app.datasets.reading.limits import Limits
from app.datasets.reading.opening import open_source
from app.datasets.reading.options import Format, ReadOptions

Read = Callable[..., tuple[Described, dict[str, list[Any]]]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def reading(
        body: bytes,
        form: Format = "csv",
        limits: Limits | None = None,
        **options: Any,
    ) -> tuple[Described, dict[str, list[Any]]]:
        limits = limits or Limits()
        chosen = ReadOptions(**options)
        uploaded, stored = tmp_path / "uploaded", tmp_path / "stored"
        uploaded.write_bytes(body)
        source = open_source(uploaded, form, chosen, limits)
        described = to_parquet(source, stored, chosen, limits)
        table = pq.read_table(stored)
        assert table.num_rows == described.rows
        return described, table.to_pydict()

    return reading
