"""Every rule, trained over HTTP: thresholds, evaluation, promise, and its answers."""

import pytest

from solvers.rules.registry import RULES
from tests.app.pima_like import PRICES, inline, patients, predict, version

EVEN = {**PRICES, "false_negative": 1.0, "reject_positive": 0.3}
ASKED = {
    "plug-in": {"trainer": {"kind": "double-hinge-svm"}, "costs": PRICES},
    "bartlett-wegkamp": {"trainer": {"kind": "double-hinge-svm"}},
    "embedded": {"trainer": {"kind": "abstention-boosting", "n_rounds": 20}},
    "chow": {"costs": None, "rule": {"kind": "chow", "reject_threshold": 0.25}},
    "expected-cost": {"costs": PRICES},
    "symmetric": {"trainer": {"kind": "adaboost", "n_rounds": 20}},
    "mutual-information": {"costs": None},
    "bounded-abstention": {
        "costs": None,
        "rule": {
            "kind": "bounded-abstention",
            "reviews_per_day": 5,
            "cases_per_day": 40,
        },
    },
    "bounded-error": {"rule": {"kind": "bounded-error", "max_error": 0.001}},
    "bounded-cost": {"rule": {"kind": "bounded-cost", "max_cost": 0.32}},
}
ROWS = [row[:-1] for row in patients(40, seed=9)]
SLACK = 1e-9


@pytest.fixture(scope="module")
def models(server):
    """One model a rule, and what its version says."""
    jobs = {}
    for kind, asked in ASKED.items():
        body = {
            "model": kind,
            "trainer": {"kind": "svm"},
            "costs": EVEN,
            "rule": {"kind": kind},
            "data": inline(patients(420)),
            "target": {"column": "diabetes", "positive": "yes"},
            **asked,
        }
        body = {key: value for key, value in body.items() if value is not None}
        jobs[kind] = server.train(body, wait=False)["id"]
    for kind, job in jobs.items():
        ended = server.await_job(job)
        assert ended["status"] == "succeeded", (kind, ended)
    return {kind: version(server, kind, 1) for kind in jobs}


def test_every_rule_is_here():
    assert set(ASKED) == set(RULES)


@pytest.mark.parametrize("kind", ASKED)
def test_the_version_tells_thresholds_evaluation_and_promise(models, kind):
    told = models[kind]
    assert told["rule"]["kind"] == kind
    figures = told["evaluation"]
    assert figures["rows"] == 84
    priced = told["costs"] is not None
    assert (figures["expected_cost"] is not None) is priced
    for name in ("error_rate", "reject_rate", "confusion", "brier_score"):
        assert figures[name] is not None
    if kind == "embedded":
        assert told["thresholds"] is None
    else:
        assert {"lower", "upper", "on", "always"} == set(told["thresholds"])
    if RULES[kind].promises:
        assert isinstance(told["promise"], str)
        assert told["feasible"] in {True, False}
    else:
        assert told["promise"] is None
    if kind == "bounded-error":
        assert told["feasible"] is False
        assert "not promised" in told["promise"]
        assert figures["reject_rate"] == 1.0
    if kind == "mutual-information":
        assert told["embedded_costs"]["equal_reject_costs"]


@pytest.mark.parametrize("kind", ASKED)
def test_an_answer_gives_reason_forced_label_and_distances(server, models, kind):
    answer = predict(server, kind, ROWS)
    thresholds = answer["thresholds"]
    for one in answer["predictions"]:
        rejected = one["decision"] == "reject"
        assert one["reason"] == ("ambiguous" if rejected else None)
        assert (
            one["label"] == {"+1": "yes", "-1": "no", "reject": None}[one["decision"]]
        )
        assert 0.0 <= one["probability"] <= 1.0
        costs = one["expected_costs"]
        if not rejected:
            assert one["would_be"] == one["label"]
        elif costs is None:
            assert one["would_be"] == ("yes" if one["probability"] >= 0.5 else "no")
        else:
            assert one["would_be"] == ("yes" if costs["+1"] <= costs["-1"] else "no")
        assert (costs is None) is (models[kind]["costs"] is None)
        _check_distances(one, thresholds)
    if kind == "bounded-error":
        assert answer["summary"]["accepted"] == 0


def _check_distances(one, thresholds):
    if thresholds is None:
        assert one["distances"] is None
        return
    value = one["probability" if thresholds["on"] == "probability" else "score"]
    for end in ("lower", "upper"):
        gap, at = one["distances"][end], thresholds[end]
        assert (gap is None) is (at is None)
        if gap is not None:
            assert gap == pytest.approx(value - at, abs=SLACK)
    lower, upper = one["distances"]["lower"], one["distances"]["upper"]
    if one["decision"] == "+1":
        assert upper is not None
        assert upper >= 0
    elif one["decision"] == "-1":
        assert lower is not None
        assert lower < 0
    else:
        assert lower is None or lower >= 0
        assert upper is None or upper <= 0


def test_costs_of_a_request_are_taken_where_the_rule_can_follow(server, models):
    dearer = {**PRICES, "false_negative": 20.0}
    allowed = {"chow", "expected-cost"}
    for kind in ASKED:
        data = {"columns": ["plas", "mass", "age", "ward"], "rows": ROWS}
        body = {"model": kind, "data": data, "costs": dearer}
        answer = server.http.post("/predict", json=body)
        if kind not in allowed:
            assert answer.status_code == 422, (kind, answer.text)
            (fault,) = answer.json()["errors"]
            assert fault["pointer"] == "/costs"
            assert "fixed in training" in fault["detail"]
            continue
        assert answer.status_code == 200, answer.text
        assert answer.json()["costs"] == dearer
    repriced = server.http.post(
        "/models/expected-cost/versions/1/reprice", json={"costs": dearer}
    )
    assert repriced.status_code == 201, repriced.text
    live = predict(server, "expected-cost:1", ROWS, costs=dearer)
    assert live["predictions"] == predict(server, "expected-cost", ROWS)["predictions"]
    assert live["thresholds"] == repriced.json()["thresholds"]
