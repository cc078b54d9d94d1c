"""The catalogue never answers with what was true longer than a lease ago."""

import asyncio
from threading import Event

import pytest

from app.errors import UnknownModelError
from app.models.catalogue import LEASE_S, Catalogue, Reference
from app.models.queries import ResolvedVersion


class _Database:
    """Versions that change, a clock that is set, and a count of queries."""

    def __init__(self):
        self.version, self.queries, self.now = 1, 0, 100.0
        self.error = None
        self.hold, self.asked = None, Event()

    def clock(self):
        return self.now

    def find(self, reference):
        self.queries += 1
        version, hold = self.version, self.hold
        self.asked.set()
        if hold is not None:
            assert hold.wait(60)
        if self.error is not None:
            raise self.error
        if reference.name != "pima":
            return None
        return ResolvedVersion("pima", version, "0" * 64)


async def _settled(catalogue):
    await asyncio.gather(*catalogue._leased._queries.values())
    await asyncio.sleep(0)  # the answers are kept by callbacks


def _run(scenario):
    database = _Database()
    catalogue = Catalogue(database.find, database.clock)
    try:
        asyncio.run(asyncio.wait_for(scenario(database, catalogue), 10))
    finally:
        catalogue.close()


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("pima", Reference("pima")),
        ("pima:12", Reference("pima", 12)),
        ("a.b-c_d@blue", Reference("a.b-c_d", alias="blue")),
    ],
)
def test_references_are_read(text, reference):
    assert Reference.parse(text) == reference


@pytest.mark.parametrize(
    "text",
    ["", ":1", "pima:", "pima:0", "pima:01", "pima:x", "a b", "a@", "a@b@c", "é"],
)
def test_what_no_model_can_be_called_is_unknown(text):
    with pytest.raises(UnknownModelError):
        Reference.parse(text)


def test_an_answer_serves_for_one_lease_and_no_longer():
    async def scenario(database, catalogue):
        assert catalogue.peek("pima") is None
        assert (await catalogue.resolve("pima")).version == 1
        database.version = 2
        database.now += LEASE_S * 0.4
        assert catalogue.peek("pima").version == 1
        assert database.queries == 1
        database.now += LEASE_S * 0.6
        assert catalogue.peek("pima") is None
        assert (await catalogue.resolve("pima")).version == 2

    _run(scenario)


def test_late_in_its_lease_an_entry_is_renewed_unseen():
    async def scenario(database, catalogue):
        await catalogue.resolve("pima")
        database.version = 2
        database.now += LEASE_S * 0.8
        assert catalogue.peek("pima").version == 1  # still good, and asked again
        await _settled(catalogue)
        database.now += LEASE_S * 0.6
        assert catalogue.peek("pima").version == 2

    _run(scenario)


def test_a_hundred_requests_cause_one_query():
    async def scenario(database, catalogue):
        found = await asyncio.gather(*(catalogue.resolve("pima") for _ in range(100)))
        assert {each.version for each in found} == {1}
        assert database.queries == 1

    _run(scenario)


def test_a_query_that_began_too_long_ago_is_not_believed():
    async def scenario(database, catalogue):
        database.hold = Event()
        early = asyncio.create_task(catalogue.resolve("pima"))
        assert await asyncio.to_thread(database.asked.wait, 5)
        # The first query has read version 1 and hangs; version 2 appears meanwhile.
        database.version = 2
        database.now += LEASE_S * 2
        late = asyncio.create_task(catalogue.resolve("pima"))
        await asyncio.sleep(0)
        database.hold.set()
        assert (await early).version == 1
        assert (await late).version == 2

    _run(scenario)


def test_one_client_hanging_up_leaves_the_others_their_answer():
    async def scenario(database, catalogue):
        database.hold = Event()
        first = asyncio.create_task(catalogue.resolve("pima"))
        second = asyncio.create_task(catalogue.resolve("pima"))
        assert await asyncio.to_thread(database.asked.wait, 5)
        first.cancel()
        await asyncio.sleep(0)
        database.hold.set()
        assert (await second).version == 1
        assert database.queries == 1

    _run(scenario)


def test_failures_reach_those_who_wait_and_are_not_kept():
    async def scenario(database, catalogue):
        database.error = ConnectionError("gone")
        with pytest.raises(ConnectionError):
            await catalogue.resolve("pima")
        database.error = None
        assert (await catalogue.resolve("pima")).version == 1

    _run(scenario)


@pytest.mark.parametrize(
    ("text", "words"),
    [("other", "no model"), ("other:3", "version 3"), ("other@x", "alias")],
)
def test_the_unknown_is_said_and_asked_again(text, words):
    async def scenario(database, catalogue):
        for _ in range(2):
            with pytest.raises(UnknownModelError, match=words):
                await catalogue.resolve(text)
            await _settled(catalogue)
        assert database.queries == 2

    _run(scenario)


def test_the_number_of_entries_is_bounded(monkeypatch):
    monkeypatch.setattr("app.models.catalogue._MOST_ENTRIES", 3)

    async def scenario(database, catalogue):
        for version in range(1, 6):
            await catalogue.resolve(f"pima:{version}")
        assert list(catalogue._leased._answers) == ["pima:3", "pima:4", "pima:5"]

    _run(scenario)
