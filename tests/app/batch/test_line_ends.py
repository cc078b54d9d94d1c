"""Lines end in an answer as they end in the file."""

import pytest


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_lines_end_as_they_came(send, end, last):
    lines = [
        b"glucose,bmi,smoker,town",
        b"120,30,true,Rome",
        b'99,,false,"Oslo"',
        b"101,22,false,Lima",
    ]
    answer = send(end.join(lines) + (end if last else b""))
    assert answer.status_code == 200, answer.text
    told = answer.content.split(end)
    assert len(told) == 5
    assert told[-1] == b""
    for line, whole in zip(lines, told, strict=False):
        assert whole.startswith(line + b",")
        assert b"\r" not in whole
        assert b"\n" not in whole
