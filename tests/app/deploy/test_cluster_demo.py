"""``make cluster-demo`` does what it says, with one of each killed on the way."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.blobs.s3_server import require_server

DEMO = Path(__file__).parents[3] / "examples" / "deploy" / "cluster_demo.py"


@pytest.mark.thorough
@pytest.mark.postgres
@pytest.mark.timeout(900)
def test_one_of_each_dies_and_every_answer_is_right(postgres_url):
    """PostgreSQL is there: the fixture, which skips, has asked for a database."""
    require_server()
    pytest.importorskip("distributed", reason="no Dask: demur[cluster]")
    told = subprocess.run(
        [sys.executable, DEMO],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.count("killed") == 3
    assert "attempt 2" in told.stdout
    assert told.stdout.rstrip().endswith("folders are removed.")
