"""A second attempt at a search goes on where the first one ended."""

import joblib
import msgspec
import pytest

from app.worker.fit.pipeline import run
from app.worker.fit.search import scoring
from app.worker.fit.search.kept import Kept
from solvers.errors import Interrupted
from solvers.threads import using
from tests.app.worker.fit.search.searched import GRID, told


def through_json(figures):
    """As the database gives them back."""
    return msgspec.json.decode(msgspec.json.encode(figures))


@pytest.fixture
def fitted(monkeypatch):
    """Tell how many units ran."""
    units = []
    run_unit = scoring.run_unit

    def counted(unit, *rows):
        units.append(unit)
        return run_unit(unit, *rows)

    monkeypatch.setattr(scoring, "run_unit", counted)
    return units


@pytest.fixture(params=[1, 2])
def threads(request):
    with using(request.param):
        yield request.param


def test_what_is_finished_is_not_fitted_again(body, fitted, threads):
    request = body(search={"params": GRID["params"], "folds": 3})
    whole = run(request, lambda *_: True)
    every = len(fitted)
    assert every == 2 * 3, "two groups that share kernel rows, on three folds"
    known = {}

    def keep(digest, figures):
        known[digest] = through_json(figures)

    with pytest.raises(Interrupted):
        run(request, lambda *_: not known, None, None, Kept({}, keep))
    # Of two threads, the other may end its group before it hears of the first.
    assert len(known) in ({3} if threads == 1 else {3, 6}), "whole groups"
    finished = dict(known)
    fitted.clear()
    again = run(request, lambda *_: True, None, None, Kept(dict(known), keep))
    assert len(fitted) == every * (6 - len(finished)) / 6
    tables = [one.summary["search"]["table"] for one in (whole, again)]
    assert told(tables[0]) == told(tables[1])
    assert joblib.hash(again.artifact["scorer"]) == joblib.hash(
        whole.artifact["scorer"]
    )
    fitted.clear()
    run(request, lambda *_: True, None, None, Kept(dict(known), keep))
    assert fitted == []


def test_another_request_is_another_candidate(body, fitted):
    known = {}
    kept = Kept(known, known.__setitem__)
    request = body(search={"params": {"C": [1, 10]}, "folds": 3})
    run(request, lambda *_: True, None, None, kept)
    fitted.clear()
    for changed in (
        {"search": {"params": {"C": [1, 10]}, "folds": 2}},
        {"evaluation": {"seed": 1}},
        {"rule": {"kind": "expected-cost"}},
    ):
        run({**request, **changed}, lambda *_: True, None, None, kept)
        assert fitted, changed
        fitted.clear()


@pytest.mark.thorough
@pytest.mark.own_server
def test_a_killed_service_goes_on_with_the_candidates_that_are_left(server, body):
    # Six candidates that end at once, and six that outlast the kill on any machine.
    rounds = [10 + k for k in range(6)] + [4000 + k for k in range(6)]
    request = body(
        model="killed",
        trainer={"kind": "abstention-boosting"},
        search={"params": {"n_rounds": rounds}, "folds": 2},
    )
    whole = server.train({**request, "model": "whole"})
    job = server.train(request, wait=False)
    server.await_progress(job["id"], r"candidate [7-9] of 12")
    server.kill()
    server.start()
    job = server.await_progress(job["id"], "candidate ")
    number = int(job["progress"]["message"].split()[1])
    assert number >= 7, "it does not begin anew"
    ended = server.await_job(job["id"])
    assert ended["status"] == "succeeded", ended
    assert ended["attempts"] == 2
    tables = [one["result"]["search"]["table"] for one in (whole, ended)]
    assert told(tables[0]) == told(tables[1])
