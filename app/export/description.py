"""What a served model does, as a list of steps over plain arrays.

Every format is written from this list. A step takes named values of a row and gives
others; ``x`` is the encoded row, all else are single numbers.

=========  ===================================================================
encode     columns of a row -> x
linear     w.x + b
kernel     sum_j c_j k(s_j, x - centre) + b
trees      base + leaves of regression trees, one or two values a leaf
column     one entry of x, or a stand-in where it is missing
logit      log v - log(1 - v), v held within [clip, 1 - clip]
affine     slope v + offset
clip       v held within [-most, most]
interp     linear between knots, constant beyond them
sum        weighted sum of values
odds       log-odds that a pair (h, r) implies
logistic   1 / (1 + exp(-v)), v held within [-most, most]
band       +1, -1 or 0 by two thresholds; 0 where the score is not finite
pair       +1 or -1 by the sign of h where r > 0, else 0
costs      what each decision costs at a probability, and what the one taken does
=========  ===================================================================
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from app.artifacts.model import ServedModel
from app.export.scoring import Step, probability, scoring
from app.features.encoding import Encoder
from app.features.schema import FeatureSchema
from app.features.values import marks_of

__all__ = ["Column", "Description", "Step", "describe", "entered_in"]

Of = TypeVar("Of")
Writing = Callable[[Of, Step], None]
"""Writes a step into what a format makes of a model."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column that a row has, in the order of training.

    Parameters
    ----------
    name, type : str
        As in `app.features.schema.Feature`.
    codes : mapping of str to int
        Of a categorical column: what each text is coded as.
    """

    name: str
    type: str
    codes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Description:
    """See the table at the top of this module.

    Parameters
    ----------
    columns : tuple of Column
    marks : tuple of str
        The texts that mean "no value".
    steps : tuple of Step
        The first makes x of the columns.
    labels : mapping
        What ``positive`` and ``negative`` are called.
    about : mapping
        Model, version, rule, costs, and what is not included.
    """

    columns: tuple[Column, ...]
    marks: tuple[str, ...]
    steps: tuple[Step, ...]
    labels: Mapping[str, Any]
    about: Mapping[str, Any]

    @property
    def values(self) -> frozenset[str]:
        """Return the names of all values that the steps give."""
        targets = (step["to"] for step in self.steps)
        return frozenset(
            name for to in targets for name in ([to] if isinstance(to, str) else to)
        )

    def notes(self) -> Iterator[str]:
        """Yield what a reader of the file should know, line by line."""
        about, labels = self.about, self.labels
        model = f"{about['model']}, version {about['version']}"
        yield f"Decisions of {model}, made by Demur."
        yield ""
        yield f"Rule: {about['rule']}. Costs: {about['costs'] or 'none'}."
        columns = ", ".join(f"{c.name} ({c.type})" for c in self.columns)
        yield f"Columns: {columns}."
        named = f"+1 is {labels['positive']!r}, -1 is {labels['negative']!r}"
        yield f'{named}; "reject": ask.'
        yield "Rows are decided as the service decides them, up to rounding."
        if about["not_included"]:
            yield f"Not included, ask the service: {', '.join(about['not_included'])}."
        if any(step["do"] == "kernel" for step in self.steps):
            yield "The vectors in it are training rows, centred and scaled."


def entered_in(table: dict[str, Writing[Of]]) -> Callable[[Writing[Of]], Writing[Of]]:
    """Return a decorator that enters a function ``_kind`` for that kind of step."""

    def enter(writing: Writing[Of]) -> Writing[Of]:
        table[writing.__name__.removeprefix("_")] = writing
        return writing

    return enter


def describe(model: ServedModel, name: str, version: int) -> Description:
    """Return what a model does, as data.

    Parameters
    ----------
    model : ServedModel
    name, version : str, int
        What it is called.
    """
    encode, columns = _encoding(model.features)
    steps = [encode, *scoring(model.scorer, "score", "reject_score")]
    steps += probability(model)
    steps.append(_deciding(model))
    costs = model.costs and asdict(model.costs)
    if costs and model.has_probability:
        to = ["cost_positive", "cost_negative", "cost_reject", "expected_cost"]
        steps.append(
            {"do": "costs", "from": ["probability", "decision"], "to": to, **costs}
        )
    guards = model.guards
    left_out = {
        "missing_value": guards.missing_value,
        "unseen_category": guards.unseen_category,
        "outlier": guards.outlier,
    }
    about = {
        "model": name,
        "version": version,
        "rule": model.rule.get("kind"),
        "costs": costs,
        "not_included": [f"guard {key}" for key, is_on in left_out.items() if is_on],
    }
    marks = tuple(sorted(marks_of(model.features.missing)))
    return Description(columns, marks, tuple(steps), asdict(model.labels), about)


def _encoding(features: FeatureSchema) -> tuple[Step, tuple[Column, ...]]:
    encoder = Encoder(features)
    codes = {
        feature.name: {
            str(text): code for text, code in known.codes.items() if text is not None
        }
        for feature, known in zip(
            features.categoricals, encoder.categories, strict=True
        )
    }
    columns = tuple(
        Column(f.name, f.type, codes.get(f.name, {})) for f in features.features
    )
    place = {name: j for j, name in enumerate(features.names)}
    step = {
        "do": "encode",
        "to": "x",
        "width": encoder.width,
        "numbers": [place[f.name] for f in features.numbers],
        "plain_numbers": sum(f.type == "numeric" for f in features.numbers),
        "marks": np.array(features.missing_numbers),
        "impute": np.full(encoder.n_numbers, np.nan)
        if features.missing_native
        else encoder.impute,
        "low": encoder.low,
        "high": encoder.high,
        "mean": encoder.mean,
        "inverse": encoder.inverse,
        "indicated": [] if features.missing_native else encoder.indicated.tolist(),
        "native": features.missing_native,
        "categories": [
            {
                "column": place[feature.name],
                "start": known.start,
                "width": len(feature.categories),
                # Where a missing value has a column of its own: the last one.
                "missing": None in known.codes,
            }
            for feature, known in zip(
                features.categoricals, encoder.categories, strict=True
            )
        ],
    }
    return step, columns


def _deciding(model: ServedModel) -> Step:
    band = model.band
    if band.on == "reject-function":
        pair = ["score", "reject_score"]
        return {"do": "pair", "from": pair, "to": "decision"}
    return {
        "do": "band",
        "from": band.on,
        "to": "decision",
        "lower": band.lower,
        "upper": band.upper,
        "closed": band.closed,
    }
