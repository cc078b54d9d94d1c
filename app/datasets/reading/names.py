"""Names of columns: every one filled, unlike any other, of a length to be shown."""

import re
from collections.abc import Sequence
from itertools import pairwise

from app.datasets.reading.faults import fault
from app.datasets.reading.limits import Limits
from app.features.values import trimmed

_NUMBER = re.compile(r"[-+]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)(e[-+]?[0-9]+)?")

__all__ = ["check_header", "check_names"]


def check_names(
    names: Sequence[str],
    limits: Limits,
    *,
    line: int | None = None,
    kept: bool = True,
) -> tuple[str, ...]:
    """Return the names as they are compared, or refuse the first wrong one.

    It is told by its position, not by itself: a file without a header has values there.

    Parameters
    ----------
    names : sequence of str
    limits : Limits
    line : int, optional
        Where they stand.
    kept : bool
        False for a file that is only passed through: then names need only differ.
    """
    if len(names) > limits.columns:
        detail = f"{len(names)} columns, where at most {limits.columns} are taken"
        raise fault(detail, line=line)
    seen: dict[str, int] = {}
    names = tuple(map(trimmed, names))
    for j, name in enumerate(names):
        wrong = _repeated(seen.get(name)) or (_unfit(name, limits) if kept else None)
        if not name and wrong and not j:
            wrong += "; no row numbers: index=False (pandas), row.names=FALSE (R)"
        if wrong:
            raise fault(wrong, line=line, position=j)
        seen[name] = j
    return names


def check_header(names: Sequence[str], line: int) -> None:
    """Refuse names of which half are numbers: they may be the first row.

    Whole numbers that follow each other are names as programs give them.
    """
    numbers = [
        float(name.replace(",", "."))
        for name in map(trimmed, names)
        if _NUMBER.fullmatch(name)
    ]
    following = all(number.is_integer() for number in numbers) and all(
        after == before + 1 for before, after in pairwise(numbers)
    )
    if 2 * len(numbers) >= max(len(names), 1) and not following:
        detail = (
            f"{len(numbers)} of {len(names)} names are numbers, as in a row; say"
            " header=false where the file has no names, or header=true where it has"
            " these"
        )
        raise fault(detail, line=line)


def _repeated(before: int | None) -> str | None:
    if before is None:
        return None
    return f"the name is that of column {before + 1} already; names are unique"


def _unfit(name: str, limits: Limits) -> str | None:
    if not name:
        return "the column has no name; name it, or leave the column out"
    if len(name) > limits.name_length:
        return f"the name is longer than {limits.name_length} characters"
    if not name.isprintable() or '"' in name or "\\" in name:
        return "a name has printable characters only, no double quote, no backslash"
    return None
