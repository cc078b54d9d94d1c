"""Where compiled numba code is kept between processes.

numba's cache looks at the file of a function only, not at what it calls in others.
The folder is therefore named by a digest of all sources: an edit anywhere begins a new
one. In a checkout it lies there, else (the program's folder may be read-only) below the
data.
"""

import hashlib
import os
import shutil
import time
from importlib.metadata import version
from pathlib import Path

import solvers

__all__ = ["cache_environment", "nothing_compiled"]

SOURCES = Path(solvers.__file__).parent
CHECKOUT = SOURCES.parent
UNUSED_S = 86_400.0


def cache_environment(data_dir: Path) -> dict[str, str]:
    """Return the variables that point numba to its folder; the user's own win."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return {}
    in_checkout = (CHECKOUT / "pyproject.toml").exists() and os.access(
        CHECKOUT, os.W_OK
    )
    base = CHECKOUT / ".numba_cache" if in_checkout else data_dir / "compiled"
    folder = base / _digest()
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    _forget_unused(base)
    return {"NUMBA_CACHE_DIR": str(folder.resolve())}


def nothing_compiled() -> bool:
    """Tell whether no loop was compiled yet for the folder of this process."""
    folder = os.environ.get("NUMBA_CACHE_DIR")
    return folder is not None and next(Path(folder).rglob("*.nbi"), None) is None


def _digest() -> str:
    digest = hashlib.sha256(version("numba").encode())
    for path in sorted(SOURCES.rglob("*.py")):
        digest.update(str(path.relative_to(SOURCES)).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _forget_unused(base: Path) -> None:
    """Remove the folders of sources that nobody has run for a day."""
    for folder in base.iterdir():
        if time.time() - folder.stat().st_mtime > UNUSED_S:
            shutil.rmtree(folder, ignore_errors=True)
