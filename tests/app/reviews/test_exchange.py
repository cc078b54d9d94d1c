"""Cases go home and verdicts come back, as CSV and as Label Studio has them."""

import csv
import io

import pytest

from tests.app.reviews.conftest import rows
from tests.app.reviews.test_cases import desk_open, rejected

PLAIN = {"audit": None, "second_opinion": None}
CSV = {"content-type": "text/csv"}


def home(desk, model, form):
    answer = desk.person("Lea", "lead").get(
        "/cases/export", params={"model": model, "format": form}
    )
    assert answer.status_code == 200, answer.text
    return answer


def back(desk, model, **sent):
    return desk.person("Lea", "lead").post(f"/cases/import?model={model}", **sent)


def test_a_csv_file_goes_home_is_filled_in_and_comes_back(desk):
    model = desk.model("csv", **PLAIN, columns={"hide": [" bmi "]})
    cases = rejected(desk, model)
    exported = home(desk, model, "csv")
    assert exported.headers["content-type"].startswith("text/csv")
    table = list(csv.DictReader(io.StringIO(exported.text)))
    assert {row["case"]: row["reference"] for row in table} == cases
    assert "bmi" not in table[0]
    assert not {"score", "probability"} & table[0].keys(), "blind at home, too"
    assert len(desk_open(desk.admin, model)) == len(cases), "they stay open"
    for i, row in enumerate(table):
        row |= {"label": "yes" if i % 2 else "no", "sure": "80", "person": "Home"}
    table[-1]["label"] = ""  # not looked at yet
    del table[0]["case"]  # by reference alone
    file = io.StringIO()
    writer = csv.DictWriter(file, table[1].keys())
    writer.writeheader()
    writer.writerows(table)
    told = back(desk, model, content=file.getvalue().encode(), headers=CSV)
    assert told.status_code == 200, told.text
    n = len(cases) - 1
    assert told.json() == {"saved": n, "repeated": 0, "closed": 0}
    (left,) = desk_open(desk.admin, model)
    assert left["id"] == table[-1]["case"]
    again = back(desk, model, content=file.getvalue().encode(), headers=CSV)
    assert again.json() == {"saved": 0, "repeated": n, "closed": 0}
    detail = desk.admin.get(f"/cases/{table[1]['case']}").json()
    (verdict,) = detail["verdicts"]
    assert (verdict["person"], verdict["sure"], verdict["label"]) == (
        "Home",
        0.8,
        "yes",
    )
    other = file.getvalue().replace("Home", "Other")
    late = back(desk, model, content=other.encode(), headers=CSV)
    assert late.json() == {"saved": 0, "repeated": 0, "closed": n}


def annotated(tasks, label="yes", **more):
    """Return tasks as Label Studio exports them."""
    result = [
        {
            "id": "x1",
            "from_name": "label",
            "to_name": "case",
            "type": "choices",
            "value": {"choices": [label]},
        },
        {
            "id": "x2",
            "from_name": "sure",
            "to_name": "case",
            "type": "number",
            "value": {"number": 90},
        },
        {
            "id": "x3",
            "from_name": "note",
            "to_name": "case",
            "type": "textarea",
            "value": {"text": ["a note"]},
        },
    ]
    done = {
        "id": 1,
        "completed_by": {"id": 3, "email": "anna@example.org"},
        "lead_time": 12.5,
        "was_cancelled": False,
        "result": result,
        **more,
    }
    cancelled = {**done, "completed_by": 4, "was_cancelled": True}
    return [
        {"id": i, **task, "annotations": [cancelled, done]}
        for i, task in enumerate(tasks)
    ]


def test_tasks_go_to_label_studio_and_its_export_comes_back(desk):
    model = desk.model("studio", **PLAIN)
    cases = rejected(desk, model)
    tasks = home(desk, model, "label-studio").json()
    assert {task["data"]["case"] for task in tasks} == cases.keys()
    assert all(task.keys() == {"data"} for task in tasks), "no prediction is shown"
    assert tasks[0]["data"]["features"].keys() == rows(1)[0].keys()
    told = back(desk, model, json=annotated(tasks))
    assert told.status_code == 200, told.text
    assert told.json()["saved"] == len(cases)
    case = desk.admin.get(f"/cases/{tasks[0]['data']['case']}").json()
    (verdict,) = case["verdicts"]
    assert verdict["person"] == "label-studio anna@example.org"
    assert (verdict["label"], verdict["sure"]) == ("yes", 0.9)
    assert (verdict["note"], verdict["seconds"]) == ("a note", 12.5)


def test_a_score_goes_along_where_it_may_be_seen(desk):
    model = desk.model("seen", **PLAIN, show_score="always")
    rejected(desk, model, 30)
    for task in home(desk, model, "label-studio").json():
        (prediction,) = task["predictions"]
        assert 0 < prediction["score"] < 1
        assert prediction["result"][0]["value"]["choices"][0] in ("yes", "no")


def test_all_verdicts_are_kept_or_none_and_each_fault_is_named(desk):
    model = desk.model("faulty", **PLAIN)
    references = list(rejected(desk, model).values())
    before = desk_open(desk.admin, model)
    head = "reference,label,sure\n"
    good = f"{references[0]},yes,0.9\n"
    for body, status, pointer in (
        (f"{head}{good}nobody,yes,0.9\n", 404, "/1"),
        (f"{head}{good}{references[1]},maybe,\n", 422, "/1/label"),
        (f"{head}{good}{references[1]},yes,0.3\n", 422, "/1/sure"),
        (f"{head}{good}{references[1]},yes,very\n", 422, "/1/sure"),
        ("a,b\n1,2\n", 422, "/header"),
    ):
        refused = back(desk, model, content=body, headers=CSV)
        assert refused.status_code == status, refused.text
        assert refused.json()["errors"][0]["pointer"] == pointer
        assert references[0] not in refused.text
    for tasks in ([1], [{"annotations": []}], [{"data": 1}], {}):
        refused = back(desk, model, json=tasks)
        assert refused.status_code == 422, refused.text
    media = {"content-type": "application/json"}
    assert back(desk, model, content="[", headers=media).status_code == 400
    assert desk_open(desk.admin, model) == before
    contrary = f"{head}{good}{references[0]},no,1\n"
    refused = back(desk, model, content=contrary, headers=CSV)
    assert refused.status_code == 409
    assert desk_open(desk.admin, model) == before


NO_NUMBERS = ["1_0", "\u0661", "\uff11", "nan", "inf", "1e400", "90%"]


def test_numbers_of_verdicts_are_written_in_digits(desk):
    model = desk.model("numbers", **PLAIN)
    references = list(rejected(desk, model).values())
    for column in ("sure", "seconds"):
        for number in (*NO_NUMBERS, "-1", "1e300"):
            body = f"reference,label,{column}\n{references[0]},yes,{number}\n"
            refused = back(desk, model, content=body.encode(), headers=CSV)
            assert refused.status_code == 422, (column, number, refused.text)
            (fault,) = refused.json()["errors"]
            assert (fault["pointer"], fault["row"]) == (f"/0/{column}", 0)
    body = f"reference;label;sure;seconds\n{references[0]};yes; 0,9 ;2,125\n"
    assert back(desk, model, content=body, headers=CSV).json()["saved"] == 1
    detail = desk.admin.get("/cases", params={"reference": references[0]}).json()
    (verdict,) = desk.admin.get(f"/cases/{detail['cases'][0]['id']}").json()["verdicts"]
    assert (verdict["sure"], verdict["seconds"]) == (0.9, 2.125)


def test_a_verdict_without_a_case_is_nobodys(desk):
    """No reference is not the reference of cases that were sent without one."""
    model = desk.model("nameless", **PLAIN)
    desk.admin.post("/predict", json={"model": model, "instances": rows(60)})
    before = desk_open(desk.admin, model)
    assert before
    for body in ("case,label\n,yes\n", "reference,label\n ,yes\n"):
        refused = back(desk, model, content=body, headers=CSV)
        assert refused.status_code in {404, 422}, refused.text
    for data in ({}, {"case": [1]}, {"case": ""}):
        (task,) = annotated([{"data": data}])
        refused = back(desk, model, json=[task])
        assert refused.status_code == 422, refused.text
    assert desk_open(desk.admin, model) == before


@pytest.mark.parametrize(
    "spoilt",
    [
        {"annotations": [7]},
        {"annotations": [{"result": 7}]},
        {"annotations": [{"result": [7]}]},
        {"annotations": [{"result": [{"value": {"choices": ["yes"]}}]}]},
    ],
)
def test_an_export_of_another_shape_is_told(desk, spoilt):
    model = desk.model("shapes", **PLAIN)
    refused = back(desk, model, json=[{"data": {"case": "x"}, **spoilt}])
    assert refused.status_code == 422, refused.text
    assert "result" in refused.json()["detail"]


@pytest.mark.parametrize("text", ["a\0b", "x" * 2001])
def test_texts_of_verdicts_are_bounded(desk, text):
    model = desk.model("texts", **PLAIN)
    cases = rejected(desk, model)
    tasks = annotated([{"data": {"case": next(iter(cases))}}])
    note = tasks[0]["annotations"][1]["result"][2]["value"]
    note["text"] = [text]
    refused = back(desk, model, json=tasks)
    assert refused.status_code == 422, refused.text
    assert "2000" in refused.json()["detail"]


@pytest.mark.parametrize("value", ["=1+1", "+1", "-1", "@x", "\t=1"])
def test_no_cell_becomes_a_formula_and_references_come_back(desk, value):
    model = desk.model("formula", **PLAIN)
    reference = value.strip() + "-r"
    sent = {"reference": reference, "features": {**rows(1)[0], "town": value}}
    desk.admin.post("/cases", json={"model": model, "cases": [sent]})
    table = list(csv.DictReader(io.StringIO(home(desk, model, "csv").text)))
    (row,) = [row for row in table if row["reference"].endswith(reference)]
    assert row["town"] == f"'{value}"
    assert row["reference"] == f"'{reference}"
    body = f'reference,label\n"{row["reference"]}",yes\n'
    assert back(desk, model, content=body, headers=CSV).json()["saved"] == 1
