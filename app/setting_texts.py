"""What the texts of settings are made of: lists, addresses, origins."""

import ipaddress
import re
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

__all__ = ["check_cluster", "is_loopback", "is_origin", "split"]

_LOCAL = re.compile(r"local(:[1-9][0-9]{0,2})?")
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


def check_cluster(text: str, tls: tuple[str, ...]) -> None:
    """Refuse what is no cluster, and a plain connection over a public network.

    A name is looked up, and refused if it must be, when it is connected to.

    Raises
    ------
    ValueError
        With what to say instead.
    """
    if tls and (len(tls) != 3 or not all(Path(file).is_file() for file in tls)):
        msg = "DEMUR_CLUSTER_TLS names three files that are there"
        raise ValueError(msg)
    if not text or _LOCAL.fullmatch(text):
        return
    try:
        address = urlsplit(text)
        known = address.scheme in {"tcp", "tls"} and address.hostname and address.port
    except ValueError:
        known = False
    if not known or address.path or address.query or address.username:
        msg = "use tcp://HOST:PORT, tls://HOST:PORT, local or local:N"
        raise ValueError(msg)
    if address.scheme == "tls" and not tls:
        msg = "tls:// needs DEMUR_CLUSTER_TLS"
        raise ValueError(msg)
    try:
        private = tls or ipaddress.ip_address(address.hostname or "").is_private
    except ValueError:
        return
    if not private:
        msg = (
            "whoever reaches a Dask cluster runs programs on it: use an address of a"
            " private network, or set DEMUR_CLUSTER_TLS"
        )
        raise ValueError(msg)


@lru_cache(maxsize=256)  # asked for the Host header of every request
def is_loopback(host: str) -> bool:
    """Tell whether binding ``host`` keeps the service on this machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
