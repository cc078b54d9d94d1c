"""What candidates did that an earlier attempt at the same search has finished.

Candidates are known by a digest of what decides their figures: trainer, rule and place
in the list, the request around them but for its rows, and the versions of what fits
them. The rows are those of the job, which never change.
"""

import hashlib
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any

from app.train.schemas import TrainRequest

__all__ = ["LIBRARIES", "Figures", "Kept", "digest_of", "library_versions"]

LIBRARIES = ("demur", "numpy", "scipy", "numba", "scikit-learn", "joblib")
Figures = dict[str, Any]


def _nowhere(digest: str, figures: Figures) -> None:
    del digest, figures


@dataclass(frozen=True, slots=True)
class Kept:
    """The figures that are known by digest, and where further ones are kept."""

    known: Mapping[str, Figures] = field(default_factory=dict)
    keep: Callable[[str, Figures], None] = _nowhere


def digest_of(request: TrainRequest, number: int, folds: int) -> str:
    """Return what a candidate's figures are known by.

    Parameters
    ----------
    request : TrainRequest
        With the candidate's trainer and rule.
    number : int
        Its place in the list.
    folds : int
        How many it is judged on.
    """
    parameters = request.model_dump_json(exclude={"data"})
    whole = f"{number} {folds} {library_versions()} {parameters}"
    return hashlib.sha256(whole.encode()).hexdigest()


@cache
def library_versions() -> dict[str, str]:
    """Return the versions that models are made by."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
    }
