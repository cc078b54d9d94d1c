"""The trainers whose parameters are plain values: by name, what each takes.

API schema, estimator and tests read this table. It needs neither numba nor
scikit-learn, so that a service which never trains can say what can be trained.
"""

from dataclasses import dataclass
from typing import Any

from solvers.parameters import Parameter, check, choice, flag, number, whole

__all__ = ["BOOSTED", "KEPT_APART", "TRAINERS", "Declaration"]

_OF_EARLY_STOPPING = ("validation_fraction", "patience")


@dataclass(frozen=True, slots=True)
class Declaration:
    """A trainer as a request names it.

    Parameters
    ----------
    kind : str
    title : str
        The name of its schema, without "Trainer".
    summary : str
        What it is, in a line.
    parameters : tuple of Parameter
    """

    kind: str
    title: str
    summary: str
    parameters: tuple[Parameter, ...]

    def check(self, estimator: Any) -> None:
        """Raise ValueError where a parameter of an estimator is none of its values."""
        stops = getattr(estimator, "early_stopping", False)
        idle = () if stops else _OF_EARLY_STOPPING
        check(estimator, (p for p in self.parameters if p.name not in idle))


def _rounds(default: int, least: int = 0) -> Parameter:
    return whole("n_rounds", default, minimum=least, offered=(1, 100_000))


def _rate(default: float) -> Parameter:
    # Smaller steps lead nowhere within the rounds that there may be.
    return number("learning_rate", default, above=0.0, most=1.0, offered=(1e-6, 1.0))


KEPT_APART = number(
    "validation_fraction",
    0.2,
    "Part of a fold's rows that early stopping keeps apart, ``groups`` whole. Models"
    " of the folds tell where to stop; then all models are fitted on all of their"
    " rows, with the mean number of rounds.",
    above=0.0,
    below=1.0,
    offered=(0.01, 0.9),
)


def _patience(default: int, description: str = "") -> Parameter:
    return whole("patience", default, description, minimum=1, offered=(1, 100_000))


def _stump_bins() -> Parameter:
    return whole(
        "max_bins",
        "auto",
        "Histogram bins of a column; null searches every threshold.",
        minimum=2,
        maximum=255,
        beside=("auto", None),
    )


def _tree_bins(default: int | str, *beside: str) -> Parameter:
    return whole("max_bins", default, minimum=2, maximum=255, beside=beside)


def _leaf_rows(default: int, description: str) -> Parameter:
    limits = {"minimum": 1, "offered": (1, 1_000_000)}
    return whole("min_samples_leaf", default, description, **limits)


BOOSTED = (_rounds(200), _rate(1.0), _stump_bins())
"""What AdaBoost takes, and whatever boosts stumps."""

_RANDOM_TREES = (
    whole("n_trees", 200, minimum=1, offered=(1, 2_000)),
    whole(
        "max_depth",
        None,
        "null: until leaves are pure or too small to split.",
        minimum=1,
        offered=(1, 16),
        beside=(None,),
    ),
    _leaf_rows(2, "Least rows in a leaf; with it a model's size falls."),
    number(
        "max_features",
        None,
        "Share of the encoded columns that a split looks at; null: the root of their"
        " number.",
        above=0.0,
        most=1.0,
        offered=(1e-6, 1.0),
        beside=(None,),
    ),
)

TRAINERS = {
    one.kind: one
    for one in (
        Declaration(
            "abstention-boosting",
            "AbstentionBoosting",
            "Boosting with abstention of Cortes et al.: score and rejector at once.",
            (
                _rounds(200),
                choice("loss", ("exponential", "logistic")),
                choice(
                    "surrogate", ("sum", "max"), "``max`` takes symmetric costs only."
                ),
                number(
                    "beta",
                    0.0,
                    "Penalty on the sum of the weights; one above the prices leaves all"
                    " at zero.",
                    least=0.0,
                    offered=(0.0, 1e6),
                ),
                choice("step", ("line-search", "closed-form")),
                _rate(1.0),
                flag("early_stopping", default=False),
                _stump_bins(),
                KEPT_APART,
                _patience(30, "Rounds without gain after which early stopping ends."),
            ),
        ),
        Declaration(
            "abstention-trees",
            "AbstentionTrees",
            "Second-order boosting of a score and a rejector by trees of two outputs.",
            (
                _rounds(500),
                choice("loss", ("logistic", "exponential")),
                # They are shallow, and each level's histograms are held in memory.
                whole("max_depth", 2, minimum=1, maximum=8),
                _rate(0.1),
                number("l2_regularization", 1.0, above=0.0, offered=(1e-9, 1e9)),
                number(
                    "min_leaf_weight",
                    5.0,
                    "Least sum of row weights in a leaf: rows, where there are no"
                    " weights. A leaf that needs more than half of all leaves nothing"
                    " to split.",
                    above=0.0,
                    offered=(1e-9, 1e12),
                ),
                flag("early_stopping", default=True),
                KEPT_APART,
                _patience(50),
                _tree_bins("auto", "auto"),
            ),
        ),
        Declaration(
            "adaboost",
            "AdaBoost",
            "AdaBoost on stumps; under the rule ``symmetric`` the paper's baseline"
            " TSB.",
            BOOSTED,
        ),
        Declaration(
            "gradient-boosting",
            "GradientBoosting",
            "Gradient-boosted trees on the log loss; a score rule adds the reject"
            " option.",
            (
                _rounds(500, least=1),
                _rate(0.1),
                whole("max_depth", 3, minimum=1, offered=(1, 16)),
                _leaf_rows(
                    5,
                    "Least rows in a leaf; one that needs more than half of all leaves"
                    " nothing to split.",
                ),
                number("l2_regularization", 1.0, least=0.0, offered=(0.0, 1e9)),
                flag("early_stopping", default=True),
                KEPT_APART,
                _patience(30),
                _tree_bins(255),
            ),
        ),
        Declaration(
            "logistic",
            "Logistic",
            "Logistic regression; a score rule adds the reject option.",
            (
                number(
                    "C",
                    1.0,
                    "Weight of the losses against the norm; larger fits the rows"
                    " closer.",
                    above=0.0,
                    offered=(1e-9, 1e9),
                ),
                choice(
                    "class_weight",
                    ("balanced",),
                    "``balanced`` weighs the classes as if they were equally frequent.",
                    default=None,
                    mapping=True,
                    beside=(None,),
                ),
            ),
        ),
        Declaration(
            "extra-trees",
            "ExtraTrees",
            "Trees of all rows with cuts drawn at random; a score rule adds the"
            " rejects.",
            _RANDOM_TREES,
        ),
        Declaration(
            "forest",
            "Forest",
            "Trees of rows drawn with replacement; a score rule adds the reject"
            " option.",
            _RANDOM_TREES,
        ),
        Declaration(
            "auto",
            "Auto",
            "The ensemble of kernel machines, boosting, logistic regression, random"
            " trees.\n\nWith ``search.candidates`` those are compared instead.",
            (
                whole("steps", 40, minimum=1, served=False),
                number(
                    "budget_seconds",
                    60.0,
                    "Time for the whole fit: when three quarters of it have passed,"
                    " members that are not tried yet are left out. The quickest are"
                    " always tried, and those that were chosen are fitted to the end.",
                    above=0.0,
                    offered=(0.001, 86_400),
                ),
            ),
        ),
    )
}
