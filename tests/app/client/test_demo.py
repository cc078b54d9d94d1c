"""The demonstration, as ``make demo`` runs it."""

import subprocess
import sys

import pytest


@pytest.mark.slow  # CI runs it among the README's commands
def test_the_demonstration_succeeds_and_shows_costs(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "app.client.demo"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Mean cost" in done.stdout
    assert "best constant answer" in done.stdout


def test_it_fails_where_the_service_cannot_start():
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.executable = '/bin/false';"
            "from app.client.demo import main; sys.exit(main())",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "did not start" in done.stdout
