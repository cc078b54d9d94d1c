"""A look at other prices, and the curves: the figures of a re-pricing, nothing made."""

import numpy as np
import pytest

from tests.app.pima_like import PRICES, inline, patients, train

DRAWN = [
    {
        "false_positive": float(fp),
        "false_negative": float(fn),
        "reject_positive": float(fn * share),
        "reject_negative": float(fp * share),
    }
    for fp, fn, share in np.random.default_rng(3).uniform(
        [0.5, 1.0, 0.05], [2.0, 9.0, 0.4], size=(5, 3)
    )
]
CHANGES = [
    *({"costs": costs} for costs in DRAWN),
    {"max_reject_rate": 0.1},
    {"rule": {"kind": "mutual-information"}},
    {"prevalence": 0.1},
]


@pytest.fixture(scope="module")
def trained(server):
    """A booster under Chow's rule, with guards, on six hundred rows."""
    return train(
        server,
        "shown",
        trainer={"kind": "gradient-boosting", "n_rounds": 20},
        rule={"kind": "chow"},
        data=inline(patients(600)),
        guards={"outlier": True},
    )


def ask(server, what, **body):
    return server.http.post(f"/models/shown/versions/1/{what}", json=body)


def versions(server) -> int:
    return server.http.get("/models/shown").json()["latest_version"]


def curves(server, name="shown") -> dict:
    answer = server.http.get(f"/models/{name}/versions/1/curves")
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("change", CHANGES)
def test_a_preview_tells_what_the_repricing_gives_and_makes_nothing(
    server, trained, change
):
    before = versions(server)
    shown = ask(server, "preview", **change)
    assert shown.status_code == 200, shown.text
    assert versions(server) == before
    made = ask(server, "reprice", **change).json()
    assert made.pop("model")["version"] == before + 1
    assert shown.json() == made


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, 422),
        ({"costs": {**PRICES, "reject_positive": 99.0}}, 422),
        ({"max_error": 0.1}, 409),
    ],
)
def test_what_cannot_be_repriced_cannot_be_looked_at(server, trained, change, status):
    shown, made = (ask(server, what, **change) for what in ("preview", "reprice"))
    assert shown.status_code == made.status_code == status
    assert shown.json()["detail"] == made.json()["detail"]


def test_curves_pass_through_the_figures_of_the_evaluation(server, trained):
    told, figures = curves(server), trained["evaluation"]
    cost, risk = told["cost_reject"], told["risk_coverage"]
    assert told["rows"] == figures["rows"]
    assert cost["operating_point"] == pytest.approx(
        {"reject_rate": figures["reject_rate"], "cost": figures["expected_cost"]}
    )
    assert risk["operating_point"] == pytest.approx(
        {"coverage": 1 - figures["reject_rate"], "risk": figures["selective_error"]}
    )
    # Rejecting everything is the constant answer; Chow's rule lies on the curve.
    assert cost["reject_rate"][0] == 1.0
    assert cost["cost"][0] == pytest.approx(figures["constants"]["reject"])
    on_curve = np.interp(
        1 - figures["reject_rate"], 1 - np.array(cost["reject_rate"]), cost["cost"]
    )
    assert on_curve == pytest.approx(figures["expected_cost"], abs=0.01)


def test_cells_and_bins_hold_every_row_once(server, trained):
    told, figures = curves(server), trained["evaluation"]
    cells = told["scores"]
    assert len(cells["edges"]) == len(cells["positive"]) + 1
    assert sum(cells["positive"]) == sum(figures["confusion"]["+1"].values())
    assert sum(cells["negative"]) == sum(figures["confusion"]["-1"].values())
    assert sum(told["calibration"]["rows"]) == figures["rows"]
    bins = told["calibration"]
    error = np.average(
        np.abs(np.subtract(bins["probability"], bins["share_positive"])),
        weights=bins["rows"],
    )
    assert error == pytest.approx(figures["calibration_error"])


def test_guarded_rows_go_to_people_at_every_share(server, trained):
    share = sum(trained["evaluation"]["guarded"].values()) / 120
    assert share > 0
    assert max(curves(server)["risk_coverage"]["coverage"]) <= 1 - share + 1e-9


def test_without_costs_there_is_no_cost_curve(server):
    train(server, "free", costs=None, rule={"kind": "mutual-information"})
    told = curves(server, "free")
    assert told["cost_reject"] is None
    assert len(told["risk_coverage"]["risk"]) > 50


def test_a_version_that_held_nothing_out_has_no_curves(server):
    train(server, "whole", evaluation={"holdout": 0})
    answer = server.http.get("/models/whole/versions/1/curves")
    assert answer.status_code == 409
    assert "holdout" in answer.json()["detail"]
