"""Every refusal names the place and the way out, and repeats nothing of the body."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from app.errors import FieldError, InvalidRequestError, MalformedRequestError
from app.train.service import accept

Body = dict[str, Any]
MakeBody = Callable[..., Body]


def refused(body: Body) -> FieldError:
    with pytest.raises(InvalidRequestError) as caught:
        accept(json.dumps(body).encode())
    return caught.value.errors[0]


def test_what_a_union_lacks_is_told_by_its_key_and_not_by_the_names_of_types(body):
    limits = {"yes": 0.1, "-1": 0.1}
    sent = body(rule={"kind": "bounded-error", "max_error": limits})
    with pytest.raises(InvalidRequestError) as caught:
        accept(json.dumps(sent).encode())
    told = {error.pointer: error.detail for error in caught.value.errors}
    assert told["/rule/max_error/+1"] == "is missing"
    assert told["/rule/max_error/yes"].endswith("take one of: +1, -1")
    assert set(told) == {f"/rule/max_error{end}" for end in ("", "/+1", "/yes")}


def test_the_body_of_the_tests_is_acceptable(body):
    request = accept(json.dumps(body()).encode()).request
    assert request.trainer.kind == "double-hinge-svm"
    assert request.evaluation.holdout == 0.2


TWO = {"positive": "yes", "negative": "no"}


@pytest.mark.parametrize(
    ("changes", "pointer", "words"),
    [
        ({"model": "a:b"}, "/model", "takes letters, digits"),
        ({"model": 7}, "/model", "string"),
        (
            {"trainer": {"kind": "magic"}},
            "/trainer/kind",
            "available: double-hinge-svm",
        ),
        ({"trainer": {}}, "/trainer/kind", '"kind" is needed'),
        ({"trainer": "svm"}, "/trainer", "an object is needed"),
        ({"trainer": {"kind": "double-hinge-svm", "C": "1"}}, "/trainer/C", "number"),
        ({"trainer": {"kind": "double-hinge-svm", "C": True}}, "/trainer/C", "number"),
        ({"trainer": {"kind": "double-hinge-svm", "C": 0}}, "/trainer/C", "at least"),
        (
            {"trainer": {"kind": "double-hinge-svm", "cost": 0.2}},
            "/trainer/cost",
            "under /costs",
        ),
        (
            {
                "trainer": {
                    "kind": "double-hinge-svm",
                    "kernel": {"kind": "rbf", "d": 1},
                }
            },
            "/trainer/kernel/d",
            "leave it out",
        ),
        (
            {
                "trainer": {
                    "kind": "double-hinge-svm",
                    "kernel": {"kind": "rbf", "gamma": "wide"},
                }
            },
            "/trainer/kernel/gamma",
            "'scale' or 'auto'",
        ),
        ({"rule": {"kind": "magic"}}, "/rule/kind", "available: plug-in"),
        ({"costs": None}, "/costs", "needs costs"),
        ({"rule": {"kind": "chow"}, "costs": None}, "/costs", "reject_threshold"),
        (
            {"rule": {"kind": "chow", "reject_threshold": 0.7}},
            "/rule/reject_threshold",
            "0.5",
        ),
        (
            {"rule": {"kind": "bounded-error", "max_error": {"+1": 0.1}}},
            "/rule/max_error",
            "number",
        ),
        ({"search": {"params": {}}}, "/search/params", "must not be empty"),
        ({"evaluation": {"seed": 2**40}}, "/evaluation/seed", "below 4294967296"),
        ({"trainer": {"kind": "svm"}}, "/rule/kind", "rules that fit: chow"),
        ({"rule": {"kind": "bartlett-wegkamp"}}, "/costs", "symmetric"),
        (
            {"rule": {"kind": "bounded-abstention"}},
            "/rule",
            "both reviews_per_day and cases_per_day",
        ),
        (
            {
                "rule": {"kind": "bounded-error", "max_error": 0.1},
                "target": {"column": "outcome", "positive": "yes", "weight": "w"},
            },
            "/target/weight",
            "each row once",
        ),
        (
            {"rule": {"kind": "bounded-error", "max_error": 0.1}, "refit": True},
            "/refit",
            "cannot be fitted again",
        ),
        ({"rule": {"kind": "embedded"}}, "/rule/kind", "rules that fit: plug-in"),
        (
            {
                "trainer": {"kind": "abstention-boosting", "surrogate": "max"},
                "rule": None,
            },
            "/trainer/surrogate",
            "use sum",
        ),
        (
            {"trainer": {"kind": "p-svm"}, "rule": {"kind": "plug-in"}},
            "/rule/kind",
            "p-svm on plain labels, of which its score is no probability; rules that"
            " fit: chow, expected-cost",
        ),
        *(
            (
                {
                    "trainer": {"kind": "double-hinge-svm", "class_weight": "balanced"},
                    "rule": {"kind": rule},
                    "costs": None,
                },
                "/rule/kind",
                "with class_weight, which moves the score that the rule believes; rules"
                " that fit: chow, expected-cost",
            )
            for rule in ("plug-in", "bartlett-wegkamp")
        ),
        (
            {"trainer": {"kind": "p-svm", "reduction": {"kind": "sca"}}},
            "/trainer/reduction",
            "double-hinge-svm and svm",
        ),
        (
            {
                "guards": {"outlier": True},
                "rule": {"kind": "bounded-cost", "max_cost": 0.25},
            },
            "/guards",
            "mean over all cases",
        ),
        ({"surprise": 1}, "/surprise", "leave it out"),
        ({"target": {"column": "outcome"}}, "/target", 'give either "positive"'),
        ({"target": {"column": "none", "positive": 1}}, "/target/column", "no such"),
        (
            {"target": {"column": "outcome", "positive": "maybe"}},
            "/target/positive",
            "true and 1 are not",
        ),
        (
            {"target": {"column": "smokes", "positive": 1}},
            "/target/positive",
            "true and 1 are not",
        ),
        (
            {"target": {"column": "glucose", "positive": 100}},
            "/target/column",
            "12 different labels",
        ),
        (
            {"target": {"column": "outcome", "positive": "yes", "weight": "ward"}},
            "/data/rows/0/3",
            "a weight is 0 or a number",
        ),
        (
            {"target": {"column": "outcome", "positive": "yes", "weight": "outcome"}},
            "/target/weight",
            "another role",
        ),
        (
            {"target": {"column": "outcome", "labels": TWO, "positive": "yes"}},
            "/target",
            "labels go with probability",
        ),
        (
            {
                "target": {
                    "column": "smokes",
                    "probability": True,
                    "labels": {"positive": "a", "negative": "a"},
                }
            },
            "/target/labels",
            "two labels",
        ),
        (
            {
                "target": {
                    "column": "outcome",
                    "positive": "yes",
                    "label_precision": "w",
                }
            },
            "/target/label_precision",
            "these do: p-svm",
        ),
        (
            {
                "trainer": {"kind": "p-svm"},
                "rule": {"kind": "chow"},
                "target": {
                    "column": "outcome",
                    "positive": "yes",
                    "label_precision": "w",
                },
            },
            "/data/rows/0/6",
            "a precision is a number from 1e-06 to 0.49",
        ),
        ({"groups": "bmi"}, "/data/rows/5/1", "every row needs its group"),
        ({"evaluation": {"order_by": "ward"}}, "/data/rows/0/3", "ISO 8601"),
        ({"evaluation": {"holdout": 1}}, "/evaluation/holdout", "below 1"),
        ({"evaluation": {"holdout": 0}, "refit": True}, "/refit", "all rows already"),
        ({"guards": {"outlier": 1}}, "/guards/outlier", "boolean"),
        ({"prevalence": 0}, "/prevalence", "must be at least 1e-06"),
        ({"data": {"kind": "file"}}, "/data/kind", "available: inline, dataset"),
        ({"data": {"kind": "dataset", "id": "x"}}, "/data/id", "takes an id"),
        ({"data": 3}, "/data", "object"),
    ],
)
def test_a_refusal_names_the_place_and_the_way_out(
    body: MakeBody, changes, pointer, words
):
    fault = refused(body(**changes))
    assert fault.pointer == pointer
    assert words in fault.detail


@pytest.mark.parametrize(
    ("rows", "pointer", "row", "column"),
    [
        ([], "/data/rows", None, None),
        (7, "/data/rows", None, None),
        ([7], "/data/rows/0", 0, None),
        ([[1, "yes"], [1]], "/data/rows/1", 1, None),
        ([[1, "yes"], [{"a": 1}, "no"]], "/data/rows/1/0", 1, "x"),
        ([[1, "yes"], [[1], "no"]], "/data/rows/1/0", 1, "x"),
        ([[1, "yes"], ["1", "no"]], "/data/rows/1/0", 1, "x"),
        ([[1, "yes"], [True, "no"]], "/data/rows/1/0", 1, "x"),
        ([[1, "yes"], [10**400, "no"]], "/data/rows/1/0", 1, "x"),
        ([[1, "yes"], [2, None]], "/data/rows/1/1", 1, "outcome"),
        ([[1, "yes"], [2, "no"], [3, "no"]], "/data/rows", None, None),
    ],
)
def test_a_bad_cell_is_named_by_row_and_column(
    body: MakeBody, rows, pointer, row, column
):
    table = {"kind": "inline", "columns": ["x", "outcome"], "rows": rows}
    fault = refused(body(data=table))
    assert (fault.pointer, fault.row, fault.column) == (pointer, row, column)


def test_a_cell_that_is_no_double_is_named(body: MakeBody):
    text = json.dumps(body()).replace("101.0", "1e999")
    with pytest.raises(InvalidRequestError) as caught:
        accept(text.encode())
    assert caught.value.errors[0].pointer == "/data/rows/1/0"


def test_both_sides_of_the_inequality_are_told(body: MakeBody):
    fault = refused(body(costs={**body()["costs"], "reject_negative": 0.9}))
    assert fault.pointer == "/costs"
    assert "5.1 >= 5" in fault.detail


def test_a_column_given_twice_is_refused(body: MakeBody, table):
    table["columns"] = ["glucose", "glucose", *table["columns"][2:]]
    assert refused(body(data=table)).pointer == "/data/columns/1"


def test_weight_zero_counts_as_no_row(body: MakeBody, table):
    for row in table["rows"]:
        row[6] = 0 if row[7] == "yes" else 1
    fault = refused(
        body(data=table, target={"column": "outcome", "positive": "yes", "weight": "w"})
    )
    assert "the label 'yes' (+1) has 0 rows" in fault.detail


def test_rows_that_stay_together_count_once(body: MakeBody, table):
    for row in table["rows"]:
        row[4] = "one"
    assert "has 1 groups" in refused(body(data=table, groups="patient")).detail


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"\xff",
        b'{"costs": NaN}',
        b'{"a": Infinity}',
        b'{"a":' + b"[" * 90_000,
    ],
)
def test_what_is_no_json_is_malformed(raw):
    with pytest.raises(MalformedRequestError):
        accept(raw)


@pytest.mark.parametrize("raw", [b"[1]", b"3", b"null", b'"secret"'])
def test_a_body_is_an_object(raw):
    with pytest.raises(InvalidRequestError):
        accept(raw)
