"""The rows of data sets and their uses, on SQLite and on PostgreSQL."""

import threading
import time

import pytest

from app.artifacts.store import ArtifactStore
from app.datasets import queries, service
from app.datasets.deleting import Stores, delete
from app.datasets.errors import DatasetInUseError, UnknownDatasetError
from app.datasets.schemas import DatasetsQuery
from app.datasets.store import DatasetStore
from app.datasets.training import outline
from app.db.base import utc_now
from app.db.states import JobStatus
from app.db.tables import Dataset, Job, Model, ModelVersion, Worker, new_id
from app.errors import InvalidRequestError
from app.worker.sweep import sweep_datasets


def added(database, **facts):
    row = Dataset(
        id=new_id(),
        name="rows.csv",
        format="csv",
        n_rows=3,
        columns=[{"name": "x", "type": "numeric", "missing": 0}],
        notes=[],
        uploaded_sha256="a" * 64,
        uploaded_bytes=10,
        stored_sha256="b" * 64,
        stored_bytes=20,
    )
    for name, value in facts.items():
        setattr(row, name, value)
    with database.write() as session:
        session.add(row)
    return row.id


def used(database, dataset_id, status=JobStatus.QUEUED):
    with database.write() as session:
        job = Job(model="m")
        session.add(job)
        session.flush()
        queries.note_use(session, dataset_id, job.id)
    if status != JobStatus.QUEUED:
        with database.write() as session:
            end(session, job.id, status)
    return job.id


def end(session, job_id, status):
    job = session.get(Job, job_id)
    if status == JobStatus.RUNNING:
        worker = Worker(host="h", pid=1, process_start="0")
        session.add(worker)
        session.flush()
        job.status, job.worker_id = status, worker.id
        return
    job.status = status
    job.finished_at = utc_now()
    if status == JobStatus.SUCCEEDED:
        job.result = {"model": "m", "version": 1}
        model = Model(name="m", last_version=1)
        session.add(model)
        session.flush()
        session.add(
            ModelVersion(
                model_id=model.id,
                version=1,
                job_id=job_id,
                summary={},
                artifact_sha256="c" * 64,
                artifact_bytes=1,
            )
        )


@pytest.fixture
def store(tmp_path):
    return DatasetStore(tmp_path / "datasets")


@pytest.fixture
def stores(store, tmp_path):
    return Stores(store, ArtifactStore(tmp_path / "artifacts"))


@pytest.mark.parametrize("status", [JobStatus.QUEUED, JobStatus.RUNNING])
def test_it_stays_while_a_job_needs_it(database, stores, status):
    dataset_id = added(database)
    used(database, dataset_id, status)
    with pytest.raises(DatasetInUseError, match="1 job needs"):
        delete(database, stores, dataset_id)
    with database.read() as session:
        assert queries.get(session, dataset_id) is not None


def test_it_goes_when_all_jobs_have_ended_and_names_what_was_made(database, stores):
    dataset_id = added(database)
    used(database, dataset_id, JobStatus.CANCELLED)
    used(database, dataset_id, JobStatus.SUCCEEDED)
    deleted = delete(database, stores, dataset_id)
    assert [(m.name, m.version) for m in deleted.models] == [("m", 1)]
    with pytest.raises(UnknownDatasetError):
        delete(database, stores, dataset_id)


def test_pages_are_newest_first_and_meet(database):
    ids = [added(database) for _ in range(5)][::-1]
    found, after = [], None
    with database.read() as session:
        while True:
            page = service.page(session, DatasetsQuery(limit=2, before=after))
            found += [entry.id for entry in page.datasets]
            after = page.next
            if after is None:
                break
        assert found == ids
        nothing = service.page(session, DatasetsQuery(sha256="d" * 64))
        assert nothing.datasets == []


def test_an_outline_knows_columns_and_types(database):
    dataset_id = added(database)
    with database.write() as session:
        table = outline(session, dataset_id, None, 3)
        assert (table.names, table.types, table.n_rows) == (["x"], {"x": "numeric"}, 0)
        for columns, rows in ((["y"], 3), (None, 2)):
            with pytest.raises(InvalidRequestError):
                outline(session, dataset_id, columns, rows)
        with pytest.raises(InvalidRequestError):
            outline(session, "0" * 36, None, 3)


def test_deleting_waits_for_a_request_that_is_about_to_use_it(database, stores):
    dataset_id = added(database)
    errors = []

    def deleting():
        try:
            delete(database, stores, dataset_id)
        except DatasetInUseError as error:
            errors.append(error)

    with database.write() as session:
        outline(session, dataset_id, None, 3)
        thread = threading.Thread(target=deleting)
        thread.start()
        time.sleep(0.2)
        assert thread.is_alive()
        job = Job(model="m")
        session.add(job)
        session.flush()
        queries.note_use(session, dataset_id, job.id)
    thread.join(30)
    assert len(errors) == 1


def test_what_killed_processes_left_is_swept(database, store):
    store.root.mkdir()
    known = added(database)
    kept = store.root / f"{known}.{'b' * 64}.parquet"
    orphan = store.root / f"{new_id()}.{'b' * 64}.parquet"
    upload = store.root / "incoming" / "x" / "uploaded"
    upload.parent.mkdir(parents=True)
    for path in (kept, orphan, upload):
        path.write_bytes(b"x")
    assert sweep_datasets(database, store) == 0  # all of it is fresh
    store.sweep(lambda dataset_id: dataset_id == known, older_than_s=-1.0)
    assert kept.exists()
    assert not orphan.exists()
    assert not upload.parent.exists()
