"""What an artifact holds of single rows, and the artifact without it.

======================  ==========================================================
evidence                scores, labels and weights of rows: needed to re-price
guards, ``outlier``     up to 1,000 encoded rows: the references of the guard
scorer, of a kernel     its support vectors are encoded rows: they are the model,
                        and go with the version only; but those of a linear kernel
                        are replaced by the one vector that they sum up to
======================  ==========================================================

Everything else is of many rows together: means, rounded ranges, categories, trees,
weights, knots of a calibration, figures.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

__all__ = ["GUARD", "REPRICE", "Keeps", "Lost", "forget", "keeps_rows", "losses"]

Lost = Literal["reprice", "outlier_guard"]
Keeps = Literal["support_vectors", "unreadable"]

REPRICE: Lost = "reprice"
GUARD: Lost = "outlier_guard"


def losses(payload: Mapping[str, Any]) -> list[Lost]:
    """Return what a version can no longer do once its rows are forgotten."""
    lost: list[Lost] = [] if payload.get("evidence") is None else [REPRICE]
    return [*lost, GUARD] if "outlier" in payload["guards"] else lost


def forget(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Return the artifact without what only `losses` need; scores keep their bits."""
    guards = {k: v for k, v in payload["guards"].items() if k != "outlier"}
    scorer = _summed(payload["scorer"])
    return {**payload, "evidence": None, "guards": guards, "scorer": scorer}


def keeps_rows(payload: Mapping[str, Any]) -> bool:
    """Tell whether the model itself consists of encoded rows."""
    return len(payload["scorer"].get("support_vectors", ())) > 1


def _summed(scorer: dict[str, Any]) -> dict[str, Any]:
    """Return a linear machine as one vector: what is served of it anyway."""
    vectors = scorer.get("support_vectors", ())
    if len(vectors) < 2 or scorer["kernel"]["kind"] != "linear":
        return scorer
    weights = (vectors.T @ scorer["coefficients"])[np.newaxis]
    return {**scorer, "support_vectors": weights, "coefficients": np.ones(1)}
