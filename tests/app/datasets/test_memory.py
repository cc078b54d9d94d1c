"""A large upload and a large batch take a bounded amount of memory."""

import threading
import time

import numpy as np
import psutil
import pytest

CHUNK_ROWS = 10_000


def chunks(n_rows, n_columns):
    """Yield a CSV file of so many rows, a few at a time."""
    names = [f"column_{j}" for j in range(n_columns)]
    yield (",".join(names) + "\n").encode()
    values = np.random.default_rng(0).normal(size=(CHUNK_ROWS, n_columns)).round(5)
    rows = "".join(",".join(map(str, row)) + "\n" for row in values.tolist()).encode()
    for _ in range(n_rows // CHUNK_ROWS):
        yield rows


class Peak:
    """The most that a process and its children held beyond what they had before."""

    def __init__(self, pid):
        self.root = psutil.Process(pid)
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.watch)
        self.bytes = 0

    def held(self):
        total = 0
        for process in (self.root, *self.root.children(recursive=True)):
            try:
                memory = process.memory_info()
            except psutil.NoSuchProcess:
                continue
            total += memory.rss - memory.shared
        return total

    def watch(self):
        before = self.held()
        while not self.done.wait(0.02):
            self.bytes = max(self.bytes, self.held() - before)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.done.set()
        self.thread.join()


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_million_rows_of_thirty_columns_are_uploaded_in_bounded_memory(server):
    headers = {"content-type": "text/csv"}
    for _ in range(2):  # both processes have started then
        server.http.post("/datasets", content=b"a,b\n1,2\n", headers=headers)
    time.sleep(1)
    with Peak(server.process.pid) as peak:
        answer = server.http.post(
            "/datasets", content=chunks(1_000_000, 30), headers=headers, timeout=600
        )
    assert answer.status_code == 201, answer.text
    assert answer.json()["rows"] == 1_000_000
    assert peak.bytes < 400e6
