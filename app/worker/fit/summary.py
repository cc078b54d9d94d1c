"""The facts of a version, as GET /models/{name}/versions/{version} shows them."""

from typing import Any

from app.evidence.facts import rule_facts
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
    rating = job.rating(fitted.estimator)
    bands = {} if rating is None else {"bands": rating.payload()}
    return {
        "trainer": request.trainer.model_dump(),
        **rule_facts(
            job.plan.rule.kind, rule, fitted.calibration, job.costs, job.prices
        ),
        "features": fitted.features.to_payload()["columns"],
        "labels": {"positive": job.sample.positive, "negative": job.sample.negative},
        "target": request.target.model_dump(exclude_none=True),
        "training_rows": len(fitted.part.rows),
        **job.builder.facts(fitted.estimator, fitted.features.encoded_names),
        **bands,
        "evaluation": {
            **request.evaluation.model_dump(exclude={"calibration"}),
            **evaluation,
        },
        "groups": request.groups,
        "guards": fitted.guards.facts(),
        "refit": request.refit,
        "prevalence": request.prevalence,
        "warnings": warnings,
    }
