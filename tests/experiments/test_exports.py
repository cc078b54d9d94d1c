"""What the experiment on exports counts: rows that a file decides otherwise."""

import gzip
import shutil

import numpy as np
import pytest

from experiments import exported, exports


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with a set in one file, and one in two parts."""
    folder = tmp_path_factory.mktemp("sets")
    draw = np.random.default_rng(3)
    for name in ("thyroid", "pendigits.train", "pendigits.test"):
        X = draw.standard_normal((150, 2))
        y = np.where(X[:, 0] + draw.standard_normal(150) > 0, 1, -1)
        rows = np.column_stack([X, y])
        with gzip.open(folder / f"{name}.csv.gz", "wt", encoding="utf-8") as file:
            np.savetxt(file, rows, delimiter=",", header="a,b,label", comments="")
    return folder


def test_every_set_is_there_with_every_trainer_and_the_short_form_is_small():
    every = exports.tasks(quick=False)
    assert len({task["set"] for task in every}) == 17
    assert len(every) == 17 * len(exports.TRAINERS)
    assert len(exports.tasks(quick=True)) == 3 * len(exports.TRAINERS)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
@pytest.mark.parametrize("trainer", ["logistic", "double-hinge-svm"])
def test_every_file_decides_every_row_as_the_service(data, trainer):
    told = exports.repeat({"set": "thyroid", "trainer": trainer}, data)
    assert told["rows"] == [120, 30, 10_030]
    assert told["files"].keys() == {"C", "ONNX", "Python"}
    assert all(one["differ"] == 0 for one in told["files"].values())
    assert all(one["apart"] < 1e-12 for one in told["files"].values())
    assert 0 < told["rejected"] < 1


def test_what_a_file_decides_otherwise_is_counted(data, monkeypatch):
    run = exported.FILES["Python"]

    def other(model, X):
        told = run(model, X)
        decisions = told.decisions.copy()
        decisions[:7] = -2
        return exported.FileAnswer(decisions, told.scores + 0.5, told.n_bytes)

    monkeypatch.setattr(exports, "FILES", {"Python": other})
    told = exports.repeat({"set": "pendigits", "trainer": "logistic"}, data)
    assert told["rows"] == [150, 150, 10_150]
    assert told["files"]["Python"]["differ"] == 7
    assert told["files"]["Python"]["apart"] == pytest.approx(0.5)


def test_the_section_adds_up_over_models(tmp_path):
    def result(trainer, differ):
        file = {"differ": differ, "apart": 2e-15, "bytes": 4_000 + differ}
        return {
            "task": {"set": "wdbc", "trainer": trainer},
            "files": dict.fromkeys(exported.FILES, file),
            "rows": [455, 114, 10_114],
            "rejected": 0.25,
            "day": "2026-11-29",
        }

    found = [result("logistic", 0), result("gradient-boosting", 3)]
    told = exports.section(found, tmp_path).markdown()
    assert "run on 2026-11-29." in told
    assert "| wdbc | gradient-boosting, chow | 10114 | 25 | 3 | 3 | 3 |" in told
    said = "C: 3 of 20,228 decisions of 2 models differ; scores are at most 2e-15 apart"
    assert said in told
    assert "files of 4,000 to 4,003 bytes" in told
