"""What is added to every version: which libraries made it."""

import platform
from importlib.metadata import version

__all__ = ["library_versions"]

LIBRARIES = ("demur", "numpy", "scipy", "numba", "scikit-learn", "joblib")


def library_versions() -> dict[str, str]:
    """Return the versions that an artifact was made by."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
    }
