"""Counts are exact, and their text is what Prometheus reads."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from app.db.states import JobStatus
from app.health.metrics import Metrics, exposition
from app.jobs.service import enqueue
from app.models.queries import ResolvedVersion
from app.predict.answer import Tally
from app.predict.metrics import PredictionCounts


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


def test_the_durations_of_ended_jobs_are_counted_on_both_databases(database):
    began = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
    with database.write() as session:
        for seconds in (0.5, 4.0, 4.5, 100_000.0):
            job = enqueue(session, model="m", request_body=b"{}")
            job.status, job.result = JobStatus.SUCCEEDED, {}
            job.started_at = began
            job.finished_at = began + timedelta(seconds=seconds)
        enqueue(session, model="m", request_body=b"{}")
    with database.read() as session:
        found = samples(exposition(Metrics(), session).decode())
    ended = ("status", "succeeded")

    def bucket(bound):
        return found["demur_job_seconds_bucket", (("le", bound), ended)]

    assert [bucket(bound) for bound in ("1.0", "5.0", "43200.0", "+Inf")] == [
        1,
        3,
        3,
        4,
    ]
    assert abs(found["demur_job_seconds_sum", (ended,)] - 100_009.0) < 0.01
    assert found["demur_job_seconds_count", (("status", "failed"),)] == 0


def test_several_processes_tell_the_sum_of_all_even_of_those_that_died(tmp_path):
    first, second = Metrics(tmp_path), Metrics(tmp_path)
    of_first, of_second = PredictionCounts(first), PredictionCounts(second)
    version = ResolvedVersion('a"b', 3, "0" * 64)
    for metrics in (first, first, second):
        metrics.note_request("GET", "/jobs", 200, 0.003)
    of_first.note(version, Tally(rows=5, positive=2, rejected=1))
    of_second.note(version, Tally(rows=2, positive=1, rejected=1))
    first.close()
    found = samples(generate_latest(second.registry).decode())
    get = (("method", "GET"), ("route", "/jobs"))
    assert found["demur_http_requests_total", (*get, ("status", "200"))] == 3
    assert found["demur_http_request_seconds_count", get] == 3
    assert abs(found["demur_http_request_seconds_sum", get] - 0.009) < 1e-12

    def rows(decision, reason):
        labels = {"model": 'a"b', "version": "3"}
        labels |= {"decision": decision, "reason": reason}
        return found["demur_predictions_total", tuple(sorted(labels.items()))]

    assert rows("+1", "") == 3
    assert rows("-1", "") == 2
    assert rows("reject", "ambiguous") == 2
    assert rows("reject", "outlier") == 0
    second.close()


@pytest.mark.thorough
def test_a_fleet_counts_every_request_once_and_outlives_a_dead_process(start_service):
    service = start_service("--no-worker", "--processes", "2")

    def counted():
        text = service.http.get("/metrics").text
        labels = (("method", "GET"), ("route", "/models"), ("status", "200"))
        return samples(text)["demur_http_requests_total", labels]

    def ask(times):
        for _ in range(times):
            with httpx.Client(base_url=service.url) as client:
                assert client.get("/models").status_code == 200

    ask(20)
    assert counted() == 20
    members = [p for p in service.descendants() if "spawn_main" in str(p.cmdline())]
    assert len(members) == 2
    members[0].kill()
    members[0].wait(10)
    service.http.close()
    service.http.close()
    service.http = httpx.Client(base_url=service.url)
    ask(10)
    assert counted() == 30
    assert service.stop() == 0
