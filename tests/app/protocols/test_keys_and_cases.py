"""Keys, the log and reviews see the rows of other protocols as those of /predict."""

import json

import pytest

from tests.app.predict.conftest import COLUMNS, served
from tests.app.protocols.conftest import ROWS
from tests.app.reviews.conftest import Desk
from tests.waiting import until

KINDS = {"glucose": "FP64", "bmi": "FP64", "smoker": "BOOL", "town": "BYTES"}
INPUTS = [
    {"name": name, "shape": [40], "datatype": kind, "data": [row[j] for row in ROWS]}
    for j, (name, kind) in enumerate(KINDS.items())
]
SPLIT = {"dataframe_split": {"columns": COLUMNS, "data": ROWS}}


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    folder = tmp_path_factory.mktemp("desk")
    opened = Desk(folder, prediction_log="required", default_model="open")
    opened.registry.add("open", served())
    yield opened
    opened.stop()


def test_a_key_of_scope_predict_opens_them_and_no_other(desk):
    may, may_not = desk.person("Ann", "predict"), desk.person("Tom", "train")
    asked = [
        ("GET", "/v2", None),
        ("GET", "/v2/models/open", None),
        ("POST", "/v2/models/open/infer", {"inputs": INPUTS}),
        ("POST", "/invocations", SPLIT),
        ("POST", "/endpoints/open/invocations", SPLIT),
        ("GET", "/version", None),
    ]
    for method, path, body in asked:
        assert may.request(method, path, json=body).status_code == 200, path
        assert may_not.request(method, path, json=body).status_code == 403, path
        assert desk.running.http.request(method, path, json=body).status_code == 401
    for path in ("/ping", "/v2/health/live", "/v2/health/ready"):
        assert desk.running.http.get(path).status_code == 200


def test_a_rejected_row_has_its_case_in_the_answer_and_for_people(desk):
    model = desk.model("reviewed", audit=None, second_opinion=None)
    answer = desk.admin.post(f"/v2/models/{model}/infer", json={"inputs": INPUTS})
    told = {output["name"]: output["data"] for output in answer.json()["outputs"]}
    assert [case != "" for case in told["case"]] == told["reject"]
    listed = desk.admin.get("/cases", params={"model": model, "limit": 100}).json()
    assert {case["id"] for case in listed["cases"]} == set(told["case"]) - {""}
    refused = {"inputs": INPUTS, "parameters": {"on_reject": "error"}}
    answer = desk.admin.post(f"/v2/models/{model}/infer", json=refused)
    assert answer.status_code == 422
    again = desk.admin.get("/cases", params={"model": model, "limit": 100}).json()
    assert len(again["cases"]) == len(listed["cases"])


def named(references, datatype="BYTES"):
    shape = [len(references), 1]
    tensor = {"name": "case_reference", "shape": shape, "datatype": datatype}
    return {"inputs": [*INPUTS, tensor | {"data": references}]}


def test_a_row_that_is_sent_again_under_its_reference_keeps_its_case(desk):
    model = desk.model("named", audit=None, second_opinion=None, keep="reference")
    path = f"/v2/models/{model}/infer"
    references = [f"claim {i}" for i in range(40)]

    def cases():
        answer = desk.admin.post(path, json=named(references))
        assert answer.status_code == 200, answer.text
        outputs = answer.json()["outputs"]
        return next(one["data"] for one in outputs if one["name"] == "case")

    first = cases()
    assert cases() == first
    listed = desk.admin.get("/cases", params={"model": model, "limit": 100}).json()
    called = {case["id"]: case["reference"] for case in listed["cases"]}
    pairs = zip(first, references, strict=True)
    assert called == {case: reference for case, reference in pairs if case}
    nothing = desk.admin.post(path, json={"inputs": INPUTS})
    assert nothing.status_code == 422
    assert "references" in nothing.json()["error"]


def test_references_that_are_none_are_refused_and_elsewhere_change_nothing(desk):
    path = "/v2/models/open/infer"
    for wrong in (["a"] * 39, [""] * 40, ["a\n"] * 40, [None] * 40):
        answer = desk.admin.post(path, json=named(wrong))
        assert answer.status_code == 422, wrong
        assert "reference" in answer.json()["error"]
    numbers = desk.admin.post(path, json=named([1] * 40, "INT8"))
    assert "BYTES" in numbers.json()["error"]
    plain = desk.admin.post(path, json={"inputs": INPUTS}).json()
    assert desk.admin.post(path, json=named(["a"] * 40)).json() == plain
    assert "case_reference" in desk.admin.get("/v2").json()["extensions"]


def test_what_is_decided_is_logged(desk):
    answer = desk.admin.post("/v2/models/open/infer", json={"inputs": INPUTS})
    told = {output["name"]: output["data"] for output in answer.json()["outputs"]}
    folder = desk.settings.prediction_log_dir

    def line():
        lines = [x for f in folder.glob("*.jsonl") for x in f.read_text().splitlines()]
        found = [json.loads(line) for line in lines]
        wanted = answer.headers["x-request-id"]
        return [each for each in found if each["request_id"] == wanted]

    (logged,) = until(line)
    assert logged["decisions"] == told["decision"]
    assert logged["scores"] == told["score"]
