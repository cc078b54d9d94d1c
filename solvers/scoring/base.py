"""What every scorer promises, and how one is made from its payload.

The promise: **the score of a row has the same bits** alone, in any batch, at any
position, after a reload and in every process of one machine. Library matrix products
do not promise that by themselves (their kernels change with the shape), so scorers
call them on fixed shapes only.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from solvers.errors import UnknownNameError

__all__ = ["Outputs", "PairScorer", "ScoreAlone", "Scorer", "load", "register"]

Floats = NDArray[np.float64]

_MODULES = {
    "kernel-machine": "solvers.scoring.kernel_machine",
    "stumps": "solvers.scoring.stumps",
    "abstention-trees": "solvers.scoring.abstention_trees",
    "histogram-gradient-boosting": "solvers.scoring.histogram_trees",
    "adaboost-stumps": "solvers.scoring.stumps",
    "randomised-trees": "solvers.scoring.randomised_trees",
    "ensemble": "solvers.scoring.ensemble",
    "given": "solvers.scoring.given",
}
_CLASSES: dict[str, "type[Scorer]"] = {}

ScorerClass = TypeVar("ScorerClass", bound="type[Scorer]")


@dataclass(frozen=True, slots=True, eq=False)
class Outputs:
    """All that a scorer says of some rows, in order.

    Parameters
    ----------
    score : ndarray of shape (n_rows,)
        f, or h of a joint booster.
    reject_score : ndarray of shape (n_rows,) or None
        r of a joint booster.
    log_odds : ndarray of shape (n_rows,) or None
        Log-odds of +1 where the scorer knows more of them than the score says.
    """

    score: Floats
    reject_score: Floats | None = None
    log_odds: Floats | None = None

    @classmethod
    def scattered(
        cls, parts: Iterable[tuple[NDArray[np.bool_], "Outputs"]], n_rows: int
    ) -> "Outputs":
        """Return outputs of parts of some rows as those of all; 0 where no part is.

        Parameters
        ----------
        parts : iterable of (which rows, shape (n_rows,); their Outputs)
        n_rows : int
        """
        whole: dict[str, Floats] = {}
        for rows, outputs in parts:
            for name in ("score", "reject_score", "log_odds"):
                values = getattr(outputs, name)
                if values is not None:
                    whole.setdefault(name, np.zeros(n_rows))[rows] = values
        score = whole.setdefault("score", np.zeros(n_rows))
        return cls(score, whole.get("reject_score"), whole.get("log_odds"))


class Scorer(Protocol):
    """A fitted scoring function.

    Attributes
    ----------
    n_features : int
        Width of the encoded rows.
    missing : bool
        Whether NaN is an input like any other.
    """

    n_features: int
    missing: bool

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Rebuild a scorer from ``payload()``."""
        ...

    def score(self, X: Floats) -> Floats:
        """Return f (or h) of each row, shape (n_rows,)."""
        ...

    def reject_scores(self, X: Floats) -> Floats | None:
        """Return r of each row, or None where there is no reject function."""
        ...

    def probability(self, X: Floats) -> Floats | None:
        """Return P(y = +1) where the model has a link of its own, else None."""
        ...

    def outputs(self, X: Floats) -> Outputs:
        """Return everything of each row in one pass; the same bits as one by one."""
        ...

    def payload(self) -> dict[str, Any]:
        """Return arrays, numbers and strings, with the scorer's ``kind``."""
        ...


class MadeOfPayload:
    """A scorer that keeps the plain data it is made from.

    Parameters
    ----------
    payload : mapping
        That data.
    """

    def __init__(self, payload: Mapping[str, Any]) -> None:
        self._payload = dict(payload)

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Rebuild the scorer from `payload`."""
        return cls(payload)

    def payload(self) -> dict[str, Any]:
        """Return the plain data this scorer was made from."""
        return dict(self._payload)


class ScoreAlone(MadeOfPayload, ABC):
    """A scorer that says one score of a row, and nothing else."""

    @abstractmethod
    def score(self, X: Floats) -> Floats:
        """Return the score of each row, shape (n_rows,)."""

    def reject_scores(self, X: Floats) -> None:  # noqa: ARG002 - the protocol's signature
        """Return None: there is no reject function."""
        return

    def probability(self, X: Floats) -> Floats | None:  # noqa: ARG002 - the protocol's signature
        """Return None: probabilities come from a calibration of the score."""
        return None

    def outputs(self, X: Floats) -> Outputs:
        """Return the score of each row; there is nothing else."""
        return Outputs(self.score(X))


class PairScorer(MadeOfPayload, ABC):
    """A scorer that says two numbers of a row, h and r: r <= 0 rejects."""

    @abstractmethod
    def pair(self, X: Floats) -> tuple[Floats, Floats]:
        """Return h and r of each row, both of shape (n_rows,)."""

    def score(self, X: Floats) -> Floats:
        """Return h of each row, shape (n_rows,)."""
        return self.pair(X)[0]

    def reject_scores(self, X: Floats) -> Floats | None:
        """Return r of each row, shape (n_rows,): r <= 0 rejects."""
        return self.pair(X)[1]


def register(kind: str) -> Callable[[ScorerClass], ScorerClass]:
    """Return a class decorator that makes ``load`` know this kind."""

    def keep(scorer: ScorerClass) -> ScorerClass:
        _CLASSES[kind] = scorer
        return scorer

    return keep


def load(payload: Mapping[str, Any]) -> Scorer:
    """Return the scorer that a payload describes.

    Raises
    ------
    UnknownNameError
        When no scorer is registered for the payload's ``kind``.
    """
    kind = payload["kind"]
    if kind not in _CLASSES and kind in _MODULES:
        import_module(_MODULES[kind])
    if kind not in _CLASSES:
        what = "scorer"
        raise UnknownNameError(what, kind, tuple(sorted(_MODULES)))
    return _CLASSES[kind].from_payload(payload)
