"""Prices that differ from row to row: a fraud of 10 is none of 10,000.

    .venv/bin/python examples/amounts.py

6,000 payments are drawn, one in seven of them a fraud. To stop an honest payment costs
20, to ask a person 4, to let a fraud through four fifths of its amount. One model says
how likely a fraud is; what to do then is decided at the mean price of a fraud, the same
for all payments, and at each payment's own.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from solvers import CostMatrix, RejectOptionClassifier, RowCosts, metrics, rules

STOPPED, ASKED, LOST = 20.0, 4.0, 0.8


def payments(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw payments: amount, by night, age of the account; and which are frauds."""
    draw = np.random.default_rng(seed)
    amount = draw.lognormal(4.0, 1.3, n)
    night = draw.random(n) < 0.25
    age = draw.exponential(4.0, n)
    odds = 4.0 * night - 0.6 * age + 0.3 * np.log(amount) - 3.4
    fraud = draw.random(n) < 1.0 / (1.0 + np.exp(-odds))
    return np.column_stack((amount, night, age)), fraud.astype(int)


def main() -> dict[str, float]:
    """Train once, decide twice; return what a payment costs on average."""
    X, fraud = payments(6000, seed=0)
    known, later = slice(0, 4000), slice(4000, None)
    same = CostMatrix(STOPPED, LOST * X[known, 0].mean(), ASKED, ASKED)
    model = RejectOptionClassifier(
        make_pipeline(StandardScaler(), LogisticRegression()), rules.ChowRule(same)
    ).fit(X[known], fraud[known])

    own = RowCosts(STOPPED, LOST * X[later, 0], ASKED, ASKED)
    decided = {
        "at the mean price": model.decide(X[later]),
        "at its own prices": own.decide(model.probability(X[later])),
    }
    truth = 2 * fraud[later] - 1
    spent = {}
    for name, decisions in decided.items():
        spent[name] = metrics.expected_cost(truth, decisions, own)
        asked, stopped = (decisions == 0).sum(), (decisions == 1).sum()
        print(
            f"each payment decided {name}: {asked} of {len(truth)} to people,"
            f" {stopped} stopped, {spent[name]:.2f} a payment"
        )
    return spent


if __name__ == "__main__":
    main()
