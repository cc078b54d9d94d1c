"""Late truth: by reference, for any row, once, and never silently another."""

import pytest

from tests.app.reviews.conftest import rows
from tests.app.reviews.test_cases import rejected

PLAIN = {"audit": None, "second_opinion": None}
CSV = {"content-type": "text/csv"}


def tell(desk, model, outcomes, **more):
    sent = [{"reference": r, "label": label} for r, label in outcomes]
    return desk.admin.post("/outcomes", json={"model": model, "outcomes": sent, **more})


def test_outcomes_are_kept_once_and_reach_their_cases(desk):
    model = desk.model("late", **PLAIN)
    cases = rejected(desk, model)
    case_id, reference = next(iter(cases.items()))
    sent = [(reference, "yes"), ("an-accepted-row", "no")]
    first = tell(desk, model, sent)
    assert first.status_code == 200, first.text
    assert first.json() == {"kept": 2, "repeated": 0, "replaced": 0, "with_case": 1}
    again = tell(desk, model, [*sent, ("a-third", "no")])
    assert again.json() == {"kept": 1, "repeated": 2, "replaced": 0, "with_case": 1}
    assert desk.admin.get(f"/cases/{case_id}").json()["truth"] == "yes"
    refused = tell(desk, model, [("new", "yes"), (reference, "no")])
    assert refused.status_code == 409
    assert refused.json()["errors"] == [
        {"pointer": "/outcomes/1/label", "detail": "another outcome is known", "row": 1}
    ]
    assert "replace" in refused.json()["detail"]
    assert reference not in refused.text
    kept = tell(desk, model, [("new", "no")])
    assert kept.json()["kept"] == 1, "nothing of the refused request was kept"
    changed = tell(desk, model, [(reference, "no")], replace=True)
    assert changed.json()["replaced"] == 1
    assert desk.admin.get(f"/cases/{case_id}").json()["truth"] == "no"


def test_outcomes_come_as_csv_as_well(desk):
    model = desk.model("late-csv", **PLAIN)
    cases = rejected(desk, model)
    lines = [f'"{reference}",no,ignored' for reference in cases.values()]
    text = "\ufeffreference,label,more\r\n" + "\r\n".join(lines) + "\r\n"
    told = desk.admin.post(
        f"/outcomes?model={model}", content=text.encode(), headers=CSV
    )
    assert told.status_code == 200, told.text
    assert told.json()["with_case"] == len(cases)
    for body, pointer in (
        ("reference\na\n", "/header"),
        ("reference,label\na,maybe\n", "/outcomes/0/label"),
        ("reference,label\n,yes\n", "/outcomes/0"),
        ("", "/header"),
    ):
        refused = desk.admin.post(f"/outcomes?model={model}", content=body, headers=CSV)
        assert refused.status_code == 422, refused.text
        assert refused.json()["errors"][0]["pointer"] == pointer
    latin = desk.admin.post(
        f"/outcomes?model={model}", content=b"reference,label\n\xe9,yes\n", headers=CSV
    )
    assert latin.status_code == 422
    assert desk.admin.post("/outcomes", content="", headers=CSV).status_code == 422


@pytest.mark.parametrize(
    ("outcomes", "pointer"),
    [
        ([("a", "maybe")], "/outcomes/0/label"),
        ([("a", 1)], "/outcomes/0/label"),
        ([("a", "yes"), ("a", "no")], "/outcomes/1/label"),
        ([("", "yes")], "/outcomes/0/reference"),
        ([], "/outcomes"),
    ],
    ids=str,
)
def test_outcomes_that_are_none_are_refused_by_their_place(desk, outcomes, pointer):
    desk.model("late-bad", **PLAIN)
    refused = tell(desk, "late-bad", outcomes)
    assert refused.status_code == 422, refused.text
    assert refused.json()["errors"][0]["pointer"] == pointer
    assert tell(desk, "nobody", [("a", "yes")]).status_code == 404
    media = {"content-type": "application/xml"}
    sent = desk.admin.post("/outcomes", content="<a/>", headers=media)
    assert sent.status_code == 415


def test_many_outcomes_at_once(desk):
    model = desk.model("late-many", **PLAIN)
    desk.admin.post("/predict", json={"model": model, "instances": rows(2)})
    many = [(f"m-{i}", "yes" if i % 3 else "no") for i in range(3000)]
    assert tell(desk, model, many).json()["kept"] == 3000
    assert tell(desk, model, many).json()["repeated"] == 3000
