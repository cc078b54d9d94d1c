"""The tables of the P-SVM: estimation, robustness at amplitude 0.1, noise."""

from collections.abc import Sequence
from typing import Any

from experiments.report import Line, Table, mean_and_error

__all__ = ["estimation_table", "noise_table", "robustness_table"]

Results = Sequence[dict[str, Any]]
Ranges = dict[tuple[str, str], tuple[float | None, float | None]]
_NAMES = {
    "accuracy": "accuracy",
    "divergence": "mean binary KL",
    "one_sided": "one-sided KL sum",
}
_HEADS = ("method", "figure")


def estimation_table(results: Results) -> Table:
    """Return section 5.1."""
    paper = {("P-SVM", "one_sided"): 0.2, ("C-SVM, labels (5)", "one_sided"): 11.3}
    ranges: Ranges = {("P-SVM", "divergence"): (None, 0.001)}
    remarks = (
        "The paper's one-sided sum leaves out the other outcome and changes its sign"
        " with the seed; the mean binary KL beside it is never negative, and is what"
        " to compare.",
        "Platt's 11.3 is of the size that labels drawn from the classes give. With the"
        " labels of (5) the classes do not overlap, so a sigmoid fitted to them is far"
        " too steep.",
    )
    lines = _lines(results, paper, ranges)
    return Table("Section 5.1, no noise", _HEADS, lines, remarks, digits=4)


def robustness_table(results: Results) -> Table:
    """Return section 5.2 at amplitude 0.1."""
    chosen = [one for one in results if one["task"]["amplitude"] == 0.1]
    paper = {
        ("P-SVM", "accuracy"): 0.99,
        ("C-SVM, labels (5)", "accuracy"): 0.95,
        ("P-SVM", "one_sided"): 3.6,
        ("C-SVM, labels (5)", "one_sided"): 95.0,
    }
    ranges: Ranges = {
        ("P-SVM", "accuracy"): (0.98, None),
        ("P-SVM", "divergence"): (None, 0.004),
    }
    lines = _lines(chosen, paper, ranges)
    remarks = (
        "The paper reports one simulation; these are means over seeds. The P-SVM's"
        " advantage is that it is told more: probabilities instead of labels.",
    )
    return Table("Section 5.2, amplitude 0.1", _HEADS, lines, remarks, digits=4)


def noise_table(results: Results) -> Table:
    """Return what Figure 3 shows, as figures."""
    lines = []
    for amplitude in sorted({one["task"]["amplitude"] for one in results}):
        chosen = [one for one in results if one["task"]["amplitude"] == amplitude]
        lines += [
            Line((f"{amplitude:.2f}", *line.names), line.ours, line.error)
            for line in _lines(chosen, {}, {})
            if line.names[1] != "one-sided KL sum"
        ]
    heads = ("amplitude", *_HEADS)
    remarks = (
        "While the noise stays within eta the machine only has to keep inside its tubes"
        " and takes the flattest score that does; noise that fills the tubes pins it"
        " down. So the P-SVM's divergence does not rise steadily below amplitude 0.1 ="
        " eta (the duality gaps are at rounding). Beyond eta the accuracies of P-SVM"
        " and C-SVM meet; the lead that Figure 3 shows is in the probabilities.",
    )
    caption = "Figure 3 as a table"
    return Table(caption, heads, tuple(lines), remarks, digits=4, wide=True)


def _lines(
    results: Results,
    paper: dict[tuple[str, str], float],
    ranges: Ranges,
) -> tuple[Line, ...]:
    lines = []
    for method in results[0]["methods"]:
        for figure, label in _NAMES.items():
            values = [one["methods"][method][figure] for one in results]
            mean, error = mean_and_error(values)
            key = (method, figure)
            low, high = ranges.get(key, (None, None))
            lines.append(Line((method, label), mean, error, paper.get(key), low, high))
    return tuple(lines)
