"""Labels, weights, groups and moments as the request's table holds them."""

import json

import numpy as np
import pytest

from app.errors import InvalidRequestError
from app.train.parsing import read_mapping
from app.train.service import accept, check
from app.train.target import read_sample
from tests.app.pima_like import inline


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


@pytest.mark.parametrize(
    ("labels", "asked", "positive"),
    [
        ([1, 0], "1", 1),
        (["1.0", "0.0"], 1, "1.0"),
        ([" yes", "no "], "yes ", "yes"),
        ([True, False], "True", True),
        (["TRUE", "False"], True, "TRUE"),
    ],
)
def test_labels_are_compared_as_categories_are(body, table, labels, asked, positive):
    for i, row in enumerate(table["rows"]):
        row[7] = labels[i % 2]
    made = sample(body(data=table, target={"column": " outcome", "positive": asked}))
    assert (made.positive, type(made.positive)) == (positive, type(positive))
    np.testing.assert_array_equal(made.y, [1, -1] * 6)


def test_spellings_of_a_label_and_of_a_group_are_one(body, table):
    for i, row in enumerate(table["rows"]):
        row[7] = ["yes", " no", "yes\t", "no"][i % 4]
        row[4] = [f"{i // 2}", f" {i // 2}.0"][i % 2]
    made = sample(body(data=table, groups="patient"))
    np.testing.assert_array_equal(made.y, [1, -1] * 6)
    np.testing.assert_array_equal(made.groups, np.arange(12) // 2)


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


@pytest.fixture
def refused_labels(body):
    """What is wrong with a column of labels, of which one is the positive one."""

    def detail(labels, positive):
        data = inline([[i, label] for i, label in enumerate(labels)], ["x", "y"])
        request = body(data=data, target={"column": "y", "positive": positive})
        with pytest.raises(InvalidRequestError) as caught:
            read_sample(read_mapping(request))
        return caught.value.errors[0].detail

    return detail


def test_the_labels_to_choose_from_are_listed_where_they_are_few(refused_labels):
    told = refused_labels(["yes", "no"] * 5, "Yes")
    assert told.endswith("; the labels are 'no', 'yes'")
    told = refused_labels([1, 0, 2] * 4, 1)
    assert told.endswith("; the labels are '0', '1', '2'")
    told = refused_labels(["yes", "no"] * 5 + ["Ms Smith, see 4711"], "yes")
    assert told.endswith("; the labels are 'no', 'yes', and 1 that are rare or long")
    assert "labels are" not in refused_labels(list(map(str, range(20))) * 2, "1")
