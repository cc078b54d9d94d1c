"""Machines on landmarks over HTTP: trained, asked, exported, explained, refused."""

import numpy as np
import pytest

from tests.app.pima_like import PRICES, inline, patients, predict, train

M = 25
TRAINERS = {
    kind: {"kind": kind, "approximation": {"landmarks": M}}
    for kind in ("double-hinge-svm", "svm", "multi-hinge-svm", "p-svm")
}
ROWS = [row[:-1] for row in patients(40, seed=9)]


@pytest.fixture(scope="module")
def told(server):
    """What the versions say."""
    return {
        kind: train(server, kind, trainer=one, rule={"kind": "chow"})
        for kind, one in TRAINERS.items()
    }


@pytest.mark.parametrize("kind", TRAINERS)
def test_the_version_says_what_its_certificate_is_of(told, kind):
    version = told[kind]
    assert version["support_vectors"] == M
    assert version["duality_gap"] <= 1e-3
    assert version["approximation"]["landmarks"] == M
    assert 1 <= version["approximation"]["rank"] <= M
    assert "approximated problem" in version["approximation"]["certificate"]


@pytest.mark.parametrize("kind", TRAINERS)
def test_it_is_asked_and_exported_as_any_machine(server, told, kind, tmp_path):
    assert told
    answers = predict(server, kind, ROWS)["predictions"]
    assert {one["decision"] for one in answers} <= {"+1", "-1", "reject"}
    assert len({one["score"] for one in answers}) > 30
    address = f"/models/{kind}/versions/1/export"
    for form in ("onnx", "c", "python"):
        made = server.http.get(address, params={"format": form})
        assert made.status_code == 200, made.text
    scope: dict = {}
    exec(compile(made.text, "exported.py", "exec"), scope)  # noqa: S102 - just made
    assert scope


def test_its_answers_are_explained(server, told):
    assert told
    body = {
        "model": "double-hinge-svm",
        "data": {"columns": ["plas", "mass", "age", "ward"], "rows": ROWS[:3]},
        "explain": True,
    }
    answer = server.http.post("/predict", json=body)
    assert answer.status_code == 200, answer.text
    assert all(one["explanation"] for one in answer.json()["predictions"])


def test_a_search_varies_the_number_of_landmarks(server):
    search = {"params": {"approximation.landmarks": [5, 30], "C": [0.5, 5]}, "folds": 2}
    version = train(server, "varied", trainer={"kind": "svm"}, search=search)
    assert version["support_vectors"] in {5, 30}
    tried = version["search"]["table"]
    assert len(tried) == 4
    assert all(one.get("error") is None for one in tried)


def test_as_a_reduction_it_is_compared_with_the_exact_machine(server):
    reduction = {"kind": "landmarks", "landmarks": M}
    version = train(
        server,
        "reduced",
        trainer={"kind": "double-hinge-svm", "reduction": reduction},
        rule={"kind": "chow"},
    )
    report = version["evaluation"]["reduction"]
    assert report["after"]["support_vectors"] == M == version["support_vectors"]
    assert report["before"]["support_vectors"] > 2 * M
    costs = [report[when]["cost"] for when in ("before", "after")]
    assert np.isfinite(costs).all()


LINEAR = {"kernel": {"kind": "linear"}}


@pytest.mark.parametrize(
    ("trainer", "pointer", "words"),
    [
        ({"approximation": {"landmarks": 0}}, "approximation/landmarks", "1"),
        ({"approximation": {"landmarks": 5001}}, "approximation/landmarks", "5000"),
        ({"approximation": {"landmarks": "9"}}, "approximation/landmarks", "integer"),
        ({"approximation": {}}, "approximation/landmarks", "missing"),
        (
            {"approximation": {"landmarks": 41}},
            "approximation/landmarks",
            "41 landmarks are more than a tenth of the 400 rows",
        ),
        (
            {"reduction": {"kind": "landmarks", "landmarks": 41}},
            "reduction/landmarks",
            "take at most 40",
        ),
        (
            {"approximation": {"landmarks": 9}, **LINEAR},
            "approximation",
            "a linear kernel has the columns themselves",
        ),
        (
            {"reduction": {"kind": "landmarks", "landmarks": 9}, **LINEAR},
            "reduction",
            "leave reduction out",
        ),
        (
            {"approximation": {"landmarks": 9}, "reduction": {"kind": "sca"}},
            "approximation",
            "leave approximation or reduction out",
        ),
        (
            {"kind": "adaboost", "approximation": {"landmarks": 9}},
            "approximation",
            "only kernel machines",
        ),
        (
            {"kernel": {"kind": "precomputed"}, "approximation": {"landmarks": 9}},
            "kernel/kind",
            "available",
        ),
    ],
)
def test_what_cannot_be_is_refused_at_its_place(server, trainer, pointer, words):
    body = {
        "model": "refused",
        "trainer": {"kind": "svm", **trainer},
        "costs": PRICES,
        "data": inline(patients(400)),
        "target": {"column": "diabetes", "positive": "yes"},
    }
    answer = server.http.post("/train", json=body)
    assert answer.status_code == 422, answer.text
    error = answer.json()["errors"][0]
    assert error["pointer"] == f"/trainer/{pointer}"
    assert words in error["detail"]
