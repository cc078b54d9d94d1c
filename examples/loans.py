"""Loans over HTTP, each at prices of its own: a small one may be granted unseen.

    .venv/bin/python examples/loans.py german.data

The file is that of Statlog's German credit data (H. Hofmann, UCI Machine Learning
Repository 1994, doi:10.24432/C5NC77, CC BY 4.0): 1,000 loans, three in ten of them bad.
With it comes a price list: to grant a bad loan costs five times what it costs to refuse
a good one. Here the one is half of the amount, the other a tenth of it, and to ask an
officer costs 100 whatever the loan. Start the service first (`make serve`); DEMUR_URL
names another one.

Two versions learn from 700 loans, at the mean amount and at each loan's own. Both
decide the other 300, and are counted at each loan's own prices.
"""

import os
import sys
import time
from pathlib import Path
from typing import Any

import httpx

URL = os.environ.get("DEMUR_URL", "http://127.0.0.1:8000")
NAMES = [
    "account",
    "months",
    "history",
    "purpose",
    "amount",
    "savings",
    "employed",
    "rate",
    "status",
    "debtors",
    "resident",
    "property",
    "age",
    "plans",
    "housing",
    "credits",
    "job",
    "liable",
    "phone",
    "foreign",
]
NUMBERS = {"months", "amount", "rate", "resident", "age", "credits", "liable"}
BAD, REFUSED, ASKED = 0.5, 0.1, 100.0
KNOWN = 700


def loans(file: Path) -> list[dict[str, Any]]:
    """Read the loans, and whether each was good or bad."""
    made = []
    for line in file.read_text(encoding="ascii").splitlines():
        *cells, last = line.split()
        loan: dict[str, Any] = {
            name: float(cell) if name in NUMBERS else cell
            for name, cell in zip(NAMES, cells, strict=True)
        }
        made.append({**loan, "loan": "bad" if last == "2" else "good"})
    return made


def prices(bad: Any, refused: Any) -> dict[str, Any]:
    """Return the costs of a request; +1 is a bad loan."""
    return {
        "false_negative": bad,
        "false_positive": refused,
        "reject_positive": ASKED,
        "reject_negative": ASKED,
    }


def train(service: httpx.Client, rows: list[dict[str, Any]], costs: Any) -> str:
    """Train a version, wait for it; return its reference."""
    job = call(
        service,
        "/train",
        {
            "model": "loans",
            "trainer": {"kind": "logistic"},
            "costs": costs,
            "data": {
                "kind": "inline",
                "columns": list(rows[0]),
                "rows": [list(row.values()) for row in rows],
            },
            "target": {"column": "loan", "positive": "bad"},
        },
    )
    while job["status"] in {"queued", "running"}:
        time.sleep(0.2)
        job = service.get(f"/jobs/{job['id']}").json()
    if job["status"] != "succeeded":
        raise SystemExit(f"the training ended as {job['status']}: {job['error']}")
    return f"loans:{job['result']['version']}"


def call(service: httpx.Client, path: str, content: Any) -> Any:
    """Return the answer; end with the problem's words."""
    try:
        answer = service.post(path, json=content)
    except httpx.ConnectError:
        raise SystemExit(f"no service answers at {URL}; start it: make serve") from None
    if answer.is_error:
        raise SystemExit(f"{path}: {answer.json()['detail']}")
    return answer.json()


def cost(loan: dict[str, Any], decision: str) -> float:
    """Return what a decision on a loan has cost."""
    if decision == "reject":
        return ASKED
    called = "bad" if decision == "+1" else "good"
    if called == loan["loan"]:
        return 0.0
    return float(loan["amount"]) * (BAD if called == "good" else REFUSED)


def main(file: Path) -> dict[str, float]:
    """Train twice, decide twice; return what a loan costs on average."""
    rows = loans(file)
    known, later = rows[:KNOWN], rows[KNOWN:]
    mean = sum(row["amount"] for row in known) / len(known)
    of_row = [{"column": "amount", "times": times} for times in (BAD, REFUSED)]
    asked = [{k: v for k, v in row.items() if k != "loan"} for row in later]
    spent = {}
    with httpx.Client(base_url=URL, timeout=60) as service:
        for name, costs in (
            ("at the mean amount", prices(BAD * mean, REFUSED * mean)),
            ("at its own amount", prices(*of_row)),
        ):
            question = {"model": train(service, known, costs), "instances": asked}
            told = call(service, "/predict", question)["predictions"]
            costs_of = [
                cost(loan, one["decision"])
                for loan, one in zip(later, told, strict=True)
            ]
            spent[name] = sum(costs_of) / len(later)
            people = sum(one["decision"] == "reject" for one in told)
            print(
                f"each loan decided {name}: {people} of {len(later)} to an officer,"
                f" {spent[name]:.0f} a loan"
            )
    return spent


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: loans.py german.data")
    main(Path(sys.argv[1]))
