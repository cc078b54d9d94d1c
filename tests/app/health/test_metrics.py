"""Counts are exact, and their text is what Prometheus reads."""

from prometheus_client.parser import text_string_to_metric_families

from app.health.metrics import Metrics, exposition
from app.jobs.service import enqueue


def samples(text):
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_requests_latency_and_jobs_are_counted(database):
    metrics = Metrics()
    for status, seconds in ((200, 0.0004), (200, 0.003), (404, 0.0005), (500, 99.0)):
        metrics.note_request("GET", "/jobs", status, seconds)
    metrics.note_request("BREW", "/jobs", 405, 0.1)
    with database.write() as session:
        for _ in range(3):
            enqueue(session, model="m", request_body=b"{}")
    with database.read() as session:
        found = samples(exposition(metrics, session).decode())
    get = (("method", "GET"), ("route", "/jobs"))
    other = (("method", "other"), ("route", "/jobs"))

    def requests(labels, status):
        return found["demur_http_requests_total", (*labels, ("status", status))]

    def bucket(bound):
        return found["demur_http_request_seconds_bucket", (("le", bound), *get)]

    assert requests(get, "200") == 2
    assert requests(get, "404") == 1
    assert requests(other, "405") == 1
    assert bucket("0.0005") == 2, "a bound belongs to its bucket"
    assert bucket("0.005") == 3
    assert bucket("10.0") == 3
    assert bucket("+Inf") == 4
    assert found["demur_http_request_seconds_count", get] == 4
    assert abs(found["demur_http_request_seconds_sum", get] - 99.0039) < 1e-9
    assert found["demur_jobs", (("status", "queued"),)] == 3
    assert found["demur_jobs", (("status", "failed"),)] == 0


def test_no_request_yet_is_a_document_too(database):
    with database.read() as session:
        assert samples(exposition(Metrics(), session).decode())
