"""The audit in CI: a vulnerability is red, silence is neither red nor clean."""

import importlib.util
import json
from pathlib import Path

import pytest

FILE = Path(__file__).parents[3] / ".ci" / "audit.py"


@pytest.fixture(scope="module")
def verdict():
    spec = importlib.util.spec_from_file_location("ci_audit", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.verdict


CLEAN = {"name": "numpy", "version": "2.4", "vulns": []}
SKIPPED = {"name": "scipy", "skip_reason": "Dependency not found"}
BAD = {
    "name": "x",
    "version": "1",
    "vulns": [{"id": "CVE-1", "fix_versions": ["2"], "aliases": []}],
}


def report(*dependencies):
    return json.dumps({"dependencies": dependencies, "fixes": []})


@pytest.mark.parametrize(
    ("told", "status", "words"),
    [
        (report(CLEAN), 0, "no known vulnerability in 1 of 1"),
        (report(CLEAN, SKIPPED), 0, "NOT AUDITED: 1"),
        (report(SKIPPED), 0, "NOT AUDITED: the service knows none"),
        (report(CLEAN, SKIPPED, BAD), 1, "x 1: CVE-1 (mended in 2)"),
        ("", 0, "NOT AUDITED: pip-audit got no answer (no route)"),
        ("<html>", 0, "NOT AUDITED"),
        ("[]", 0, "NOT AUDITED"),
    ],
)
def test_a_vulnerability_is_red_and_silence_is_said(verdict, told, status, words):
    got, said = verdict(told, "trace\nno route\n")
    assert got == status
    assert words in said
    assert ("NOT AUDITED" in said) == ("NOT AUDITED" in words)
