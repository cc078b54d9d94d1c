"""Figure 5 of the boosting paper, redrawn."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.boosting_tables import chosen, methods_of, sets_of
from experiments.plots import COLOURS, panels, save

__all__ = ["plot_losses"]


def plot_losses(results: Sequence[dict[str, Any]], folder: Path) -> str:
    """Draw test loss against c, a panel a set, with standard errors."""
    names, costs = sets_of(results), list(results[0]["losses"])
    columns = 3
    rows = -(-len(names) // columns)
    figure, axes = panels(rows, columns, width=9.0, height=2.8 * rows)
    x = np.array([float(c) for c in costs])
    for place, name in enumerate(names):
        panel = axes[place // columns][place % columns]
        panel.plot(x, x, color="0.8", linestyle="--")
        for colour, method in zip(COLOURS, methods_of(results), strict=False):
            losses = [chosen(results, name, c, method).losses for c in costs]
            means = np.mean(losses, axis=1)
            errors = np.std(losses, axis=1, ddof=1) / np.sqrt(len(losses[0]))
            panel.errorbar(
                x, means, errors, color=colour, marker=".", linewidth=1, label=method
            )
        panel.set(title=name, xlabel="c", ylabel="test loss")
        panel.set_ylim(bottom=0.0)
    axes[0][0].legend(frameon=False, fontsize="small")
    return save(figure, folder, "boosting-figure-5")
