"""GET /rules/bounded-error/rows, and the command."""

import json
from math import ceil

import pytest
import typer.testing

from app.cli import demur
from solvers.rules.rows_for_error import rows_for_error
from tests.app.predict.conftest import serve

__all__ = ["serve"]

ASKED = {"max_error": 0.05, "expected_error": 0.02}


@pytest.fixture(scope="module")
def service(serve):
    running, _ = serve()
    return running


def test_the_rows_are_told_with_their_spread(service):
    query = {**ASKED, "reject_rate": 0.2}
    told = service.http.get("/rules/bounded-error/rows", params=query).json()
    chances = {"lucky": 0.05, "even": 0.5, "unlucky": 0.95}
    decided = {k: rows_for_error(0.05, 0.02, 0.95, c) for k, c in chances.items()}
    assert told["decided"] == decided
    # A tenth of the calibration part chooses, and a fifth of the rest is rejected.
    for name, rows in decided.items():
        assert told["calibration"][name] == ceil(rows / (0.9 * 0.8))
        assert told["rows"][name] == ceil(rows / (0.9 * 0.8 * 0.25))


@pytest.mark.parametrize(
    "query",
    [
        {},
        {**ASKED, "expected_error": 0.05},
        {**ASKED, "max_error": 0},
        {**ASKED, "confidence": 1},
        {**ASKED, "reject_rate": 1},
        {**ASKED, "rows": 5},
    ],
)
def test_what_cannot_be_promised_is_refused(service, query):
    answer = service.http.get("/rules/bounded-error/rows", params=query)
    assert answer.status_code == 422


def test_the_command_shows_them(service):
    runner = typer.testing.CliRunner(
        env={"DEMUR_URL": f"http://127.0.0.1:{service.port}"}
    )
    asked = ["rows", "--max-error", "0.05", "--expected-error", "0.02"]
    shown = runner.invoke(demur, asked)
    assert shown.exit_code == 0, shown.output
    assert "calibration" in shown.stdout
    told = json.loads(runner.invoke(demur, [*asked, "--json"]).stdout)
    assert told["decided"]["even"] == rows_for_error(0.05, 0.02)
