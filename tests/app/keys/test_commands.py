"""Keys by the command line, which makes the first one."""

import contextlib
import os
import subprocess
import sys

import pytest

from tests.app.keys.asking import settled, status


def command(service, *arguments):
    outer = {k: v for k, v in os.environ.items() if not k.startswith("DEMUR_")}
    return subprocess.run(
        [sys.executable, "-m", "app.cli", "key", *arguments],
        env={**outer, "DEMUR_DATA_DIR": str(service.data_dir)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.thorough
def test_the_first_key_is_made_at_the_command_line_and_locks_the_service(
    start_service,
):
    service = start_service("--no-worker", DEMUR_DOCS="false")
    refused = service.http.post("/keys", json={"name": "x", "scope": "admin"})
    assert refused.status_code == 403
    assert "demur key create" in refused.json()["detail"]
    assert service.http.get("/models").status_code == 200
    assert service.http.get("/docs").status_code == 404
    made = command(service, "create", "--scope", "predict", "--name", "desk")
    assert made.returncode == 0, made.stderr
    key = made.stdout.strip()
    settled(service, "/models", "wrong", 401)
    assert status(service, "GET", "/models", key) == 200
    for path in ("/docs", "/redoc", "/openapi.json", "/docs/assets/swagger-ui.css"):
        assert service.http.get(path).status_code == 401, "switched off: no secret hint"
    assert service.http.get("/readyz").status_code == 200
    assert service.http.get("/problems/unauthorized").status_code == 200
    (line,) = command(service, "list").stdout.splitlines()
    assert "desk" in line
    assert key not in line
    revoked = command(service, "revoke", line.split()[0])
    assert revoked.returncode == 0
    assert "demur key create" in revoked.stdout, "the way back"
    settled(service, "/models", key, 401)
    assert command(service, "revoke", "nothing").returncode == 1
    assert command(service, "create", "--scope", "root", "--name", "x").returncode == 1
    several = ("--scope", "lead", "--scope", "review", "--name", "x", "--person", "Ann")
    made = command(service, "create", *several)
    assert made.returncode == 0, made.stderr
    assert "review,lead" in command(service, "list").stdout
    assert status(service, "GET", "/models", made.stdout.strip()) == 200
    assert "revoked" in command(service, "list").stdout


def test_a_key_of_the_database_lets_the_service_leave_loopback(tmp_path, service_type):
    service = service_type(
        tmp_path,
        {},
        ("--no-worker", "--host", "0.0.0.0"),  # noqa: S104 - with a key
    )
    service.data_dir.mkdir(exist_ok=True)
    key = command(service, "create", "--scope", "admin", "--name", "a").stdout.strip()
    with contextlib.ExitStack() as stack:
        service.start()
        stack.callback(service.stop)
        service.url = service.url.replace("0.0.0.0", "127.0.0.1")  # noqa: S104
        assert status(service, "GET", "/jobs", key) == 200
        assert status(service, "GET", "/jobs", "other") == 401
