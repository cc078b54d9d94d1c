"""One limit for prices, wherever they are told: what one door takes, all take."""

import pytest

from app.pages.page import say
from tests.app.pima_like import FEATURES, inline, train

NAMES = ("false_positive", "false_negative", "reject_positive", "reject_negative")
MOST, LEAST = 1e12, 1e-12
WIDE = "\N{FULLWIDTH DIGIT ONE}"
ROW = [120.0, 31.5, 40, "north", "yes"]
SCALES = {
    "the largest": (MOST, True),
    "larger": (1.001 * MOST, False),
    "the least": (LEAST / 0.25, True),
    "less": (0.999 * LEAST / 0.25, False),
}


def prices(unit):
    """Four prices: an error one unit, asking a person a quarter."""
    return dict(zip(NAMES, (unit, unit, unit / 4, unit / 4), strict=True))


@pytest.fixture(scope="module")
def model(server):
    trainer, rule = {"kind": "logistic"}, {"kind": "chow"}
    return train(server, "dear", trainer=trainer, rule=rule)


def predict(server, costs):
    data = {"columns": FEATURES, "rows": [ROW[:-1]]}
    body = {"model": "dear", "costs": costs, "data": data}
    return server.http.post("/predict", json=body)


def file(server, costs):
    text = "\n".join(",".join(map(str, line)) for line in (FEATURES, ROW[:-1]))
    query = {"model": "dear", **{name: repr(price) for name, price in costs.items()}}
    kind = {"Content-Type": "text/csv"}
    return server.http.post("/predict/batch", params=query, content=text, headers=kind)


def preview(server, costs):
    return server.http.post("/models/dear/versions/1/preview", json={"costs": costs})


def training(server, costs):
    body = {
        "model": "other",
        "trainer": {"kind": "logistic"},
        "data": inline([ROW]),  # too few: nothing is trained
        "target": {"column": "diabetes", "positive": "yes"},
        "costs": costs,
    }
    return server.http.post("/train", json=body)


def page(server, costs):
    return server.http.get("/ui/models/dear/1", params=costs)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("door", [predict, file, preview, training, page])
def test_every_door_takes_the_same_prices(server, model, door, scale):
    unit, fits = SCALES[scale]
    reply = door(server, prices(unit))
    if door is page:
        assert reply.status_code == 200
        refused = say("report.not_a_price") in reply.text
    else:
        faults = reply.json()["errors"] if reply.status_code == 422 else []
        named = [fault["pointer"].split("/")[-1] for fault in faults]
        refused = bool(set(named) & set(NAMES))
    assert refused is not fits, (reply.status_code, reply.text)


@pytest.mark.parametrize(
    "text", ["1_0", "\N{FULLWIDTH DIGIT ONE}", "inf", "0x1", "1 2"]
)
def test_a_price_in_a_form_is_written_in_digits(server, model, text):
    reply = page(server, {"false_negative": text})
    assert say("report.not_a_price") in reply.text
    typed = page(server, {"false_negative": " 2,5 "})
    assert say("report.not_a_price") not in typed.text
