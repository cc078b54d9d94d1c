"""Names of columns: every one filled, unlike any other, of a length to be shown."""

from collections.abc import Sequence

from app.datasets.reading.faults import fault
from app.datasets.reading.limits import Limits

__all__ = ["check_names"]


def check_names(
    names: Sequence[str],
    limits: Limits,
    *,
    line: int | None = None,
    kept: bool = True,
) -> tuple[str, ...]:
    """Return the names, or refuse the first wrong one by its position.

    The names themselves are not told: a file without a header has values there.

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
    for j, name in enumerate(names):
        wrong = _repeated(seen.get(name)) or (_unfit(name, limits) if kept else None)
        if wrong:
            raise fault(wrong, line=line, position=j)
        seen[name] = j
    return tuple(names)


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
