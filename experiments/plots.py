"""What all plots share: the canvas without a display, and a reproducible SVG file."""

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

__all__ = ["COLOURS", "panels", "save"]

# Colours that readers with any colour vision tell apart (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def panels(rows: int, columns: int, *, width: float = 8.0, height: float = 3.0) -> Any:
    """Return a figure and its axes, a (rows, columns) array."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def save(figure: Figure, folder: Path, name: str) -> str:
    """Write the figure as NAME.svg, the same bytes for the same data."""
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    return f"{name}.svg"
