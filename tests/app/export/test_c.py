"""The C file, compiled without a warning, decides as the service."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

from app.export.service import export_description
from tests.app.export.conftest import columns_of

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1")
LOOP = """
void demur_all(int n, int d, int told, const REAL *x, int *y, REAL *numbers) {
  for (int i = 0; i < n; i++)
    y[i] = demur_decide(x + i * d, (struct demur_answer *)(numbers + i * told));
}
"""
MISMATCHES = {"float64": 0, "float32": 10}
"""Of 2,000: where floats decide otherwise, a score lies within their rounding."""


def compiled(folder, description, precision):
    """Return the library of a model, with a loop over rows."""
    source, library = folder / "model.c", folder / "model.so"
    content = export_description(description, "c", precision).content
    source.write_text(content.decode() + LOOP)
    asked = ["gcc", *STRICT, "-fPIC", "-shared", "-o", library, source, "-lm"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library))


def numbers_of(library, description, table, real):
    """Return rows as the C function takes them."""
    library.demur_code.restype = real
    columns = columns_of(description, table)
    made = np.empty((len(table), len(columns)))
    for place, column in enumerate(description.columns):
        cells = columns[column.name]
        if column.type == "categorical":
            cells = [
                None
                if cell is None
                else library.demur_code(place, cell.strip().encode())
                for cell in cells
            ]
        made[:, place] = [np.nan if cell is None else cell for cell in cells]
    return made


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_every_model_decides_alike(case, precision, tmp_path, capsys):
    description, table, expected = case
    library = compiled(tmp_path, description, precision)
    real = ctypes.c_double if precision == "float64" else ctypes.c_float
    rows = numbers_of(library, description, table, real).astype(np.dtype(real))
    n, d = rows.shape
    names = ("probability", "score", "expected_cost")
    told = [name for name in names if name in description.values]
    decisions = np.empty(n, dtype=np.intc)
    numbers = np.empty((n, len(told)), dtype=rows.dtype)
    pointers = (a.ctypes.data_as(ctypes.c_void_p) for a in (rows, decisions, numbers))
    library.demur_all(n, d, len(told), *pointers)
    differ = int((decisions != expected.decisions).sum())
    with capsys.disabled():
        if differ:
            print(f"\n{precision}: {differ} of {n} decisions differ")
    assert differ <= MISMATCHES[precision]
    near = 1e-9 if precision == "float64" else 2e-3
    answer = dict(zip(told, numbers.T, strict=True))
    ordinary = np.abs(expected.scores) < 100
    np.testing.assert_allclose(
        answer["score"][ordinary], expected.scores[ordinary], rtol=near, atol=near
    )
    np.testing.assert_allclose(
        answer["probability"], expected.probabilities, rtol=near, atol=near
    )
