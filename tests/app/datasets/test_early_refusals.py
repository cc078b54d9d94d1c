"""A file that is refused in the midst of it: its client reads why, and goes on."""

import pytest

from tests.app.conftest import Service

LARGE = b"x,y\n" + b"1,2\n" * 2_000_000


@pytest.mark.parametrize(
    ("path", "kind", "status"),
    [
        ("/datasets", "application/x-unheard-of", 415),
        ("/datasets?delimiter=%23%23", "text/csv", 422),
        ("/predict/batch?model=nobody", "text/csv", 404),
    ],
)
def test_the_refusal_is_read_and_the_client_goes_on(
    server: Service, path: str, kind: str, status: int
) -> None:
    for _ in range(8):
        answer = server.http.post(path, content=LARGE, headers={"content-type": kind})
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert server.http.get("/livez").status_code == 200
