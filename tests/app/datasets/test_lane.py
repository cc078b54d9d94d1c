"""The processes that read files: bounded, replaceable, gone when nobody waits."""

import asyncio
import multiprocessing
import os
import time

import pytest
from starlette.requests import ClientDisconnect

from app.datasets.lane import Lane
from app.errors import ApiError, InvalidRequestError, ServiceUnavailableError
from tests.waiting import until


def children():
    """Return the reading processes that this process has."""
    return {child.pid for child in multiprocessing.active_children()}


def with_lane(use, memory_bytes=0):
    async def main():
        lane = Lane(memory_bytes)
        try:
            return await use(lane)
        finally:
            lane.close()

    return asyncio.run(main())


async def begun(count):
    await asyncio.to_thread(until, lambda: len(children()) >= count)


def test_who_is_not_waited_for_is_killed_and_others_go_on():
    async def use(lane):
        first = await lane.run(os.getpid)
        leave = asyncio.Event()

        async def until_left():
            await leave.wait()

        stuck = asyncio.create_task(lane.run(time.sleep, 3600, unless=until_left()))
        await begun(1)
        assert await lane.run(len, "small") == 5  # finds a process of its own
        busy = children()
        leave.set()
        with pytest.raises(ClientDisconnect):
            await stuck
        assert first in busy
        assert first not in children()
        assert await lane.run(os.getpid) in busy - {first}

    with_lane(use)


def test_a_call_that_is_given_up_ends_and_so_does_one_that_waits_for_its_turn():
    async def use(lane):
        stuck = [asyncio.create_task(lane.run(time.sleep, 3600)) for _ in range(6)]
        await begun(4)
        await asyncio.sleep(0)
        assert len(children()) == 4
        for task in stuck:
            task.cancel()
        await asyncio.wait(stuck)
        assert children() == set()
        assert await lane.run(len, "next") == 4

    with_lane(use)


def test_a_stop_ends_them_whatever_they_do():
    async def use(lane):
        task = asyncio.create_task(lane.run(time.sleep, 3600))
        await begun(1)
        lane.close()
        with pytest.raises(ServiceUnavailableError):
            await task
        assert children() == set()

    with_lane(use)


def test_too_much_memory_is_a_refusal_that_names_the_setting():
    async def use(lane):
        for _ in range(2):
            with pytest.raises(InvalidRequestError, match="DEMUR_MAX_READER_MEMORY"):
                await lane.run(bytes, 1 << 31)
            assert await lane.run(len, "next") == 4

    with_lane(use, 1 << 28)


def test_a_process_that_dies_is_told_and_replaced():
    async def use(lane):
        with pytest.raises(ServiceUnavailableError, match="died"):
            await lane.run(os._exit, 1)
        assert await lane.run(len, "next") == 4
        with pytest.raises(ApiError):
            await lane.run(int, "no number")
        assert len(children()) == 1

    with_lane(use)
