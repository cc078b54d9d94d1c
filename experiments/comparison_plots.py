"""The comparison at a glance: differences from the reference, with their errors."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.comparison_tables import REFERENCE, differences, per_set
from experiments.plots import COLOURS, panels, save

__all__ = ["plot_differences"]


def plot_differences(
    results: Sequence[dict[str, Any]], costs: Sequence[str], folder: Path
) -> str:
    """Draw each method's mean paired difference, two standard errors each way."""
    found = per_set(results, costs)
    minus = {m: differences(found, m) for m in found if m != REFERENCE}
    minus = dict(sorted(minus.items(), key=lambda item: -item[1][0]))
    figure, axes = panels(1, 1, width=8.0, height=0.22 * len(minus) + 1.0)
    panel = axes[0][0]
    means = [mean for mean, _ in minus.values()]
    errors = [2.0 * (error or 0.0) for _, error in minus.values()]
    panel.axvline(0.0, color="0.7")
    panel.errorbar(means, range(len(minus)), xerr=errors, fmt="o", color=COLOURS[0])
    panel.set_yticks(range(len(minus)), list(minus), fontsize="small")
    panel.set_xlabel("mean cost minus that of auto's ensemble")
    return save(figure, folder, "comparison-differences")
