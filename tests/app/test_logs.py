"""Log lines are JSON and hold no text that may quote the data."""

import asyncio
import json
import logging
import sys

import pytest

from app.datasets.reader_pool import ReaderPool
from app.errors import ApiError
from app.logs import JsonLines, set_up
from app.predict.bulk import Limits
from app.predict.pool import BulkPool


def line(error):
    def fail():
        raise error

    def fail_again():
        try:
            fail()
        except type(error) as inner:
            msg = "outer 4711"
            raise KeyError(msg) from inner

    try:
        fail_again()
    except KeyError:
        record = logging.LogRecord(
            "app", logging.ERROR, "x.py", 1, "it %s", ("failed",), sys.exc_info()
        )
    record.request_id = "abc"
    return json.loads(JsonLines().format(record))


def test_a_line_has_time_level_logger_message_and_extra_fields():
    told = line(ValueError("inner 4711"))
    assert told["level"] == "error"
    assert told["logger"] == "app"
    assert told["message"] == "it failed"
    assert told["request_id"] == "abc"
    assert told["time"].endswith("+00:00")


def test_an_exception_is_its_kinds_and_places():
    told = line(ValueError("inner 4711"))["exception"]
    assert "builtins.ValueError" in told
    assert "builtins.KeyError" in told
    assert "test_logs.py" in told
    assert "inner 4711" not in told


def test_what_the_disk_says_is_told():
    assert "No space left" in line(OSError(28, "No space left"))["exception"]


@pytest.mark.parametrize("level", ["info", "warning", "error"])
def test_the_processes_beside_the_server_log_as_it_does(level, capfd):
    """Without that Python prints the text of an error, which may quote the data."""

    async def fail() -> None:
        pool = ReaderPool()
        try:
            with pytest.raises(ApiError):
                await pool.run(int, "4711 is private")
        finally:
            pool.close()

    before = logging.getLogger()
    kept, handlers = before.level, before.handlers[:]
    set_up(level)
    try:
        asyncio.run(fail())
    finally:
        before.handlers[:] = handlers
        before.setLevel(kept)
    told = capfd.readouterr().err
    lines = [json.loads(line) for line in told.splitlines()]
    assert [one["message"] for one in lines] == ["reading a file failed"]
    assert "builtins.ValueError" in lines[0]["exception"]
    assert "4711" not in told


def test_the_process_of_large_requests_logs_as_the_server_does(tmp_path, capfd):
    async def fail() -> None:
        pool = BulkPool(f"sqlite:///{tmp_path}/none", str(tmp_path), Limits(32, 100))
        body = b'{"model": "4711", "instances": []}'
        try:
            with pytest.raises(ApiError):
                await pool.answer(body)
        finally:
            pool.close()

    asyncio.run(fail())
    told = capfd.readouterr().err
    assert "a large request failed" in told
    assert "Traceback" not in told
    assert "4711" not in told
    for line in told.splitlines():
        json.loads(line)
