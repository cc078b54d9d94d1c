"""The processes that read files: bounded, replaceable, gone when nobody waits."""

import asyncio
import multiprocessing
import os
import time

import pytest
from starlette.requests import ClientDisconnect

from app.datasets.reader_pool import ReaderPool
from app.errors import ApiError, InvalidRequestError, ServiceUnavailableError
from tests.waiting import until


def children():
    """Return the reading processes that this process has."""
    return {child.pid for child in multiprocessing.active_children()}


def with_reader_pool(use, memory_bytes=0):
    async def main():
        pool = ReaderPool(memory_bytes)
        try:
            return await use(pool)
        finally:
            pool.close()

    return asyncio.run(main())


async def begun(count):
    await asyncio.to_thread(until, lambda: len(children()) >= count)


def test_who_is_not_waited_for_is_killed_and_others_go_on():
    async def use(pool):
        first = await pool.run(os.getpid)
        leave = asyncio.Event()

        async def until_left():
            await leave.wait()

        stuck = asyncio.create_task(pool.run(time.sleep, 3600, unless=until_left()))
        await begun(1)
        assert await pool.run(len, "small") == 5  # finds a process of its own
        busy = children()
        leave.set()
        with pytest.raises(ClientDisconnect):
            await stuck
        assert first in busy
        assert first not in children()
        assert await pool.run(os.getpid) in busy - {first}

    with_reader_pool(use)


def test_a_call_that_is_given_up_ends_and_so_does_one_that_waits_for_its_turn():
    async def use(pool):
        stuck = [asyncio.create_task(pool.run(time.sleep, 3600)) for _ in range(6)]
        await begun(4)
        await asyncio.sleep(0)
        assert len(children()) == 4
        for task in stuck:
            task.cancel()
        await asyncio.wait(stuck)
        assert children() == set()
        assert await pool.run(len, "next") == 4

    with_reader_pool(use)


def test_a_stop_ends_them_whatever_they_do():
    async def use(pool):
        tasks = [asyncio.create_task(pool.run(time.sleep, 3600)) for _ in range(6)]
        await begun(4)
        pool.close()
        for task in tasks:
            with pytest.raises(ServiceUnavailableError):
                await task
        assert children() == set()

    with_reader_pool(use)


@pytest.mark.parametrize("steps", range(4))
def test_one_that_only_starts_ends_too(steps):
    async def use(pool):
        stopped = asyncio.create_task(pool.run(time.sleep, 3600))
        given_up = asyncio.create_task(pool.run(time.sleep, 3600))
        for _ in range(steps):
            await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.wait([given_up])
        pool.close()
        with pytest.raises(ServiceUnavailableError):
            await stopped
        assert children() == set()

    with_reader_pool(use)


def test_too_much_memory_is_a_refusal_that_names_the_setting():
    async def use(pool):
        for _ in range(2):
            with pytest.raises(InvalidRequestError, match="DEMUR_MAX_READER_MEMORY"):
                await pool.run(bytes, 1 << 31)
            assert await pool.run(len, "next") == 4

    with_reader_pool(use, 1 << 28)


def test_a_process_that_dies_is_told_and_replaced():
    async def use(pool):
        with pytest.raises(ServiceUnavailableError, match="died"):
            await pool.run(os._exit, 1)
        assert await pool.run(len, "next") == 4
        with pytest.raises(ApiError):
            await pool.run(int, "no number")
        assert len(children()) == 1

    with_reader_pool(use)
