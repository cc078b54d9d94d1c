"""Backup and restore by the command line: all of it comes back, or nothing changes."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from app.operations import restore as restoring
from app.operations.archive import OperationError, named_files
from app.settings import Settings
from tests.app.operations.archives import contents, members, write
from tests.app.trainings import rows, training

CSV = "x,y\n" + "\n".join(f"{x},{y}" for x, y in rows())
ASKED = {"model": "m:1", "instances": [{"x": 3.5}, {"x": 40.0}]}

pytestmark = pytest.mark.own_server


@pytest.fixture(scope="module")
def original(server):
    """A service with a model, a data set and a training that waits for ever."""
    assert server.train(training())["status"] == "succeeded"
    upload = server.http.post(
        "/datasets", content=CSV, headers={"content-type": "text/csv"}
    )
    assert upload.status_code == 201, upload.text
    return server


@pytest.fixture(scope="module")
def made_archive(original, demur, tmp_path_factory):
    """An archive that was made while the service ran."""
    file = tmp_path_factory.mktemp("backups") / "backup.tar"
    made = demur("backup", file, data_dir=original.data_dir)
    assert made.returncode == 0, made.stderr
    assert [p.name for p in file.parent.iterdir()] == ["backup.tar"]
    assert file.stat().st_mode & 0o077 == 0, "for nobody else's eyes"
    return file


@pytest.fixture
def archive(made_archive, tmp_path):
    """A copy of it that the test may spoil."""
    return Path(shutil.copy(made_archive, tmp_path))


@pytest.mark.thorough
def test_a_restored_service_answers_the_same(
    original, archive, demur, start_service, tmp_path
):
    again = demur("backup", archive, data_dir=original.data_dir)
    assert again.returncode == 1
    assert "exists already" in again.stderr

    service = start_service("--no-worker")
    service.stop()
    refused = demur("restore", archive, data_dir=service.data_dir)
    assert refused.returncode == 1
    assert "--force" in refused.stderr
    done = demur("restore", archive, "--force", data_dir=service.data_dir)
    assert done.returncode == 0, done.stderr
    assert not list(service.data_dir.glob(".restore-*"))
    service.start()
    expected = original.http.post("/predict", json=ASKED)
    assert expected.status_code == 200, expected.text
    assert service.http.post("/predict", json=ASKED).content == expected.content
    for path in ("/datasets", "/models", "/jobs"):
        assert service.http.get(path).json() == original.http.get(path).json(), path

    running = demur("restore", archive, "--force", data_dir=service.data_dir)
    assert running.returncode == 1
    assert "stop the service" in running.stderr
    assert service.http.post("/predict", json=ASKED).content == expected.content


def _flipped(parts):
    name = next(name for name in parts if name.startswith("artifacts/"))
    content = bytearray(parts[name])
    content[len(content) // 2] ^= 1
    return {**parts, name: bytes(content)}


def _without(kind):
    return lambda parts: {k: v for k, v in parts.items() if not k.startswith(kind)}


def _hostile(parts):
    """Put a file that would run something in a model's place, its digest everywhere."""
    (model,) = (name for name in parts if name.startswith("artifacts/"))
    content = b"cos\nabort\n(tR."
    old, new = model[10:74], hashlib.sha256(content).hexdigest()
    changed = {
        name.replace(old, new): known.replace(old.encode(), new.encode())
        for name, known in parts.items()
    }
    changed[f"artifacts/{new}.joblib"] = content
    manifest = json.loads(changed["manifest.json"])
    for entry in manifest["files"]:
        member = changed[entry["name"]]
        entry["size"] = len(member)
        entry["sha256"] = hashlib.sha256(member).hexdigest()
    return {**changed, "manifest.json": json.dumps(manifest).encode()}


DAMAGE = {
    "a model that would run something": _hostile,
    "a flipped bit": _flipped,
    "no model": _without("artifacts/"),
    "no database": _without("demur.sqlite3"),
    "no manifest": _without("manifest"),
    "a stranger": lambda parts: {**parts, "artifacts/x": b"x"},
    "a way out": lambda parts: {**parts, "../outside": b"x"},
    "another format": lambda parts: {
        **parts,
        "manifest.json": parts["manifest.json"].replace(
            b'"format": 1', b'"format": 99'
        ),
    },
    "another name": lambda parts: {
        **parts,
        "manifest.json": parts["manifest.json"].replace(b"datasets/", b"../sets/"),
    },
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_archive_changes_nothing(archive, tmp_path, damage):
    broken = write(tmp_path / "broken.tar", DAMAGE[damage](members(archive)))
    folder = tmp_path / "data"
    (folder / "artifacts").mkdir(parents=True)
    (folder / "artifacts" / "mine").write_bytes(b"as it was")
    with closing(sqlite3.connect(folder / "demur.sqlite3")) as connection:
        connection.execute("CREATE TABLE t (x)")
    before = contents(folder)
    with pytest.raises(OperationError):
        restoring.restore(Settings(data_dir=folder), broken, force=True)
    assert contents(folder) == before
    assert not (tmp_path / "outside").exists()


def test_a_model_that_would_run_something_is_told(archive, tmp_path):
    hostile = write(tmp_path / "hostile.tar", _hostile(members(archive)))
    (tmp_path / "data").mkdir()
    with pytest.raises(OperationError, match=r"artifacts/.*what no training writes"):
        restoring.restore(Settings(data_dir=tmp_path / "data"), hostile)


@pytest.mark.parametrize("length", [0, 100, 0.5, 0.9])
def test_a_cut_off_archive_changes_nothing(archive, tmp_path, length):
    whole = archive.stat().st_size
    os.truncate(archive, int(length * whole) if length < 1 else length)
    folder = tmp_path / "data"
    folder.mkdir()
    with pytest.raises(OperationError):
        restoring.restore(Settings(data_dir=folder), archive)
    assert list(folder.iterdir()) == []


def test_a_restore_that_fails_at_its_last_step_leaves_the_old_database(
    archive, tmp_path, monkeypatch
):
    folder = tmp_path / "data"
    folder.mkdir()
    restoring.restore(Settings(data_dir=folder), archive)
    with closing(sqlite3.connect(folder / "demur.sqlite3")) as connection:
        connection.execute("CREATE TABLE newer (x)")
    before = (folder / "demur.sqlite3").read_bytes()

    def no_room(manifest, staging, data_dir):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(restoring, "_move_files", no_room)
    with pytest.raises(OSError, match="No space"):
        restoring.restore(Settings(data_dir=folder), archive, force=True)
    assert (folder / "demur.sqlite3").read_bytes() == before
    assert not list(folder.glob(".restore-*"))


KILLED_AT = {
    "unpacking": "restoring._check_database = die",
    "checked": "restoring.retire = lambda path: die() if not STAGED(path) else None",
    "first file moved": "Path.replace = after(Path.replace)",
    "all files moved": "restoring._move_files = after(restoring._move_files)",
    "database moved": "restoring._remove_others = die",
}
DIE = """
import os, sys
from pathlib import Path
from app.operations import restore as restoring
from app.settings import Settings
STAGED = lambda path: path.name.startswith(".restore-")
def die(*_):
    os._exit(9)
def after(do):
    def done(*given):
        do(*given)
        die()
    return done
{step}
restoring.restore(Settings(data_dir=Path(sys.argv[1])), Path(sys.argv[2]), force=True)
"""


@pytest.mark.parametrize("step", KILLED_AT)
def test_a_restore_that_is_killed_leaves_the_old_or_the_new(archive, tmp_path, step):
    folder = tmp_path / "data"
    folder.mkdir()
    settings = Settings(data_dir=folder)
    restoring.restore(settings, archive)
    database = folder / "demur.sqlite3"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        with connection:
            connection.execute("UPDATE models SET name = 'older'")
    old = names_of(database)
    ended = subprocess.run(
        [sys.executable, "-c", DIE.format(step=KILLED_AT[step]), folder, archive],
        cwd=Path(__file__).parents[3],
        check=False,
    )
    assert ended.returncode == 9
    new = step == "database moved"
    assert names_of(database) == (["m"] if new else old)
    for name, sha256 in named_files(database):
        content = (folder / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == sha256
    restoring.restore(settings, archive, force=True)
    assert names_of(database) == ["m"]
    assert {path.name for path in folder.iterdir()} == {
        "demur.sqlite3",
        "artifacts",
        "datasets",
    }


def names_of(database):
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return [name for (name,) in connection.execute("SELECT name FROM models")]


def test_damage_in_the_data_folder_is_no_backup(archive, demur, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    restoring.restore(Settings(data_dir=folder), archive)
    (model,) = (folder / "artifacts").iterdir()
    content = model.read_bytes()
    model.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    for words in ("damaged", "missing"):
        made = demur("backup", tmp_path / "second.tar", data_dir=folder)
        assert made.returncode == 1
        assert words in made.stderr
        assert made.stderr.count("\n") == 1
        assert not (tmp_path / "second.tar").exists()
        assert not list(tmp_path.glob(".backup-*"))
        model.unlink(missing_ok=True)


def test_a_servers_database_is_backed_up_by_its_own_means(demur, tmp_path):
    made = demur(
        "backup",
        tmp_path / "x",
        data_dir=tmp_path,
        DEMUR_DATABASE_URL="postgresql://nobody@127.0.0.1:1/x",
    )
    assert made.returncode == 1
    assert "pg_dump" in made.stderr
