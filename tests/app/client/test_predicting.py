"""``demur predict`` against the real service: the batch's own answer, passed on."""

import csv
import gzip
import io
import json
import subprocess
import sys

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from app.client import predicting
from app.client.predicting import Question

READING = {"delimiter": "auto", "decimal": "auto", "encoding": "auto"}


@pytest.fixture(scope="module")
def model(server):
    """A model of a number and a ward, with a boolean beside them."""
    draw = np.random.default_rng(1)
    rows = [
        [float(x), "ab"[i % 2], bool(i % 3), "yes" if x > draw.normal() else "no"]
        for i, x in enumerate(draw.normal(size=200).round(3))
    ]
    job = server.train(
        {
            "model": "wards",
            "trainer": {"kind": "svm"},
            "costs": {
                "false_positive": 1,
                "false_negative": 5,
                "reject_positive": 0.5,
                "reject_negative": 0.2,
            },
            "rule": {"kind": "chow"},
            "data": {
                "kind": "inline",
                "columns": ["x", "ward", "smokes", "sick"],
                "rows": rows,
            },
            "target": {"column": "sick", "positive": "yes"},
        }
    )
    assert job["status"] == "succeeded", job
    return "wards"


@pytest.fixture
def cases(tmp_path):
    """Rows of which two have a ward that training never saw, as a European file."""
    path = tmp_path / "cases.csv"
    rows = [f"{i};{i / 10 - 3};{'abz'[i % 31 // 15]};true" for i in range(60)]
    text = "\r\n".join(["nr;x;ward;smokes", *rows]).replace(".", ",")
    path.write_bytes(text.encode("windows-1252"))
    return path


@pytest.fixture
def decide(server, model, capfdbinary):
    """Decide a file; return the status and what was written to both outputs."""

    def run(path, output=None, form=None, costs=None, name=model, **reading):
        query = {**READING, **reading}
        question = Question(name, path, output, form, query, costs or {})
        status = predicting.run(question, server.url, None)
        told = capfdbinary.readouterr()
        return status, told.out, told.err.decode()

    return run


def batch(server, body, media_type="text/csv", **query):
    answer = server.http.post(
        "/predict/batch",
        content=body,
        params={"model": "wards", **query},
        headers={"content-type": media_type},
    )
    assert answer.status_code == 200, answer.text
    return answer.content


def test_a_text_file_comes_back_as_the_batch_answers_it(server, decide, cases):
    reading = {"decimal": ",", "encoding": "windows-1252"}
    status, out, err = decide(cases, **reading)
    assert status == 0, err
    assert out == batch(server, cases.read_bytes(), **reading)
    rows = list(csv.DictReader(io.StringIO(out.decode()), delimiter=";"))
    rejected = sum(row["demur_decision"] == "reject" for row in rows)
    warned = sum(row["demur_warnings"] != "" for row in rows)
    assert warned > 0
    assert err.split("60 rows decided by wards:1: ")[1] == (
        f"{rejected} rejected, {warned} with warnings\n"
    )


def test_packed_and_typed_files_come_back_as_the_batch_answers_them(
    server, decide, cases, tmp_path
):
    text = cases.read_bytes().replace(b",", b".").replace(b";", b",")
    packed = tmp_path / "cases.csv.gz"
    packed.write_bytes(gzip.compress(text))
    status, out, err = decide(packed)
    assert status == 0, err
    assert out == batch(server, text)
    typed = tmp_path / "cases.parquet"
    pq.write_table(pyarrow.csv.read_csv(io.BytesIO(text)), typed)
    output = tmp_path / "decided.parquet"
    status, out, err = decide(typed, output)
    assert (status, out) == (0, b""), err
    wanted = batch(server, typed.read_bytes(), "application/vnd.apache.parquet")
    assert output.read_bytes() == wanted
    output = tmp_path / "decided.csv.gz"
    status, _, err = decide(packed, output)
    assert status == 0, err
    assert gzip.decompress(output.read_bytes()) == batch(server, text)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("cases.csv", "cases.csv.gz", "cases.parquet"),
        *("decided.csv.gz", "decided.parquet"),
    ]


def test_decisions_come_as_json_too(decide, cases, tmp_path):
    reading = {"decimal": ",", "encoding": "windows-1252"}
    status, out, err = decide(cases, form="json", **reading)
    assert status == 0, err
    rows = json.loads(out)
    (_, text, _) = decide(cases, form="csv", **reading)
    written = list(csv.DictReader(io.StringIO(text.decode()), delimiter=";"))
    assert [list(row) for row in rows] == [list(row) for row in written]
    for row, other in zip(rows, written, strict=True):
        assert row["x"] == other["x"]
        assert row["demur_score"] == float(other["demur_score"].replace(",", "."))
        assert (row["demur_label"] is None) == (row["demur_decision"] == "reject")
    typed = tmp_path / "cases.parquet"
    body = cases.read_bytes().replace(b",", b".").replace(b";", b",")
    pq.write_table(pyarrow.csv.read_csv(io.BytesIO(body)), typed)
    status, out, err = decide(typed, form="json")
    assert status == 0, err
    assert [row["demur_score"] for row in json.loads(out)] == [
        row["demur_score"] for row in rows
    ]
    status, _, err = decide(typed, form="csv")
    assert status == 2
    assert "its decisions come in its own form, or as JSON" in err


def test_other_costs_can_be_asked_for(server, decide, cases):
    reading = {"decimal": ",", "encoding": "windows-1252"}
    costs = {
        "false_positive": 1.0,
        "false_negative": 1.0,
        "reject_positive": 0.45,
        "reject_negative": 0.45,
    }
    status, out, err = decide(cases, costs=costs, **reading)
    assert status == 0, err
    assert out == batch(server, cases.read_bytes(), **reading, **costs)
    status, _, err = decide(cases, costs={"false_positive": 2.0}, **reading)
    assert status == 1
    assert "--false-negative: give all four costs, or none" in err


def test_refusals_name_the_line_and_leave_an_output_as_it_was(decide, tmp_path):
    file, output = tmp_path / "t.csv", tmp_path / "out.csv"
    output.write_text("before")
    refused = [
        ("x,ward\n1,a\n", "smokes", {}),
        ("x,ward,smokes\n1,a,true\nmany,a,true\n", "line 3, column 1 ('x')", {}),
        ("x,ward,smokes\n1,a,true\n1,a\n", "line 3: 2 cells", {}),
        ("x,ward,smokes\n1,a,true\n", "No such model", {"name": "none"}),
        ("x,ward,smokes\n1,a,true\n", "alias", {"name": "wards@none"}),
        ("", "the file is empty", {}),
    ]
    for text, words, changes in refused:
        file.write_text(text)
        status, out, err = decide(file, output, **changes)
        assert (status, out) == (1, b""), err
        assert words in err
        assert "/query" not in err
        assert "/columns" not in err
    assert output.read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 2
    file.write_text("x,ward,smokes\n1,a,true\n")
    status, _, err = decide(file, tmp_path / "none" / "out.csv")
    assert status == 2
    assert "No such file" in err


def test_a_reader_that_leaves_ends_it_quietly(server, model, tmp_path):
    file = tmp_path / "many.csv"
    file.write_text("x,ward,smokes\n" + "1,a,true\n" * 50_000)
    for reader in ("head -n 1", "true"):
        done = subprocess.run(
            [
                *("bash", "-c", f'"$@" | {reader}', "bash"),
                *(sys.executable, "-m", "app.cli", "predict", model, file),
            ],
            env={"DEMUR_URL": server.url, "PATH": "/bin:/usr/bin"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_help_and_version_may_lose_their_reader_too():
    for arguments in (["--help"], ["predict", "--help"]):
        command = [sys.executable, "-m", "app.cli", *arguments]
        done = subprocess.run(
            ["bash", "-c", '"$@" | true', "bash", *command],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_keys_are_sent(start_service, tmp_path, demur):
    service = start_service("--no-worker", DEMUR_API_KEYS="a-key")
    file = tmp_path / "t.csv"
    file.write_text("x\n1\n")
    told = demur(service, "predict", "m", file, check=1).stderr
    assert "A valid key is needed" in told
    told = demur(service, "predict", "m", file, "--api-key", "a-key", check=1).stderr
    assert "No such model" in told
