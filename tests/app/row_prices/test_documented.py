"""The prices that the page on the HTTP interface prints train a model as it says."""

import json
import re
from pathlib import Path

from tests.app.row_prices.payments import COLUMNS, own_costs, payments, train

PAGE = Path(__file__).parents[3] / "docs/api.md"


def test_the_printed_prices_are_those_of_each_row(server):
    text = PAGE.read_text(encoding="utf-8")
    (printed,) = re.findall(r'```json\n( *\{"costs".*?)```', text, re.DOTALL)
    told = train(server, "printed", **json.loads(printed))
    assert told["costs"] == json.loads(printed)["costs"]
    assert told["thresholds"] is None
    assert set(told["evaluation"]["confusion_costs"]) == {"+1", "-1"}
    rows = payments(20, seed=6)
    sent = {"columns": COLUMNS[:3], "rows": [row[:3] for row in rows]}
    answer = server.http.post("/predict", json={"model": "printed", "data": sent})
    for row, one in zip(rows, answer.json()["predictions"], strict=True):
        (decided,) = own_costs([row[0]]).decide([one["probability"]])
        assert one["decision"] == {1: "+1", -1: "-1", 0: "reject"}[decided]
