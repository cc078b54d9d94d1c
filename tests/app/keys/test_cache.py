"""The cache of keys trusts no answer of the database that is too old."""

import asyncio
from threading import Event

import pytest
from sqlalchemy.exc import OperationalError

from app.keys import secret, store
from app.keys.cache import LEASE_S, KeyCache


def test_the_cache_asks_late_in_the_lease_and_trusts_nothing_older():
    now, asked, away = [0.0], [0], [False]
    key = secret.KnownKey(b"0" * 32, "train")

    def find():
        asked[0] += 1
        if away[0]:
            raise OperationalError("away", {}, OSError())  # noqa: EM101 - a statement
        return store.Issued((key,) if asked[0] == 1 else (), ever=True)

    async def scenario():
        cache = KeyCache(find, (), always_locked=False, clock=lambda: now[0])
        assert not cache.last().locked
        assert cache.peek() is None
        assert (await cache.current()).keys == (key,)
        now[0] += LEASE_S * 0.4
        for _ in range(100):
            assert cache.peek().keys == (key,)
        assert asked[0] == 1, "no query for a request"
        now[0] += LEASE_S * 0.3
        assert cache.peek().keys == (key,)  # still good, and asked for anew
        await asyncio.gather(*cache._leased._queries.values())
        await asyncio.sleep(0)  # the answer is kept by a callback
        assert cache.peek().keys == ()
        assert cache.peek().locked, "revoking the last key opens nothing"
        away[0] = True
        now[0] += LEASE_S
        assert cache.peek() is None
        with pytest.raises(OperationalError):
            await cache.current()
        cache.close()

    assert LEASE_S < 1.0
    asyncio.run(asyncio.wait_for(scenario(), 10))


def test_a_query_that_began_long_ago_is_no_answer():
    """A key is revoked while a slow query of before is still under way."""
    now, answers = [0.0], []
    key = secret.KnownKey(b"0" * 32, "train")
    begun, go_on = Event(), Event()

    def find():
        answers.append((key,) if not answers else ())
        told = store.Issued(answers[-1], ever=True)
        begun.set()
        go_on.wait(10)
        return told

    async def scenario():
        cache = KeyCache(find, (), always_locked=False, clock=lambda: now[0])
        cache.warm()
        await asyncio.to_thread(begun.wait, 10)
        now[0] += LEASE_S
        request = asyncio.create_task(cache.current())
        await asyncio.sleep(0)
        go_on.set()
        assert (await request).keys == ()
        assert len(answers) == 2
        cache.close()

    asyncio.run(asyncio.wait_for(scenario(), 10))
