"""The quick form of every experiment, where the data sets are."""

import json
import os
from pathlib import Path

import pytest

from experiments.__main__ import NAMES, OPTIONAL, main

FOLDER = os.environ.get("DEMUR_DATA_FOLDER", "")

pytestmark = [
    pytest.mark.skipif(
        not FOLDER, reason="needs the data sets: DEMUR_DATA_FOLDER names their folder"
    ),
    pytest.mark.thorough,
    pytest.mark.timeout(900),
    # Settings that papers print include machines that no solver finishes.
    pytest.mark.filterwarnings("default::sklearn.exceptions.ConvergenceWarning"),
]


# These take a minute or more in their quick form too.
LONG = {"comparison", "double_hinge", "doubt", "support_vector_reduction"}
CASES = [
    pytest.param(name, marks=pytest.mark.slow) if name in LONG else name
    for name in (*NAMES, *OPTIONAL)
]


@pytest.mark.parametrize("name", CASES)
def test_quick_form_runs_to_the_end_and_reports(name, tmp_path, capsys):
    jobs = "2" if name == "probabilistic_labels" else "1"
    arguments = ["--quick", "--data", FOLDER, "--only", name, "--jobs", jobs]
    assert main([*arguments, "--output", str(tmp_path)]) == 0
    folder = tmp_path / "quick"
    page = (folder / "results.md").read_text(encoding="utf-8")
    section = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    assert f"## {section['title']}" in page
    assert section["title"] in capsys.readouterr().out
    lines = [line for table in section["tables"] for line in table["lines"]]
    assert lines
    assert all(line["ours"] == line["ours"] for line in lines)  # no NaN
    for plot in section["plots"]:
        assert (folder / "figures" / plot).read_bytes().startswith(b"<?xml")
    assert Path(folder / name).is_dir()
