"""Waiting for an event, however slow the machine is."""

import time
from collections.abc import Callable
from typing import TypeVar

import pytest

__all__ = ["PAUSE_S", "until"]

NEVER_S = 600.0
"""What has not come by then does not come."""

PAUSE_S = 0.02

T = TypeVar("T")


def until(
    come: Callable[[], T],
    told: Callable[[], object] = str,
    longest_pause_s: float = PAUSE_S,
) -> T:
    """Return what ``come`` returns once that is true.

    Parameters
    ----------
    come : callable
        Looks whether it has come.
    told : callable
        What a failure says beside that it has not.
    longest_pause_s : float
        Pauses between looks grow to this, as a tenth of the time waited.
    """
    began = time.monotonic()
    while not (found := come()):
        waited = time.monotonic() - began
        if waited > NEVER_S:
            pytest.fail(f"it does not come: {told()}")
        time.sleep(min(longest_pause_s, max(PAUSE_S, waited / 10)))
    return found
