"""Log lines are JSON and hold no text that may quote the data."""

import json
import logging
import sys

from app.logs import JsonLines


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
