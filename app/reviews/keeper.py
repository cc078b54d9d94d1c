"""Cases of one process on their way into the database: one thread, commits in groups.

A request with rejects waits until its cases are stored: an answer that says "ask a
person" goes out when somebody can be asked. Cases that come while a commit runs go into
the next one. Audits have commits of their own, after a pause of random length, so that
no request waits for them. When the process is killed in that pause they are lost.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from random import uniform
from time import monotonic

from app.db.session import Database
from app.errors import ApiError, ServiceUnavailableError
from app.grouped import Grouped
from app.reviews.intake import Intake
from app.reviews.new_case import NewCase
from app.reviews.opening import open_cases
from app.web.failures import translate

__all__ = ["Keeper"]

log = logging.getLogger(__name__)

MOST_WAITING = 100_000
"""Cases that may wait to be stored; more are refused."""

MOST_DRAWS = 10_000
"""Requests whose accepted rows may wait for the draw; of more, the oldest go."""

AUDITS_WAIT_S = (0.3, 1.5)

Moved = dict[str, str]
Waiting = tuple[Sequence[NewCase], "Future[Moved]"]


class Keeper:
    """Store cases.

    Parameters
    ----------
    database : Database
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._to_draw: deque[Intake] = deque(maxlen=MOST_DRAWS)
        self._draw_at = 0.0
        self._stored = Grouped[Waiting](
            "cases", self._store, lambda: MOST_WAITING, self._draw, AUDITS_WAIT_S[0]
        )

    async def keep(self, intake: Intake) -> Moved | None:
        """Store the cases of a request; audits follow later.

        Returns
        -------
        moved : dict of str to str, or None
            For each case that was open already, its id there; None where the cases
            could not be stored and the policy answers nevertheless.

        Raises
        ------
        ServiceUnavailableError, StorageFullError
            When they could not, and the policy refuses.
        """
        moved: Moved | None = {}
        if intake.opened:
            try:
                moved = await asyncio.wrap_future(self._put(intake.opened))
            except Exception as error:  # noqa: BLE001 - told, or logged
                refusal = _refusal(error)
                if intake.terms.refuse:
                    raise refusal from None
                log.warning("cases are missing: %s", refusal)
                moved = None
        self.audit(intake)
        return moved

    def audit(self, intake: Intake) -> None:
        """Have the accepted rows of a request drawn from, a moment later."""
        if intake.may_be_audited:
            self._to_draw.append(intake)
            self._stored.start()

    def close(self) -> None:
        """Store what waits, and end."""
        self._stored.close()

    def _put(self, cases: Sequence[NewCase]) -> "Future[Moved]":
        done: Future[Moved] = Future()
        if not self._stored.put((cases, done), len(cases)):
            msg = "too many cases wait to be stored; try again"
            raise ServiceUnavailableError(msg)
        return done

    def _store(self, taken: list[Waiting]) -> None:
        try:
            with self._database.write() as session:
                moved = open_cases(
                    session, [case for cases, _ in taken for case in cases]
                )
        except Exception as error:  # noqa: BLE001 - told to each; the thread lives on
            for _, done in taken:
                if done.set_running_or_notify_cancel():
                    done.set_exception(error)
            return
        for cases, done in taken:
            if done.set_running_or_notify_cancel():
                own = (case.id for case in cases if case.id in moved)
                done.set_result({case_id: moved[case_id] for case_id in own})

    def _draw(self, last: bool) -> None:
        """Draw the audits of what was answered, when it is time, and store them."""
        if not self._to_draw or not (last or monotonic() >= self._draw_at):
            return
        self._draw_at = monotonic() + uniform(*AUDITS_WAIT_S)  # noqa: S311
        drawing = [self._to_draw.popleft() for _ in range(len(self._to_draw))]
        try:
            audits = [case for intake in drawing for case in intake.draw()]
            if audits:
                with self._database.write() as session:
                    open_cases(session, audits)
        except Exception:
            log.exception("audits could not be stored; they are tried again")
            self._to_draw.extendleft(reversed(drawing))


def _refusal(error: Exception) -> ApiError:
    problem = translate(error)
    if problem.status != 500:
        return problem
    log.error("cases could not be stored", exc_info=error)
    msg = "the cases of rejected rows could not be stored; try again"
    return ServiceUnavailableError(msg)
