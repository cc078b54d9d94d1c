"""The pipeline that every peer serves: an RBF machine of 300 support vectors.

    python fit.py joblib|mlflow TARGET

stores it as a peer reads it. Run by the peers' own interpreter, so it imports nothing
of this project. Labels that were drawn, at a small C, make every row a support vector.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

COLUMNS = [f"feature_{j}" for j in range(8)]
N_VECTORS = 300


def training_rows() -> pd.DataFrame:
    """Return the rows that become support vectors."""
    values = np.random.default_rng(0).normal(size=(N_VECTORS, len(COLUMNS)))
    return pd.DataFrame(values, columns=COLUMNS)


def pipeline() -> Any:
    """Return the fitted pipeline."""
    labels = np.repeat([0, 1], N_VECTORS // 2)
    machine = SVC(gamma=0.125, C=0.01)
    return make_pipeline(StandardScaler(), machine).fit(training_rows(), labels)


def main() -> None:
    """Fit and store."""
    form, target = sys.argv[1], Path(sys.argv[2])
    model = pipeline()
    if form == "joblib":
        import joblib

        target.parent.mkdir(parents=True, exist_ok=True)
        joblib.dump(model, target)
        return
    import mlflow

    rows = training_rows()
    signature = mlflow.models.infer_signature(rows, model.predict(rows))
    mlflow.sklearn.save_model(model, str(target), signature=signature)


if __name__ == "__main__":
    main()
