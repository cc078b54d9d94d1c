"""A plan is made where a training is asked for, and trusted where it is trained."""

import json
from multiprocessing import Pipe

import pytest

from app.jobs import service as jobs
from app.jobs.identity import own_identity
from app.train import plan as plans
from app.train import service
from app.train.parsing import read_mapping
from app.train.plan import TrainingPlan
from app.worker import recovery
from app.worker.child import Wire, _train
from app.worker.claim import claim
from app.worker.fit import pipeline
from app.worker.messages import Begin
from tests.app.worker.fit.mixed_columns import EVEN, PRICES, request

SEARCHED = {
    "trainer": None,
    "search": {
        "candidates": [
            {"kind": "adaboost", "params": {"n_rounds": [2, 8]}},
            {"kind": "svm", "kernel": {"kind": "linear"}},
            {"kind": "ensemble", "members": [{"kind": "logistic", "C": 2.0}]},
        ],
        "folds": 2,
    },
}
MOST = {"+1": 0.3, "-1": 0.2}
PROMISED = {"rule": {"kind": "bounded-error", "by": "label", "max_error": MOST}}


@pytest.mark.parametrize(
    "asked",
    [
        {"costs": PRICES},
        {"costs": None},
        {"costs": EVEN, **SEARCHED},
        {"trainer": {"kind": "logistic"}, **PROMISED, "guards": {"outlier": True}},
    ],
    ids=["costs", "no costs", "search", "promise"],
)
def test_a_stored_plan_says_what_was_resolved(asked):
    made = read_mapping(request(**asked)).plan
    stored = json.loads(json.dumps(made.payload()))
    again = TrainingPlan.from_payload(stored)
    assert again.payload() == made.payload()
    for one, other in zip(made.candidates, again.candidates, strict=True):
        assert one.request.trainer == other.request.trainer
        assert (one.varied, one.place) == (other.varied, other.place)
    assert again.rule == made.rule
    assert again.guards == made.guards
    assert (again.promises, again.costs) == (made.promises, made.costs)


def test_the_training_makes_no_second_check(monkeypatch):
    body = request(costs=PRICES, trainer={"kind": "logistic"})
    planned = json.loads(json.dumps(read_mapping(body).plan.payload()))
    whole = pipeline.run(body, lambda *_: True)

    def again(*_, **__):
        raise AssertionError

    monkeypatch.setattr(plans, "compatibility_errors", again)
    monkeypatch.setattr(plans, "rule_of", again)
    monkeypatch.setattr(pipeline, "check", again)
    trusted = pipeline.run(body, lambda *_: True, None, planned)
    assert trusted.summary == whole.summary
    with pytest.raises(AssertionError):
        pipeline.run(body, lambda *_: True)


def test_a_plan_of_another_format_is_made_anew():
    body = request(costs=PRICES, trainer={"kind": "logistic"})
    planned = {"format": plans.FORMAT + 1, "what": "a later release keeps"}
    submission = read_mapping(body, plan=planned)
    assert submission.plan.rule.kind == "chow"
    assert not submission.checked
    assert service.check(submission).features


@pytest.mark.parametrize("release", ["this", "an earlier one"])
def test_jobs_of_this_and_of_an_earlier_release_are_trained(
    database, tmp_path, release
):
    body = json.dumps(request(costs=PRICES, trainer={"kind": "logistic"})).encode()
    plan = service.accept(body).plan.payload() if release == "this" else None
    with database.write() as session:
        jobs.enqueue(session, model="m", request_body=body, plan=plan)
    with database.write() as session:
        held = claim(session, recovery.enter(session, own_identity()))
    assert (held.plan is None) == (release != "this")
    begin = Begin(str(tmp_path), str(tmp_path), "owner", plan=held.plan)
    ours, theirs = Pipe()
    done = _train(pipeline.run, held.body, begin, Wire(theirs))
    ours.close()
    assert done.summary["rule"]["kind"] == "chow"
    assert done.summary["evaluation"]["rows"] == 32
