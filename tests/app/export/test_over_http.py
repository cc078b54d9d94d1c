"""GET /models/{name}/versions/{version}/export, and the command."""

from dataclasses import replace

import pytest
import typer.testing

from app.cli import demur
from app.export.service import FORMATS
from app.guards.guards import Guards
from tests.app.predict.conftest import serve, served

__all__ = ["serve"]


@pytest.fixture(scope="module")
def service(serve):
    running, registry = serve()
    registry.add("pima", served())
    registry.add("guarded", replace(served(), guards=Guards(unseen_category=True)))
    return running


def test_a_version_comes_as_a_file_with_a_name(service):
    for kind, told in FORMATS.items():
        answer = service.http.get(
            "/models/pima/versions/1/export", params={"format": kind}
        )
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(told.media_type)
        named = f'attachment; filename="pima-1{told.suffix}"'
        assert answer.headers["content-disposition"] == named
        assert "demur-not-included" not in answer.headers


def test_guards_are_told_as_left_out(service):
    answer = service.http.get(
        "/models/guarded/versions/1/export", params={"format": "python"}
    )
    assert answer.headers["demur-not-included"] == "guard unseen_category"
    assert "Not included, ask the service: guard unseen_category." in answer.text


@pytest.mark.parametrize(
    ("path", "query", "status", "said"),
    [
        ("pima/versions/9", {"format": "python"}, 404, "has a version 9"),
        ("none/versions/1", {"format": "python"}, 404, "model"),
        ("pima/versions/1", {}, 422, "format"),
        ("pima/versions/1", {"format": "pmml"}, 422, "python"),
        (
            "pima/versions/1",
            {"format": "python", "precision": "float32"},
            422,
            "float64",
        ),
    ],
)
def test_what_cannot_be_exported_is_refused(service, path, query, status, said):
    answer = service.http.get(f"/models/{path}/export", params=query)
    assert answer.status_code == status
    assert said in answer.text


def test_the_command_writes_the_file(service, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = typer.testing.CliRunner(
        env={"DEMUR_URL": f"http://127.0.0.1:{service.port}"}
    )
    done = runner.invoke(demur, ["export", "guarded"])
    assert done.exit_code == 0, done.output
    assert "not included: guard unseen_category" in done.stderr
    assert (tmp_path / "guarded-1.py").read_text().startswith('"""Decisions of')
    path = tmp_path / "no folder" / "m.py"
    done = runner.invoke(demur, ["export", "pima", "--output", str(path)])
    assert done.exit_code == 2
    assert "cannot be written" in done.stderr
