"""A version that goes while a batch for it is on its way."""

import threading
from collections.abc import Iterator

import pytest

from tests.app.batch.conftest import made, put
from tests.waiting import until

HEAD = b"glucose,bmi,smoker,town\n"
ROW = b"120,30,true,Rome\n"

pytestmark = pytest.mark.own_server


def versions_of(server, name: str, count: int) -> None:
    """Put versions into the registry, each with a file of its own."""
    notes = [f"{name}:{version + 1}" for version in range(count)]
    put(server, name, [{**made().to_payload(), "note": note} for note in notes])


class Upload:
    """A batch whose body stops half way until it is told to go on."""

    def __init__(self, server, model: str) -> None:
        self.go_on = threading.Event()
        self.answers = []
        self._thread = threading.Thread(target=self._send, args=(server, model))
        self._thread.start()
        # The version is resolved before the file is opened that takes the body.
        incoming = server.data_dir / "datasets" / "incoming"
        until(lambda: list(incoming.glob("*/sent")))

    def _send(self, server, model: str) -> None:
        self.answers.append(
            server.http.post(
                "/predict/batch",
                content=self._body(),
                params={"model": model},
                headers={"content-type": "text/csv"},
            )
        )

    def _body(self) -> Iterator[bytes]:
        yield HEAD + ROW * 1000
        assert self.go_on.wait(60)
        yield ROW

    def finish(self):
        self.go_on.set()
        self._thread.join(120)
        (answer,) = self.answers
        return answer


@pytest.mark.parametrize("asked", ["{name}", "{name}:1"])
@pytest.mark.parametrize("gone", ["version", "model"])
def test_a_batch_for_a_version_that_is_deleted_meanwhile_is_not_found(
    server, left, asked, gone
):
    name = f"deleted-{gone}-{len(asked)}"
    versions_of(server, name, 1)
    upload = Upload(server, asked.format(name=name))
    path = f"/models/{name}" + ("/versions/1" if gone == "version" else "")
    assert server.http.delete(path).status_code == 200
    answer = upload.finish()
    assert answer.status_code == 404, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "/problems/unknown-model"
    assert "version 1 of the model was deleted" in answer.json()["detail"]
    assert left() == set()


def test_a_batch_for_a_version_that_is_loaded_goes_on(server):
    versions_of(server, "held", 2)

    def send(model):
        return server.http.post(
            "/predict/batch",
            content=HEAD + ROW,
            params={"model": model},
            headers={"content-type": "text/csv"},
        )

    for _ in range(8):  # by now each process of the pool has it
        assert send("held:1").status_code == 200
    upload = Upload(server, "held:1")
    assert server.http.delete("/models/held/versions/1").status_code == 200
    answer = upload.finish()
    if answer.status_code == 200:  # the process that answered had it
        assert answer.headers["demur-model"] == "held:1"
        assert answer.headers["demur-rows"] == "1001"
    else:
        assert answer.status_code == 404, answer.text
    assert send("held:1").status_code == 404
    assert send("held").headers["demur-model"] == "held:2"
