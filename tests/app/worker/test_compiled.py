"""A training says that it compiles, on the first one of an installation only."""

from multiprocessing.connection import Pipe

import msgspec
import pytest

from app.worker.child import COMPILING, Wire


@pytest.mark.parametrize(
    ("kept", "compiles"), [((), True), (("deep/f-1.nbi",), False), (("f.txt",), True)]
)
def test_it_is_told_where_nothing_is_kept(tmp_path, monkeypatch, kept, compiles):
    for name in kept:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    worker, child = Pipe()
    with worker, child:
        Wire(child).progress(0.1, "x" * 500)
        said = msgspec.json.decode(worker.recv_bytes())["message"]
    assert said.startswith("xxx")
    assert said.endswith(COMPILING) is compiles
    assert len(said) == 200
