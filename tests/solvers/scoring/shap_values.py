"""What shap says that columns add to scores, in an environment that has it.

    python shap_values.py ASKED.joblib TOLD.npy

ASKED holds payloads of scorers, rows and the row that they are compared with.
"""

import sys

import joblib
import numpy as np
import shap

from solvers.scoring import load


def main(asked, told):
    payloads, X, reference = joblib.load(asked)
    masker = shap.maskers.Independent(reference[np.newaxis])
    np.save(
        told,
        [shap.explainers.Exact(load(one).score, masker)(X).values for one in payloads],
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
