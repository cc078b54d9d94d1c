"""Ask for known vulnerabilities of what the service runs on, as pip-audit knows them.

A vulnerability fails the run. A service that can't be reached, or that doesn't know our
versions, does not: it is said aloud, so that nobody takes silence for a clean answer.
"""

import json
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).parents[1] / "requirements" / "cluster.txt"
PATIENCE_S = 180


def verdict(report: str, reason: str) -> tuple[int, str]:
    """Return the exit status, and what to say.

    Parameters
    ----------
    report : str
        What pip-audit wrote, as JSON; empty when it got no answer.
    reason : str
        What it said besides.
    """
    try:
        told = json.loads(report)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = reason.strip().rpartition("\n")[2]
        return 0, f"NOT AUDITED: pip-audit got no answer ({last[:300]})"
    found = [
        f"{one['name']} {one['version']}: {fault['id']}"
        f" (mended in {', '.join(fault['fix_versions']) or 'no version yet'})"
        for one in told
        for fault in one.get("vulns", [])
    ]
    if found:
        return 1, "\n".join(["known vulnerabilities:", *found])
    skipped = sum("skip_reason" in one for one in told)
    if skipped == len(told):
        return 0, f"NOT AUDITED: the service knows none of our {skipped} versions"
    clean = f"no known vulnerability in {len(told) - skipped} of {len(told)} packages"
    if skipped:
        clean += f"; NOT AUDITED: {skipped} whose versions the service does not know"
    return 0, clean


def main() -> int:
    """Run pip-audit on the lock; return the exit status."""
    command = [
        *(sys.executable, "-m", "pip_audit", "--disable-pip", "--require-hashes"),
        *("--format", "json", "--progress-spinner", "off", "-r", str(LOCK)),
    ]
    try:
        ended = subprocess.run(  # noqa: S603 - our own command
            command, capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
    except subprocess.TimeoutExpired:
        status, said = verdict("", f"no answer within {PATIENCE_S} s")
    else:
        status, said = verdict(ended.stdout, ended.stderr)
    print(said)
    return status


if __name__ == "__main__":
    sys.exit(main())
