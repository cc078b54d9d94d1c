"""A column that became several encoded ones gets the sum of what they add."""

import numpy as np
import pytest

from app.errors import InvalidRequestError
from app.features.encoding import encode_table
from app.features.schema import FeatureSchema
from app.features.table import Table
from app.features.typical import typical_row
from app.predict.explain import Explainer
from solvers import AbstentionBoostingClassifier, AdaBoostStumpClassifier, HingeSVC
from solvers.scoring import load


@pytest.mark.parametrize(
    "trainer",
    [AbstentionBoostingClassifier(n_rounds=60), AdaBoostStumpClassifier(n_rounds=60)],
    ids=lambda trainer: type(trainer).__name__,
)
def test_every_encoded_column_counts_for_the_column_it_came_from(trainer):
    draw = np.random.default_rng(0)
    n = 400
    town, age = draw.integers(0, 4, n), draw.normal(size=n)
    gone = draw.random(n) < 0.3
    pull = np.array([2.0, -1.0, 0.7, -2.0])[town] + np.where(gone, 1.5, age)
    y = np.where(pull + draw.normal(size=n) > 0, 1, -1)
    rows = [
        ["abcd"[t], None if g else float(a)]
        for t, a, g in zip(town, age, gone, strict=True)
    ]
    table = Table.from_rows(["town", "age"], rows)
    schema = FeatureSchema.fit(table)
    matrix = encode_table(schema, table).matrix
    scorer = load(trainer.fit(matrix, y).scorer_payload())
    terms = scorer.explain(matrix)["h"]
    used = [
        name
        for name, column in zip(schema.encoded_columns, terms.T, strict=True)
        if column.any()
    ]
    assert used.count("town") > 2, "the test needs several columns of one"
    assert used.count("age") == 2
    told = Explainer(schema, scorer).explain(matrix)
    assert all(row.exact for row in told)
    scores = scorer.outputs(matrix).score
    for row, score, own in zip(told, scores, terms, strict=True):
        assert row.intercept.h + sum(row.h.values()) == score
        for name in schema.names:
            parts = [
                part
                for column, part in zip(schema.encoded_columns, own, strict=True)
                if column == name
            ]
            assert row.h[name] == pytest.approx(sum(parts), abs=1e-12)


def test_a_typical_row_has_medians_and_the_most_frequent_categories():
    rows = [[1.0, "b", True], [2.0, "a", True], [9.0, "b", False], [None, None, True]]
    table = Table.from_rows(["n", "town", "flag"], rows)
    for native in (False, True):
        schema = FeatureSchema.fit(table, missing_native=native)
        matrix = encode_table(schema, table).matrix
        typical = typical_row(schema, matrix)
        told = dict(zip(schema.encoded_names, typical.tolist(), strict=True))
        like = Table.from_rows(["n", "town", "flag"], [[2.0, "b", True]])
        wanted = encode_table(schema, like).matrix[0]
        np.testing.assert_allclose(typical, wanted, err_msg=str(told))


def test_what_no_training_row_has_is_missing_in_a_typical_one():
    table = Table.from_rows(["n", "m"], [[1.0, None], [3.0, None]])
    schema = FeatureSchema.fit(table, missing_native=True)
    typical = typical_row(schema, encode_table(schema, table).matrix)
    assert np.isnan(typical).sum() == 1


def test_a_model_of_an_earlier_release_says_the_way_out():
    table = Table.from_rows(["n"], [[1.0], [2.0]])
    scorer = load(
        HingeSVC(kernel="linear").fit([[0.0], [1.0]], [-1, 1]).scorer_payload()
    )
    with pytest.raises(InvalidRequestError) as caught:
        Explainer(FeatureSchema.fit(table), scorer)
    (fault,) = caught.value.errors
    assert "train it again" in fault.detail
