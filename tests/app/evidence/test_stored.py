"""What an artifact keeps: read back, it says what the training said."""

import numpy as np
import pytest

from app.artifacts.model import ServedModel
from app.artifacts.store import ArtifactStore
from app.errors import ConflictError
from app.evidence.decisions import decide
from app.evidence.evaluation import evaluate
from app.evidence.stored import Stored
from app.plain import finite
from app.reprice.changed_request import changed_request
from app.reprice.schemas import RepriceRequest
from app.reprice.thresholds import fit_thresholds
from app.train.compatibility import rule_kind
from app.train.trainers.registry import TRAINERS
from app.worker.fit.pipeline import run
from tests.app.pima_like import PRICES, inline, patients

QUICK = {
    "abstention-boosting": {"n_rounds": 10},
    "abstention-trees": {"n_rounds": 10},
    "adaboost": {"n_rounds": 10},
    "gradient-boosting": {"n_rounds": 10},
    "scores": {"column": "plas"},
}


def trained(kind="svm", **changes):
    body = {
        "model": "m",
        "trainer": {"kind": kind, **QUICK.get(kind, {})},
        "costs": PRICES,
        "data": inline(patients(160)),
        "target": {"column": "diabetes", "positive": "yes"},
        "guards": {"outlier": True, "missing_value": True},
        **changes,
    }
    return run(body, lambda _fraction, _message: True)


@pytest.mark.parametrize("kind", TRAINERS)
def test_stored_scores_give_the_evaluation_of_the_training(kind, tmp_path):
    result = trained(kind)
    store = ArtifactStore(tmp_path)
    payload = store.read(store.write(result.artifact).sha256)
    model, stored = ServedModel.from_payload(payload), Stored.from_payload(payload)
    assert stored.holdout is not None
    assert model.calibration is not None
    taken = decide(model.rule, model.calibration, stored.holdout)
    figures, _ = evaluate(stored.holdout, taken, model.calibration, model.costs)
    told = result.summary["evaluation"]
    for name, figure in finite(figures).items():
        assert figure == told[name], name
    assert Stored.from_payload({"evidence": stored.payload()}).asked == stored.asked


@pytest.mark.parametrize("kind", TRAINERS)
def test_every_trainer_can_be_repriced_by_chow_and_by_prevalence(kind):
    artifact = trained(kind).artifact
    model, stored = ServedModel.from_payload(artifact), Stored.from_payload(artifact)
    dearer = {**PRICES, "false_negative": 9.0}
    asked = RepriceRequest.model_validate(
        {"rule": {"kind": "chow"}, "costs": dearer, "prevalence": 0.2}
    )
    chosen = fit_thresholds(model, stored, changed_request(stored, asked))
    assert chosen.model.band.upper < model_upper(model)
    assert chosen.after["share_positive"] == pytest.approx(0.2)
    again = Stored.from_payload({"evidence": chosen.stored.payload()})
    back = RepriceRequest.model_validate({"rule": {"kind": "chow"}})
    same = fit_thresholds(chosen.model, again, changed_request(again, back))
    assert same.model.rule == chosen.model.rule
    assert same.before == same.after == chosen.after


def model_upper(model):
    """The upper end of Chow's band at the training's costs."""
    assert model.costs is not None
    return model.costs.p_plus + 1e-12


def test_the_chosen_trainer_of_a_search_is_what_was_asked_for():
    result = trained(
        "svm",
        rule={"kind": "expected-cost"},
        search={"params": {"C": [0.1, 10.0]}, "folds": 2},
    )
    stored = Stored.from_payload(result.artifact)
    assert stored.asked.trainer.model_dump() == result.summary["trainer"]
    assert stored.asked.search is None


def test_an_artifact_of_another_form_is_a_conflict():
    for artifact in ({}, {"evidence": {}}, {"evidence": {"asked": {"model": 1}}}):
        with pytest.raises(ConflictError, match="train again"):
            Stored.from_payload(artifact)


def test_guarded_rows_are_no_evidence_for_a_rule():
    stored = Stored.from_payload(trained("svm", rule={"kind": "symmetric"}).artifact)
    evidence = stored.out_of_fold
    assert evidence is not None
    assert evidence.guarded is not None
    passing = evidence.passing
    assert len(passing.scores) == np.count_nonzero(evidence.guarded == 0)
    assert passing.guarded is None
    assert len(passing.scores) < len(evidence.scores)


def test_a_version_of_an_earlier_release_keeps_the_rule_that_was_its_trainers_own():
    artifact = trained("double-hinge-svm", rule={"kind": "plug-in"}).artifact
    evidence = artifact["evidence"]
    left_out = {**evidence, "asked": {**evidence["asked"], "rule": None}}
    stored = Stored.from_payload({**artifact, "evidence": left_out})
    asked = RepriceRequest.model_validate({"prevalence": 0.2, "rule": {"kind": "chow"}})
    assert rule_kind(stored.asked) == "plug-in"
    assert rule_kind(changed_request(stored, asked)) == "chow"
