"""BentoML's service, as its documentation writes one for a scikit-learn model.

``bentoml serve bento_service:Bench``; PEER_MODEL is the file of the pipeline.
"""

import os

import bentoml
import joblib
import numpy as np


@bentoml.service(workers=1, logging={"access": {"enabled": False}})
class Bench:
    """Rows in, labels out."""

    def __init__(self) -> None:
        self.model = joblib.load(os.environ["PEER_MODEL"])

    @bentoml.api
    def predict(self, rows: np.ndarray) -> np.ndarray:
        """Return the label of each row."""
        return self.model.predict(rows)
