"""The blobs of a place, whatever kind of place it is."""

import uuid
from collections.abc import Callable
from pathlib import Path

from app.blobs.folder import FolderBlobs
from app.blobs.interface import Blobs, Place, Remote, StoreAwayError
from app.blobs.objects import ObjectBlobs

__all__ = ["address_of", "fault", "local_folder", "open_blobs", "place_of"]


def open_blobs(place: Place, owner: str = "") -> Blobs:
    """Return the blobs of a place; nothing is asked of it yet.

    Parameters
    ----------
    place : Path or Remote
    owner : str
        Who writes (`FolderBlobs`).
    """
    if isinstance(place, Remote):
        return ObjectBlobs(place)
    return FolderBlobs(place, owner)


def local_folder(place: Place, name: str) -> Path:
    """Return the folder of this machine for what is on its way to a place."""
    return Path(place.local) / name if isinstance(place, Remote) else place


def address_of(place: Place) -> str | Remote:
    """Return a place as it crosses the border of a process: a folder as text."""
    return place if isinstance(place, Remote) else str(place.resolve())


def place_of(address: str | Remote) -> Place:
    """Return the place that `address_of` gave."""
    return address if isinstance(address, Remote) else Path(address)


def fault(remote: Remote) -> str | None:
    """Write, read and remove a little; return what cannot be done, if anything.

    It names the store and the code of the failure, and no secret.
    """
    blobs, name = ObjectBlobs(remote), f"probe-{uuid.uuid4()}"
    steps: list[tuple[str, Callable[[], object]]] = [
        ("reached", lambda: blobs.find(name)),
        ("written", lambda: blobs.put(name, name.encode())),
        ("read", lambda: blobs.read(name)),
        ("deleted from", lambda: blobs.delete(name)),
    ]
    for step, do in steps:
        try:
            do()
        except FileNotFoundError:
            return f"DEMUR_STORE {remote.shown} cannot be {step}: nothing is there"
        except StoreAwayError as error:
            return f"DEMUR_STORE {remote.shown} cannot be {step}: {error}"
    return None
