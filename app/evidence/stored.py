"""What an artifact keeps beside the served model: the scores its rule rests on.

=====================  =======================================================
split                  which rows trained, calibrated a promise, evaluated
out_of_fold            scores of training rows by models that did not see them
calibration            scores of the rows of a promise, by the served model
holdout                scores of the held-out rows, by the evaluated model
holdout_calibration    that model's map from scores to probabilities
share_positive         share of +1 among the training rows, as they were fitted
asked                  the request, without its rows; a re-pricing changes it
scorer                 costs and prevalence that the scorer was trained for
lasting_warnings       those that no change of rule or costs takes back
=====================  =======================================================
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from app.artifacts.model import ServedModel
from app.errors import ConflictError
from app.evidence.scores import Evidence
from app.train.compatibility import rule_kind
from app.train.schemas import TrainRequest
from solvers.calibration import Calibration
from solvers.costs import CostMatrix

__all__ = ["Stored", "with_evidence"]

_NO_ROWS = {"kind": "inline", "columns": ["rows are not kept"], "rows": []}


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """The evidence of one version; see the table above."""

    asked: TrainRequest
    split: Mapping[str, Any]
    out_of_fold: Evidence | None
    calibration: Evidence | None
    holdout: Evidence | None
    holdout_calibration: Calibration
    share_positive: float
    scorer_costs: CostMatrix | None
    scorer_prevalence: float | None
    lasting_warnings: list[str]
    folds: Any = None

    def payload(self) -> dict[str, Any]:
        """Return the evidence as plain data."""
        unseen, kept, held = self.out_of_fold, self.calibration, self.holdout
        costs = self.scorer_costs
        return {
            "asked": self.asked.model_dump(by_alias=True, exclude={"data", "search"}),
            "split": dict(self.split),
            "out_of_fold": unseen and {**unseen.payload(), "fold": self.folds},
            "calibration": kept and kept.payload(),
            "holdout": held and held.payload(),
            "holdout_calibration": self.holdout_calibration.payload(),
            "share_positive": self.share_positive,
            "scorer": {
                "costs": None if costs is None else asdict(costs),
                "prevalence": self.scorer_prevalence,
            },
            "lasting_warnings": list(self.lasting_warnings),
        }

    @classmethod
    def from_payload(cls, artifact: Mapping[str, Any]) -> Self:
        """Read the evidence of an artifact.

        Raises
        ------
        ConflictError
            When the artifact keeps none, or keeps it in another release's form.
        """
        facts = artifact.get("evidence")
        if facts is None:
            raise _nothing_kept()
        try:
            return cls._read(facts, artifact.get("rule", {}).get("kind"))
        except (KeyError, TypeError, ValueError) as error:
            raise _nothing_kept() from error

    @classmethod
    def _read(cls, facts: Mapping[str, Any], rule: str | None) -> Self:
        costs, unseen = facts["scorer"]["costs"], facts["out_of_fold"]
        return cls(
            asked=_asked(facts["asked"], rule),
            split=facts["split"],
            out_of_fold=_evidence(unseen),
            calibration=_evidence(facts["calibration"]),
            holdout=_evidence(facts["holdout"]),
            holdout_calibration=Calibration.from_payload(facts["holdout_calibration"]),
            share_positive=facts["share_positive"],
            scorer_costs=None if costs is None else CostMatrix(**costs),
            scorer_prevalence=facts["scorer"]["prevalence"],
            lasting_warnings=facts["lasting_warnings"],
            folds=unseen and unseen["fold"],
        )


def with_evidence(artifact: Mapping[str, Any]) -> tuple[ServedModel, Stored]:
    """Read a model and its evidence.

    Raises
    ------
    ConflictError
        When the artifact keeps no evidence, or keeps it in another release's form.
    """
    stored = Stored.from_payload(artifact)
    return ServedModel.from_payload(artifact), stored


def _asked(facts: Mapping[str, Any], rule: str | None) -> TrainRequest:
    """Return the request; the rule that an earlier release chose for it is named."""
    asked = TrainRequest.model_validate({**facts, "data": _NO_ROWS})
    if asked.rule is not None or rule in {None, rule_kind(asked)}:
        return asked
    return _asked({**facts, "rule": {"kind": rule}}, rule)


def _nothing_kept() -> ConflictError:
    msg = (
        "this version keeps no scores that this release can choose thresholds from:"
        " train again"
    )
    return ConflictError(msg)


def _evidence(payload: Mapping[str, Any] | None) -> Evidence | None:
    return None if payload is None else Evidence.from_payload(payload)
