"""What the texts of settings are made of: lists, addresses, origins."""

import ipaddress
import re
from functools import lru_cache

__all__ = ["is_loopback", "is_origin", "split"]

_ORIGIN = re.compile(r"https?://[][a-z0-9.:-]+")


def split(value: object) -> object:
    """Return the parts of a text that commas separate; anything else as it is."""
    if not isinstance(value, str):
        return value
    parts = tuple(part.strip() for part in value.split(",") if part.strip())
    if value.strip() and not parts:
        msg = "there is nothing but commas and spaces"
        raise ValueError(msg)
    return parts


def is_origin(text: str) -> bool:
    """Tell whether a text is a web origin."""
    return _ORIGIN.fullmatch(text) is not None


@lru_cache(maxsize=256)  # asked for the Host header of every request
def is_loopback(host: str) -> bool:
    """Tell whether binding ``host`` keeps the service on this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
