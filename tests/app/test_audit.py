"""The audit finds every figure that is not what it should be, and nothing else."""

import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.artifacts.model import Judged
from app.audit import audit
from app.journal.entries import Decisions, Entry, Stamp
from app.models.queries import ResolvedVersion
from app.predict.pricing import Pricing
from solvers.costs import CostMatrix
from solvers.rules.band import Band
from solvers.scoring.base import Outputs

COSTS = CostMatrix(1.0, 5.0, 0.6, 0.3)
BANDS = [
    Band(-0.5, 0.5),
    Band(-0.5, 0.5, closed=True),
    Band(0.2, 0.2, closed=True),
    Band(-np.inf, np.inf),
    Band(-np.inf, -np.inf),
    Band(np.inf, np.inf),
    Band(0.2, 0.7, on="probability"),
    Band(0.0, 0.0, on="reject-function"),
]


def line(band, scores, rejects=None, *, costs=COSTS, guarded=None, probable=True):
    """Return the log's line of scores, decided by the service's own classes."""
    p = 1.0 / (1.0 + np.exp(-scores)) if probable else None
    r = np.zeros(len(scores)) if rejects is None else rejects
    codes = band.decide(p if band.on == "probability" else scores, r)
    reasons = [None if code else "ambiguous" for code in codes]
    for row in guarded or ():
        codes[row], reasons[row] = 0, "outlier"
    priced, cost = None, None
    if costs is not None and p is not None:
        expected = costs.expected(p)
        priced = dict(zip(("+1", "-1", "reject"), expected.T.tolist(), strict=True))
        place = {1: 0, -1: 1, 0: 2}
        cost = [
            float(expected[i, place[code]]) for i, code in enumerate(codes.tolist())
        ]
    entry = Entry(Stamp("request-1"))
    entry.begin(ResolvedVersion("m", 1, "0" * 64), Pricing(band, costs))
    names = {1: "+1", -1: "-1", 0: "reject"}
    told = Decisions([names[code] for code in codes.tolist()], reasons, priced, cost)
    judged = Judged(scores, p, codes, scores, None, Outputs(scores, r))
    return entry.line(7, judged, told)


def found(path, *lines):
    path.write_bytes(b"".join(lines))
    return audit([path])


numbers = st.floats(-500.0, 500.0, allow_subnormal=False)


@settings(max_examples=60)
@given(
    st.sampled_from(BANDS),
    st.lists(st.tuples(numbers, numbers), min_size=1, max_size=20),
    st.booleans(),
)
def test_what_the_service_decides_agrees(tmp_path_factory, band, pairs, priced):
    scores, rejects = np.array(pairs).T
    path = tmp_path_factory.getbasetemp() / "agrees.jsonl"
    made = line(band, scores, rejects, costs=COSTS if priced else None, guarded=[0])
    report = found(path, made)
    assert (report.differing, report.decisions) == (0, len(pairs))


SCORES = np.array([-2.0, 0.1, 2.0, 0.3])


def flip(record, name, row, value, inner=None):
    column = record[name] if inner is None else record[name][inner]
    assert column[row] != value
    column[row] = value


@pytest.mark.parametrize(
    ("change", "row", "told"),
    [
        (lambda r: flip(r, "decisions", 1, "+1"), 8, "decision"),
        (lambda r: flip(r, "decisions", 0, "reject"), 7, "decision"),
        (lambda r: flip(r, "scores", 2, 0.4), 9, "decision"),
        (lambda r: r["rule"].update(lower=-3.0), 7, "decision"),
        (lambda r: flip(r, "reasons", 1, None), 8, "reason"),
        (lambda r: flip(r, "reasons", 1, "mood"), 8, "reason"),
        (lambda r: flip(r, "reasons", 2, "outlier"), 9, "decision"),
        (lambda r: flip(r, "probabilities", 2, 0.5), 9, "expected cost"),
        (
            lambda r: flip(
                r,
                "expected_costs",
                0,
                np.nextafter(r["expected_costs"]["+1"][0], 2),
                "+1",
            ),
            7,
            "expected cost of +1",
        ),
        (lambda r: flip(r, "expected_cost", 3, 0.0), 10, "expected_cost"),
        (lambda r: r["costs"].update(false_negative=4.0), 7, "expected cost of -1"),
        (lambda r: r.update(expected_costs=None), 7, "expected cost"),
        (lambda r: r["scores"].pop(), None, "cannot be read"),
        (lambda r: r.pop("rule"), None, "cannot be read"),
    ],
)
def test_whatever_is_changed_is_told_with_its_place(tmp_path, change, row, told):
    record = json.loads(line(BANDS[0], SCORES))
    change(record)
    report = found(tmp_path / "log.jsonl", json.dumps(record).encode() + b"\n")
    assert report.differing >= 1
    first = report.first[0]
    assert (first.line, first.row) == (1, row)
    assert told in first.what


def test_a_line_that_was_cut_short_is_no_difference(tmp_path):
    whole = line(BANDS[0], SCORES)
    report = found(tmp_path / "log.jsonl", whole, whole[:40])
    assert (report.differing, report.cut, report.decisions) == (0, 1, 4)


def test_the_command_ends_with_status_1_where_something_differs(tmp_path):
    folder = tmp_path / "predictions"
    folder.mkdir()
    name = f"2026-03-02.{'a' * 16}.jsonl"
    (folder / name).write_bytes(line(BANDS[0], SCORES))

    def demur(*arguments):
        command = [sys.executable, "-m", "app.cli", *arguments]
        command += ["--data-dir", str(tmp_path)]
        return subprocess.run(command, check=False, capture_output=True, text=True)

    ended = demur("audit")
    assert (ended.returncode, ended.stdout) == (
        0,
        "4 decisions in 1 files: all agree\n",
    )
    wrong = (folder / name).read_text().replace('"+1"', '"-1"', 1)
    (folder / name).write_text(wrong)
    ended = demur("audit")
    assert ended.returncode == 1
    assert f"{name}:1: request request-1, row 9: decision is '-1'" in ended.stdout
    assert demur("log", "delete", "--before", "2026-03-02").returncode == 0
    assert (folder / name).exists()
    assert demur("log", "delete", "--before", "2026-03-03").returncode == 0
    assert not (folder / name).exists()
    assert demur("log", "delete", "--before", "2999-01-01").returncode == 2
