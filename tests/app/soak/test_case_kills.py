"""kill -9 of the service at random moments: no reject without its case, none twice.

Rows are sent all the while, each with a reference of its own, and again with the same
one whenever no answer came.
"""

import itertools
import random
import threading
import time
from contextlib import suppress

import httpx
import pytest
from sqlalchemy import select

from app.db.review_tables import Case, Opinion
from app.db.session import open_database
from app.settings import Settings
from tests.app.predict.conftest import Registry, served
from tests.app.reviews.conftest import rows

AT_ONCE = 8
POLICY = {"audit": None, "second_opinion": None}


class Sender(threading.Thread):
    """Sends rows to wherever the service is now, until it is told to stop."""

    def __init__(self, service, number) -> None:
        super().__init__()
        self.service, self.number = service, number
        self.stop = threading.Event()
        self.told: dict[str, dict] = {}
        self.refused: list[str] = []

    def run(self) -> None:
        for turn in itertools.count():
            references = [f"{self.number}-{turn}-{i}" for i in range(AT_ONCE)]
            body = {
                "model": "m",
                "instances": rows(AT_ONCE, seed=turn * 7 + self.number),
                "references": references,
            }
            while references[0] not in self.told:
                if self.stop.is_set():
                    return
                with suppress(httpx.TransportError):  # nobody there: once more
                    self._send(body)

    def _send(self, body: dict) -> None:
        answer = httpx.post(f"{self.service.url}/predict", json=body, timeout=30)
        if answer.status_code != 200:
            self.refused.append(answer.text)
            time.sleep(0.05)
            return
        predictions = answer.json()["predictions"]
        self.told |= dict(zip(body["references"], predictions, strict=True))


def play(service, kills: int, seed: int) -> list[Sender]:
    """Send rows while the service is killed and started again."""
    draw = random.Random(seed)
    senders = [Sender(service, number) for number in range(3)]
    for sender in senders:
        sender.start()
    try:
        for _ in range(kills):
            before = sum(len(sender.told) for sender in senders)
            until = time.monotonic() + 60
            while sum(len(sender.told) for sender in senders) == before:
                assert time.monotonic() < until, service.log()
                time.sleep(0.01)
            time.sleep(draw.uniform(0.0, 0.5))
            service.kill()
            service.start()
        time.sleep(0.5)
    finally:
        for sender in senders:
            sender.stop.set()
        for sender in senders:
            sender.join()
    return senders


def check(url: str, senders: list[Sender]) -> int:
    """Hold what was answered against the database; return how many cases there are."""
    database = open_database(url)
    with database.read() as session:
        kept = session.execute(select(Case.reference, Case.id)).all()
        wanted = session.scalars(select(Opinion.case_id)).all()
    database.close()
    cases = dict(kept)
    assert len(cases) == len(kept), "a reference with two cases"
    assert sorted(wanted) == sorted(cases.values()), "a case without its opinion"
    for sender in senders:
        assert not sender.refused
        for reference, prediction in sender.told.items():
            if prediction["decision"] == "reject":
                assert cases[reference] == prediction["case"]
            else:
                assert reference not in cases
    return len(cases)


def killed(anywhere, kills: int, seed: int) -> int:
    service = anywhere("--no-worker")
    url = service.environment.get("DEMUR_DATABASE_URL", "")
    settings = Settings(data_dir=service.data_dir, database_url=url, _env_file=None)
    registry = Registry(settings)
    registry.add("m", served())
    registry.database.close()
    put = service.http.put("/models/m/review", json=POLICY)
    assert put.status_code == 200, put.text
    senders = play(service, kills, seed)
    return check(settings.database, senders)


@pytest.mark.thorough
def test_no_reject_is_without_its_case_and_none_has_two_over_a_kill(anywhere):
    assert killed(anywhere, 1, seed=1) > 0


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_no_reject_is_without_its_case_over_twenty_kills(anywhere, say):
    cases = killed(anywhere, 20, seed=2)
    say(f"{cases} cases over 20 kills: none missing, none twice")
