"""Guards on the real service: trained, served alone and in batches, evaluated, told."""

import csv
import io

import pytest

from tests.app.pima_like import COLUMNS, FEATURES, inline, patients, predict, train

ODD = {
    "ambiguous or decided": [118.0, 31.0, 33.0, "north"],
    "outlier": [900.0, 31.0, 33.0, "north"],
    "unseen_category": [118.0, 31.0, 33.0, "moon"],
    "missing_value": [118.0, None, 33.0, "north"],
    "all at once": [900.0, None, 33.0, "moon"],
}
ALL = {"outlier": True, "unseen_category": True, "missing_value": True}
NONE = dict.fromkeys(ALL, False)


@pytest.fixture(scope="module", params=["double-hinge-svm", "gradient-boosting"])
def guarded(request, server):
    """A model with every guard on, and its twin without any."""
    kind = request.param
    quick = {"n_rounds": 30} if kind == "gradient-boosting" else {}
    trainer = {"kind": kind, **quick}
    plain = train(
        server, f"{kind}-plain", trainer=trainer, rule={"kind": "chow"}, guards=NONE
    )
    told = train(
        server, f"{kind}-guarded", trainer=trainer, rule={"kind": "chow"}, guards=ALL
    )
    return plain, told


def test_each_guard_rejects_its_rows_and_says_so(server, guarded):
    plain, told = guarded
    free = predict(server, plain["name"], list(ODD.values()))["predictions"]
    answer = predict(server, told["name"], list(ODD.values()))
    reasons = [one["reason"] for one in answer["predictions"]]
    assert reasons[1:] == [
        "outlier",
        "unseen_category",
        "missing_value",
        "missing_value",
    ]
    assert reasons[0] in {None, "ambiguous"}
    for one, other in zip(answer["predictions"], free, strict=True):
        assert one["score"] == other["score"]
        assert one["would_be"] in {"yes", "no"}
    for one in answer["predictions"][1:]:
        assert (one["decision"], one["label"]) == ("reject", None)
        assert one["expected_cost"] == one["expected_costs"]["reject"]
        costs = one["expected_costs"]
        cheaper = "yes" if costs["+1"] <= costs["-1"] else "no"
        assert one["would_be"] == cheaper
        assert not any("not_cheapest" in text for text in one["warnings"])
    rejected = sum(one["decision"] == "reject" for one in answer["predictions"])
    assert answer["summary"]["rejected"] == rejected


def test_a_row_is_guarded_alike_alone_in_any_batch_and_in_a_file(server, guarded):
    _, told = guarded
    rows = [*ODD.values(), *(row[:-1] for row in patients(150, seed=3))]
    together = predict(server, told["name"], rows)["predictions"]
    for at in (0, 1, 2, 3, 4, 40, 154):
        (alone,) = predict(server, told["name"], [rows[at]])["predictions"]
        assert alone == together[at]
    text = io.StringIO()
    csv.writer(text).writerows([FEATURES, *rows])
    answer = server.http.post(
        "/predict/batch",
        params={"model": told["name"]},
        content=text.getvalue(),
        headers={"content-type": "text/csv"},
    )
    assert answer.status_code == 200, answer.text
    for cells, one in zip(
        csv.DictReader(io.StringIO(answer.text)), together, strict=True
    ):
        assert cells["demur_reason"] == (one["reason"] or "")
        assert cells["demur_decision"] == one["decision"]
        assert float(cells["demur_score"]) == one["score"]
        assert cells["demur_would_be"] == one["would_be"]


def test_the_version_tells_its_guards_and_counts_them_in_its_evaluation(guarded):
    plain, told = guarded
    assert plain["guards"] == {
        "missing_value": None,
        "unseen_category": None,
        "outlier": None,
    }
    assert plain["evaluation"]["guarded"] is None
    outlier = told["guards"]["outlier"]
    assert outlier["threshold"] > 0
    assert 0 < outlier["references"] <= 1000
    assert outlier["references"] + outlier["measured_rows"] == told["training_rows"]
    counts = told["evaluation"]["guarded"]
    assert counts["missing_value"] > 0
    assert counts["unseen_category"] == 0
    confusion = told["evaluation"]["confusion"]
    rejected = confusion["+1"]["reject"] + confusion["-1"]["reject"]
    assert rejected >= sum(counts.values())
    assert told["evaluation"]["reject_rate"] >= plain["evaluation"]["reject_rate"]


def test_the_metrics_count_rows_by_guard(server, guarded):
    _, told = guarded
    predict(server, told["name"], list(ODD.values()))
    metrics = server.http.get("/metrics").text
    lines = [
        line
        for line in metrics.splitlines()
        if f'model="{told["name"]}"' in line and 'reason="outlier"' in line
    ]
    assert lines
    assert float(lines[0].rpartition(" ")[2]) >= 1


def test_a_promise_is_counted_on_the_rows_that_pass_the_guards(server):
    told = train(
        server,
        "promise",
        trainer={"kind": "svm"},
        rule={"kind": "bounded-error", "max_error": 0.3},
        data=inline(patients(900), COLUMNS),
        evaluation={"calibration": 0.3, "holdout": 0.2},
        guards={"missing_value": True},
    )
    (note,) = [text for text in told["warnings"] if text.startswith("guards reject")]
    stopped, rows = int(note.split()[2]), int(note.split()[5])
    assert 0 < stopped < rows
    assert told["rule"]["rows"] == rows - stopped
