"""One system's probabilities of unseen rows, in a process of its own.

    python peers_apart.py SYSTEM ASKED.npz SECONDS SEED TOLD.npz

ASKED holds X, y (-1 or +1) and X_test; TOLD gets p, the probability of +1 of each test
row, the wall and processor seconds of the fit, and what the model is made of. This file
runs in the peers' environment too, so it imports nothing of the project at its head.
"""

import resource
import sys
import time
import warnings
from typing import Any

import numpy as np


def demur(X: Any, y: Any, X_test: Any, seconds: float, seed: int) -> tuple[Any, str]:
    """Return the ensemble's probabilities."""
    from solvers import EnsembleRejectClassifier  # noqa: PLC0415

    model = EnsembleRejectClassifier(budget_seconds=seconds, random_state=seed)
    model.fit(X, y)
    weights = {name: round(w, 3) for name, w in model.weights_.items() if w > 0.0}
    return model.probability(X_test), str(weights)


def autogluon(
    X: Any, y: Any, X_test: Any, seconds: float, seed: int
) -> tuple[Any, str]:
    """Return those of AutoGluon's best preset, without neural nets."""
    import pandas as pd  # noqa: PLC0415
    from autogluon.tabular import TabularPredictor  # noqa: PLC0415

    del seed  # it seeds itself, always alike
    rows = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    rows["y"] = (y > 0.0).astype(int)
    predictor = TabularPredictor(
        label="y", eval_metric="log_loss", problem_type="binary", path="model"
    )
    predictor.fit(
        rows,
        time_limit=seconds,
        presets="best_quality",
        num_cpus=1,
        num_gpus=0,
        excluded_model_types=["NN_TORCH", "FASTAI"],
        fit_strategy="sequential",
        ds_args={"enable_ray_logging": False},
        verbosity=0,
    )
    asked = pd.DataFrame(X_test, columns=rows.columns[:-1])
    return predictor.predict_proba(asked)[1].to_numpy(), str(predictor.model_best)


def flaml(X: Any, y: Any, X_test: Any, seconds: float, seed: int) -> tuple[Any, str]:
    """Return those of FLAML with its defaults."""
    from flaml import AutoML  # noqa: PLC0415

    search = AutoML()
    search.fit(
        X,
        (y > 0.0).astype(int),
        task="classification",
        metric="log_loss",
        time_budget=seconds,
        n_jobs=1,
        seed=seed,
        verbose=0,
    )
    made_of = f"{search.best_estimator}"
    return search.predict_proba(X_test)[:, 1], made_of


def main(
    system: str, rows_file: str, seconds: str, seed: str, answers_file: str
) -> None:
    """Fit on the rows of one file, write the probabilities into another."""
    warnings.simplefilter("ignore")
    with np.load(rows_file) as rows:
        X, y, X_test = rows["X"], rows["y"], rows["X_test"]
    fit = {"demur": demur, "autogluon": autogluon, "flaml": flaml}[system]
    began = time.perf_counter()
    p, made_of = fit(X, y, X_test, float(seconds), int(seed))
    wall = time.perf_counter() - began
    used = [
        resource.getrusage(whose)
        for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    cpu = sum(one.ru_utime + one.ru_stime for one in used)
    np.savez(answers_file, p=p, seconds=wall, cpu_seconds=cpu, made_of=made_of)


if __name__ == "__main__":
    main(*sys.argv[1:])
