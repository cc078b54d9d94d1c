"""One request again and again at fixed times, from a process of its own.

Latency counts from the time that a request was to be sent: a service that stands still
for a while is seen by all that should have been sent meanwhile. What builds and reads
the other requests of a load runs elsewhere, so that it delays none of these.
"""

import http.client
import itertools
import json
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

__all__ = ["Paced", "paced"]

CONNECTIONS = 16
PATIENCE_S = 60


@dataclass
class Paced:
    """Latencies in seconds by status; status 0 is a connection that broke."""

    latencies_s: dict[int, list[float]] = field(default_factory=dict)

    @property
    def answered(self) -> list[float]:
        """Return the latencies of all good answers, in ascending order."""
        return sorted(self.latencies_s.get(200, []))

    def percentile_ms(self, percent: float) -> float:
        """Return a percentile of the latency of good answers in milliseconds."""
        told = self.answered
        return 1000 * told[min(int(len(told) * percent / 100), len(told) - 1)]


def paced(url: str, body: dict, rate: float, seconds: float) -> Paced:
    """Post ``body`` to /predict at this rate for so long."""
    place = urlsplit(url)
    content = json.dumps(body).encode()
    tickets, lock = itertools.count(), threading.Lock()
    found, total = Paced(), int(rate * seconds)
    began = time.perf_counter()

    def work() -> None:
        line = http.client.HTTPConnection(
            place.hostname or "", place.port, timeout=PATIENCE_S
        )
        while True:
            with lock:
                number = next(tickets)
            if number >= total:
                line.close()
                return
            due = began + number / rate
            time.sleep(max(0.0, due - time.perf_counter()))
            status = _sent(line, content)
            spent = time.perf_counter() - due
            with lock:
                found.latencies_s.setdefault(status, []).append(spent)

    threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _sent(line: http.client.HTTPConnection, content: bytes) -> int:
    try:
        line.request("POST", "/predict", content, {"Content-Type": "application/json"})
        answer = line.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException):
        line.close()
        return 0
    return answer.status
