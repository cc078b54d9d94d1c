"""A model as one Python file that needs NumPy alone.

The file is this project's own code, pasted: how texts are read
(``app.features.values``), the steps (``app.export.standalone``), and the model's arrays
as literals.
"""

import inspect
import json
from typing import Any

import numpy as np

from app.export import standalone
from app.export.description import Description
from app.features import values

__all__ = ["python_file"]

_IMPORTED = "from app.features.values import category\n"
_END = """

def decide(columns):
    \"\"\"Return the decisions on rows; see `decide_by`.

    Parameters
    ----------
    columns : mapping of column name to sequence of n_rows values
        A pandas.DataFrame is one.
    \"\"\"
    return decide_by(COLUMNS, MARKS, LABELS, STEPS, columns)


for _step in STEPS:  # lists of numbers become arrays once
    for _name, _value in _step.items():
        if isinstance(_value, list) and _name not in _LISTS:
            _step[_name] = np.array(_value)
"""
_LISTS = ("from", "to", "numbers", "indicated", "categories", "sets", "roots", "base")


def python_file(model: Description) -> bytes:
    """Return the file; the notes on the model are its docstring."""
    notes = "\n".join(model.notes()).replace("\\", "/").replace('"""', "'''")
    opening = f'"""{notes}\n"""\n\nfrom math import inf, nan\n\n'
    columns = [(c.name, c.type, dict(c.codes)) for c in model.columns]
    data = {
        "ABOUT": json.loads(json.dumps(model.about)),
        "COLUMNS": columns,
        "MARKS": list(model.marks),
        "LABELS": dict(model.labels),
        "_LISTS": _LISTS,
        "STEPS": [_literal(step) for step in model.steps],
    }
    body = "".join(f"{name} = {value!r}\n" for name, value in data.items())
    code = inspect.getsource(standalone).replace(_IMPORTED, "")
    parts = (opening, inspect.getsource(values), "\n\n", code, "\n\n", body, _END)
    return "".join(parts).encode()


def _literal(value: Any) -> Any:
    """Return a value whose repr says all of it."""
    if isinstance(value, dict):
        return {name: _literal(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_literal(each) for each in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
