"""A promise that is counted on rows that pass a guard holds for what is decided."""

import numpy as np

from app.evidence.part import Part
from app.evidence.scores import Evidence, fit_rule
from app.train.schemas import TrainRequest
from solvers.calibration import Calibration

LIMIT, CONFIDENCE = 0.2, 0.9


def cases(n, generator):
    """Scores that tell the class, but for guarded cases: those are mostly wrong."""
    scores = generator.normal(size=n) * 1.5
    guarded = generator.random(n) < 0.25
    chance = 1 / (1 + np.exp(-2.0 * np.where(guarded, -scores, scores)))
    return scores, generator.random(n) < chance, guarded.astype(np.int8)


def test_the_decided_cases_keep_the_limit_though_guarded_ones_break_it():
    asked = TrainRequest.model_validate(
        {
            "model": "m",
            "trainer": {"kind": "svm"},
            "rule": {
                "kind": "bounded-error",
                "max_error": LIMIT,
                "confidence": CONFIDENCE,
            },
            "data": {"kind": "inline", "columns": ["x"], "rows": []},
            "target": {"column": "x", "positive": 1},
            "guards": {"outlier": True},
        }
    )
    generator = np.random.default_rng(0)
    scores, positive, guarded = cases(100_000, generator)
    passes = guarded == 0
    draws, feasible, broken = 150, 0, 0
    for _ in range(draws):
        f, y, g = cases(300, generator)
        part = Part(np.arange(300), y.astype(float), np.ones(300), weighted=False)
        evidence = Evidence(part, f, None, g)
        rule = fit_rule(asked, asked.rule, None, Calibration.link(2.0), evidence)
        if not rule.payload()["feasible"]:
            continue
        feasible += 1
        decided = rule.decide(scores[passes])
        wrong = (decided != 0) & ((decided > 0) != positive[passes])
        broken += wrong.sum() / max(np.count_nonzero(decided), 1) > LIMIT
    slack = 3 * np.sqrt(CONFIDENCE * (1 - CONFIDENCE) / draws)
    assert feasible > draws / 2
    assert broken / draws <= 1 - CONFIDENCE + slack
