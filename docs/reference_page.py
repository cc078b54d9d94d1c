"""Fills the page of the Python reference when the site is built.

The packages load their classes on first use, so what a name stands for is only known by
asking them.
"""

import inspect
from types import ModuleType
from typing import Any

import solvers

PARTS = (
    ("Costs and trainers", solvers),
    ("Rules", solvers.rules),
    ("Metrics", solvers.metrics),
    ("Calibration", solvers.calibration),
    ("Displays", solvers.display),
)


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:
    """Add every public class and function to reference.md; leave other pages."""
    if page.file.src_uri != "reference.md":
        return markdown
    return markdown + "\n\n".join(_part(title, home) for title, home in PARTS)


def _part(title: str, home: ModuleType) -> str:
    public = (getattr(home, name) for name in sorted(home.__all__))
    described = [
        one for one in public if inspect.isclass(one) or inspect.isfunction(one)
    ]
    entries = (f"::: {one.__module__}.{one.__qualname__}" for one in described)
    return "\n\n".join((f"## {title}", *entries))
