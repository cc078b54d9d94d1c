"""The command in a process of its own, and files of people in every type of column."""

import csv
import os
import subprocess
import sys

import numpy as np
import pytest


@pytest.fixture
def csv_file(tmp_path):
    """A file of 120 rows with every type of column, and what its label is."""
    generator = np.random.default_rng(0)
    path = tmp_path / "wards 2024.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "age", "ward", "smokes", "sick"])
        for i in range(120):
            x = generator.normal()
            age = "?" if i == 7 else f"{50 + 10 * x:.2f}"
            sick = "yes" if x + 0.5 * generator.normal() > 0 else "no"
            writer.writerow([f"p{i:03}", age, "ab"[i % 2], str(i % 3 == 0), sick])
    return path


@pytest.fixture
def demur():
    """Run the command as a shell would, against a service."""

    def run(server, *arguments, check=None):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("DEMUR_")}
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", *map(str, arguments)],
            capture_output=True,
            text=True,
            env={**kept, "DEMUR_URL": server.url, "COLUMNS": "200"},
            timeout=240,
            check=False,
        )
        assert "Traceback" not in done.stderr
        if check is not None:
            assert done.returncode == check, done.stderr
        return done

    return run
