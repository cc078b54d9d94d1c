"""The README's commands, then the tutorial's, pasted into a fresh copy, all succeed."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.docs.test_readme import BLOCKS, ROOT
from tests.waiting import until


@pytest.fixture(autouse=True)
def tools() -> None:
    for tool in ("make", "curl"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool}, which the README uses, is not here")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a folder with the project's files and this environment, and no more."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("git, which tells the project's files from others, is not here")
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / name)
    environment = tmp_path / ".venv"
    environment.mkdir()
    for part in ("bin", "lib", "pyvenv.cfg"):
        (environment / part).symlink_to(Path(sys.prefix) / part)
    for mark in (".running", ".installed"):
        (environment / mark).touch()
    return tmp_path


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


TUTORIAL = re.findall(
    r"^```sh\n(.*?)^```",
    (ROOT / "docs/tutorial.md").read_text(encoding="utf-8"),
    re.DOTALL | re.MULTILINE,
)


def commands(blocks: list[str]) -> list[str]:
    joined = "".join(blocks).replace("\\\n", "")
    found: list[str] = []
    for line in joined.splitlines():
        # A request's body goes on over lines, until its quotation is closed.
        if found and found[-1].count("'") % 2:
            found[-1] += "\n" + line
        elif line:
            found.append(line)
    return found


def of_the_readme() -> list[str]:
    last = next(block for block in reversed(BLOCKS) if "demur " in block)
    return BLOCKS[: BLOCKS.index(last) + 1]


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_every_command_succeeds_in_order(copy: Path) -> None:
    port = str(free_port())
    url = f"http://127.0.0.1:{port}"
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("DEMUR_")},
        "DEMUR_PORT": port,
        "DEMUR_URL": url,
    }
    service, said = None, {}
    readme, tutorial = commands(of_the_readme()), commands(TUTORIAL)
    try:
        for written in readme + tutorial:
            command = written.replace("http://127.0.0.1:8000", url)
            shell = ["sh", "-c", command]
            if command.startswith("make serve"):
                service = subprocess.Popen(
                    shell,
                    cwd=copy,
                    env=environment,
                    start_new_session=True,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                until(lambda: _answers(url))
                continue
            done = subprocess.run(
                shell,
                cwd=copy,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, (command, done.stdout, done.stderr)
            said[written] = done.stdout
        asked = [json.loads(out) for name, out in said.items() if "curl" in name]
        answer, policy = asked
        assert [one["decision"] for one in answer["predictions"]] == ["+1", "reject"]
        assert policy["enabled"] is True
        assert (copy / "decisions.csv").read_text().count("\n") > 1
        # Audits are drawn a little later: of the loop some may wait still.
        for model, state in {"heart": "waiting", "heart-loop": "decided"}.items():
            answer = httpx.get(f"{url}/cases", params={"model": model}).json()
            assert state in {one["state"] for one in answer["cases"]}
    finally:
        if service is not None:
            os.killpg(service.pid, signal.SIGTERM)
            service.wait(60)


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz").status_code == 200
    except httpx.TransportError:
        return False
