"""A leased answer never stops the loop that it serves."""

import asyncio

import pytest

from app.db.leased import Lease, LeasedAnswers


@pytest.mark.timeout(60)
def test_a_late_answer_whose_callback_still_waits_does_not_stop_the_loop():
    """Awaiting what is done takes no turn of the loop: its callback would never run."""
    now, asked = [0.0], []

    def find(question):
        asked.append(question)
        return f"{question} {len(asked)}"

    async def scenario():
        leased = LeasedAnswers("tests", find, Lease(1.0, 0.5), clock=lambda: now[0])
        late = asyncio.create_task(leased._query("which"))
        await late
        leased._queries["which"] = late
        now[0] += 1.0
        assert await leased.get("which") == "which 2"
        assert asked == ["which", "which"]
        leased.close()

    asyncio.run(scenario())
