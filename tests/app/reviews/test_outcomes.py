"""Late truth: by reference, for any row, once, and never silently another."""

import pytest

from app.reviews.outcomes import side_of
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
    ("body", "more"),
    [
        (b"reference;label\n{r};no\n", ""),
        (b"sep=;\nreference;label\n{r};no\n", ""),
        (b"reference\tlabel\n{r}\tno\n", ""),
        (b" reference , label ,,\n{r}, no ,,\n", ""),
        ("reference,label\n{r},no\n".encode("utf-16"), ""),
        ("reference,label,\xe9\n{r},no,\xe9\n".encode("cp1252"), "windows-1252"),
        (b'"reference","label"\r\n"{r}","no"\r\n', "utf-8"),
    ],
)
def test_outcomes_are_read_as_every_other_file(desk, body, more):
    model = desk.model("late-form", **PLAIN)
    cases = rejected(desk, model)
    reference = next(iter(cases.values()))
    mark, own = "{r}", reference
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        sent = body.decode("utf-16").replace(mark, own).encode("utf-16")
    else:
        sent = body.replace(mark.encode(), own.encode())
    kind = {"content-type": f"text/csv; charset={more}" if more else "text/csv"}
    told = desk.admin.post(
        f"/outcomes?model={model}&replace=true", content=sent, headers=kind
    )
    assert told.status_code == 200, told.text
    assert told.json()["with_case"] == 1


@pytest.mark.parametrize(
    "body",
    [
        b"reference,label,label\na,yes,no\n",
        b"reference, label ,label\na,yes,no\n",
        b"reference,label\na\n",
        b"reference,label\na,yes,no\n",
        b"reference,label\n",
        b"reference,label\na\0,yes\n",
        b"reference,label\n\xe9,yes\n",
    ],
)
def test_files_that_may_mean_two_things_are_refused(desk, body):
    model = desk.model("late-two", **PLAIN)
    refused = desk.admin.post(f"/outcomes?model={model}", content=body, headers=CSV)
    assert refused.status_code == 422, refused.text
    assert desk.admin.get("/cases", params={"model": model}).status_code == 200


@pytest.mark.parametrize(
    ("own", "told"),
    [
        (1, "1.0"),
        (1.0, "1"),
        (1, 1.0),
        (2.5, "2.5"),
        ("1", 1),
        ("ja", " ja "),
        (True, "True"),
    ],
)
def test_a_label_is_one_in_all_its_spellings(own, told):
    labels = {"positive": own, "negative": "other"}
    assert side_of(labels, told) is True
    assert side_of({"positive": "x", "negative": own}, told) is False
    assert side_of(labels, "neither") is None


@pytest.mark.parametrize(("own", "told"), [(1, True), (True, 1), (0, False)])
def test_a_number_is_no_truth_value(own, told):
    assert side_of({"positive": own, "negative": "other"}, told) is None


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
