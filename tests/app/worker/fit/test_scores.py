"""Scores of a model elsewhere: taken as they are, calibrated, decided by any rule."""

import numpy as np
import pytest

from app.artifacts.model import ServedModel
from app.errors import InvalidRequestError
from app.evidence.stored import Stored
from tests.app.worker.fit.mixed_columns import EVEN, decided, trained

COLUMNS = ["name", "day", "score", "outcome"]


def scored(n=600, seed=0, known=True):
    """Rows whose log-odds of +1 are twice the score."""
    draw = np.random.default_rng(seed)
    made = []
    for i, f in enumerate(draw.normal(size=n)):
        label = "yes" if draw.random() < 1 / (1 + np.exp(-2 * f)) else "no"
        made.append([f"case {i}", f"2024-01-{i % 28 + 1:02}", float(f), label])
    return made if known else [row[:-1] for row in made]


def probable(table):
    """The same rows with a probability for a score, one that is too timid."""
    return [[*row[:2], float(1 / (1 + np.exp(-row[2]))), *row[3:]] for row in table]


def from_scores(table=None, scale="any", column="score", **changes):
    trainer = {"kind": "scores", "column": column, "scale": scale}
    asked = {"costs": EVEN, "columns": COLUMNS, **changes}
    return trained(table=table or scored(), trainer=trainer, **asked)


def model_of(result):
    return ServedModel.from_payload(result.artifact)


def test_the_score_is_handed_through_and_its_probability_is_calibrated():
    model = model_of(from_scores(scored(4000)))
    judged = decided(model, scored(500, seed=1), COLUMNS)
    given = np.array([row[2] for row in scored(500, seed=1)])
    np.testing.assert_array_equal(judged.scores, given)
    true = 1 / (1 + np.exp(-2 * given))
    assert np.abs(judged.probabilities - true).mean() < 0.03


def test_a_probability_is_read_as_log_odds():
    plain, odds = (
        decided(model_of(from_scores(table, scale)), rows, COLUMNS)
        for table, scale, rows in (
            (scored(), "log-odds", scored(200, seed=1)),
            (probable(scored()), "probability", probable(scored(200, seed=1))),
        )
    )
    np.testing.assert_allclose(odds.scores, plain.scores, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(odds.decisions, plain.decisions)


def test_every_training_row_is_evidence_by_time_too():
    for order in ({}, {"order_by": "day"}):
        result = from_scores(evaluation={"holdout": 0.25, **order})
        unseen = Stored.from_payload(result.artifact).out_of_fold
        assert len(unseen.scores) == result.summary["training_rows"]
        assert not any("folds drawn at random" in text for text in result.warnings)


def test_other_columns_are_left_out_and_named():
    result = from_scores()
    assert [one["name"] for one in result.summary["features"]] == ["score"]
    assert any("left out: 'name'" in text for text in result.warnings)


def test_equal_scores_are_no_equal_cases():
    rounded = [[*row[:2], round(row[2], 1), row[3]] for row in scored()]
    assert not any("equal a" in text for text in from_scores(rounded).warnings)


def test_a_promise_is_counted_on_scores():
    told = from_scores(
        scored(3000), rule={"kind": "bounded-error", "max_error": 0.1}
    ).summary
    assert told["feasible"] is True
    assert told["evaluation"]["error_rate"] < 0.12


def test_a_search_finds_the_better_of_two_scores():
    draw = np.random.default_rng(5)
    table = [[*row[:2], *row[2:3], draw.normal(), row[3]] for row in scored()]
    result = trained(
        table=table,
        columns=["name", "day", "good", "noise", "outcome"],
        costs=EVEN,
        trainer={"kind": "scores", "column": "noise"},
        search={"params": {"column": ["noise", "good"]}, "folds": 3},
    )
    assert result.summary["trainer"]["column"] == "good"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"column": "scores"}, "no such column"),
        ({"column": "outcome"}, "another role"),
        ({"column": "day"}, "holds dates"),
        ({"column": "name"}, "holds texts"),
        ({"scale": "probability"}, r"divide percentages by 100"),
    ],
)
def test_what_is_no_score_is_refused_with_its_place_and_no_value(asked, said):
    with pytest.raises(InvalidRequestError, match=said) as caught:
        from_scores(**asked)
    (error,) = caught.value.errors
    assert error.pointer == "/trainer/column"
    if "scale" in asked:
        first = next(i for i, row in enumerate(scored()) if not 0 <= row[2] <= 1)
        assert (error.row, error.column) == (first, "score")


def test_a_missing_score_is_the_median_where_no_guard_rejects_it():
    off = {"missing_value": False}
    model = model_of(from_scores(guards=off))
    (score,) = decided(model, [["a", "2024-01-01", None, "no"]], COLUMNS).scores
    training = Stored.from_payload(from_scores(guards=off).artifact).out_of_fold
    assert score == np.median(training.scores)
