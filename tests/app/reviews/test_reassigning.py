"""A lead gives a case to somebody: next, alone, and never twice to one person."""

import pytest

from tests.app.reviews.test_cases import PLAIN, rejected


@pytest.fixture
def lead(desk):
    return desk.person("Lea", "lead")


def claim(person, model):
    answer = person.post("/claims", json={"model": model})
    return answer.json() if answer.status_code == 201 else None


def reassign(client, case, person, **more):
    return client.post(f"/cases/{case}/reassign", json={"person": person, **more})


def test_a_held_case_goes_to_the_other_next_and_its_holder_has_lost_it(desk, lead):
    model = desk.model("moved", **PLAIN)
    rejected(desk, model)
    ann, bob = desk.person("Ann"), desk.person("Bob")
    held = claim(ann, model)
    case = held["case"]["id"]
    given = reassign(lead, case, "Bob", note="knows the town")
    assert (given.status_code, given.json()["state"]) == (200, "waiting")
    said = {"token": held["token"], "label": "yes"}
    late = ann.post(f"/claims/{held['id']}/verdict", json=said)
    assert (late.status_code, late.json()["type"]) == (409, "/problems/claim-lost")
    assert ann.put(f"/claims/{held['id']}", json={"token": "x"}).status_code == 409
    seen = set()
    for _ in range(5):  # it is kept: nobody else gets it, whatever they draw
        other = claim(ann, model)
        seen.add(other["case"]["id"])
        body = {"token": other["token"], "label": "no"}
        ann.post(f"/claims/{other['id']}/verdict", json=body)
    assert case not in seen
    next_one = claim(bob, model)
    assert next_one["case"]["id"] == case
    assert claim(bob, model)["token"] == next_one["token"]
    said = {"token": next_one["token"], "label": "yes"}
    assert bob.post(f"/claims/{held['id']}/verdict", json=said).status_code == 201
    told = lead.get(f"/cases/{case}").json()
    event = next(e for e in told["events"] if e["kind"] == "reassigned")
    assert (event["person"], event["note"]) == ("Lea", "to Bob: knows the town")
    assert [verdict["person"] for verdict in told["verdicts"]] == ["Bob"]


def test_what_one_is_at_comes_before_what_is_kept_for_one(desk, lead):
    model = desk.model("order", **PLAIN)
    cases = rejected(desk, model)
    ann = desk.person("Ann")
    held = claim(ann, model)
    other = next(case for case in cases if case != held["case"]["id"])
    assert reassign(lead, other, "Ann").status_code == 200
    assert claim(ann, model)["id"] == held["id"]
    query = {"token": held["token"]}
    assert ann.delete(f"/claims/{held['id']}", params=query).status_code == 204
    assert claim(ann, model)["case"]["id"] == other
    again = reassign(lead, other, "Ann")
    assert (again.status_code, again.json()["detail"]) == (
        409,
        "this person has the case already",
    )
    assert reassign(lead, other, None).status_code == 200
    assert lead.get(f"/cases/{other}").json()["opinions"][0]["person"] is None


def test_nobody_gets_a_case_twice_or_one_that_they_skipped(desk, lead):
    twice = {"share": 1.0, "third_on_disagreement": False}
    model = desk.model("twice", audit=None, second_opinion=twice)
    rejected(desk, model)
    ann, bob = desk.person("Ann"), desk.person("Bob")
    first = claim(ann, model)
    body = {"token": first["token"], "label": "yes"}
    assert ann.post(f"/claims/{first['id']}/verdict", json=body).status_code == 201
    case = first["case"]["id"]
    assert reassign(lead, case, "Ann").status_code == 409
    assert reassign(lead, case, "Bob").status_code == 200
    mine = claim(bob, model)
    assert mine["case"]["id"] == case
    query = {"token": mine["token"], "reason": "blurred"}
    bob.delete(f"/claims/{mine['id']}", params=query)
    refused = reassign(lead, case, "Bob")
    assert (refused.status_code, "skipped" in refused.json()["detail"]) == (409, True)
    assert reassign(lead, case, "Cid").status_code == 422  # has no key of scope review


def test_who_may_what(desk, lead):
    model = desk.model("may", **PLAIN)
    case = next(iter(rejected(desk, model)))
    desk.person("Pat", "predict")
    for client in (desk.person("Ann"), desk.person("Pat", "predict")):
        assert reassign(client, case, "Ann").status_code == 403
    refused = reassign(lead, case, "Pat")
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "/person"
    assert reassign(lead, "nothing", "Ann").status_code == 404
    assert lead.post(f"/cases/{case}/withdraw").status_code == 200
    closed = reassign(lead, case, "Ann")
    assert "reopen it" in closed.json()["detail"]
