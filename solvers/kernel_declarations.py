"""What kernels, kernel machines and their reductions take, by name.

API schema, estimators and tests read these tables, as they read those of
``solvers.declarations``; like that module, this one needs neither numba nor
scikit-learn.
"""

from typing import Any

from solvers.parameters import Parameter, choice, flag, number, whole

__all__ = [
    "ETA_RANGE",
    "FIRST_STAGE",
    "KERNELS",
    "LANDMARKS",
    "MACHINE",
    "MACHINES",
    "REDUCTIONS",
    "SOLVERS",
]

_MOST_LANDMARKS = 5_000
"""The eigenvalues of more take minutes and a gigabyte."""
ETA_RANGE = (1e-6, 0.49)
"""Of the precisions of single rows too."""
SOLVERS = ("auto", "active-set", "decomposition")


def _gamma(default: Any = "scale") -> Parameter:
    return number(
        "gamma",
        default,
        "A number from 1e-9 to 1e9 (beyond, every two rows look alike, or none do),"
        ' "scale" (1 / (columns * variance)) or "auto" (1 / columns)',
        above=0.0,
        offered=(1e-9, 1e9),
        beside=("scale", "auto"),
    )


def _degree(default: int | None = 3) -> Parameter:
    description = "A higher one overflows a little outside of training."
    return whole("degree", default, description, minimum=0, offered=(1, 20))


def _coef0(default: float | None = 0.0, least: float = 0.0) -> Parameter:
    description = "A larger one drowns what the rows have in common."
    return number("coef0", default, description, offered=(least, 1000.0))


def _weight(name: str, default: float | None, description: str = "") -> Parameter:
    return number(name, default, description, above=0.0, offered=(1e-9, 1e9))


KERNELS: dict[str, tuple[str, tuple[Parameter, ...]]] = {
    "linear": ("The inner product of two rows.", ()),
    "polynomial": (
        "A power of the scaled and shifted inner product.",
        (_degree(), _gamma(), _coef0()),
    ),
    "rbf": ("A Gaussian of the distance between two rows.", (_gamma(),)),
    "sigmoid": (
        "The hyperbolic tangent; not positive semi-definite, use with care.",
        (_gamma(), _coef0(least=-1000.0)),
    ),
}
"""By kind: what it is, and its parameters."""


def _landmarks(description: str) -> Parameter:
    limits = {"minimum": 1, "offered": (1, _MOST_LANDMARKS)}
    return whole("landmarks", None, description, required=True, **limits)


LANDMARKS = _landmarks(
    "Rows, drawn at random, that become the support vectors: at most a tenth of all"
    " rows, and 5,000. A few hundred to a thousand do for most tables."
)

MACHINE = (
    _weight(
        "C",
        1.0,
        "Weight of the losses against the norm; larger fits the rows closer. From 1e-9"
        " to 1e9: beyond, one of the two is lost in rounding.",
    ),
    choice("solver", SOLVERS),
    number(
        "tol",
        1e-3,
        "Largest disagreement about the bias at which the solver stops; below 1e-9"
        " rounding disagrees more.",
        above=0.0,
        offered=(1e-9, 1.0),
    ),
    whole(
        "max_iter",
        -1,
        "Largest number of solver steps, at least one, or nothing is learnt; -1 sets no"
        " limit.",
        minimum=0,
        offered=(1, 10**12),
        beside=(-1,),
    ),
    number(
        "cache_size",
        200.0,
        "Memory for kernel rows, in megabytes: less than one holds no rows. With an"
        " approximation, memory for its features: where they take more, they are"
        " computed again and again.",
        above=0.0,
        offered=(1.0, 4096.0),
    ),
    choice(
        "class_weight",
        ("balanced",),
        "``balanced`` weighs the classes as if they were equally frequent."
        " Probabilities, prices and thresholds stay those of the rows as they come;"
        " rules that believe the score itself (``plug-in``, ``bartlett-wegkamp``) are"
        " refused beside it.",
        default=None,
        mapping=True,
        beside=(None,),
    ),
)
"""What every machine on the dual core takes, its kernel apart."""

MACHINES: dict[str, tuple[Parameter, ...]] = {
    "double-hinge-svm": (),
    "svm": (),
    "multi-hinge-svm": (),
    "p-svm": (
        _weight(
            "C_prob",
            1.0,
            "Weight of the rows that are known with a probability only.",
        ),
        number(
            "eta",
            0.1,
            "How far a prediction may be from its target probability at no cost. At"
            " 1/2 any prediction is right, near 0 only one that no score reaches.",
            above=0.0,
            below=0.5,
            offered=ETA_RANGE,
        ),
    ),
}
"""What a machine takes beside ``MACHINE``."""

FIRST_STAGE = (_weight("C", None), _gamma(None), _degree(None), _coef0(None))
"""What only the machines that mark rows have; the rest is the last one's."""

_JUDGED = (
    number(
        "max_accuracy_loss",
        None,
        "Keep the unreduced machine when the reduction costs more accuracy than this.",
        least=0.0,
        most=1.0,
        beside=(None,),
    ),
    number(
        "validation_fraction",
        0.2,
        "Share of the training rows on which that loss is judged.",
        above=0.0,
        below=1.0,
        offered=(0.01, 0.9),
    ),
)
_MARKING = (
    *_JUDGED,
    choice(
        "removal",
        ("remove", "flip"),
        "Whether misclassified rows are dropped or relabelled.",
    ),
    flag(
        "hard_margin",
        "Whether the last machine allows no margin error.",
        default="auto",
        beside=("auto",),
    ),
)
_BY_REJECTION = (
    *_MARKING,
    number(
        "rejection_cost",
        0.24,
        "The price w_r of a rejected row where an error costs 1: nearer to either end"
        " all rows go, or none.",
        above=0.0,
        below=1.0,
        offered=(0.001, 0.999),
    ),
)

REDUCTIONS: dict[str, tuple[str, tuple[Parameter, ...]]] = {
    "m1rs": ("One machine, and a threshold on its posterior.", _BY_REJECTION),
    "m2rs": ("Two machines with opposite class weights.", _BY_REJECTION),
    "sca": ("Misclassified rows only.", _MARKING),
    "ssca": (
        "Misclassified rows, and those near the boundary.",
        (
            *_MARKING,
            number(
                "distance",
                0.0,
                "In the scale of the first machine's score, whose margin is 1.",
                least=0.0,
                offered=(0.0, 1e6),
            ),
        ),
    ),
    "landmarks": (
        "A machine of so many support vectors in place of the exact one (Nystrom).",
        (
            *_JUDGED,
            _landmarks(
                "How many support vectors stay: training rows, drawn at random. Where"
                " the exact machine has no more, it is kept."
            ),
        ),
    ),
}
"""By method: what it is, and its parameters."""
