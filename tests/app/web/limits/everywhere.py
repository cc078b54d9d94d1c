"""What is sent to every operation that the document tells of."""

import socket

DEEP = b'{"x":' * 11 + b"1" + b"}" * 11
QUERIES = dict.fromkeys(("/predict/batch", "/cases/import"), "?model=1")
"""What is asked for before a body is read."""
FILES = {"/datasets", "/predict/batch"}
PROTOCOLS = ("/v2", "/invocations", "/endpoints")
"""Addresses that tell an error in their protocol's own words."""


def speak(service, *parts):
    """Send raw bytes and return what comes until the server hangs up."""
    host, port = service.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as line:
        for part in parts:
            line.sendall(part)
        told = b""
        while part := line.recv(65536):
            told += part
    return told


def send(service, method, path, body, **headers):
    """Send JSON, unless the headers say otherwise."""
    headers = {"content-type": "application/json"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    headers = {name: value for name, value in headers.items() if value is not None}
    address = path + QUERIES.get(path, "")
    return service.http.request(method, address, content=body, headers=headers)
