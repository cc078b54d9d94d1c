"""Searches on a Dask cluster: same figures, whatever dies; trouble said as it is."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import joblib
import psutil
import pytest

from app.errors import ServiceUnavailableError, TrainingFailedError
from app.worker.fit.pipeline import run
from app.worker.fit.search import cluster as clusters
from app.worker.fit.search import far
from solvers.errors import Interrupted
from tests.app.worker.fit.search.searched import GRID, told
from tests.waiting import until

distributed = pytest.importorskip("distributed", reason="no Dask: demur[cluster]")

LONG = {
    "trainer": {"kind": "abstention-boosting"},
    "search": {"params": {"n_rounds": [200 + k for k in range(6)]}, "folds": 2},
}


def go_on(_fraction, _message):
    return True


class Cluster:
    """A scheduler and workers, each a process, as an operator starts them."""

    def __init__(self, folder, *tls):
        self.folder, self.tls, self.processes = folder, tls, {}

    def start(self, *names, **environment):
        for name in names:
            with (self.folder / f"{name}.log").open("a") as log:
                self.processes[name] = subprocess.Popen(
                    [sys.executable, "-m", *self._arguments(name)],
                    cwd=self.folder,
                    env={**os.environ, "PYTHONPATH": str(Path.cwd()), **environment},
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    start_new_session=True,
                )
        return self

    def _arguments(self, name):
        file = self.folder / "scheduler.json"
        options = ["--scheduler-file", str(file), "--no-dashboard"]
        options += ["--dashboard-address", "127.0.0.1:0", *self.tls]
        if name == "scheduler":
            place = ["--host", "127.0.0.1", "--port", str(self.port)]
            return ["distributed.cli.dask_scheduler", *options, *place]
        own = ["--nthreads", "1", "--no-nanny", "--memory-limit", "0"]
        folder = ["--local-directory", str(self.folder / name)]
        return ["distributed.cli.dask_worker", *options, *own, *folder]

    port = 0

    def kill(self, name):
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self):
        for name in list(self.processes):
            self.kill(name)


@pytest.fixture(scope="module")
def free_port():
    import socket

    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


@pytest.fixture
def cluster(tmp_path, free_port, monkeypatch):
    made = Cluster(tmp_path)
    made.port = free_port
    monkeypatch.setenv("DEMUR_CLUSTER", f"tcp://127.0.0.1:{free_port}")
    yield made
    made.stop()


def same(one, other):
    first, second = (result.summary["search"]["table"] for result in (one, other))
    assert told(first) == told(second)
    assert joblib.hash(one.artifact["scorer"]) == joblib.hash(other.artifact["scorer"])


def when_done(wanted, do):
    """Return a progress that does something once so many fits are done."""
    done = []

    def progress(_fraction, message):
        if not done and f"{wanted} of" in message:
            done.append(message)
            do()
        return True

    return progress, done


def started_by_spawn(process):
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


def same_whatever_happens(cluster, request, event):
    """A search that is disturbed finds what one without a cluster does."""
    progress, done = when_done(4, event)
    searched = run(request, progress)
    assert done
    cluster.stop()
    os.environ.pop("DEMUR_CLUSTER")
    same(run(request, go_on), searched)


@pytest.mark.thorough
def test_a_cluster_of_its_own_finds_the_same_to_the_bit(body, monkeypatch):
    """Labels, probabilities, groups, prices of the rows: all that a unit may carry."""
    requests = [
        body(search=GRID, groups="patient", guards={"outlier": True}),
        body(
            trainer=None, search={"candidates": [{"kind": "forest"}, {"kind": "svm"}]}
        ),
    ]
    alone = [run(request, go_on) for request in requests]
    before = set(psutil.Process().children())

    def of_the_cluster():
        # The nannies start their workers here; below are other tests' servers too.
        return [
            one
            for one in set(psutil.Process().children()) - before
            if started_by_spawn(one)
        ]

    said, seen = [], []

    def progress(fraction, message):
        said.append((fraction, message))
        seen.append(len(of_the_cluster()))
        return True

    monkeypatch.setenv("DEMUR_CLUSTER", "local:2")
    for request, one in zip(requests, alone, strict=True):
        same(one, run(request, progress))
    assert any("fits on folds" in message for _, message in said)
    assert [f for f, _ in said if f > 1.0] == []
    assert max(seen) == 2
    until(lambda: not of_the_cluster(), told=of_the_cluster)


@pytest.mark.thorough
def test_rows_are_sent_once(body, monkeypatch, cluster):
    sent = []
    once = far.Work._once

    def counted(self, given):
        before = len(self._sent)
        found = once(self, given)
        sent.append(len(self._sent) - before)
        return found

    monkeypatch.setattr(far.Work, "_once", counted)
    monkeypatch.setattr(far, "_LARGE_BYTES", 1000)
    cluster.start("scheduler", "one")
    grid = {"params": {"n_rounds": [5, 10, 20, 40]}, "folds": 3}
    run(body(trainer={"kind": "adaboost"}, search=grid), go_on)
    assert len(sent) == 4 * 3 * 5
    assert 3 <= sum(sent) <= 3 * 3, "what all candidates share is sent once a fold"


@pytest.mark.thorough
def test_a_worker_that_is_killed_changes_nothing(body, cluster):
    request = body(**LONG)
    cluster.start("scheduler", "one", "two")
    same_whatever_happens(cluster, request, lambda: cluster.kill("one"))


@pytest.mark.thorough
def test_a_cluster_that_dies_and_returns_is_waited_for(body, cluster):
    request = body(**LONG)
    cluster.start("scheduler", "one")

    def restart():
        cluster.stop()
        cluster.start("scheduler", "two")

    same_whatever_happens(cluster, request, restart)


@pytest.mark.thorough
def test_a_cluster_that_is_gone_for_good_is_said(body, cluster, monkeypatch):
    monkeypatch.setattr(clusters.Cluster.__init__, "__defaults__", ((), 3.0))
    with pytest.raises(ServiceUnavailableError, match="does not answer"):
        run(body(search=GRID), go_on)
    cluster.start("scheduler")
    with pytest.raises(ServiceUnavailableError, match="has no worker"):
        run(body(search=GRID), go_on)


@pytest.mark.thorough
def test_a_cancelled_search_stops_here_and_there(body, cluster):
    cluster.start("scheduler", "one")
    long = {
        "trainer": {"kind": "abstention-boosting"},
        "search": {"params": {"n_rounds": [99_999, 100_000]}, "folds": 3},
    }
    began, spent_s = threading.Event(), []

    def spent():
        """Return what the worker has computed since the first look, in seconds."""
        worker = psutil.Process(cluster.processes["one"].pid)
        spent_s.append(worker.cpu_times().user)
        return spent_s[-1] - spent_s[0]

    def progress(_fraction, message):
        if "0 of 6" in message and spent() > 1.0:
            began.set()
        return not began.is_set()

    with pytest.raises(Interrupted):
        run(body(**long), progress)

    def idle():
        before = spent()
        time.sleep(2.0)
        return spent() - before < 0.1

    until(idle)


@pytest.mark.thorough
def test_a_worker_of_other_versions_is_refused(body, cluster, monkeypatch):
    cluster.start("scheduler", "one")
    other = {**far.library_versions(), "scikit-learn": "0.1"}
    monkeypatch.setattr(far, "library_versions", lambda: other)
    with pytest.raises(TrainingFailedError, match=r"scikit-learn .* instead of 0\.1"):
        run(body(search=GRID), go_on)


@pytest.mark.thorough
def test_a_cluster_with_certificates_lets_nobody_else_in(
    body, tmp_path, free_port, monkeypatch
):
    security = distributed.Security.temporary()
    files = []
    for name in ("tls_ca_file", "tls_client_cert", "tls_client_key"):
        files.append(tmp_path / name)
        files[-1].write_text(getattr(security, name))
    authority, certificate, key = map(str, files)
    options = ("--tls-ca-file", authority, "--tls-cert", certificate, "--tls-key", key)
    made = Cluster(tmp_path, *options)
    made.port = free_port
    made.start("scheduler", "one")
    monkeypatch.setenv("DEMUR_CLUSTER", f"tls://127.0.0.1:{free_port}")
    monkeypatch.setenv("DEMUR_CLUSTER_TLS", f"{authority}, {certificate}, {key}")
    try:
        assert run(body(search=GRID), go_on).summary["search"]["failed"] == 0
        monkeypatch.setattr(clusters.Cluster.__init__, "__defaults__", ((), 3.0))
        monkeypatch.setenv("DEMUR_CLUSTER", f"tcp://127.0.0.1:{free_port}")
        monkeypatch.delenv("DEMUR_CLUSTER_TLS")
        with pytest.raises(ServiceUnavailableError, match="does not answer"):
            run(body(search=GRID), go_on)
    finally:
        made.stop()


@pytest.mark.thorough
def test_joblibs_own_way_to_dask_finds_the_same(body, cluster):
    request = body(search=GRID)
    os.environ.pop("DEMUR_CLUSTER")
    alone = run(request, go_on)
    cluster.start("scheduler", "one")
    with (
        distributed.Client(f"tcp://127.0.0.1:{cluster.port}", timeout=60) as client,
        joblib.parallel_config(backend="dask", client=client),
    ):
        same(alone, run(request, go_on))
