"""The page on neighbours, run as printed: each client and file decides as /predict."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.predict.conftest import serve, served

__all__ = ["serve"]

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/neighbours.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
SECTIONS = {
    part.partition("\n")[0]: BLOCK.findall(part)
    for part in PAGE.split("\n## ")[1:]
    if BLOCK.search(part)
}
ROWS = {"columns": ["glucose", "bmi"], "rows": [[180, 40], [85, None], [130, 45]]}
CLIENTS = ROOT / ".venv-clients/bin/python"
FOREIGN = ("tritonclient", "mlserver", "mlflow", "pandas")


@pytest.fixture(scope="module")
def service(serve):
    running, registry = serve(default_model="pima")
    registry.add("pima", served(numeric_only=True))
    return running


def python_for(code):
    """Return the Python that has what a block imports, or skip."""
    if not any(name in code for name in FOREIGN):
        if "onnxruntime" in code:
            pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
        return sys.executable
    if not CLIENTS.exists():
        pytest.skip("the clients of other servers are not installed: make clients")
    return str(CLIENTS)


def command_of(language, code, folder):
    """Return what runs a block."""
    if language == "sh":
        python_for(code)
        return ["sh", "-ec", code]
    if language == "python":
        return [python_for(code), "-c", code]
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    (folder / "main.c").write_text(code)
    return ["sh", "-ec", "gcc -std=c99 -Wall -Werror main.c -lm -o main && ./main"]


@pytest.mark.thorough
@pytest.mark.parametrize("title", SECTIONS)
def test_it_decides_as_predict_does(title, service, tmp_path):
    answer = service.http.post("/predict", json={"model": "pima", "data": ROWS})
    expected = [one["decision"] for one in answer.json()["predictions"]]
    assert expected == ["reject", "-1", "+1"]
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DEMUR_")}
    url = f"http://127.0.0.1:{service.port}"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}:{CLIENTS.parent}"
    for language, code in SECTIONS[title]:
        here = code.replace("8000", str(service.port))
        done = subprocess.run(
            command_of(language, here, tmp_path),
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**kept, "DEMUR_URL": url, "PATH": path, "PYTHONPATH": str(ROOT)},
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
    told = re.findall(r"reject|[+-]1(?![0-9.])", done.stdout)
    assert told == expected
