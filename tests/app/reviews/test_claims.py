"""Claims: never two people on one, never one person twice on a case, none lost."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random

import pytest
from sqlalchemy import func, select, text, update

from app.db.base import utc_now
from app.db.review_tables import CaseEvent, Opinion, Verdict
from app.errors import ClaimLostError
from app.reviews import claims, verdicts
from app.reviews.schemas import VerdictRequest
from tests.app.reviews.conftest import model_with_cases, people, rows

PLAIN = {"audit": None, "second_opinion": None}


def lapse(session, claim):
    """Let a claim's time be over."""
    session.execute(
        update(Opinion)
        .where(Opinion.token == claim.token)
        .values(expires_at=utc_now() - timedelta(seconds=1))
    )


def test_people_at_once_get_every_opinion_once_whatever_they_abandon(database):
    cases = 60
    model_with_cases(
        database, cases, audit=None, second_opinion={"share": 0.5}, order="age"
    )
    with database.read() as session:
        wanted = session.scalar(select(func.count()).select_from(Opinion))
    assert cases < wanted < 2 * cases
    reviewers = people(database, *(f"p{k}" for k in range(5)))
    given = []

    def work(person):
        draw = Random(person)
        while True:
            with database.write() as session:
                claim = claims.claim(session, person, "m")
            if claim is None:
                return
            fate = draw.random()
            if fate < 0.1:  # a browser that was closed
                with database.write() as session:
                    lapse(session, claim)
                continue
            if fate < 0.15:
                with database.write() as session:
                    claims.give_back(session, person, claim.id, claim.token, None)
                continue
            said = VerdictRequest(token=claim.token, label=draw.choice(["yes", "no"]))
            with database.write() as session:
                told, fresh = verdicts.give(session, person, claim.id, said)
            assert fresh
            given.append((claim.id, told.case, person))

    with ThreadPoolExecutor(5) as threads:
        list(threads.map(work, reviewers))
    for person in reviewers:  # a third opinion may be asked when others have gone
        work(person)
    assert max(Counter(claim for claim, _, _ in given).values()) == 1
    pairs = Counter((case, person) for _, case, person in given)
    assert max(pairs.values()) == 1
    with database.read() as session:
        states = dict(
            session.execute(
                text("SELECT state, count(*) FROM cases GROUP BY state")
            ).all()
        )
        assert states == {"decided": cases}
        assert session.scalar(select(func.count()).select_from(Verdict)) == len(given)
        positions = session.scalars(
            select(CaseEvent.position).where(CaseEvent.position.is_not(None))
        ).all()
    assert sorted(positions) == list(range(1, len(positions) + 1))


@pytest.mark.parametrize("order", ["saving", "due", "age"])
def test_the_queue_has_the_order_of_the_policy(database, order, monkeypatch):
    monkeypatch.setattr(claims, "AT_RANDOM", 0.0)
    model_with_cases(database, 8, **PLAIN, order=order)
    (person,) = people(database, "p")
    with database.write() as session:
        ids = session.scalars(select(Opinion.id).order_by(Opinion.rank.desc())).all()
        for i, opinion in enumerate(ids):  # the more it saves, the later it is due
            then = utc_now() + timedelta(hours=i)
            session.execute(
                update(Opinion)
                .where(Opinion.id == opinion)
                .values(due_at=then, opened_at=then)
            )
    got = []
    for _ in range(8):
        with database.write() as session:
            claim = claims.claim(session, person, "m")
            got.append(claim.case.features["n"])
            said = VerdictRequest(token=claim.token, label="yes")
            verdicts.give(session, person, claim.id, said)
    assert got == (list(range(7, -1, -1)) if order == "saving" else list(range(8)))


def test_a_tenth_of_the_claims_takes_any_case(database):
    assert claims.AT_RANDOM == 0.1
    model_with_cases(database, 200, **PLAIN)
    (person,) = people(database, "p")
    first = Counter()
    with database.write() as session:
        for _ in range(300):
            claim = claims.claim(session, person, "m")
            first[claim.case.features["n"] == 199] += 1
            claims.give_back(session, person, claim.id, claim.token, None)
    # binomial(300, .1): within five standard deviations
    assert 4 <= first[False] <= 56


def test_a_stale_token_changes_nothing(database):
    model_with_cases(database, 1, **PLAIN)
    one, two = people(database, "one", "two")
    with database.write() as session:
        stale = claims.claim(session, one, "m")
        lapse(session, stale)
    said = VerdictRequest(token=stale.token, label="yes")
    with database.write() as session:
        taken = claims.claim(session, two, "m")
    assert (taken.id, taken.case.id) == (stale.id, stale.case.id)
    assert taken.token != stale.token
    for act in (
        lambda session: claims.extend(session, one, stale.id, stale.token),
        lambda session: claims.give_back(session, one, stale.id, stale.token, "x"),
        lambda session: verdicts.give(session, one, stale.id, said),
        lambda session: claims.extend(session, one, taken.id, taken.token),
    ):
        with pytest.raises(ClaimLostError), database.write() as session:
            act(session)
    with database.write() as session:
        claims.extend(session, two, taken.id, taken.token)
        assert session.scalars(select(Verdict)).all() == []
        assert session.scalars(select(CaseEvent)).all() == []


def test_own_live_claim_comes_again_and_a_lapsed_one_is_somebody_elses(desk):
    model = desk.model("tabs", **PLAIN, lease_seconds=10)
    desk.admin.post("/predict", json={"model": model, "instances": rows(40)})
    anna, ben = desk.person("anna"), desk.person("ben")
    first = anna.post("/claims", json={"model": model})
    assert first.status_code == 201, first.text
    claim = first.json()
    assert claim.keys() >= {"id", "token", "expires_at", "case"}
    assert claim["case"].keys() >= {"id", "model", "reason", "due_at", "features"}
    assert claim["case"]["model"] == model
    assert anna.post("/claims", json={"model": model}).json() == claim
    assert anna.post("/claims").json() == claim, "of any model"
    with ThreadPoolExecutor(6) as threads:
        tabs = threads.map(
            lambda _: anna.post("/claims", json={"model": model}).json(), range(6)
        )
        assert all(tab == claim for tab in tabs)
    other = ben.post("/claims", json={"model": model}).json()
    assert other["case"]["id"] != claim["case"]["id"]
    beat = anna.put(f"/claims/{claim['id']}", json={"token": claim["token"]})
    assert beat.status_code == 200
    assert beat.json()["expires_at"] > claim["expires_at"]
    stolen = ben.put(f"/claims/{claim['id']}", json={"token": claim["token"]})
    assert stolen.status_code == 409
    assert stolen.json()["type"] == "/problems/claim-lost"
    assert "POST /claims" in stolen.json()["detail"]
    unknown = anna.put("/claims/no", json={"token": "x"})
    assert unknown.status_code == 404


def test_a_skipped_case_goes_to_others_only_and_one_given_back_to_anybody(desk):
    model = desk.model("skips", **PLAIN)
    references = ["a", "b", "c"]
    for row in rows(400):
        body = {"model": model, "instances": [row], "references": references[:1]}
        told = desk.admin.post("/predict", json=body).json()["predictions"][0]
        if told["decision"] == "reject":
            break
    anna, ben = desk.person("anna"), desk.person("ben")
    claim = anna.post("/claims", json={"model": model}).json()
    path = f"/claims/{claim['id']}"
    assert anna.delete(path).status_code == 422, "the token is missing"
    assert anna.delete(path, params={"token": claim["token"]}).status_code == 204
    again = anna.post("/claims", json={"model": model}).json()
    assert again["case"]["id"] == claim["case"]["id"]
    assert again["token"] != claim["token"]
    gone = {"token": again["token"], "reason": "I know this person"}
    assert anna.request("DELETE", path, json=gone).status_code == 204
    assert anna.post("/claims", json={"model": model}).status_code == 204
    theirs = ben.post("/claims", json={"model": model}).json()
    assert theirs["case"]["id"] == claim["case"]["id"]
    nowhere = ben.post("/claims", json={"model": "nobody"})
    assert nowhere.status_code == 404


@pytest.mark.thorough
def test_eight_reviewers_over_http_never_hold_one_claim(desk):
    model = desk.model("eight", audit=None, second_opinion={"share": 0.3})
    sent = rows(400)
    told = desk.admin.post(
        "/predict",
        json={
            "model": model,
            "instances": sent,
            "references": [f"r-{i}" for i in range(len(sent))],
        },
    ).json()["predictions"]
    cases = {p["case"] for p in told if p["decision"] == "reject"}
    clients = [desk.person(f"reviewer-{k}") for k in range(8)]
    seen = []

    def work(client):
        while True:
            answer = client.post("/claims", json={"model": model})
            if answer.status_code == 204:
                return
            assert answer.status_code == 201, answer.text
            claim = answer.json()
            said = {"token": claim["token"], "label": "no", "sure": 0.9}
            given = client.post(f"/claims/{claim['id']}/verdict", json=said)
            assert given.status_code == 201, given.text
            seen.append((claim["id"], claim["case"]["id"], client))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, clients))
    assert {case for _, case, _ in seen} == cases
    assert max(Counter(claim for claim, _, _ in seen).values()) == 1
    assert max(Counter((case, id(who)) for _, case, who in seen).values()) == 1
