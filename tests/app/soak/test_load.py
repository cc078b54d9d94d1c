"""Mixed load with trainings running all the time: no fault, bounded memory."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from statistics import median

import pytest

from tests.app.soak.mixed import COLUMNS, Mixed, training
from tests.app.soak.paced import Paced, paced

GROWTH_MIB = 150.0
"""What the API may hold more at the end than after its first fifth: models that it
keeps, and room that its largest requests leave behind; no leak of ten minutes' work."""


def under_load(service, rate: float, seconds: float) -> tuple[Paced, Mixed]:
    """Train what the load asks for, then ask everything for so long."""
    for model, seed in (("small", 0), ("stumps", 1), ("repriced", 0)):
        job = service.train(training(model, seed))
        assert job["status"] == "succeeded", job
    row = dict(zip(COLUMNS, (0.3, -0.2, 0.1), strict=True))
    body = {"model": "small", "instances": [row]}
    own_process = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, own_process) as pool, Mixed(service) as mixed:
        small = pool.submit(paced, service.url, body, rate, seconds).result()
    return small, mixed


def check(service, small: Paced, mixed: Mixed, say) -> None:
    """Hold the answers against what was promised, and say the figures."""
    said = {status: len(told) for status, told in small.latencies_s.items()}
    fifth = max(1, len(mixed.rss_mib) // 5)
    early, late = median(mixed.rss_mib[:fifth]), median(mixed.rss_mib[-fifth:])
    say(
        f"small predictions {said}, p50 {small.percentile_ms(50):.1f} ms,"
        f" p99 {small.percentile_ms(99):.1f} ms, longest"
        f" {small.percentile_ms(100):.0f} ms; trainings {dict(mixed.trained)};"
        f" API {mixed.rss_mib[0]:.0f} MiB at the start, {early:.0f} early,"
        f" {late:.0f} late, {max(mixed.rss_mib):.0f} at most; {mixed.told()}"
    )
    assert set(said) == {200}
    assert mixed.problems == []
    assert set(mixed.trained) == {"succeeded"}
    kinds = {kind for kind, _ in mixed.statuses}
    assert len(kinds) >= 9, kinds
    assert late - early < GROWTH_MIB
    log = (service.data_dir / "log").read_text()
    faults = [line for line in log.splitlines() if '"level": "error"' in line]
    assert faults == []


@pytest.mark.thorough
@pytest.mark.timeout(240)
def test_some_seconds_of_everything(anywhere, say):
    service = anywhere()
    check(service, *under_load(service, rate=100, seconds=12), say)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("rate", [200])
def test_ten_minutes_of_everything(anywhere, say, rate):
    service = anywhere()
    check(service, *under_load(service, rate, seconds=600), say)
