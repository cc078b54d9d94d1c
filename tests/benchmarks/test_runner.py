"""The benchmark's own machinery: what fails or hangs is told, and nothing is left."""

import json
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest

from tests.benchmarks import apart
from tests.benchmarks.peers import servers
from tests.benchmarks.peers.running import running
from tests.benchmarks.peers.servers import PEERS, NotStartedError, Peer, last_words

# A server with a child; it answers the label that it was given for every row.
SERVER = """
import http.server, json, subprocess, sys
port, label = int(sys.argv[1]), int(sys.argv[2])
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("child", child.pid, flush=True)

class Answering(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers["content-length"])
        rows = json.loads(self.rfile.read(size))["rows"]
        answer = json.dumps([label] * len(rows)).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *words):
        pass

http.server.HTTPServer(("127.0.0.1", port), Answering).serve_forever()
"""


def peer(script, label=1):
    return Peer(
        "made",
        None,
        1.0,
        None,
        lambda _, port: [sys.executable, "-c", script, str(port), str(label)],
        "/predict",
        lambda _, values: {"rows": values},
        lambda answer: answer,
    )


class TestPeers:
    def test_a_peer_answers_and_all_its_processes_end(self, tmp_path):
        folder = tmp_path / "peer"
        with running(peer(SERVER), folder, [[0.0]] * 3, [1, 1, 1]) as one:
            told = (folder / "log.txt").read_text(encoding="utf-8")
            child = psutil.Process(int(told.split()[1]))
            assert child.is_running()
            assert one.cpu_s() > 0.0
        _, left = psutil.wait_procs([one.process, child], timeout=60)
        assert not left

    def test_a_peer_that_answers_wrongly_is_not_measured(self, tmp_path):
        made = peer(SERVER, label=0)
        with (
            pytest.raises(NotStartedError, match="labels of the pipeline"),
            running(made, tmp_path / "peer", [[0.0]], [1]),
        ):
            pass
        told = (tmp_path / "peer" / "log.txt").read_text(encoding="utf-8")
        with suppress(psutil.NoSuchProcess):
            psutil.Process(int(told.split()[1])).wait(60)

    def test_a_peer_that_ends_by_itself_says_its_last_words(self, tmp_path):
        script = "raise SystemExit('no module of that name')"
        with (
            pytest.raises(NotStartedError, match="no module of that name"),
            running(peer(script), tmp_path / "peer", [[0.0]], [1]),
        ):
            pass

    def test_a_peer_that_never_answers_is_given_up(self, tmp_path):
        with (
            pytest.raises(NotStartedError, match="did not answer"),
            running(
                peer("import time; time.sleep(600)"),
                tmp_path / "peer",
                [[0.0]],
                [1],
                patience_s=0.5,
            ),
        ):
            pass

    def test_without_their_environment_it_says_how_to_make_it(
        self, tmp_path, monkeypatch
    ):
        monkeypatch.setattr(servers, "BIN", tmp_path / "bin")
        monkeypatch.setattr(servers, "_WHY", tmp_path / "not-installed.txt")
        for one in (one for one in PEERS if one.package is not None):
            with pytest.raises(NotStartedError, match="make bench"):
                _ = one.python
        (tmp_path / "not-installed.txt").write_text("no such release\n")
        with pytest.raises(NotStartedError, match="no such release"):
            servers.peer_python()

    def test_last_words_hold_no_address_and_no_path(self):
        words = last_words(
            "at /usr/lib/x.py: no answer\n of https://example.org/y for 3/4"
        )
        assert words == "at ... no answer of ... for 3/4"


class TestApart:
    def test_a_benchmark_that_fails_is_a_row(self):
        (row,) = apart.run_apart("of_nothing", True, None, 120.0)
        assert row["work"] == "NOT FINISHED"
        assert "bench_of_nothing" in row["failed"]

    def test_rows_before_a_failure_are_kept(self, monkeypatch):
        rows = [{"work": "one", "met": True}]
        script = (
            "import json, os, sys; "
            f"open(sys.argv[-1], 'w').write({json.dumps(json.dumps(rows))}); os.abort()"
        )
        monkeypatch.setattr(apart, "command", lambda *_: _script(script, _[1]))
        kept, failed = apart.run_apart("any", True, None, 120.0)
        assert kept == rows[0]
        assert "status" in failed["failed"]

    def test_a_benchmark_that_takes_too_long_is_stopped_with_its_children(
        self, monkeypatch, tmp_path
    ):
        told = tmp_path / "child"
        script = (
            "import subprocess, sys, time; "
            "sleep = [sys.executable, '-c', 'import time; time.sleep(600)']; "
            "child = subprocess.Popen(sleep); "
            f"open({str(told)!r}, 'w').write(str(child.pid)); time.sleep(600)"
        )
        monkeypatch.setattr(apart, "command", lambda *_: _script(script, _[1]))
        began = time.monotonic()
        (row,) = apart.run_apart("any", True, None, 3.0)
        assert "not done after 3 s" in row["failed"]
        assert time.monotonic() - began < 120.0
        if told.exists():  # a slow machine may not have come so far
            with suppress(psutil.NoSuchProcess):
                psutil.Process(int(told.read_text())).wait(60)


def _script(script, file):
    return [sys.executable, "-c", script, str(file)]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_process_is_not_charged_what_its_parent_held():
    held = b"x" * 300_000_000
    code = "from tests.benchmarks.resident import peak_bytes; print(peak_bytes())"
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert 1_000_000 < int(told.stdout) < len(held) / 2
