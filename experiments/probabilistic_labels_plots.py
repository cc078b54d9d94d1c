"""Figures 1 and 3 of the P-SVM paper, redrawn."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.plots import COLOURS, panels, save

__all__ = ["plot_noise", "plot_probabilities"]


def plot_probabilities(curve: dict[str, list[float]], folder: Path) -> str:
    """Draw the true and the estimated probabilities, and their distance."""
    figure, axes = panels(2, 1, width=6.0, height=5.0)
    top, bottom = axes[:, 0]
    truth = np.array(curve["truth"])
    top.plot(curve["x"], truth, color="black", linewidth=2.5, label="truth")
    for colour, name in zip(COLOURS, list(curve)[2:], strict=False):
        top.plot(curve["x"], curve[name], color=colour, label=name)
        distance = np.abs(np.array(curve[name]) - truth)
        bottom.plot(curve["x"], distance, color=colour)
    top.set_ylabel("probability of +1")
    bottom.set(xlabel="x", ylabel="distance from the truth")
    top.legend(frameon=False)
    return save(figure, folder, "p-svm-figure-1")


def plot_noise(results: Sequence[dict[str, Any]], folder: Path) -> str:
    """Draw accuracy and mean binary KL against the amplitude of the noise."""
    figure, axes = panels(1, 2, width=8.0, height=3.2)
    amplitudes = sorted({one["task"]["amplitude"] for one in results})
    titles = {"accuracy": "accuracy", "divergence": "mean binary KL"}
    for panel, (key, label) in zip(axes[0], titles.items(), strict=True):
        for colour, method in zip(COLOURS, results[0]["methods"], strict=False):
            values = [
                [
                    one["methods"][method][key]
                    for one in results
                    if one["task"]["amplitude"] == amplitude
                ]
                for amplitude in amplitudes
            ]
            means = [float(np.mean(v)) for v in values]
            panel.plot(amplitudes, means, "o-", color=colour, label=method)
        panel.set(xlabel="noise amplitude", ylabel=label)
    axes[0][1].set_yscale("log")
    axes[0][0].legend(frameon=False)
    return save(figure, folder, "p-svm-figure-3")
