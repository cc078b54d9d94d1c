"""What does not go with prices of rows is refused by name, with the way out."""

import pytest

from tests.app.row_prices.payments import PRICES, body, inline, payments

ROWS = payments(60)


def with_price(**price):
    return {**PRICES, "false_negative": price}


REFUSED = {
    "unknown column": (
        {"costs": with_price(column="sum")},
        "/costs/false_negative/column",
        "no column 'sum'",
    ),
    "booleans": (
        {"costs": with_price(column="night")},
        "/costs/false_negative/column",
        "holds booleans",
    ),
    "texts": (
        {
            "costs": with_price(column="shop"),
            "data": inline(
                [[*row, "ab"[i % 2]] for i, row in enumerate(ROWS)],
                ["amount", "night", "age", "kind", "shop"],
            ),
        },
        "/costs/false_negative/column",
        "holds texts",
    ),
    "target": (
        {"costs": with_price(column="kind")},
        "/costs/false_negative/column",
        "is the target",
    ),
    "times of 0": (
        {"costs": with_price(column="amount", times=0)},
        "/costs/false_negative/times",
        "1e-12",
    ),
    "times below 0": (
        {"costs": with_price(column="amount", times=-2)},
        "/costs/false_negative/times",
        "1e-12",
    ),
    "another key": (
        {"costs": with_price(column="amount", plus=3)},
        "/costs/false_negative/plus",
        "take one of: column, times",
    ),
    "no column": (
        {"costs": with_price(times=2)},
        "/costs/false_negative/column",
        "is missing",
    ),
    "a text for a price": (
        {"costs": {**PRICES, "false_positive": "amount"}},
        "/costs/false_positive",
        "must be a number",
    ),
    "a missing price": (
        {"data": inline([[None, *ROWS[0][1:]], [0, *ROWS[1][1:]], *ROWS[2:]])},
        "/costs/false_negative/column",
        "2 rows (0, 1,",
    ),
    "plug-in": (
        {"rule": {"kind": "plug-in"}, "trainer": {"kind": "p-svm"}},
        "/rule",
        "leave the rule out",
    ),
    "expected-cost": ({"rule": {"kind": "expected-cost"}}, "/rule", "chow"),
    "a promise": (
        {"rule": {"kind": "bounded-cost", "max_cost": 3}},
        "/rule",
        "leave the rule out",
    ),
    "a share of rejects": (
        {"rule": {"kind": "bounded-abstention", "max_reject_rate": 0.2}},
        "/rule",
        "leave the rule out",
    ),
    "a threshold": (
        {"rule": {"kind": "chow", "reject_threshold": 0.2}},
        "/rule",
        "leave the rule out",
    ),
    "abstention boosting": (
        {"trainer": {"kind": "abstention-boosting"}},
        "/trainer/kind",
        "auto or double-hinge-svm",
    ),
    "abstention trees": (
        {"trainer": {"kind": "abstention-trees"}},
        "/trainer/kind",
        "auto or double-hinge-svm",
    ),
    "a reduction": (
        {"trainer": {"kind": "svm", "reduction": {"kind": "sca"}}},
        "/trainer/reduction",
        "leave the reduction out",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_training_is_refused_with_the_place_and_the_way_out(server, name):
    changes, pointer, words = REFUSED[name]
    sent = body("refused", **{"data": inline(ROWS), **changes})
    answer = server.http.post("/train", json=sent)
    assert answer.status_code == 422, answer.text
    found = {error["pointer"]: error["detail"] for error in answer.json()["errors"]}
    assert words in found[pointer], found
