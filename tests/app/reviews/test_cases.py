"""What a lead does with cases; what holds a model and a policy that have open ones."""

from sqlalchemy import text

from tests.app.predict.conftest import served
from tests.app.reviews.conftest import rows

PLAIN = {"audit": None, "second_opinion": None}


def rejected(desk, model, n=60):
    """Predict rows; return the cases of the rejected ones with their references."""
    body = {
        "model": model,
        "instances": rows(n),
        "references": [f"{model}-{i}" for i in range(n)],
    }
    answer = desk.admin.post("/predict", json=body)
    told = zip(body["references"], answer.json()["predictions"], strict=True)
    return {p["case"]: reference for reference, p in told if "case" in p}


def decide(person, model, label="yes", **more):
    claim = person.post("/claims", json={"model": model}).json()
    said = {"token": claim["token"], "label": label, **more}
    answer = person.post(f"/claims/{claim['id']}/verdict", json=said)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_a_lead_finds_cases_by_what_they_are(desk):
    model = desk.model("found", **PLAIN)
    cases = rejected(desk, model)
    lead, anna = desk.person("Lea", "lead"), desk.person("anna")
    verdict = decide(anna, model, note="clear")

    def listed(**query):
        answer = lead.get("/cases", params={"model": model, **query})
        assert answer.status_code == 200, answer.text
        return answer.json()

    everything = listed()
    assert {case["id"] for case in everything["cases"]} == cases.keys()
    for case in everything["cases"]:
        assert case["reference"] == cases[case["id"]]
    assert everything["counts"] == {
        "waiting": len(cases) - 1,
        "disputed": 0,
        "reopened": 0,
        "overdue": 0,
    }
    (decided,) = listed(state="decided")["cases"]
    assert (decided["id"], decided["label"]) == (verdict["case"], "yes")
    assert listed(person="anna")["cases"] == [decided]
    assert listed(person="nobody")["cases"] == []
    one = listed(reference=decided["reference"])["cases"]
    assert one == [decided]
    assert len(listed(state="open")["cases"]) == len(cases) - 1
    assert listed(reason="outlier")["cases"] == []
    with desk.registry.database.write() as session:
        session.execute(
            text(
                "UPDATE cases SET due_at = '2026-01-01 00:00:00' WHERE state='waiting'"
            )
        )
    late = listed(overdue=True)
    assert len(late["cases"]) == late["counts"]["overdue"] == len(cases) - 1
    told = lead.get(f"/cases/{decided['id']}").json()
    (given,) = told["verdicts"]
    assert (given["person"], given["label"], given["note"]) == ("anna", "yes", "clear")
    assert given["stands"] is True
    assert told["features"].keys() == {"glucose", "bmi", "smoker", "town"}
    assert [event["kind"] for event in told["events"]] == ["decided"]
    for path in ("/cases/nothing", "/cases/%00"):
        assert lead.get(path).status_code == 404


def test_cases_come_in_pages_by_what_they_are_sorted_by(desk):
    model = desk.model("pages", **PLAIN)
    cases = rejected(desk, model)

    def listed(**query):
        return desk.admin.get("/cases", params={"model": model, **query}).json()

    for sort in ("opened_at", "-opened_at", "due_at", "-saving"):
        pages, after = [], {}
        while True:
            page = listed(sort=sort, limit=3, **after)
            pages += page["cases"]
            if page["next"] is None:
                break
            after = {"after": page["next"]}
        assert {case["id"] for case in pages} == cases.keys()
        assert len(pages) == len(cases)
        key = sort.removeprefix("-")
        values = [case[key] for case in pages]
        assert values == sorted(values, reverse=sort.startswith("-"))
    assert listed(after="0" * 36)["cases"] == []


def test_a_withdrawn_case_is_nobodys_and_a_reopened_one_somebody_elses(desk):
    model = desk.model("again", **PLAIN)
    case_id = next(iter(rejected(desk, model, 12)))
    lead, anna, ben = (
        desk.person("Lea", "lead"),
        desk.person("anna"),
        desk.person("ben"),
    )
    verdicts = [decide(anna, model) for _ in range(len(desk_open(lead, model)))]
    verdict = next(v for v in verdicts if v["case"] == case_id)
    path = f"/cases/{case_id}"
    reopened = lead.post(f"{path}/reopen", json={"note": "looks wrong"})
    assert reopened.status_code == 200, reopened.text
    assert (reopened.json()["state"], reopened.json()["label"]) == ("reopened", None)
    assert lead.post(f"{path}/reopen").status_code == 409, "it is open"
    assert anna.post("/claims", json={"model": model}).status_code == 204
    late = anna.post(f"/verdicts/{verdict['id']}/undo")
    assert late.status_code == 409
    claim = ben.post("/claims", json={"model": model}).json()
    assert claim["case"]["id"] == case_id
    withdrawn = lead.post(f"{path}/withdraw", json={"note": "by phone"})
    assert withdrawn.json()["state"] == "withdrawn"
    assert lead.post(f"{path}/withdraw").json() == withdrawn.json()
    lost = ben.post(
        f"/claims/{claim['id']}/verdict", json={"token": claim["token"], "label": "no"}
    )
    assert lost.status_code == 409
    assert "withdrawn" in lost.json()["detail"]
    assert lead.post(f"{path}/reopen").json()["state"] == "reopened"
    second = decide(ben, model, "no")
    assert second["case"] == case_id
    told = lead.get(path).json()
    assert (told["state"], told["label"]) == ("decided", "no")
    assert [v["stands"] for v in told["verdicts"]] == [False, True]
    refused = lead.post(f"{path}/withdraw")
    assert refused.status_code == 409, "the caller may have acted on the answer"
    assert "/outcomes" in refused.json()["detail"]
    assert lead.get(path).json() == told, "nothing was changed"
    changes = desk.admin.get("/cases/changes", params={"model": model, "limit": 1000})
    states = [c["state"] for c in changes.json()["changes"] if c["case"] == case_id]
    assert states == ["decided", "reopened", "withdrawn", "reopened", "decided"]


def desk_open(lead, model):
    query = {"model": model, "state": "open", "limit": 200}
    return lead.get("/cases", params=query).json()["cases"]


def test_a_reference_that_came_again_has_one_open_case_only(desk):
    model = desk.model("twice", **PLAIN)
    first = next(iter(rejected(desk, model, 8)))
    lead, anna = desk.person("Lea", "lead"), desk.person("anna")
    while desk_open(lead, model):
        decide(anna, model)
    again = rejected(desk, model, 8)
    assert first not in again
    refused = lead.post(f"/cases/{first}/reopen")
    assert refused.status_code == 409
    assert "another open case" in refused.json()["detail"]


def test_models_and_policies_with_open_cases_stay_unless_these_are_withdrawn(desk):
    lead = desk.person("Lea", "lead")
    for path, model in (
        ("/models/held-model", "held-model"),
        ("/models/held-policy/review", "held-policy"),
    ):
        desk.model(model, **PLAIN)
        cases = rejected(desk, model)
        refused = desk.admin.delete(path)
        assert refused.status_code == 409, refused.text
        assert f"DELETE {path}?open_cases=withdraw" in refused.json()["detail"]
        assert len(desk_open(lead, model)) == len(cases)
        done = desk.admin.delete(path, params={"open_cases": "withdraw"})
        assert done.status_code in (200, 204), done.text
        assert desk_open(lead, model) == []
        told = desk.admin.get("/cases/changes", params={"model": model, "limit": 1000})
        withdrawn = [c["case"] for c in told.json()["changes"]]
        assert set(withdrawn) == cases.keys()
        assert desk.admin.get(f"/models/{model}/review").status_code == 404
    desk.registry.add("held-model", served())
    assert desk.admin.get("/models/held-model/review").status_code == 404
    answer = desk.admin.post(
        "/predict", json={"model": "held-policy", "instances": rows(60)}
    )
    assert "case" not in answer.text, "switched off"


def test_a_backlog_is_scored_and_asked_whatever_the_machine_says(desk):
    model = desk.model("backlog", **PLAIN)
    sent = rows(20)
    cases = [{"reference": f"b-{i}", "features": row} for i, row in enumerate(sent)]
    cases[3]["due_at"] = "2026-12-24T12:00:00+01:00"
    answer = desk.admin.post("/cases", json={"model": model, "cases": cases})
    assert answer.status_code == 201, answer.text
    told = answer.json()["cases"]
    assert [one["reference"] for one in told] == [f"b-{i}" for i in range(20)]
    again = desk.admin.post("/cases", json={"model": f"{model}:1", "cases": cases})
    assert again.json()["cases"] == told
    predicted = desk.admin.post("/predict", json={"model": model, "instances": sent})
    for i, prediction in enumerate(predicted.json()["predictions"]):
        case = desk.admin.get(f"/cases/{told[i]['case']}").json()
        assert case["reason"] == "brought"
        assert case["probability"] == prediction["probability"]
        assert case["decision"] == prediction["decision"]
        assert case["features"] == sent[i]
        if i == 3:
            assert case["due_at"] == "2026-12-24T11:00:00Z"


def test_a_backlog_that_cannot_be_read_is_refused_by_its_place(desk):
    model = desk.model("backlogs", **PLAIN)
    good = {"reference": "a", "features": rows(1)[0]}
    for cases, pointer in (
        ([good, {"reference": "b"}], "/cases/1/features"),
        ([good, {"reference": "b", "features": {"glucose": 1}}], "/cases/1/features"),
        ([{**good, "features": {**good["features"], "bmi": "x"}}], "/cases/0/features"),
        ([{**good, "reference": "\n"}], "/cases/0/reference"),
        *(
            ([{**good, "due_at": due}], "/cases/0/due_at")
            for due in (
                "2026-01-01T00:00:00",
                "2026-01-01",
                1_700_000_000,
                "1700000000",
                "9999-12-31T23:59:59-23:00",
                "0001-01-01T00:00:00+23:00",
                True,
            )
        ),
        ([], "/cases"),
    ):
        answer = desk.admin.post("/cases", json={"model": model, "cases": cases})
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["pointer"] == pointer
    desk.registry.add("unreviewed", served())
    answer = desk.admin.post("/cases", json={"model": "unreviewed", "cases": [good]})
    assert answer.status_code == 404
    assert answer.json()["type"] == "/problems/no-review-policy"
    only = desk.model("by-reference", **PLAIN, keep="reference")
    bare = {"model": only, "cases": [{"reference": "x"}, {**good, "reference": "y"}]}
    told = desk.admin.post("/cases", json=bare).json()["cases"]
    kept = [desk.admin.get(f"/cases/{one['case']}").json() for one in told]
    assert [case["features"] for case in kept] == [None, None]
    assert kept[0]["probability"] is None
    assert kept[1]["probability"] is not None
    claim = desk.person("anna").post("/claims", json={"model": only}).json()
    assert claim["case"]["reference"] in ("x", "y")
    assert claim["case"]["features"] is None
