"""A service that is started in a folder of somebody else's Python leaves it alone."""

import sys
from pathlib import Path

import pytest

from tests.app.trainings import inline, training

pytestmark = pytest.mark.thorough

COMMAND = Path(sys.executable).with_name("demur")
TELLTALE = "from pathlib import Path; Path({!r}).touch()"
NAMES = ("app", "solvers", "migrations", "numpy", "sklearn", "struct", "pickle")


@pytest.fixture
def folder(tmp_path):
    """Modules and packages that would be imported by their names, and a telltale."""
    folder = tmp_path / "work"
    folder.mkdir()
    touch = TELLTALE.format(str(tmp_path / "imported"))
    for name in NAMES:
        (folder / f"{name}.py").write_text(touch)
    for name in ("app", "uvicorn"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(touch)
    return folder


@pytest.mark.parametrize("processes", ["1", "2"])
def test_nothing_of_the_folder_is_imported(tmp_path, folder, service_type, processes):
    data = tmp_path / "data"
    data.mkdir()
    service = service_type(
        data,
        arguments=("--processes", processes),
        command=(str(COMMAND),),
        folder=folder,
    ).start()
    try:
        rows = [[i % 17, "yes" if i % 17 > 8 else "no"] for i in range(60)]
        trainer = {"kind": "gradient-boosting", "n_rounds": 5}
        job = service.train(training(trainer=trainer, data=inline(rows)))
        assert job["status"] == "succeeded", job
        # By a process for files, and by one for large requests.
        batch = service.http.post(
            "/predict/batch?model=m",
            content="x\n1\n",
            headers={"content-type": "text/csv"},
        )
        assert batch.status_code == 200, batch.text
        data = {"columns": ["x"], "rows": [[1.25]] * 200_000}
        answer = service.http.post("/predict", json={"model": "m", "data": data})
        assert answer.status_code == 200, answer.text[:500]
    finally:
        service.stop()
    assert not (tmp_path / "imported").exists()
