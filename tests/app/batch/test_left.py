"""A file that nobody waits for any more: the process that reads it goes, and the file.

The processes are stopped in their midst, as one would be that never comes to an end.
"""

import socket
from contextlib import closing

import psutil
import pytest

from tests.app.batch.conftest import COLUMNS, made, put
from tests.waiting import until

pytestmark = pytest.mark.thorough

CSV = (",".join(COLUMNS) + "\n" + "120,30,true,Rome\n" * 20).encode()
PATHS = ["/datasets?name=x", "/predict/batch?model=batch"]


@pytest.fixture(scope="module")
def service(tmp_path_factory, service_type):
    service = service_type(
        tmp_path_factory.mktemp("left"),
        {"DEMUR_UPLOAD_SECONDS": "10"},
        ("--no-worker",),
    ).start()
    put(service, "batch", [made().to_payload()])
    yield service
    service.stop()


def post(service, path):
    headers = {"content-type": "text/csv"}
    return service.http.post(path, content=CSV, headers=headers)


def readers(service):
    found = service.descendants()
    return [p for p in found if "spawn_main" in " ".join(p.cmdline())]


def stopped(service):
    """Return the one process that reads files, which does nothing any more."""
    until(lambda: post(service, PATHS[0]).status_code == 201, service.log)
    (reader,) = readers(service)
    reader.suspend()
    return reader


def sent(service, path):
    """Send a file; return the connection when the file is there."""
    host, port = service.url.removeprefix("http://").split(":")
    line = socket.create_connection((host, int(port)), timeout=60)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
        f"Content-Length: {len(CSV)}\r\n\r\n"
    )
    line.sendall(head.encode() + CSV)
    until(lambda: incoming(service))
    return line


def incoming(service):
    folder = service.data_dir / "datasets" / "incoming"
    try:
        return [p for p in folder.glob("*/*") if p.name != "held" and p.stat().st_size]
    except FileNotFoundError:  # one went while it was looked at
        return incoming(service)


def gone(service, reader):
    until(lambda: not psutil.pid_exists(reader.pid), service.log)
    until(lambda: not incoming(service), service.log)


def last_line(log):
    """Return it; a log has its first when the first request has ended."""
    return "".join(log.read_text().splitlines()[-1:])


@pytest.mark.parametrize("path", PATHS)
def test_a_client_that_leaves_ends_the_work(service, path):
    reader = stopped(service)
    with closing(sent(service, path)):
        assert reader.is_running()
    gone(service, reader)
    log = service.data_dir / "log"
    until(lambda: '"status": 499' in last_line(log), log.read_text)
    assert '"level": "error"' not in log.read_text()


def test_what_takes_too_long_is_ended_when_it_is_answered(service):
    reader = stopped(service)
    answer = post(service, "/predict/batch?model=batch")
    assert answer.status_code == 503
    assert "DEMUR_UPLOAD_SECONDS" in answer.json()["detail"]
    gone(service, reader)
    assert '"level": "error"' not in service.log()


def test_a_stop_ends_the_work(start_service):
    service = start_service("--no-worker")
    reader = stopped(service)
    with closing(sent(service, PATHS[0])):
        service.stop()
    assert not psutil.pid_exists(reader.pid)
    assert not incoming(service)
