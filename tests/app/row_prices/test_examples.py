"""The example of loans, and the command line, take prices that follow a column."""

import csv
import runpy
from pathlib import Path

import numpy as np
import pytest

from app.client import training
from app.client.training import Order
from tests.app.row_prices.payments import COLUMNS, PRICES, payments

LOANS = Path(__file__).parents[3] / "examples/loans.py"


def test_loans_cost_less_at_prices_of_their_own(server, monkeypatch, tmp_path, capsys):
    """Loans in the form of the file, longer and larger ones likelier bad."""
    monkeypatch.setenv("DEMUR_URL", server.url)
    example = runpy.run_path(str(LOANS))
    draw, lines = np.random.default_rng(0), []
    for _ in range(1000):
        months, amount = int(draw.integers(4, 60)), round(draw.lognormal(7.7, 0.9))
        known = draw.integers(1, 5)
        odds = 0.06 * months + 0.2 * np.log(amount) - 0.9 * known - 1.8
        bad = 1 + int(draw.random() < 1 / (1 + np.exp(-odds)))
        cells = {"account": f"A1{known}", "months": months, "amount": amount}
        numbers = dict.fromkeys(example["NUMBERS"], 1)
        row = {**dict.fromkeys(example["NAMES"], "A1"), **numbers, **cells}
        lines.append(" ".join(map(str, [*row.values(), bad])))
    file = tmp_path / "german.data"
    file.write_text("\n".join(lines) + "\n")
    spent = example["main"](file)
    assert spent["at its own amount"] < 0.95 * spent["at the mean amount"]
    assert "at its own amount" in capsys.readouterr().out


@pytest.mark.parametrize("column", ["amount", "sum"])
def test_the_command_line_names_the_column_of_a_price(server, tmp_path, capsys, column):
    file = tmp_path / "payments.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([COLUMNS, *payments(200)])
    numbers = {**PRICES, "false_negative": 1.0}
    status = training.run(
        Order(
            file=file,
            target="kind",
            positive="fraud",
            model=f"typed-{column}",
            trainer="logistic",
            rule=None,
            costs=numbers,
            weight=None,
            groups=None,
            order_by=None,
            holdout=0.2,
            seed=0,
            settings=(f'costs.false_negative={{"column": "{column}", "times": 0.8}}',),
            search=(),
            left_out=(),
            query={"delimiter": "auto", "decimal": "auto", "encoding": "auto"},
            types={},
        ),
        server.url,
        None,
    )
    told = capsys.readouterr()
    if column == "sum":
        assert status != 0
        assert "--set costs.false_negative.column: " in told.err
        return
    assert status == 0, told.err
    version = server.http.get("/models/typed-amount/versions/1").json()
    assert version["costs"] == PRICES
