"""``demur train`` uploads a large file first; the model is the same as from rows."""

from dataclasses import replace

import numpy as np
import pytest

from app.client import training
from app.client.csv_table import read_csv
from app.client.training import Order
from app.datasets.reading.options import ReadOptions


@pytest.fixture
def order(tmp_path):
    """A file as other countries write them; a column of codes, and one to leave out."""
    rng = np.random.default_rng(3)
    lines = ["nr;âge;code;état;malade"]
    for i in range(120):
        x = rng.normal()
        age = "k.A." if i % 11 == 3 else f"{50 + 10 * x:.2f}".replace(".", ",")
        sick = "oui" if x + 0.5 * rng.normal() > 0 else "non"
        lines.append(f"{i};{age};{i % 3:03};{'élevé' if i % 2 else 'bas'};{sick}")
    path = tmp_path / "âges.csv"
    path.write_bytes("\r\n".join(lines).encode("latin-1"))
    return Order(
        file=path,
        target="malade",
        positive="oui",
        model="rows",
        trainer="svm",
        rule="chow",
        costs={
            "false_positive": 1.0,
            "false_negative": 5.0,
            "reject_positive": 0.5,
            "reject_negative": 0.2,
        },
        weight=None,
        groups=None,
        order_by=None,
        holdout=0.25,
        seed=1,
        left_out=("nr",),
        options=ReadOptions(decimal=",", encoding="latin-1", missing=("", "k.A.")),
    )


def test_an_uploaded_file_makes_the_model_that_its_rows_make(
    server, order, monkeypatch, capsys
):
    assert training.run(order, server.url, None) == 0
    assert server.http.get("/datasets").json()["datasets"] == []
    monkeypatch.setattr(training, "INLINE_BYTES", 100)
    assert training.run(replace(order, model="file"), server.url, None) == 0
    (stored,) = server.http.get("/datasets").json()["datasets"]
    assert stored["name"] == "âges.csv"
    assert f"DELETE /datasets/{stored['id']}" in capsys.readouterr().err
    rows, file = (
        server.http.get(f"/models/{name}/versions/1").json()
        for name in ("rows", "file")
    )
    types = {c["name"]: c["type"] for c in rows["features"]}
    assert types == {"âge": "numeric", "code": "categorical", "état": "categorical"}
    for fact in ("features", "labels", "evaluation", "thresholds", "trainer"):
        assert file[fact] == rows[fact], fact


def test_a_refused_training_of_an_uploaded_file_says_why(
    server, order, monkeypatch, capsys
):
    monkeypatch.setattr(training, "INLINE_BYTES", 100)
    text = order.file.read_bytes().replace(b";oui", b";peut-\xeatre", 1)
    order.file.write_bytes(text)
    assert training.run(order, server.url, None) == 1
    told = capsys.readouterr().err
    assert "3 different labels" in told
    assert "peut" not in told


def test_the_target_cannot_be_left_out(server, order, capsys):
    assert training.run(replace(order, left_out=("malade",)), server.url, None) == 2
    assert "cannot be left out" in capsys.readouterr().err


def test_codes_are_numbers_that_begin_with_zero_and_no_other_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("zip,part,size,flag\n00123,007a,10,0\n99999,b,0.5,1\n")
    table = read_csv(path)
    assert table.codes() == ["zip"]
    kinds = {"zip": "categorical", "part": "categorical"}
    assert table.kinds() == {**kinds, "size": "numeric", "flag": "numeric"}


def test_a_missing_column_is_told_before_anything_is_sent(
    server, order, monkeypatch, capsys
):
    monkeypatch.setattr(training, "INLINE_BYTES", 100)
    before = len(server.http.get("/datasets").json()["datasets"])
    assert training.run(replace(order, groups="patient"), server.url, None) == 2
    assert "no column 'patient'" in capsys.readouterr().err
    assert len(server.http.get("/datasets").json()["datasets"]) == before
