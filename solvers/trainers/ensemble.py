"""An ensemble of calibrated probabilities under Chow's rule.

    f(x) = sum_k w_k logit p_k(f_k(x)),     p(x) = a calibration of f(x)

1. Each member is scored on rows that it did not learn from (folds), and calibrated.
2. Weights by greedy selection with replacement: the member that lowers the log loss of
   the mean log-odds most comes in again, ``steps`` times; the best mean is kept.
3. The mean is calibrated on the same out-of-fold scores, and Chow's rule decides.
4. Members of a weight above 0 are fitted on all rows; of the others stays a line in the
   table of members.

Prices play no part before the rule, so they may change without training. The weights
are chosen on the very scores that the last calibration sees: ``log_loss_`` flatters.
Source of the selection: Caruana, Niculescu-Mizil, Crew, Ksikes (2004).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from solvers.calibration import Calibration, fit_calibration
from solvers.costs import CostMatrix
from solvers.declarations import TRAINERS
from solvers.errors import Interrupted
from solvers.rules.base import as_costs
from solvers.rules.plug_in import ChowRule
from solvers.scoring.ensemble import EnsembleScorer, log_odds
from solvers.threads import using
from solvers.trainers.base import RejectOptionMixin
from solvers.trainers.boosting_rows import FitsRowsInGroups, TrainingRows
from solvers.trainers.doubled_rows import in_doubt
from solvers.trainers.ensemble_members import (
    Outcome,
    automatic_members,
    checked_members,
    score_members,
)
from solvers.trainers.ensemble_weights import greedy_weights, log_loss
from solvers.trainers.outside_scores import FitRows, fit_on
from solvers.trainers.row_splits import fold_split

__all__ = ["EnsembleRejectClassifier"]

Floats = NDArray[np.float64]
Members = Sequence[tuple[str, Any]]

_FOR_FOLDS = 0.75
"""Part of the budget after which no member is tried; the rest fits the chosen ones."""
_OF_NO_USE = "the mean does not gain by it"


@dataclass(eq=False, repr=False)
class EnsembleRejectClassifier(FitsRowsInGroups, RejectOptionMixin, BaseEstimator):
    """Several classifiers' log-odds, averaged by what they add on unseen rows.

    Parameters
    ----------
    members : sequence of (name, classifier) or None
        Classifiers of this package that have one score, those first that must be tried
        whatever time they take; None: logistic regressions, gradient boosting, random
        trees and SVMs of several widths and C, and P-SVMs where rows are there twice
        with probabilities for weights; see ``automatic_members``. Kernel machines and
        logistic regression want columns on one scale.
    costs : CostMatrix, mapping of its fields, or None
        None: an error costs 1, a reject 0.25.
    cv : int, None (5), splitter or iterable of (train, test), default=5
        Folds of the out-of-fold scores.
    steps : int, default=40
        Most turns of the selection.
    budget_seconds : float, default=60.0
        Of the whole fit. When three quarters of it have passed, members that are not
        tried yet are dropped; those that were chosen are still fitted on all rows.
    random_state : int, RandomState instance or None, default=0
        Of the members where none are named.
    pos_label : label or None, default=None
        The label of +1. None: the larger one, with a warning where labels are text.
    n_jobs : int, default=None
        Folds that are fitted at once, in threads, and threads of the last fits; the
        same bits with any number, where the budget lets the same members be tried.
        None: what ``joblib.parallel_config`` grants, or 1; -1: all processors.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    weights_ : dict
        Each member's weight, by name; they add up to 1.
    members_ : dict
        The fitted members of a weight above 0, by name.
    log_losses_ : dict
        Out-of-fold log loss of each member that was tried, calibrated.
    table_ : list of dict
        One line a member, the heaviest first: ``member``, ``weight``, ``log_loss``,
        ``seconds`` and ``dropped``, why it is not part of the mean, or None.
    oof_scores_, oof_rows_ : ndarray of shape (n_tested,)
        The mean log-odds on the folds, and the rows that they belong to.
    log_loss_ : float
        That of the weighted mean; optimistic, since the weights were chosen on it.
    calibration_ : Calibration
        From the mean log-odds to the probability of +1.
    rule_ : fitted ChowRule
    """

    members: Members | None = None
    costs: CostMatrix | Mapping[str, float] | None = None
    cv: Any = 5
    steps: int = 40
    budget_seconds: float = 60.0
    random_state: Any = 0
    pos_label: Any = None
    n_jobs: int | None = None

    # A splitter of the caller's counts every row, one of weight 0 too.
    _keeps_weightless = True

    def _check_parameters(self) -> None:
        TRAINERS["auto"].check(self)
        as_costs(self.costs)

    def _fit_rows(self, rows: TrainingRows) -> None:
        """Score the members on folds, weigh them, and fit those of a weight above 0."""
        members = checked_members(self._listed(rows))
        names = [name for name, _ in members]
        given = FitRows(rows.X, rows.y, rows.weight, rows.groups)
        split = fold_split(self.cv, rows.X, rows.y, rows.groups)
        self.oof_rows_ = np.concatenate([test for _, test in split])
        progress = getattr(self, "_progress", None)
        outcomes = score_members(
            members,
            given,
            split,
            _FOR_FOLDS * self.budget_seconds,
            n_jobs=self.n_jobs,
            progress=progress
            and (lambda part, message: progress(_FOR_FOLDS * part, message)),
        )
        calibrations = self._weigh(names, outcomes, rows.take(self.oof_rows_))
        self.rule_ = _OnScores(self.calibration_, ChowRule(as_costs(self.costs)).fit())
        chosen = [
            (name, one.member)
            for name, one in zip(names, outcomes, strict=True)
            if self.weights_[name] > 0.0
        ]
        with using(self.n_jobs):
            self.members_ = dict(_fitted(chosen, given, progress))
        kept = [
            {
                "scorer": member.scorer_payload(),
                "calibration": calibrations[name].payload(),
                "weight": self.weights_[name],
            }
            for name, member in self.members_.items()
        ]
        self._scorer = EnsembleScorer({"kind": "ensemble", "members": kept})

    def _listed(self, rows: TrainingRows) -> list[tuple[str, Any]]:
        """Return the members that are named, or those for such rows."""
        if self.members is not None:
            return list(self.members)
        n_rows, n_columns = rows.X.shape
        doubt = in_doubt(rows.X, rows.y, rows.weight)
        return automatic_members(n_rows, n_columns, self.random_state, doubt=doubt)

    def _weigh(
        self, names: Sequence[str], outcomes: Sequence[Outcome], seen: TrainingRows
    ) -> dict[str, Calibration]:
        """Set the weights and what follows from them; return members' calibrations."""
        scores = {
            name: one.scores
            for name, one in zip(names, outcomes, strict=True)
            if one.scores is not None
        }
        if not scores:
            msg = f"no member could be fitted; the first: {outcomes[0].dropped}"
            raise ValueError(msg)
        calibrations = {
            name: fit_calibration(of_member, seen.y, seen.weight)
            for name, of_member in scores.items()
        }
        odds = np.array([log_odds(calibrations[name], scores[name]) for name in scores])
        weights = greedy_weights(odds, seen, self.steps)
        self.weights_ = dict.fromkeys(names, 0.0)
        self.weights_ |= dict(zip(scores, weights.tolist(), strict=True))
        self.log_losses_ = {
            name: log_loss(z, seen) for name, z in zip(scores, odds, strict=True)
        }
        self.oof_scores_ = weights @ odds
        self.log_loss_ = log_loss(self.oof_scores_, seen)
        self.calibration_ = fit_calibration(self.oof_scores_, seen.y, seen.weight)
        self.table_ = self._table(names, outcomes)
        return calibrations

    def _table(
        self, names: Sequence[str], outcomes: Sequence[Outcome]
    ) -> list[dict[str, Any]]:
        """Return a line for each member, the heaviest first."""
        lines = [
            {
                "member": name,
                "weight": self.weights_[name],
                "log_loss": self.log_losses_.get(name),
                "seconds": round(one.seconds, 3),
                "dropped": one.dropped
                or (None if self.weights_[name] > 0.0 else _OF_NO_USE),
            }
            for name, one in zip(names, outcomes, strict=True)
        ]
        return sorted(lines, key=lambda line: -line["weight"])

    def positive_score(self, X: ArrayLike) -> Floats:
        """Return the mean log-odds of +1 for each row, shape (n_rows,)."""
        check_is_fitted(self)
        finite: Any = "allow-nan" if self._scorer.missing else True
        return self._scorer.score(
            validate_data(
                self, X, reset=False, dtype=np.float64, ensure_all_finite=finite
            )
        )

    def probability(self, X: ArrayLike) -> Floats:
        """Return the calibrated probability of +1, shape (n_rows,).

        It may pass 1/2 elsewhere than the score passes 0, so it is no
        ``predict_proba``.
        """
        return self.calibration_.probability(self.positive_score(X))

    def scorer_payload(self) -> dict[str, Any]:
        """Return the fitted score as plain data."""
        check_is_fitted(self)
        return self._scorer.payload()


class _OnScores:
    """Chow's rule behind its calibration: it decides on scores."""

    def __init__(self, calibration: Calibration, rule: ChowRule) -> None:
        self.calibration, self.rule = calibration, rule

    def decide(self, scores: ArrayLike) -> NDArray[np.int8]:
        """Return +1, -1 or 0 (reject) for each score."""
        return self.rule.decide(self.calibration.probability(scores))


def _fitted(
    chosen: Members, rows: FitRows, progress: Callable[[float, str], bool] | None
) -> Iterator[tuple[str, Any]]:
    """Yield the members, fitted on all rows."""
    every = np.arange(len(rows.y))
    for done, (name, member) in enumerate(chosen):
        if progress is None:
            yield name, fit_on(member, rows, every)
            continue
        begin = _FOR_FOLDS + (1.0 - _FOR_FOLDS) * done / len(chosen)
        report = partial(_at, progress, begin, name)
        if not report(0.0, ""):
            raise Interrupted(name)
        model = fit_on(member, rows, every, report)
        del model._progress  # noqa: SLF001 - what stays is sendable to other processes
        yield name, model


def _at(
    progress: Callable[[float, str], bool],
    begin: float,
    name: str,
    fraction: float,
    message: str,
) -> bool:
    """Report a member's progress as one place of the ensemble's."""
    del fraction
    return progress(begin, f"{name}, {message}" if message else name)
