"""Whether a service may start: off this machine only with a key."""

from app.db import migrate
from app.db.session import open_database
from app.environment import SettingsError
from app.keys import store
from app.setting_texts import is_loopback
from app.settings import Settings

__all__ = ["require_key"]


def require_key(settings: Settings) -> None:
    """Make sure that somebody can come in, and only with a key.

    Off loopback a key is always asked for, so this refuses nothing that would be
    open; it tells at once that nobody could use the service.

    Raises
    ------
    SettingsError
        When other machines are listened to and there is no valid key.
    """
    if is_loopback(settings.host) or settings.api_keys:
        return
    if _any_key(settings):
        return
    msg = (
        "DEMUR_HOST: without DEMUR_API_KEYS only a loopback address may be bound, "
        "unless there is a key: make one by demur key create, or set DEMUR_API_KEYS"
    )
    raise SettingsError(msg)


def _any_key(settings: Settings) -> bool:
    database = open_database(settings.database)
    try:
        if settings.embedded:
            migrate.upgrade(database)
        if not migrate.at_head(database):
            return False
        with database.read() as session:
            return bool(store.issued(session).keys)
    finally:
        database.close()
