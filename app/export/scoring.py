"""The steps from an encoded row to its score, and to the probability of +1."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from app.artifacts.model import ServedModel
from app.export.precision import of_rounded_numbers
from app.export.trees import of_forest, of_step_functions
from solvers.calibration import Calibration
from solvers.calibration.calibration import FARTHEST, FLOOR
from solvers.scoring import Scorer
from solvers.scoring.abstention_trees import AbstentionTreesScorer
from solvers.scoring.ensemble import EnsembleScorer
from solvers.scoring.given import CERTAIN
from solvers.scoring.histogram_trees import HistogramTreesScorer
from solvers.scoring.randomised_trees import RandomisedTreesScorer
from solvers.scoring.stumps import AdaBoostStumpsScorer, StumpsScorer, StumpSums

__all__ = ["Step", "probability", "scoring"]

Step = dict[str, Any]


def scoring(scorer: Scorer, to: str, reject_to: str) -> list[Step]:
    """Return the steps from x to the score (and r, where there is one)."""
    payload = scorer.payload()
    if isinstance(scorer, StumpSums):
        to_all = [to] if isinstance(scorer, AdaBoostStumpsScorer) else [to, reject_to]
        base = [0.0, scorer.constant][: len(to_all)]
        arrays = of_step_functions(scorer.steps, len(to_all))
        return [{"do": "trees", "from": "x", "to": to_all, "base": base, **arrays}]
    if isinstance(scorer, AbstentionTreesScorer):
        base = [scorer.base.real, scorer.base.imag]
        arrays = of_forest(scorer.forest, ())
        both = [to, reject_to]
        return [{"do": "trees", "from": "x", "to": both, "base": base, **arrays}]
    if isinstance(scorer, HistogramTreesScorer):
        arrays = of_forest(scorer.forest, scorer.categories)
        base = [scorer.baseline]
        return [{"do": "trees", "from": "x", "to": [to], "base": base, **arrays}]
    if isinstance(scorer, RandomisedTreesScorer):
        return _votes(scorer, to)
    if payload["kind"] == "kernel-machine":
        return [_machine(payload, to)]
    if payload["kind"] == "given":
        stand_in = float(payload["stand_in"])
        column = {"do": "column", "from": "x", "to": to, "stand_in": stand_in}
        odds = {"do": "logit", "from": to, "to": to, "clip": CERTAIN}
        return [column, odds] if payload["probability"] else [column]
    if isinstance(scorer, EnsembleScorer):
        return _ensemble(scorer, to)
    msg = f"no format knows a {type(scorer).__name__}"
    raise TypeError(msg)


def _votes(scorer: RandomisedTreesScorer, to: str) -> list[Step]:
    """Return the steps to the log-odds of a mean of trees that compare in float32."""
    arrays = of_forest(scorer.forest, ())
    arrays["threshold"] = of_rounded_numbers(arrays["threshold"])
    half = 0.5 / (scorer.n_trees + 1.0)
    trees = {"do": "trees", "from": "x", "to": [to], "base": [0.0], **arrays}
    share = {"do": "affine", "from": to, "to": to, "slope": 2.0 * half, "offset": half}
    # Half a tree on either side keeps the share farther from 0 and 1 than this.
    return [trees, share, {"do": "logit", "from": to, "to": to, "clip": half / 2.0}]


def _machine(payload: Mapping[str, Any], to: str) -> Step:
    kernel, vectors = payload["kernel"], np.asarray(payload["support_vectors"])
    coefficients, offset = payload["coefficients"], float(payload["intercept"])
    if kernel["kind"] == "linear":
        weights = vectors.T @ coefficients
        linear = {"do": "linear", "from": "x", "to": to}
        return {**linear, "weights": weights, "offset": offset}
    centre = np.zeros(vectors.shape[1])
    if kernel["kind"] == "rbf" and len(vectors):
        centre = vectors.mean(axis=0)
    return {
        "do": "kernel",
        "from": "x",
        "to": to,
        **kernel,
        "centre": centre,
        "vectors": vectors - centre,
        "coefficients": np.asarray(coefficients),
        "offset": offset,
    }


def _ensemble(scorer: EnsembleScorer, to: str) -> list[Step]:
    steps: list[Step] = []
    odds = []
    for k, (member, calibration, _) in enumerate(scorer.members):
        score, name = f"score_{k}", f"odds_{k}"
        steps += scoring(member, score, f"reject_score_{k}")
        steps += _log_odds(calibration, score, name)
        # No calibration says more: p is held within [FLOOR, 1 - FLOOR].
        steps.append({"do": "clip", "from": name, "to": name, "most": FARTHEST})
        odds.append(name)
    weights = [weight for _, _, weight in scorer.members]
    return [*steps, {"do": "sum", "from": odds, "to": to, "weights": weights}]


def probability(model: ServedModel) -> list[Step]:
    """Return the steps to the probability of +1, where the model has one."""
    scorer, calibration = model.scorer, model.calibration
    payload = scorer.payload()
    logistic = {
        "do": "logistic",
        "from": "log_odds",
        "to": "probability",
        "most": FARTHEST,
    }
    if payload.get("link_slope") is not None and calibration is None:
        calibration = Calibration.link(
            payload["link_slope"], payload.get("link_odds", 1.0)
        )
    if not isinstance(scorer, AbstentionTreesScorer):
        if calibration is None:
            return []
        if isinstance(scorer, StumpsScorer) and scorer.leaning:
            log_odds = _log_odds(calibration, "log_odds", "log_odds")
            return [*_leaned(scorer.leaning), *log_odds, logistic]
        return [*_log_odds(calibration, "score", "log_odds"), logistic]
    odds = {
        "do": "odds",
        "from": ["score", "reject_score"],
        "to": "log_odds",
        "logistic": payload["loss"] == "logistic",
        "offset": float(payload["log_cost_ratio"]),
    }
    if calibration is None:
        return [odds, {**logistic, "most": 700.0}]
    return [odds, *_log_odds(calibration, "log_odds", "log_odds"), logistic]


def _leaned(leaning: float) -> list[Step]:
    """Return the steps to what h and r say together: those of trees, r turned round."""
    return [
        {
            "do": "affine",
            "from": "reject_score",
            "to": "lean",
            "slope": -leaning,
            "offset": 0.0,
        },
        {
            "do": "odds",
            "from": ["score", "lean"],
            "to": "log_odds",
            "logistic": True,
            "offset": 0.0,
        },
    ]


def _log_odds(calibration: Calibration, source: str, to: str) -> list[Step]:
    """Return the steps of a calibration, up to its log-odds."""
    shift = calibration.log_odds_shift
    if not calibration.knots.size:
        offset = calibration.intercept + shift
        affine = {"do": "affine", "from": source, "to": to}
        return [{**affine, "slope": calibration.slope, "offset": offset}]
    steps: list[Step] = [
        {
            "do": "interp",
            "from": source,
            "to": to,
            "knots": calibration.knots,
            "heights": calibration.heights,
        }
    ]
    if calibration.kind == "isotonic":
        steps.append({"do": "logit", "from": to, "to": to, "clip": FLOOR})
    if shift:
        steps.append(
            {"do": "affine", "from": to, "to": to, "slope": 1.0, "offset": shift}
        )
    return steps
