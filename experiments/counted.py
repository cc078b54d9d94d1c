"""How many repetitions stand behind the figures, told from the results themselves."""

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["counted"]


def _set(task: dict[str, Any]) -> str:
    return str(task["set"])


def counted(
    results: Sequence[dict[str, Any]],
    key: str,
    name: Callable[[dict[str, Any]], str] = _set,
) -> str:
    """Return for instance "10 of pima and wdbc, 5 of skin".

    Parameters
    ----------
    results : sequence of dict
        Each with its task.
    key : str
        What numbers the repetitions in a task; tasks without it were run once.
    name : function
        What a task is a repetition of: its set, where nothing else is said.
    """
    numbers: dict[str, set[Any]] = {}
    for one in results:
        task = one["task"]
        numbers.setdefault(name(task), set()).add(task.get(key))
    groups: dict[int, list[str]] = {}
    for told, values in numbers.items():
        groups.setdefault(len(values), []).append(told)
    return ", ".join(
        f"{count} of {_listed(groups[count])}" for count in sorted(groups, reverse=True)
    )


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
