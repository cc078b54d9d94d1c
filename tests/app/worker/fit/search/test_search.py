"""Searches from request to model: who wins, by what figures, and what is told."""

import json
import pickle

import numpy as np
import pytest

from app.evidence.part import Part
from app.evidence.scores import Evidence
from app.features.encoding import encode_table
from app.train.parsing import read_mapping
from app.train.service import check
from app.worker.fit.job import Job
from app.worker.fit.out_of_fold import encode
from app.worker.fit.partition import folds as draw_folds
from app.worker.fit.partition import partition
from app.worker.fit.pipeline import run
from app.worker.fit.search.folds import Fold
from app.worker.fit.search.judging import FoldScores, judge
from app.worker.fit.search.unit import Pulse, Rows, Scored, Unit, run_unit
from solvers.costs import CostMatrix
from solvers.errors import Interrupted
from solvers.scoring import Outputs, load
from solvers.threads import using
from solvers.trainers.svm import DoubleHingeSVC, HingeSVC
from tests.app.worker.fit.search.searched import GRID, QUICK, told, trained


def job_of(request):
    """A job of the first candidate, and the rows that it trains on."""
    submission = read_mapping(request)
    sample = check(submission)
    first = submission.plan.candidates[0].request
    job = Job(submission.plan, first, submission.table, sample)
    return job, partition(sample, first.evaluation, promises=False).training


def test_the_winner_has_the_least_mean_and_is_what_is_trained(body):
    said = []
    result = trained(body(search=GRID), said)
    search = result.summary["search"]
    means = [row["mean"] for row in search["table"]]
    assert means == sorted(means)
    assert [row["rank"] for row in search["table"]] == [1, 2, 3, 4, 5, 6]
    assert (search["measure"], search["folds"], search["failed"]) == (
        "expected_cost",
        3,
        0,
    )
    best = search["table"][0]
    assert search["best"] == best["candidate"]
    assert result.summary["trainer"]["C"] == best["params"]["C"]
    kernel = result.summary["trainer"]["kernel"]
    assert kernel["gamma"] == best["params"]["kernel.gamma"]
    assert "optimistic" in search["note"]
    assert result.summary["evaluation"]["rows"] == 24
    assert result.summary["training_rows"] == 96
    plain = body(trainer=result.summary["trainer"])
    alone = trained(plain)
    assert alone.summary["search"] is None
    assert alone.summary["evaluation"] == result.summary["evaluation"]
    messages = [message for _, message in said]
    for number in range(1, 7):
        assert any(f"candidate {number} of 6" in message for message in messages)
    fractions = [fraction for fraction, _ in said]
    assert fractions == sorted(fractions)


def test_the_order_of_candidates_decides_nothing(body):
    turned = {"params": {k: v[::-1] for k, v in GRID["params"].items()}, "folds": 3}
    one, other = (
        trained(body(search=search)).summary["search"]["table"]
        for search in (GRID, turned)
    )
    by_params = {json.dumps(row["params"], sort_keys=True): row["mean"] for row in one}
    assert by_params == {
        json.dumps(row["params"], sort_keys=True): row["mean"] for row in other
    }
    assert one[0]["mean"] == other[0]["mean"] == min(by_params.values())


def test_a_mean_is_that_of_decisions_recomputed_by_hand(body):
    request = body(
        rule={"kind": "plug-in"},
        guards={"unseen_category": False},
        search={"params": {"C": [1]}, "folds": 4},
    )
    row = trained(request).summary["search"]["table"][0]
    job, rows = job_of(request)
    costs, part, spent = job.costs, job.part(rows), []
    fold = draw_folds(job.sample, rows, 0, 4)
    rejected = 0
    for k in range(4):
        known = encode(job, part.only(fold != k))
        target = np.where(known.part.positive > 0.5, 1, -1)
        machine = DoubleHingeSVC(costs=costs, C=1).fit(known.matrix, target)
        held = encode_table(known.features, job.table.take(rows[fold == k])).matrix
        decided = machine.decide(held)
        truth = np.where(part.positive[fold == k] > 0.5, 1, -1)
        spent.append(costs.of_decisions(truth, decided))
        rejected += int((decided == 0).sum())
    sizes = np.array([len(one) for one in spent])
    sums = np.array([one.sum() for one in spent])
    assert row["mean"] == pytest.approx(sums.sum() / 96, rel=1e-12)
    assert row["reject_rate"] == pytest.approx(rejected / 96)
    without = (sums.sum() - sums) / (96 - sizes)
    expected = np.sqrt(3 / 4 * ((without - without.mean()) ** 2).sum())
    assert row["standard_error"] == pytest.approx(expected, rel=1e-9)


def test_labels_of_a_fold_have_no_part_in_its_decisions(body):
    """Chow's rule learns a calibration: never from the fold that it decides."""
    job, rows = job_of(body(trainer={"kind": "svm"}))
    part = job.part(rows)
    number = np.arange(len(rows)) % 3
    folds = [
        Fold(number != k, number == k, tuple(j for j in range(3) if j != k))
        for k in range(3)
    ]
    scores = np.random.default_rng(0).normal(size=len(rows)) + 2 * part.positive - 1

    def called(part_):
        of = [
            FoldScores(
                Scored(Outputs(scores[number == k])),
                Evidence(part_.only(number == k), scores[number == k]),
            )
            for k in range(3)
        ]
        return judge(job, part_, folds, of)

    own = called(part)
    flipped = np.where(number == 1, 1.0 - part.positive, part.positive)
    other = called(Part(part.rows, flipped, part.weight, part.weighted))
    same = own.fold == 1
    np.testing.assert_array_equal(own.called[same], other.called[same])
    assert (own.called[~same] != other.called[~same]).any()


def test_shared_kernel_rows_change_nothing_but_time():
    generator = np.random.default_rng(1)
    X = generator.normal(size=(80, 3))
    y = np.where(X[:, 0] + generator.normal(size=80) > 0, 1.0, -1.0)
    costs = CostMatrix(1, 1, 0.2, 0.2)

    def machines():
        tight = {"tol": 1e-6, "gamma": 0.3}
        return [
            *(DoubleHingeSVC(costs=costs, C=c, **tight) for c in (0.1, 1, 10)),
            *(HingeSVC(C=c, **tight) for c in (0.1, 10)),
        ]

    together = run_unit(Unit(machines()), X, y, None, X)
    for one, machine in zip(together, machines(), strict=True):
        (alone,) = run_unit(Unit([machine]), X, y, None, X)
        np.testing.assert_allclose(one.outputs.score, alone.outputs.score, atol=1e-4)
        by_hand = load(machine.fit(X, y).scorer_payload()).score(X)
        np.testing.assert_array_equal(alone.outputs.score, by_hand)


def test_a_unit_can_be_sent_to_another_process():
    X = np.linspace(-1, 1, 20)[:, np.newaxis]
    machine = HingeSVC()
    machine._progress = Pulse(lambda _fraction, _message: False)
    unit, rows = Unit([machine]), Rows(X, np.sign(X[:, 0]), None, X)
    (sent,) = run_unit(pickle.loads(pickle.dumps(unit)), *rows)
    assert sent.error is None
    with pytest.raises(Interrupted):
        run_unit(unit, *rows)


def test_several_threads_find_the_same(body):
    request = body(trainer=None, search={"candidates": [QUICK, {"kind": "p-svm"}]})
    one = trained(request).summary["search"]["table"]
    with using(3):
        several = trained(request).summary["search"]["table"]
    assert told(several) == told(one)


def test_groups_time_weights_guards_and_refit_go_with_a_search(body):
    result = trained(
        body(
            groups="patient",
            evaluation={"order_by": "day", "holdout": 0.25},
            guards={"outlier": True},
            refit=True,
            prevalence=0.3,
            search={"params": {"C": [1, 10]}, "folds": 3},
        )
    )
    search = result.summary["search"]
    assert (search["folds"], search["folds_by"]) == (3, "time")
    assert all(row["mean"] is not None for row in search["table"])
    assert result.summary["training_rows"] == 120


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_stops_when_it_is_told_to(body, threads):
    asked_after = []

    def progress(_fraction, message):
        if asked_after or "candidate 3 of 6" in message:
            asked_after.append(message)
        return not asked_after

    with using(threads), pytest.raises(Interrupted):
        run(body(search=GRID), progress)
    assert len(asked_after) < 10
