"""The settings as the environment and the ``.env`` file give them.

A wrong value is told in one line, by its name and never with the value itself (it may
be a key). A variable that looks like a setting and is none is told at the start, and
never refused: a misspelt limit is not kept, and a misspelt list of keys leaves the
service open.
"""

import os
from collections.abc import Iterable
from difflib import get_close_matches

from dotenv import dotenv_values
from pydantic import ValidationError

from app.settings import Settings

__all__ = ["SettingsError", "given_names", "load_settings", "misspelt"]

_PREFIX = "DEMUR_"
# The client's and the compose file's own.
_OTHERS = frozenset({"url", "api_key", "publish_address", "publish_port"})
_ALIKE = 0.8


class SettingsError(ValueError):
    """A setting that the service cannot start with; the message is one line."""


def load_settings(**overrides: object) -> Settings:
    """Read the settings; ``overrides`` (None is none) win over the environment.

    Raises
    ------
    SettingsError
        With one line that names the variable and what it takes.
    """
    chosen = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**chosen)  # type: ignore[arg-type]  # checked by the model
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = "_".join(str(part).upper() for part in first["loc"][:1])
        message = first["msg"].removeprefix("Value error, ")
        raise SettingsError(f"DEMUR_{where}: {message}" if where else message) from None


def given_names() -> set[str]:
    """Return the names of the environment and of the ``.env`` file."""
    return {*os.environ, *dotenv_values(".env")}


def misspelt(names: Iterable[str]) -> dict[str, str]:
    """Return the names that are no setting but look like one, each with that one."""
    meant: dict[str, str] = {}
    for name in sorted(names):
        word = name.upper().removeprefix(_PREFIX).lower()
        if not name.upper().startswith(_PREFIX) or word in _OTHERS:
            continue
        if word not in Settings.model_fields:
            near = get_close_matches(word, Settings.model_fields, n=1, cutoff=_ALIKE)
            if near:
                meant[name] = _PREFIX + near[0].upper()
    return meant
