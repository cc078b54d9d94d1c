"""What holds for every query: its names are text, and each counts once.

Which of two values counts nobody could say; most readers take the last in silence.
Names that stand for lists (``missing=``) may come again.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import get_args, get_origin
from urllib.parse import parse_qsl

from pydantic import BaseModel
from starlette.routing import BaseRoute

from app.errors import FieldError, InvalidRequestError
from app.errors.faults import refuse
from app.errors.validation import LONGEST_KEY

__all__ = ["check_query", "lists_of"]

MOST_NAMES = 1000


def lists_of(routes: Iterable[BaseRoute]) -> frozenset[str]:
    """Return the names of a query that stand for lists, of all routes."""
    return frozenset(name for route in routes for name in _lists(route))


def _lists(route: BaseRoute) -> Iterator[str]:
    asked = getattr(route, "dependant", None)
    for field in () if asked is None else asked.query_params:
        kind = field.field_info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            for name, one in kind.model_fields.items():
                if _holds_list(one.annotation):
                    yield name
        elif _holds_list(kind):
            yield field.alias


def _holds_list(kind: object) -> bool:
    return get_origin(kind) is list or any(map(_holds_list, get_args(kind)))


def check_query(query: bytes, lists: Collection[str]) -> None:
    """Refuse a query in which a name stands twice, or that is no UTF-8.

    Raises
    ------
    InvalidRequestError
    """
    try:
        pairs = parse_qsl(
            query.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MOST_NAMES,
        )
    except UnicodeError:
        msg = "the query is no UTF-8, written with percent signs"
        raise InvalidRequestError(msg) from None
    except ValueError:
        msg = f"a query has {MOST_NAMES} names at most"
        raise InvalidRequestError(msg) from None
    counts = Counter(name for name, _ in pairs if name not in lists)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        detail = "is given twice; which one counts?"
        raise refuse(
            FieldError(f"/query/{name[:LONGEST_KEY]}", detail) for name in twice
        )
