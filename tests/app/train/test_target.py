"""Labels, weights, groups and moments as the request's table holds them."""

import json

import numpy as np
import pytest

from app.train.service import accept, check


def sample(body):
    return check(accept(json.dumps(body).encode()))


@pytest.mark.parametrize(
    ("labels", "positive", "negative"),
    [
        (["yes", "no"], "yes", "no"),
        ([1, 0], 1, 0),
        ([1.5, 2], 2, 1.5),
        ([True, False], False, True),
        (["1", "0"], "1", "0"),
    ],
)
def test_labels_are_the_users_own(body, table, labels, positive, negative):
    for i, row in enumerate(table["rows"]):
        row[7] = labels[i % 2]
    made = sample(body(data=table, target={"column": "outcome", "positive": positive}))
    assert (made.positive, made.negative) == (positive, negative)
    assert type(made.positive) is type(positive)
    expected = [1 if labels[i % 2] == positive else -1 for i in range(12)]
    np.testing.assert_array_equal(made.y, expected)


def test_special_columns_are_no_features(body):
    made = sample(
        body(
            target={"column": "outcome", "positive": "yes", "weight": "w"},
            groups="patient",
            evaluation={"order_by": "day"},
        )
    )
    assert made.features == ("glucose", "bmi", "smokes", "ward")
    np.testing.assert_array_equal(made.weight, [1, 2] * 6)
    np.testing.assert_array_equal(made.groups, np.arange(12) // 2)
    np.testing.assert_array_equal(np.diff(made.moment), np.full(11, 86_400))


def test_an_offset_of_a_date_counts(body, table):
    for i, row in enumerate(table["rows"]):
        row[5] = "2024-01-01T00:00:00" + ("+02:00" if i else "")
    moment = sample(body(data=table, evaluation={"order_by": "day"})).moment
    np.testing.assert_array_equal(moment[0] - moment[1:], 7200)


def test_certain_labels_stand_beside_probabilities(body, table):
    targets = [-1, 0.2, 1, 0.9, 0, 0.6, -1, 0.3, 1, 0.8, 0.1, 0.7]
    for row, target in zip(table["rows"], targets, strict=True):
        row[7] = target
    made = sample(
        body(
            data=table,
            trainer={"kind": "p-svm"},
            target={"column": "outcome", "probability": True},
        )
    )
    assert made.probabilities
    np.testing.assert_array_equal(made.y, np.maximum(targets, 0))
