"""Variables that look like settings and are none: told at the start, never refused.

A misspelt limit is not kept, and a misspelt list of keys leaves the service open.
"""

import os
from collections.abc import Iterable
from difflib import get_close_matches

from dotenv import dotenv_values

from app.settings import Settings

__all__ = ["given_names", "misspelt"]

_PREFIX = "DEMUR_"
# The client's and the compose file's own.
_OTHERS = frozenset({"url", "api_key", "publish_address", "publish_port"})
_ALIKE = 0.8


def given_names() -> set[str]:
    """Return the names of the environment and of the ``.env`` file."""
    return {*os.environ, *dotenv_values(".env")}


def misspelt(names: Iterable[str]) -> dict[str, str]:
    """Return the names that are no setting but look like one, each with that one."""
    found: dict[str, str] = {}
    for name in sorted(names):
        word = name.upper().removeprefix(_PREFIX).lower()
        if not name.upper().startswith(_PREFIX) or word in _OTHERS:
            continue
        if word not in Settings.model_fields:
            near = get_close_matches(word, Settings.model_fields, n=1, cutoff=_ALIKE)
            if near:
                found[name] = _PREFIX + near[0].upper()
    return found
