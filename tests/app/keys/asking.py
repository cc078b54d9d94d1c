"""Requests with a key."""

import httpx

__all__ = ["bearer", "settled", "status"]


def bearer(key):
    return {"authorization": f"Bearer {key}"}


def status(service, method, path, key):
    """Ask on a connection of its own: it may be any process's."""
    with httpx.Client(base_url=service.url) as client:
        return client.request(method, path, headers=bearer(key)).status_code


def settled(service, path, key, wanted):
    """Every process says so, from the answer that issued or revoked the key on."""
    assert {status(service, "GET", path, key) for _ in range(24)} == {wanted}
