"""What a key opens: each scope has all that the one before it has.

=========  ==================================================================
predict    POST /predict and /predict/batch; GET /models and below; /metrics
train      trainings, jobs, data sets, versions (re-price, evaluate, aliases)
admin      everything: deleting models, keys, and whatever is not named here
=========  ==================================================================

What no line names needs ``admin``, so that a new route is closed until it is put here.
"""

from typing import Literal

__all__ = ["SCOPES", "Scope", "allows", "needed"]

Scope = Literal["predict", "train", "admin"]

SCOPES: tuple[Scope, ...] = ("predict", "train", "admin")

_RANK = {scope: rank for rank, scope in enumerate(SCOPES)}
_PREDICT = frozenset({"/predict", "/predict/batch"})
_READ = frozenset({"/models", "/metrics"})
_TRAIN = frozenset({"/train", "/jobs", "/datasets", "/models"})
_READING = frozenset({"GET", "HEAD"})


def needed(method: str, path: str) -> Scope:
    """Return the least scope that a request needs.

    Parameters
    ----------
    method : str
        In capitals, as HTTP has it.
    path : str
        As the routes match it: decoded, without the root path.
    """
    if path in _PREDICT:
        return "predict"
    first = f"/{path[1:].partition('/')[0]}"
    if first in _READ and method in _READING:
        return "predict"
    if first in _TRAIN and not _removes_models(method, path):
        return "train"
    return "admin"


def allows(held: Scope, wanted: Scope) -> bool:
    """Tell whether a key of scope ``held`` may do what needs ``wanted``."""
    return _RANK[held] >= _RANK[wanted]


def _removes_models(method: str, path: str) -> bool:
    return (
        method == "DELETE" and path.startswith("/models/") and "/aliases/" not in path
    )
