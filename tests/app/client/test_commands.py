"""``demur train`` and ``demur predict`` against the real service."""

import csv
import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from app.client.training import Order, request_of

# A shell's background jobs ignore SIGINT, and so do their children unless told.
INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("app.cli", run_name="__main__", alter_sys=True)
"""


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
            writer.writerow([f"{i:04}", age, "ab"[i % 2], str(i % 3 == 0), sick])
    return path


def demur(server, *arguments, check=None):
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={"DEMUR_URL": server.url, "COLUMNS": "200", "PATH": ""},
        timeout=120,
        check=False,
    )
    if check is not None:
        assert done.returncode == check, done.stderr
    return done


def test_a_file_is_trained_on_and_decided(server, csv_file, tmp_path):
    trained = demur(
        server,
        *(
            "train",
            csv_file,
            "--target",
            "sick",
            "--positive",
            "yes",
            "--model",
            "wards",
        ),
        *("--false-positive", 1, "--false-negative", 5, "--groups", "id"),
        *("--reject-positive", 0.5, "--reject-negative", 0.2, "--set", "trainer.C=3"),
        check=0,
    )
    assert "wards, version 1" in trained.stdout
    assert "expected cost" in trained.stdout
    version = server.http.get("/models/wards/versions/1").json()
    assert version["trainer"]["C"] == 3.0
    assert version["costs"]["false_negative"] == 5.0
    assert [c["type"] for c in version["features"]] == [
        "numeric",
        "categorical",
        "boolean",
    ]

    output = tmp_path / "decided.csv"
    demur(server, "predict", "wards:1", csv_file, "--output", output, check=0)
    with output.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [f"{i:04}" for i in range(120)]
    assert {row["decision"] for row in rows} <= {"+1", "-1", "reject"}
    assert all((row["label"] == "") == (row["decision"] == "reject") for row in rows)

    told = demur(server, "predict", "wards", csv_file, "--format", "json", check=0)
    answers = json.loads(told.stdout)
    assert [one["decision"] for one in answers] == [row["decision"] for row in rows]
    assert answers[3]["row"]["id"] == "0003"


def test_refusals_are_text_with_the_line_of_the_file(server, csv_file):
    lines = csv_file.read_text().splitlines()
    lines[4] = lines[4].rsplit(",", 1)[0] + ",?"
    csv_file.write_text("\n".join(lines))
    done = demur(
        server, "train", csv_file, "--target", "sick", "--positive", "yes", check=1
    )
    assert "row 4, column 'sick': every row needs its label" in done.stderr
    assert "line 5 of" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words", "status"),
    [
        (["--target", "none", "--positive", "yes"], "no column 'none'", 2),
        (["--target", "age", "--positive", "yes"], "a number in every row", 2),
        (["--target", "sick", "--positive", "maybe"], "no row has this label", 1),
        (["--target", "sick", "--positive", "yes", "--rule", "magic"], "available", 1),
        (["--target", "sick", "--positive", "yes", "--set", "C"], "PATH=VALUE", 2),
        (
            ["--target", "sick", "--positive", "yes", "--reject-positive", "2"],
            "rejecting must be able to pay off",
            1,
        ),
    ],
)
def test_what_is_wrong_is_told_in_words(server, csv_file, arguments, words, status):
    done = demur(server, "train", csv_file, *arguments, check=status)
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_predictions_of_no_model_or_without_its_columns_are_refused(server, tmp_path):
    rows = [[i, "yes" if i > 5 else "no"] for i in range(12)]
    job = server.train(
        {
            "model": "short",
            "trainer": {"kind": "svm"},
            "rule": {"kind": "chow", "reject_threshold": 0.2},
            "data": {"kind": "inline", "columns": ["x", "y"], "rows": rows},
            "target": {"column": "y", "positive": "yes"},
        }
    )
    assert job["status"] == "succeeded", job
    file = tmp_path / "t.csv"
    file.write_text("z\n1\n")
    assert "lacks columns" in demur(server, "predict", "short", file, check=2).stderr
    assert "No such model" in demur(server, "predict", "none", file, check=1).stderr
    file.write_text("x\n1\nmany\n")
    wrong = demur(server, "predict", "short", file, check=2).stderr
    assert "line 3, column 1 ('x'): not a number" in wrong


def test_a_european_file_with_identifiers_is_trained_on_and_decided(server, tmp_path):
    """Semicolons, decimal commas, another encoding, a name a row, an alias."""
    draw = np.random.default_rng(1)
    rows = [
        (f"Müller {i}", f"{x:.3f}".replace(".", ","), "ja" if x > 0 else "nein")
        for i, x in enumerate(draw.normal(size=400))
    ]
    file = tmp_path / "kranke.csv"
    lines = "\r\n".join(map(";".join, [("name", "wert", "krank"), *rows]))
    file.write_bytes(lines.encode("windows-1252"))
    asked = ["train", file, "--target", "krank", "--positive", "ja"]
    reading = ["--decimal", ",", "--encoding", "windows-1252"]
    refused = demur(server, *asked, *reading, check=1).stderr
    assert "column 'name': the column has" in refused
    told = demur(server, *asked, check=2).stderr
    assert "name the encoding" in told
    demur(server, *asked, *reading, "--leave-out", "name", check=0)
    version = server.http.get("/models/kranke").json()["latest"]
    assert [(c["name"], c["type"]) for c in version["features"]] == [
        ("wert", "numeric")
    ]
    server.http.put("/models/kranke/aliases/best", json={"version": 1})
    told = demur(server, "predict", "kranke@best", file, *reading, check=0).stdout
    decided = list(csv.DictReader(told.splitlines()))
    assert [(r["name"], r["wert"], r["krank"]) for r in decided] == rows
    wrong = [r for r in decided if r["label"] not in {"", r["krank"]}]
    assert len(wrong) < 40
    told = demur(server, "predict", "kranke@none", file, *reading, check=1).stderr
    assert "alias" in told
    told = demur(server, *asked, "--leave-out", "alter", *reading, check=2).stderr
    assert "no column 'alter'" in told
    told = demur(server, *asked, *reading, "--delimiter", "comma", check=2).stderr
    assert "decimal mark" in told


def test_no_service_is_told_with_the_way_out(server, csv_file):
    done = demur(
        server,
        *("train", csv_file, "--target", "sick", "--positive", "yes"),
        *("--url", "http://127.0.0.1:9"),
        check=1,
    )
    assert "demur serve" in done.stderr


def test_an_interrupted_command_cancels_its_job(server, tmp_path):
    generator = np.random.default_rng(0)
    x = generator.normal(size=(6000, 8)).round(3)
    labels = np.where(x[:, 0] + 2 * generator.normal(size=6000) > 0, "yes", "no")
    file = tmp_path / "hard.csv"
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*"abcdefgh", "y"])
        writer.writerows([*row, label] for row, label in zip(x, labels, strict=True))
    command = subprocess.Popen(
        [
            *(sys.executable, "-c", INTERRUPTIBLE, "train", str(file), "--target", "y"),
            *("--positive", "yes", "--trainer", "svm", "--rule", "chow"),
            *("--set", "trainer.C=10000", "--set", "trainer.tol=0.000001"),
        ],
        env={"DEMUR_URL": server.url, "PATH": ""},
        stderr=subprocess.PIPE,
        text=True,
    )
    job = None
    until = time.monotonic() + 60
    try:
        while time.monotonic() < until and (job is None or job["status"] != "running"):
            time.sleep(0.05)
            jobs = server.http.get("/jobs", params={"model": "hard"}).json()["jobs"]
            job = jobs[0] if jobs else None
        command.send_signal(signal.SIGINT)
        _, told = command.communicate(timeout=30)
    finally:
        command.kill()
        command.communicate()
    assert command.returncode == 130
    assert "the job was cancelled" in told
    assert server.await_job(job["id"])["status"] == "cancelled"


def test_keys_are_sent(start_service, tmp_path):
    service = start_service(DEMUR_API_KEYS="a-key")
    file = tmp_path / "t.csv"
    file.write_text("x\n1\n")
    assert (
        "A valid key is needed" in demur(service, "predict", "m", file, check=1).stderr
    )
    told = demur(service, "predict", "m", file, "--api-key", "a-key", check=1).stderr
    assert "No such model" in told


def test_a_model_is_called_like_its_file_by_default(csv_file):
    from app.client.csv_table import read_csv

    order = Order(
        file=csv_file,
        target="sick",
        positive="yes",
        model=None,
        trainer="svm",
        rule=None,
        costs=None,
        weight=None,
        groups="id",
        order_by=None,
        holdout=0.2,
        seed=0,
        settings=('trainer.kernel={"kind":"linear"}', "refit=true", "rule.kind=chow"),
    )
    table = read_csv(csv_file)
    request = request_of(order, table, table.kinds())
    assert request["model"] == "wards-2024"
    assert request["trainer"] == {"kind": "svm", "kernel": {"kind": "linear"}}
    assert request["refit"] is True
    assert request["rule"] == {"kind": "chow"}
    assert "costs" not in request
