"""The Python file decides as the service, where there is nothing but NumPy."""

import json
import subprocess
import sys

import numpy as np

from app.export.description import describe
from app.export.service import export_description
from tests.app.export.conftest import columns_of, judged, near, trained_as

BARE = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("model", sys.argv[1])
model = importlib.util.module_from_spec(spec)
spec.loader.exec_module(model)
answer = model.decide(json.load(sys.stdin))
foreign = {"app", "solvers", "sklearn", "scipy", "numba"} & set(sys.modules)
told = {name: values.tolist() for name, values in answer.items()}
print(json.dumps({"answer": told, "foreign": sorted(foreign)}))
"""
CODES = {"+1": 1, "-1": -1, "reject": 0}


def decide(file, columns):
    """Run a file by itself."""
    names = {"__name__": "model"}
    exec(compile(file, "model.py", "exec"), names)  # noqa: S102 - that it runs is meant
    return names["decide"](columns)


def test_every_model_decides_alike(case):
    description, table, expected = case
    file = export_description(description, "python", "float64").content
    answer = decide(file, columns_of(description, table))
    codes = np.array([CODES[word] for word in answer["decision"]])
    differ = int((codes != expected.decisions).sum())
    assert differ == 0
    assert (answer["reject"] == (codes == 0)).all()
    np.testing.assert_allclose(answer["score"], expected.scores, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        answer["probability"], expected.probabilities, rtol=1e-9, atol=1e-12
    )
    assert ("expected_cost" in answer) == (description.about["costs"] is not None)


def test_a_bare_python_is_enough(tmp_path):
    model = trained_as("double-hinge-svm")
    description, table = describe(model, "wards", 3), near(300, probabilities=False)
    path = tmp_path / "wards.py"
    path.write_bytes(export_description(description, "python", "float64").content)
    done = subprocess.run(
        [sys.executable, "-I", "-c", BARE, str(path)],
        input=json.dumps(columns_of(description, table)),
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    told = json.loads(done.stdout)
    assert told["foreign"] == []
    answer, expected = told["answer"], judged(model, table)
    assert [CODES[word] for word in answer["decision"]] == expected.decisions.tolist()
    labels = {"+1": "yes", "-1": "no", "reject": None}
    assert answer["label"] == [labels[word] for word in answer["decision"]]
    assert list(answer)[:3] == ["decision", "label", "reject"]


def test_texts_of_numbers_and_marks_are_read_as_in_files():
    description = describe(trained_as("logistic"), "wards", 3)
    file = export_description(description, "python", "float64").content
    given = {"age": [50.0, None], "score": [1.5, 0.0], "ward": ["a", None]}
    texts = {"age": ["50.0", "NA"], "score": ["1.5", "0"], "ward": [" a", "?"]}
    smokes = {"smokes": [True, None]}
    once, again = decide(file, given | smokes), decide(file, texts | smokes)
    for name in once:
        assert once[name].tolist() == again[name].tolist()
