"""Versions re-priced on the real service: what changes, what stays, what is refused."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest

from solvers.costs import CostMatrix
from tests.app.pima_like import PRICES, inline, patients, predict, train, version

DEARER = {**PRICES, "false_negative": 20.0}
EVEN = {**PRICES, "false_negative": 1.0, "reject_positive": 0.3}
ROWS = [row[:-1] for row in patients(60, seed=1)]
RULES = {
    "chow": {},
    "expected-cost": {"method": "newton"},
    "symmetric": {},
    "mutual-information": {},
    "bounded-abstention": {"max_reject_rate": 0.1},
}


def ask(server, name, number, **body) -> httpx.Response:
    return server.http.post(f"/models/{name}/versions/{number}/reprice", json=body)


def repriced(server, name, number, **body) -> dict:
    answer = ask(server, name, number, **body)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    told = made["model"]
    assert answer.headers["location"].endswith(
        f"/models/{told['name']}/versions/{told['version']}"
    )
    return made


def refused(answer, status) -> str:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.json()["detail"]


@pytest.fixture(scope="module")
def hinge(server):
    """A double hinge under its own rule: version 1 of its model."""
    return train(server, "hinge", rule={"kind": "plug-in"})


@pytest.fixture(scope="module")
def machine(server):
    """A p-svm under its own rule, by a link that holds everywhere."""
    generator = np.random.default_rng(3)
    rows = [
        [*row[:-1], float(0.2 + 0.5 * (row[-1] == "yes") + 0.1 * generator.random())]
        for row in patients()
    ]
    return train(
        server,
        "machine",
        trainer={"kind": "p-svm"},
        rule={"kind": "plug-in"},
        data=inline(rows),
        target={"column": "diabetes", "probability": True},
    )


@pytest.fixture(scope="module")
def promised(server):
    """A promise over three hundred calibration rows, with guards on."""
    return train(
        server,
        "promised",
        trainer={"kind": "gradient-boosting", "n_rounds": 30},
        rule={"kind": "bounded-error", "max_error": 0.3},
        data=inline(patients(900)),
        evaluation={"calibration": 0.4, "holdout": 0.2},
        guards={"outlier": True},
    )


@pytest.mark.parametrize("kind", RULES)
def test_a_score_rule_reprices_what_the_own_rule_cannot(server, hinge, kind):
    rule = {"kind": kind, **RULES[kind]}
    made = repriced(server, "hinge", 1, costs=DEARER, rule=rule)
    assert made["costs"] == DEARER
    assert made["rule"]["kind"] == kind
    assert made["repriced_from"] == {"name": "hinge", "version": 1}
    before, after = made["evaluation"]["before"], made["evaluation"]["after"]
    assert before["rows"] == after["rows"] == hinge["evaluation"]["rows"]
    assert before["constants"] == after["constants"]
    told = version(server, "hinge", made["model"]["version"])
    assert told["job_id"] is None
    assert told["repriced_from"] == 1
    assert told["evaluation"]["expected_cost"] == after["expected_cost"]
    assert told["thresholds"] == made["thresholds"]
    assert told["features"] == hinge["features"]
    answer = predict(server, "hinge", ROWS)
    assert answer["model"] == made["model"]
    assert answer["thresholds"] == made["thresholds"]
    first = predict(server, "hinge:1", ROWS)["predictions"]
    scores = [one["score"] for one in answer["predictions"]]
    assert scores == [one["score"] for one in first]


def test_the_same_rule_and_costs_give_the_evaluation_of_training(server, hinge):
    made = repriced(server, "hinge", 1, rule={"kind": "plug-in"})
    assert made["evaluation"]["before"] == made["evaluation"]["after"]
    for name, figure in made["evaluation"]["after"].items():
        assert hinge["evaluation"][name] == figure
    assert made["thresholds"] == hinge["thresholds"]


def test_the_own_rule_follows_costs_that_differ_by_their_unit_only(server, hinge):
    cents = {name: 100 * price for name, price in PRICES.items()}
    made = repriced(server, "hinge", 1, costs=cents)
    for end in ("lower", "upper"):
        assert made["thresholds"][end] == pytest.approx(hinge["thresholds"][end])
    assert made["evaluation"]["after"]["expected_cost"] == pytest.approx(
        100 * hinge["evaluation"]["expected_cost"]
    )


def test_what_the_scorer_depends_on_is_refused_with_the_reason(server, hinge):
    assert hinge["rule"]["kind"] == "plug-in"
    said = refused(ask(server, "hinge", 1, costs=DEARER), 409)
    assert "only near those of the costs" in said
    assert "expected-cost" in said
    said = refused(ask(server, "hinge", 1, prevalence=0.1), 409)
    assert "train again" in said
    wanted = {"costs": EVEN, "rule": {"kind": "bartlett-wegkamp"}}
    assert "on their scale" in refused(ask(server, "hinge", 1, **wanted), 409)
    said = refused(ask(server, "hinge", 1, max_error=0.1), 409)
    assert "kept no calibration part" in said


def test_the_embedded_rule_of_a_joint_booster_is_refused_a_score_rule_not(server):
    booster = {"kind": "abstention-boosting", "n_rounds": 20}
    train(server, "joint", trainer=booster, rule={"kind": "embedded"})
    said = refused(ask(server, "joint", 1, costs=DEARER), 409)
    assert "rejector was learnt together with the score" in said
    made = repriced(server, "joint", 1, costs=DEARER, rule={"kind": "chow"})
    assert made["thresholds"]["on"] == "probability"
    assert any("learnt at other costs" in text for text in made["warnings"])


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, ""),
        ({"costs": {**PRICES, "reject_positive": 9.0}}, "/costs"),
        ({"costs": {**PRICES, "reject_positive": -1}}, "/costs/reject_positive"),
        ({"rule": {"kind": "embedded"}}, "/rule/kind"),
        ({"rule": {"kind": "chow"}, "max_reject_rate": 0.1}, ""),
        ({"rule": {"kind": "no such"}}, "/rule/kind"),
        ({"rule": {"kind": "bounded-abstention"}}, "/rule"),
        ({"max_reject_rate": 2}, "/max_reject_rate"),
        ({"prevalence": 1}, "/prevalence"),
        ({"surprise": 1}, "/surprise"),
    ],
)
def test_a_request_that_contradicts_itself_is_refused(server, hinge, body, pointer):
    answer = ask(server, "hinge", hinge["version"], **body)
    refused(answer, 422)
    assert pointer in [fault["pointer"] for fault in answer.json()["errors"]]


def test_what_is_not_there_or_not_json_is_told(server, hinge):
    assert "no model" in refused(ask(server, "none", 1, costs=PRICES), 404)
    assert "version 99" in refused(ask(server, "hinge", 99, costs=PRICES), 404)
    address = f"/models/hinge/versions/{hinge['version']}/reprice"
    refused(
        server.http.post(
            address,
            content=b'{"prevalence": NaN}',
            headers={"content-type": "application/json"},
        ),
        400,
    )
    refused(
        server.http.post(
            address, content=b"[1]", headers={"content-type": "application/json"}
        ),
        422,
    )


def test_the_own_link_of_a_p_svm_follows_any_costs(server, machine):
    made = repriced(server, "machine", 1, costs=DEARER)
    lower, upper = CostMatrix(**DEARER).thresholds
    slope = made["rule"]["slope"]
    assert made["thresholds"]["lower"] == pytest.approx(lower / slope)
    assert made["thresholds"]["upper"] == pytest.approx(upper / slope)
    live = predict(server, "machine:1", ROWS, costs=DEARER)
    told = predict(server, f"machine:{made['model']['version']}", ROWS)
    assert live["predictions"] == told["predictions"]
    said = refused(ask(server, "machine", 1, rule={"kind": "expected-cost"}), 409)
    assert "out-of-fold" in said


def test_another_share_of_positives_moves_probabilities_by_bayes(server, machine):
    rule = {"kind": "chow"}
    plain = repriced(server, "machine", 1, rule=rule)
    rarer = repriced(server, "machine", 1, rule=rule, prevalence=0.02)
    assert rarer["prevalence"] == 0.02
    assert rarer["evaluation"]["after"]["share_positive"] == pytest.approx(0.02)
    answers = [
        predict(server, f"machine:{made['model']['version']}", ROWS)["predictions"]
        for made in (plain, rarer)
    ]
    odds = [
        [one["probability"] / (1 - one["probability"]) for one in answer]
        for answer in answers
    ]
    ratios = [b / a for a, b in zip(*odds, strict=True)]
    assert max(ratios) == pytest.approx(min(ratios), rel=1e-9)
    assert max(ratios) < 0.1
    back = refused(ask(server, "machine", 1, prevalence=0.02), 409)
    assert "share of +1" in back


def test_prevalence_refits_the_calibration_of_out_of_fold_scores(server, hinge):
    rule = {"kind": "expected-cost"}
    made = repriced(server, "hinge", 1, rule=rule, prevalence=0.05)
    told = version(server, "hinge", made["model"]["version"])
    assert told["calibration"]["prevalence"] == pytest.approx(0.05)
    assert told["prevalence"] == 0.05
    rarer = predict(server, f"hinge:{told['version']}", ROWS)["predictions"]
    usual = predict(server, "hinge:1", ROWS)["predictions"]
    for one, other in zip(rarer, usual, strict=True):
        assert one["probability"] < other["probability"]


def test_a_promise_is_made_anew_from_the_rows_it_was_counted_on(server, promised):
    assert promised["feasible"] is True, promised["promise"]
    made = repriced(server, "promised", 1, max_error=0.35)
    assert made["feasible"] is True
    assert made["rule"]["rows"] == promised["rule"]["rows"]
    assert "at most 35 %" in made["promise"]
    assert any("picked after seeing several" in text for text in made["warnings"])
    hopeless = repriced(server, "promised", 1, max_error=0.001)
    assert hopeless["feasible"] is False
    assert "not promised" in hopeless["promise"]
    decisions = predict(server, "promised", ROWS)["predictions"]
    assert {one["decision"] for one in decisions} == {"reject"}
    assert {one["reason"] for one in decisions} <= {"ambiguous", "outlier"}
    answer = ask(server, "promised", 1, max_error=0.3, prevalence=0.1)
    assert "own share of +1" in refused(answer, 422)
    limited = repriced(server, "promised", 1, max_reject_rate=0.2)
    assert limited["promise"] is None
    again = repriced(server, "promised", limited["model"]["version"], max_error=0.35)
    assert again["thresholds"] == made["thresholds"]
    assert again["promise"] == made["promise"]


def test_a_refitted_model_is_judged_by_the_model_that_was_evaluated(server):
    rule = {"kind": "chow"}
    told = train(server, "refitted", refit=True, rule=rule)
    made = repriced(server, "refitted", 1, rule=rule)
    for name in ("expected_cost", "reject_rate", "brier_score"):
        assert made["evaluation"]["after"][name] == told["evaluation"][name]
    assert any(text.startswith("refit on all rows") for text in made["warnings"])
    assert "refit" in refused(ask(server, "refitted", 1, max_error=0.1), 409)
    rarer = repriced(server, "refitted", 1, prevalence=0.1)["evaluation"]
    assert rarer["after"]["expected_cost"] <= rarer["before"]["expected_cost"]


def test_a_new_version_answers_at_once_and_waits_for_nobody_else(server, hinge):
    predict(server, "hinge", ROWS[:1])
    for _ in range(3):
        made = repriced(server, "hinge", 1, rule={"kind": "chow"})
        assert predict(server, "hinge", ROWS[:1])["model"] == made["model"]


def test_repricings_at_once_get_numbers_of_their_own(server, hinge):
    def one(_):
        return repriced(server, "hinge", 1, rule={"kind": "chow"})["model"]["version"]

    with ThreadPoolExecutor(4) as threads:
        numbers = list(threads.map(one, range(4)))
    assert sorted(numbers) == list(range(min(numbers), min(numbers) + 4))
    assert predict(server, "hinge", ROWS[:1])["model"]["version"] == max(numbers)
