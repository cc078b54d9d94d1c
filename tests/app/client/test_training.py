"""``demur train`` against the real service."""

import csv
import gzip
import re
import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from app.client import training
from app.client.training import Order, request_of
from tests.waiting import until

READING = {"delimiter": "auto", "decimal": "auto", "encoding": "auto"}
COSTS = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.5,
    "reject_negative": 0.2,
}
# A shell's background jobs ignore SIGINT, and so do their children unless told.
INTERRUPTIBLE = """
import runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
runpy.run_module("app.cli", run_name="__main__", alter_sys=True)
"""

pytestmark = pytest.mark.own_server


@pytest.fixture
def order(csv_file):
    return Order(
        file=csv_file,
        target="sick",
        positive="yes",
        model="wards",
        trainer="svm",
        rule="chow",
        costs=COSTS,
        weight=None,
        groups=None,
        order_by=None,
        holdout=0.25,
        seed=1,
        settings=(),
        search=(),
        left_out=("id",),
        query=READING,
        types={},
    )


@pytest.fixture
def trained(server, order, capsys):
    """Train on a changed order; return the status, both outputs and the version."""

    def train(**changes):
        asked = replace(order, **changes)
        status = training.run(asked, server.url, None)
        told = capsys.readouterr()
        version = None
        if status == 0:
            version = server.http.get(f"/models/{asked.model}").json()["latest"]
        return status, told.out, told.err, version

    return train


def datasets(server):
    return {one["id"] for one in server.http.get("/datasets").json()["datasets"]}


def test_a_file_is_trained_on(server, csv_file, demur):
    told = demur(
        server,
        *("train", csv_file, "--target", "sick", "--positive", "yes"),
        *("--false-positive", 1, "--false-negative", 5, "--groups", "id"),
        *("--reject-positive", 0.5, "--reject-negative", 0.2, "--set", "trainer.C=3"),
        check=0,
    )
    assert "wards-2024, version 1" in told.stdout
    assert "expected cost" in told.stdout
    version = server.http.get("/models/wards-2024/versions/1").json()
    assert version["trainer"]["C"] == 3.0
    assert version["costs"]["false_negative"] == 5.0
    types = {c["name"]: c["type"] for c in version["features"]}
    assert types == {"age": "numeric", "ward": "categorical", "smokes": "boolean"}
    (stored,) = datasets(server)
    assert f"`demur datasets {stored} --delete`" in told.stderr


def test_one_table_makes_one_model_in_whatever_form_its_file_is(
    trained, csv_file, tmp_path
):
    text = csv_file.read_bytes()
    packed = tmp_path / "wards.csv.gz"
    packed.write_bytes(gzip.compress(text[:1000]) + gzip.compress(text[1000:]))
    tabs = tmp_path / "wards.tsv"
    tabs.write_bytes(text.replace(b",", b"\t"))
    typed = tmp_path / "no suffix"
    missing = pyarrow.csv.ConvertOptions(null_values=["?"])
    pq.write_table(pyarrow.csv.read_csv(csv_file, convert_options=missing), typed)
    facts = ("features", "labels", "evaluation", "thresholds", "trainer")
    _, _, _, wanted = trained()
    for path in (packed, tabs, typed):
        status, _, err, version = trained(file=path)
        assert status == 0, err
        assert {f: version[f] for f in facts} == {f: wanted[f] for f in facts}, path


def test_a_european_file_is_read_by_its_options_and_without(trained, order, tmp_path):
    lines = order.file.read_text().replace(",", ";").replace(".", ",").split("\n")
    path = tmp_path / "kränklich.csv"
    head = lines[0].replace("age", "âge")
    path.write_bytes("\r\n".join([head, *lines[1:]]).encode("latin-1"))
    query = {**READING, "decimal": ",", "encoding": "latin-1"}
    status, _, err, version = trained(file=path, query=query)
    assert status == 0, err
    assert version["features"][0]["name"] == "âge"
    status, _, err, guessed = trained(file=path)
    assert status == 0, err
    assert "read as windows-1252" in err
    assert guessed["features"] == version["features"]
    status, _, err, _ = trained(file=path, query={**query, "delimiter": "comma"})
    assert status == 1
    assert "--decimal" in err
    assert "cannot separate cells" in err


def test_what_an_upload_notes_is_told_with_the_options(trained, order):
    lines = order.file.read_text().splitlines()
    lines[3] = re.sub(",[0-9.]+,", ",unknown,", lines[3], count=1)
    order.file.write_text("\n".join(lines))
    status, _, err, version = trained()
    assert status == 0, err
    assert "note: column 'age' was read as text" in err
    assert "--missing" in err
    assert version["features"][0]["type"] == "categorical"
    query = {**READING, "missing": ["?", "unknown"]}
    _, _, err, version = trained(query=query)
    assert "note" not in err
    assert version["features"][0]["type"] == "numeric"


def test_types_can_be_declared(trained):
    _, _, err, version = trained(types={"categorical": ["smokes"]})
    types = {c["name"]: c["type"] for c in version["features"]}
    assert types["smokes"] == "categorical"
    status, _, err, _ = trained(types={"categorical": ["weight"]})
    assert status == 1
    assert "the file has no column 'weight'" in err


@pytest.mark.parametrize(
    ("changes", "words", "status"),
    [
        ({"target": "none"}, "no column 'none'; it has id, age, ward", 2),
        ({"groups": "patient"}, "no column 'patient'", 2),
        ({"left_out": ("sick",)}, "cannot be left out", 2),
        ({"left_out": ("alter",)}, "no column 'alter'", 2),
        ({"positive": "maybe"}, "--positive: no row has this label", 1),
        ({"rule": "magic"}, "available: plug-in", 1),
        ({"trainer": "magic"}, "available: double-hinge-svm", 1),
        ({"settings": ("C",)}, "PATH=VALUE", 2),
        ({"settings": ("trainer.D=1",)}, "--set trainer.D: ", 1),
        ({"search": ("C=",)}, "NAME=VALUES", 2),
        ({"search": ("D=1",)}, "--search D: the trainer svm has no such", 1),
        ({"costs": {**COSTS, "reject_positive": 9.0}}, "the costs: rejecting must", 1),
        ({"costs": {**COSTS, "false_positive": -1.0}}, "--false-positive: ", 1),
        ({"holdout": 2.0}, "--holdout: ", 1),
    ],
)
def test_what_is_wrong_is_told_by_the_option_that_said_it(
    server, trained, changes, words, status
):
    before = datasets(server)
    found, _, err, _ = trained(**changes)
    assert found == status, err
    assert words in err
    assert datasets(server) == before  # nothing of a refused training stays


def test_rows_are_told_by_their_line_in_the_file(server, trained, order):
    lines = order.file.read_text().splitlines()
    lines[4] = lines[4].rsplit(",", 1)[0] + ",?"
    order.file.write_text("\n".join(lines))
    before = datasets(server)
    status, _, err, _ = trained()
    assert status == 1
    assert "row 4, column 'sick': every row needs its label" in err
    assert "line 5 of" in err
    assert datasets(server) == before
    order.file.write_text("\n".join([*lines, "1"]))
    status, _, err, _ = trained()
    assert status == 1
    assert f"line {len(lines) + 1}: 1 cells" in err  # itself, and nothing more of it
    assert err.count("line") == 1


def test_no_service_no_file_and_no_table_are_told_with_the_way_out(order, capsys):
    assert training.run(order, "http://127.0.0.1:9", None) == 1
    assert "demur serve" in capsys.readouterr().err
    for url in ("127.0.0.1:8000", "nowhere", "ftp://x", "http://[::"):
        assert training.run(order, url, None) == 1
        assert "--url" in capsys.readouterr().err
    assert training.run(order, "http://127.0.0.1:9", "ключ") == 1
    assert "--api-key" in capsys.readouterr().err
    missing = replace(order, file=order.file.with_name("none.csv"))
    assert training.run(missing, "http://127.0.0.1:9", None) == 2
    assert "No such file" in capsys.readouterr().err


def test_an_interrupted_command_cancels_its_job_and_leaves_nothing(server, tmp_path):
    generator = np.random.default_rng(0)
    x = generator.normal(size=(6000, 8)).round(3)
    labels = np.where(x[:, 0] + 2 * generator.normal(size=6000) > 0, "yes", "no")
    file = tmp_path / "hard.csv"
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*"abcdefgh", "y"])
        writer.writerows([*row, label] for row, label in zip(x, labels, strict=True))
    before = datasets(server)
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

    def running():
        asked = {"model": "hard", "status": "running"}
        return server.http.get("/jobs", params=asked).json()["jobs"]

    try:
        (job,) = until(running)
        command.send_signal(signal.SIGINT)
        _, told = command.communicate(timeout=240)
    finally:
        command.kill()
        command.communicate()
    assert command.returncode == 130
    assert "the job was cancelled" in told
    assert server.await_job(job["id"])["status"] == "cancelled"
    assert datasets(server) == before


def test_the_request_is_made_of_the_options(order):
    settings = ('trainer.kernel={"kind":"linear"}', "refit=true", "rule.kind=chow")
    request = request_of(
        replace(order, model=None, costs=None, rule=None, settings=settings)
    )
    assert request["model"] == "wards-2024"
    assert request["trainer"] == {"kind": "svm", "kernel": {"kind": "linear"}}
    assert request["refit"] is True
    assert request["rule"] == {"kind": "chow"}
    assert "costs" not in request
