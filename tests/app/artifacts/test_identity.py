"""Two machines that do not see one store do not run on one database."""

import subprocess

import pytest

from app.artifacts.identity import TOKEN_FILE, fault, settle
from app.artifacts.store import ArtifactStore
from app.db import migrate
from app.db.session import open_database
from app.db.tables import Model, ModelVersion


def store_in(folder):
    return ArtifactStore(folder / "artifacts")


def version_of(session, sha256):
    session.add(Model(id=1, name="m", last_version=1))
    session.flush()
    session.add(
        ModelVersion(
            model_id=1, version=1, artifact_sha256=sha256, artifact_bytes=1, summary={}
        )
    )


def test_the_first_store_is_the_databases_and_no_other_is(database, tmp_path):
    ours, others = store_in(tmp_path / "a"), store_in(tmp_path / "b")
    assert fault(database, ours) is None, "nothing is known yet"
    assert settle(database, ours) is None
    assert settle(database, ours) is None, "again, as after a restart"
    assert fault(database, store_in(tmp_path / "a")) is None
    for store in (others, store_in(tmp_path / "none")):
        assert "DEMUR_DATA_DIR" in settle(database, store)
        assert "DEMUR_DATA_DIR" in fault(database, store)
    assert list((tmp_path / "a").iterdir()) == [tmp_path / "a" / TOKEN_FILE]


def test_a_store_that_is_another_databases_is_not_written_over(database, tmp_path):
    store = store_in(tmp_path)
    (tmp_path / TOKEN_FILE).write_text("from-before")
    assert settle(database, store) is None, "its token is taken over"
    assert (tmp_path / TOKEN_FILE).read_text() == "from-before"
    (tmp_path / TOKEN_FILE).write_text("of-another")
    assert fault(database, store) is not None


def test_a_database_with_models_takes_the_store_that_has_them(database, tmp_path):
    """Versions were made before there was a token."""
    ours, others = store_in(tmp_path / "a"), store_in(tmp_path / "b")
    kept = ours.write({"x": 1})
    with database.write() as session:
        version_of(session, kept.sha256)
    assert settle(database, others) is not None
    assert not (tmp_path / "b").exists()
    assert settle(database, ours) is None


@pytest.mark.postgres
def test_a_second_machine_without_the_store_refuses_and_says_why(
    postgres_url, start_service, tmp_path
):
    opened = open_database(postgres_url)
    migrate.upgrade(opened)
    opened.close()
    first = start_service("--no-worker", DEMUR_DATABASE_URL=postgres_url)
    assert first.http.get("/readyz").status_code == 200
    second = subprocess.run(
        [*first.command, "serve", "--port", "0", "--no-worker"],
        env={
            **first._environment(),
            "DEMUR_DATA_DIR": str(tmp_path / "elsewhere"),
            "DEMUR_DATABASE_URL": postgres_url,
        },
        cwd=first.folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert second.returncode == 1
    assert second.stderr.startswith("demur: this machine's store is not the one")
    token = first.data_dir / TOKEN_FILE
    token.rename(tmp_path / "away")
    told = first.http.get("/readyz")
    assert told.status_code == 503
    assert told.json()["errors"][0]["pointer"] == "/data_dir"
