"""The ONNX graph, run by onnxruntime, decides as the service."""

import json

import numpy as np
import pytest

from app.export.service import export_description
from tests.app.export.conftest import columns_of

runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

MISMATCHES = {"float64": 0, "float32": 10}
"""Of 2,000: where floats decide otherwise, a score lies within their rounding."""
WORDS = {1: "+1", -1: "-1", 0: "reject"}


def session(content):
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return runtime.InferenceSession(
        content, options, providers=["CPUExecutionProvider"]
    )


def fed(description, table, inputs, precision):
    """Return rows as the graph takes them."""
    made = {}
    for name, cells in columns_of(description, table).items():
        column = next(each for each in description.columns if each.name == name)
        if column.type == "categorical":
            texts = ["" if cell is None else cell.strip() for cell in cells]
            made[inputs[name]] = np.array(texts, dtype=object)[:, np.newaxis]
        else:
            numbers = [np.nan if cell is None else float(cell) for cell in cells]
            made[inputs[name]] = np.array(numbers, dtype=precision)[:, np.newaxis]
    return made


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_every_model_decides_alike(case, precision, capsys):
    description, table, expected = case
    run = session(export_description(description, "onnx", precision).content)
    about = run.get_modelmeta().custom_metadata_map
    inputs = json.loads(about["inputs"])
    names = [output.name for output in run.get_outputs()]
    assert names[:3] == ["decision", "label", "reject"]
    fed_rows = fed(description, table, inputs, precision)
    answer = dict(zip(names, run.run(None, fed_rows), strict=True))
    codes = answer["decision_code"].ravel()
    differ = int((codes != expected.decisions).sum())
    with capsys.disabled():
        if differ:
            print(f"\n{precision}: {differ} of {len(table)} decisions differ")
    assert differ <= MISMATCHES[precision]
    assert answer["decision"].ravel().tolist() == [WORDS[code] for code in codes]
    assert (answer["reject"].ravel() == (codes == 0)).all()
    near = 1e-9 if precision == "float64" else 5e-3
    ordinary = np.abs(expected.scores) < 100
    np.testing.assert_allclose(
        answer["score"].ravel()[ordinary],
        expected.scores[ordinary],
        rtol=near,
        atol=near,
    )
    np.testing.assert_allclose(
        answer["probability"].ravel(), expected.probabilities, rtol=near, atol=near
    )
    if "costs" in answer:
        priced = answer["costs"][np.arange(len(codes)), np.array([2, 0, 1])[codes]]
        np.testing.assert_array_equal(answer["expected_cost"].ravel(), priced)
    assert about["reject_option"] == "1"
