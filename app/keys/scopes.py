"""What a key opens: a set of scopes, of which none holds another.

=========  ==================================================================
predict    /predict, /predict/batch and other protocols (/v2, /invocations); POST
           /cases and /outcomes; the changes of cases
train      trainings, jobs, data sets, versions (re-price, evaluate, aliases), and the
           data set of a model's verdicts; exports, which may hold training rows
review     /claims and /verdicts: what a reviewer does
lead       cases; a model's review policy, report, prices and monitor
admin      everything; alone: deleting models and cases, keys, people, and whatever is
           not named here
=========  ==================================================================

Models, their versions and previews, /rules and /metrics are read with predict, train or
lead. Any of them may ask by OPTIONS what an address takes.
What no line names needs ``admin``, so that a new route is closed until it is put here.
"""

import re
from collections.abc import Collection
from typing import Literal

__all__ = ["SCOPES", "Scope", "allows", "needed", "stored", "words"]

Scope = Literal["predict", "train", "review", "lead", "admin"]
Scopes = tuple[Scope, ...]

SCOPES: Scopes = ("predict", "train", "review", "lead", "admin")

_PREDICT = frozenset({"/predict", "/predict/batch"})
_READERS: Scopes = ("predict", "train", "lead")
_READ, _ANY = "GET|HEAD", "[A-Z]+"

_RULES: tuple[tuple[str, str, Scopes], ...] = (
    ("POST", r"/models/[^/]+/review/dataset", ("train",)),
    (_ANY, r"/models/[^/]+/(review|monitor)(/.*)?", ("lead",)),
    (_READ, r"/models/[^/]+/versions/[^/]+/export", ("train",)),
    (_READ, r"/(models|metrics|rules)(/.*)?", _READERS),
    ("POST", r"/models/[^/]+/versions/[^/]+/preview", _READERS),
    ("DELETE", r"/models/(?!.*/aliases/).*", ("admin",)),
    (_ANY, r"/(train|jobs|datasets|models)(/.*)?", ("train",)),
    ("POST", r"/(cases|outcomes)", ("predict",)),
    (_ANY, r"/(v2(/.*)?|(endpoints/[^/]+/)?invocations|version)", ("predict",)),
    (_READ, r"/cases/changes", ("predict",)),
    ("DELETE", r"/cases(/.*)?", ("admin",)),
    (_ANY, r"/cases(/.*)?", ("lead",)),
    (_ANY, r"/(claims|verdicts)(/.*)?", ("review",)),
)
"""Method, path, and the scopes of which any will do; the first that fits counts."""

_COMPILED = tuple(
    (re.compile(f"({methods}) {path}"), scopes) for methods, path, scopes in _RULES
)


def needed(method: str, path: str) -> Scopes:
    """Return the scopes of which a request needs any one.

    Parameters
    ----------
    method : str
        In capitals, as HTTP has it.
    path : str
        As the routes match it: decoded, without the root path.
    """
    if path in _PREDICT:
        return ("predict",)
    if method == "OPTIONS":
        return SCOPES
    asked = f"{method} {path}"
    fitting = (scopes for rule, scopes in _COMPILED if rule.fullmatch(asked))
    return next(fitting, ("admin",))


def allows(held: Collection[Scope], wanted: Scopes) -> bool:
    """Tell whether a key with the scopes ``held`` may do what needs any ``wanted``."""
    return "admin" in held or any(scope in held for scope in wanted)


def words(scopes: Collection[Scope], link: str = "and") -> str:
    """Return scopes in words, in their order."""
    *first, last = [scope for scope in SCOPES if scope in scopes]
    return f"{', '.join(first)} {link} {last}" if first else last


def stored(text: str) -> Scopes:
    """Return the scopes of a stored text; a word that is none opens nothing."""
    held = text.split()
    return tuple(scope for scope in SCOPES if scope in held)
