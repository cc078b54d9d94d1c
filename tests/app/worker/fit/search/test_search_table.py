"""The table of a search: what was compared, by what, and what failed."""

import pytest

from app.errors import InvalidRequestError
from solvers.trainers.svm import HingeSVC
from tests.app.worker.fit.search.searched import QUICK, trained


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (ValueError("the kernel overflows"), "the kernel overflows"),
        (MemoryError(), "MemoryError"),
        (RuntimeError("a fault of ours"), "an unexpected RuntimeError"),
    ],
)
def test_a_candidate_that_fails_is_told_and_the_others_go_on(
    body, monkeypatch, failure, words
):
    def fails(*_, **__):
        raise failure

    monkeypatch.setattr(HingeSVC, "fit", fails)
    search = {"candidates": [{"kind": "svm"}, QUICK], "folds": 2}
    result = trained(body(trainer=None, search=search))
    table = result.summary["search"]["table"]
    assert result.summary["search"]["failed"] == 1
    assert [row["candidate"] for row in table][2] == 1
    assert table[2]["rank"] is None
    assert table[2]["mean"] is None
    assert words in table[2]["error"]
    assert result.summary["trainer"]["kind"] == "adaboost"
    assert any("1 of 3 candidates" in warning for warning in result.warnings)
    alone = body(trainer={"kind": "svm"}, search={"params": {"C": [1]}, "folds": 2})
    with pytest.raises(InvalidRequestError, match=f"candidate failed.*{words}"):
        trained(alone)


def test_columns_that_tell_nothing_have_figures_too(body):
    rows = [[1.0, 0.0, "a", f"p{i}", i, ["yes", "no"][i % 2]] for i in range(60)]
    data = {**body()["data"], "rows": rows}
    rule = {"kind": "bounded-abstention", "max_reject_rate": 0.0}
    search = {"candidates": [QUICK], "folds": 2}
    request = body(trainer=None, costs=None, rule=rule, search=search, data=data)
    with pytest.raises(InvalidRequestError, match="guards reject every row"):
        trained(request)  # each patient is a category that no other row has
    request["guards"] = {"unseen_category": False}
    found = trained(request).summary["search"]
    assert all(row["mean"] == pytest.approx(0.5, abs=0.2) for row in found["table"])


@pytest.mark.parametrize(
    ("rule", "measure", "higher"),
    [
        ({"kind": "mutual-information"}, "normalized_mutual_information", True),
        ({"kind": "chow", "reject_threshold": 0.3}, "chow_risk", False),
        (
            {"kind": "bounded-abstention", "max_reject_rate": 0.2},
            "selective_error",
            False,
        ),
        ({"kind": "bounded-error", "max_error": 0.4}, "reject_rate", False),
    ],
)
def test_without_costs_the_rule_says_what_is_better(body, rule, measure, higher):
    search = {"candidates": [QUICK], "folds": 2}
    request = body(trainer=None, costs=None, rule=rule, search=search)
    found = trained(request).summary["search"]
    assert (found["measure"], found["higher_is_better"]) == (measure, higher)
    means = [row["mean"] for row in found["table"]]
    assert means == sorted(means, reverse=higher)
    if measure == "chow_risk":
        rates = [row["reject_rate"] for row in found["table"]]
        assert all(
            0.3 * r <= m <= 1 - 0.7 * r for m, r in zip(means, rates, strict=True)
        )
    if measure == "reject_rate":
        assert all(row["mean"] == row["reject_rate"] for row in found["table"])
