"""A search of the real service: its progress, its table, its end."""

import csv
import re
import subprocess
import sys

import numpy as np
import pytest

from app.client import training
from app.client.training import OrderError

GRID = {"params": {"C": [0.1, 1, 10], "kernel.gamma": [0.05, 0.5]}, "folds": 4}

pytestmark = pytest.mark.own_server


def large(body, **changes):
    """Enough noisy rows that a search of them takes a while."""
    generator = np.random.default_rng(0)
    values = generator.normal(size=(600, 8)).round(4)
    sick = values[:, 0] + 2 * generator.normal(size=600) > 0
    rows = [
        [*value, "yes" if one else "no"]
        for value, one in zip(values.tolist(), sick, strict=True)
    ]
    columns = [*(f"c{j}" for j in range(8)), "y"]
    data = {"kind": "inline", "columns": columns, "rows": rows}
    return body(data=data, **changes)


def test_job_and_version_keep_the_table(server, body):
    now = server.train(large(body, model="grid", search=GRID))
    assert now["status"] == "succeeded", now
    table = now["result"]["search"]["table"]
    assert [row["rank"] for row in table] == [1, 2, 3, 4, 5, 6]
    version = server.http.get("/models/grid/versions/1").json()
    assert version["search"] == now["result"]["search"]
    assert version["trainer"]["C"] == table[0]["params"]["C"]
    (listed,) = server.http.get("/jobs", params={"model": "grid"}).json()["jobs"]
    assert listed["result"] == {"model": "grid", "version": 1}


def test_a_running_search_names_its_candidates_and_stops(server, body):
    search = {"params": {"C": [10.0 * i for i in range(1, 50)], "tol": [1e-6, 1e-5]}}
    request = large(body, model="long", search=search)
    job = server.train(request, wait=False)
    server.await_progress(job["id"], "candidate ")
    message = server.job(job["id"])["progress"]["message"]
    assert re.search(r"candidate \d+ of 98", message), message
    assert server.http.post(f"/jobs/{job['id']}/cancel").status_code == 202
    assert server.await_job(job["id"])["status"] == "cancelled"
    assert server.http.get("/models/long").status_code == 404


@pytest.mark.thorough
def test_the_command_line_searches(server, body, tmp_path):
    data = body()["data"]
    path = tmp_path / "wards.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([data["columns"], *data["rows"]])

    def train(*more):
        named = ("--target", "y", "--positive", "yes", "--groups", "patient")
        return subprocess.run(
            [sys.executable, "-m", "app.cli", "train", str(path), *named, *more],
            capture_output=True,
            text=True,
            env={"DEMUR_URL": server.url, "COLUMNS": "200", "PATH": ""},
            timeout=120,
            check=False,
        )

    done = train("--search", "C=0.1,1", "--search", "kernel.gamma=0.1,scale")
    assert done.returncode == 0, done.stderr
    assert "search, best 4 of 4 candidates" in done.stdout
    assert "kernel.gamma=scale" in done.stdout
    assert "optimistic" in done.stdout
    version = server.http.get("/models/wards/versions/1").json()
    assert {row["params"]["kernel.gamma"] for row in version["search"]["table"]} == {
        0.1,
        "scale",
    }
    done = train("--trainer", "auto", "--set", "trainer.budget_seconds=0.01")
    assert done.returncode == 0, done.stderr
    version = server.http.get("/models/wards/versions/2").json()
    assert version["trainer"] == {"kind": "auto", "budget_seconds": 0.01}
    assert version["members"][0]["weight"] == 1.0


def test_values_are_json_or_text_between_commas_or_one_array():
    read = training.read_values
    assert read("C=0.1, 1,10") == ("C", [0.1, 1, 10])
    assert read("kernel.gamma=scale,0.5") == ("kernel.gamma", ["scale", 0.5])
    assert read('kernel=[{"kind": "linear"}, {"kind": "rbf", "gamma": 1}]') == (
        "kernel",
        [{"kind": "linear"}, {"kind": "rbf", "gamma": 1}],
    )
    for wrong in ("C", "=1", "C="):
        with pytest.raises(OrderError, match="NAME=VALUES"):
            read(wrong)
