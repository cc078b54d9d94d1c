"""Rows from an object store to an object store, by two machines, one of which dies."""

import json
import uuid

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.blobs.interface import Remote
from app.blobs.opening import open_blobs
from app.db import migrate
from app.db.session import open_database
from tests.app.blobs.conftest import keys, s3_server
from tests.app.blobs.s3_server import KEYS
from tests.app.score.conftest import GROUP, TRAINING, table
from tests.waiting import until

__all__ = ["keys", "s3_server"]

pytestmark = [pytest.mark.thorough, pytest.mark.postgres, pytest.mark.own_server]

FILES, GROUPS = 3, 20


def test_two_machines_share_the_parts_and_one_dies(
    s3_server, keys, postgres_url, start_service, tmp_path
):
    opened = open_database(postgres_url)
    migrate.upgrade(opened)
    opened.close()
    prefix = uuid.uuid4().hex
    here = Remote(s3_server.url(prefix), str(tmp_path), 1 << 30)
    settings = {
        **KEYS,
        "DEMUR_DATABASE_URL": postgres_url,
        "DEMUR_STORE": s3_server.url(f"{prefix}/store"),
        "DEMUR_SCORE_PLACES": here.url,
    }
    first, second = (start_service(**settings) for _ in range(2))
    assert first.train(TRAINING)["status"] == "succeeded"
    rows = GROUP * GROUPS
    for seed in range(FILES):
        file = tmp_path / "x"
        pq.write_table(table(seed, rows), file, row_group_size=GROUP)
        open_blobs(here / "in").take(f"{seed}.parquet", file)
    body = {
        "model": "m",
        "source": {"kind": "url", "url": f"{here.shown}/in"},
        "target": f"{here.shown}/out",
        "part_rows": 1000,
    }
    job = first.http.post("/jobs/score", json=body).json()
    out = open_blobs(here / "out")
    until(lambda: len(list(out.list())) > 3, first.log)
    second.kill()
    ended = first.await_job(job["id"])
    assert ended["status"] == "succeeded", ended
    manifest = json.loads(out.read("manifest.json"))
    assert manifest["rows"] == FILES * rows
    made = []
    for part in manifest["parts"]:
        content = out.read(part["part"], part["sha256"])
        made.append(pq.read_table(pa.BufferReader(content)))
    ids = pa.concat_tables(made).column("id").to_pylist()
    assert ids == [f"{seed}-{k}" for seed in range(FILES) for k in range(rows)]
    assert len(list(out.list())) == len(manifest["parts"]) + 1
