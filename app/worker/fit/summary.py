"""The facts of a version, as GET /models/{name}/versions/{version} shows them."""

from dataclasses import asdict
from typing import Any

from app.train.pairs import rule_kind
from app.worker.fit.fitting import Fitted
from app.worker.fit.job import Job

__all__ = ["describe"]


def describe(
    job: Job, fitted: Fitted, evaluation: dict[str, Any], warnings: list[str]
) -> dict[str, Any]:
    """Return the JSON facts of a trained version.

    Parameters
    ----------
    job : Job
    fitted : Fitted
        The model that is served.
    evaluation : dict
    warnings : list of str
    """
    request = job.request
    rule = fitted.rule.payload()
    return {
        "trainer": request.trainer.model_dump(),
        "costs": None if job.costs is None else asdict(job.costs),
        "rule": {**rule, "kind": rule_kind(request)},
        "thresholds": _thresholds(rule),
        "calibration": _calibration(fitted),
        "features": fitted.features.to_payload()["columns"],
        "labels": {"positive": job.sample.positive, "negative": job.sample.negative},
        "target": request.target.model_dump(exclude_none=True),
        "training_rows": len(fitted.part.rows),
        **job.builder.facts(fitted.estimator, fitted.features.encoded_names),
        "evaluation": {
            **request.evaluation.model_dump(exclude={"calibration"}),
            **evaluation,
        },
        "groups": request.groups,
        "refit": request.refit,
        "prevalence": request.prevalence,
        "embedded_costs": rule.get("embedded_costs"),
        "promise": rule.get("promise"),
        "feasible": rule.get("feasible"),
        "warnings": warnings,
    }


def _thresholds(rule: dict[str, Any]) -> dict[str, Any] | None:
    """Return the band, and the scale it is on; a joint booster's rule has none."""
    if rule["on"] == "reject-function":
        return None
    return {"lower": rule["lower"], "upper": rule["upper"], "on": rule["on"]}


def _calibration(fitted: Fitted) -> dict[str, Any]:
    facts = fitted.calibration.payload()
    return {key: facts[key] for key in ("kind", "rows", "prevalence", "notes")}
