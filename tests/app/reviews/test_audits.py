"""Audits: a known share of the accepted rows, drawn once, seen by nobody."""

import asyncio
import hmac
import json
import threading
import time

import msgspec
from sqlalchemy import select

from app.artifacts.model import Labels
from app.db.review_tables import Case
from app.predict.ready_model import ReadyModel
from app.reviews import keeper as keeping
from app.reviews import opening
from app.reviews.intake import Intake, draws
from app.reviews.keeper import Keeper
from app.reviews.new_case import NewCase, Origin
from app.reviews.policy import limit_of, terms_of
from tests.app.predict.conftest import served
from tests.app.reviews.conftest import model_with_cases, rows
from tests.app.reviews.test_opening import kept, predict
from tests.waiting import until

AUDIT = {"+1": 0.3, "-1": 0.1}


def origin(secret="ab" * 32, version=1, model="m"):
    terms = terms_of(1, json.dumps({"audit": AUDIT}), secret)
    return Origin(terms, model, version, {"positive": 1, "negative": 0}, None)


def drawing(of):
    return draws(of.terms.secret, of.model, of.version)


def test_a_draw_is_uniform_repeatable_and_of_model_version_and_reference():
    references = [f"visit-{i}" for i in range(4000)]
    drawn = list(map(drawing(origin()), references))
    assert drawn == list(map(drawing(origin()), references))
    for reference, number in zip(references, drawn, strict=True):
        named = f"m|1|{reference}".encode()
        assert number == hmac.digest(bytes.fromhex("ab" * 32), named, "sha256")
    assert limit_of(1.0) > b"\xff" * 32, "every draw is below 1"
    for rate in (0.01, 0.1, 0.5):
        found = sum(number < limit_of(rate) for number in drawn)
        spread = 5 * (4000 * rate * (1 - rate)) ** 0.5
        assert abs(found - 4000 * rate) < spread
    for other in (origin("cd" * 32), origin(version=2), origin(model="n")):
        changed = map(drawing(other), references)
        tenth = limit_of(0.1)
        both = sum(max(pair) < tenth for pair in zip(drawn, changed, strict=True))
        assert both < 80, "independent draws: 40 are expected"
    assert len({drawing(origin())(None) for _ in range(50)}) == 50


def await_audits(desk, model):
    """Wait until the draw of what was answered has been made."""
    return until(lambda: [c for c in kept(desk, model).values() if c.reason == "audit"])


def test_accepted_rows_are_drawn_by_the_rate_of_their_decision(desk):
    model = desk.model("drawn", audit={"+1": 1.0, "-1": 0.2}, second_opinion=None)
    sent = rows(400)
    references = [f"a-{i}" for i in range(400)]
    answer = predict(desk, model, sent, references)
    told = answer.json()["predictions"]
    plus = [i for i, p in enumerate(told) if p["decision"] == "+1"]
    minus = [i for i, p in enumerate(told) if p["decision"] == "-1"]
    assert all("case" not in told[i] for i in (*plus, *minus)), "no mark"
    assert "audit" not in answer.text
    audits = await_audits(desk, model)
    drawn = {case.reference: case for case in audits}
    assert {references[i] for i in plus} <= drawn.keys(), "all of rate 1"
    lesser = [i for i in minus if references[i] in drawn]
    expected = 0.2 * len(minus)
    assert abs(len(lesser) - expected) < 5 * (expected * 0.8) ** 0.5
    for i in (*plus, *lesser):
        case = drawn[references[i]]
        assert case.decision == told[i]["decision"]
        assert case.inclusion == (1.0 if i in plus else 0.2)
        assert case.features == sent[i]
        assert case.score == told[i]["score"]
        assert case.saving == 0, "no audit is chosen by its score"
    before = {case.id for case in kept(desk, model).values()}
    for _ in range(3):
        assert predict(desk, model, sent, references).json()["predictions"] == told
    later = {f"b-{i}" for i in range(400)}
    predict(desk, model, sent, sorted(later))
    # Draws are stored in the order of the answers: those of the retries are, too, then.
    until(lambda: any(c.reference in later for c in kept(desk, model).values()))
    cases = kept(desk, model).values()
    assert {case.id for case in cases if case.reference not in later} == before, (
        "a retry draws alike"
    )


def test_one_row_and_large_bodies_are_drawn_as_well(desk):
    rate = {"+1": 1.0, "-1": 1.0}
    one = desk.model("drawn-one", audit=rate, second_opinion=None)
    for i, row in enumerate(rows(30)):
        predict(desk, one, [row], [f"one-{i}"])
    large = desk.model("drawn-large", audit={"+1": 0.02, "-1": 0.02})
    sent = rows(16_000)
    answer = predict(desk, large, sent, [f"l-{i}" for i in range(16_000)])
    accepted = answer.json()["summary"]["accepted"]
    audits = await_audits(desk, large)
    expected = 0.02 * accepted
    assert abs(len(audits) - expected) < 5 * expected**0.5
    assert {case.features["town"] for case in audits} <= {"Rome", "Oslo", "Lima"}
    assert len(await_audits(desk, one)) <= 30


def test_an_audit_looks_like_any_case_until_the_verdict(desk):
    model = desk.model("drawn-blind", audit={"+1": 1.0, "-1": 1.0}, second_opinion=None)
    predict(desk, model, rows(30), [f"b-{i}" for i in range(30)])
    audits = {case.id for case in await_audits(desk, model)}
    anna = desk.person("anna")
    reasons, revealed = set(), set()
    while True:
        answer = anna.post("/claims", json={"model": model})
        if answer.status_code == 204:
            break
        claim = answer.json()
        reasons.add(claim["case"]["reason"])
        said = {"token": claim["token"], "label": "yes"}
        verdict = anna.post(f"/claims/{claim['id']}/verdict", json=said).json()
        if verdict["machine"]["reason"] == "audit":
            revealed.add(claim["case"]["id"])
    assert reasons == {"ambiguous"}
    assert revealed == audits


def test_a_request_neither_draws_nor_stores_an_audit_itself(database, monkeypatch):
    """It hands its rows over; a thread draws later, in a commit of its own."""
    origin = model_with_cases(database, 0, audit={"+1": 1.0, "-1": 1.0})
    ready = ReadyModel(served().to_payload())
    sent = ready.readers.objects(ignore_extra=False).read(msgspec.json.encode(rows(40)))
    answers, tally = ready.answer(sent, ready.pricing)
    labels, costs = ready.model.labels, ready.pricing.costs
    intake = Intake(origin.terms, ("m", 1), labels, costs, ready.schema, None)
    intake.take(0, answers, tally, lambda: sent)
    intake.opened.clear()
    threads = []
    drawing = Intake.draw

    def draw_here(self):
        threads.append(threading.current_thread().name)
        return drawing(self)

    monkeypatch.setattr(Intake, "draw", draw_here)
    keeper = Keeper(database)
    keeper._draw_at = time.monotonic() + 1e6
    assert asyncio.run(keeper.keep(intake)) == {}
    assert not threads
    keeper.close()  # what waits is drawn and stored at the end
    assert set(threads) == {"cases"}
    with database.read() as session:
        stored = session.scalars(select(Case.reason)).all()
    assert stored == ["audit"] * (tally.rows - tally.rejected)


def test_audits_that_could_not_be_stored_are_tried_again(database, monkeypatch):
    origin = model_with_cases(database, 0, audit={"+1": 1.0, "-1": 1.0})
    case = NewCase(origin, "r", "audit", {}, "+1", 1.0)
    tries = []

    def fail_twice(session, cases):
        tries.append(len(cases))
        if len(tries) < 3:
            raise OSError(5, "the disk is away")
        return opening.open_cases(session, cases)

    monkeypatch.setattr(keeping, "open_cases", fail_twice)
    keeper = Keeper(database)
    intake = Intake(origin.terms, ("m", 1), Labels("yes", "no"), None, None, ["r"])
    intake.audits.append(case)
    keeper._to_draw.append(intake)
    for _ in range(3):
        keeper._draw(last=True)
    assert tries == [1, 1, 1]
    with database.read() as session:
        assert session.scalars(select(Case.id)).all() == [case.id]
