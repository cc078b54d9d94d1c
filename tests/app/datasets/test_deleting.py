"""What goes with a data set, what stays, and that predictions never stop for it."""

import json
import threading

import numpy as np
import pytest

from app.artifacts.forgetting import forget, keeps_rows
from app.artifacts.store import ArtifactStore
from app.settings import Settings
from solvers.scoring import load
from tests.app.datasets.test_training import request, table, upload
from tests.waiting import until

ROWS = [
    {"x": x, "z": z, "ward": ward}
    for x in (-2.0, -0.3, 0.2, 1.5)
    for z in (-1.0, None, 1.0)
    for ward in ("north", "south")
]


def predict(server, model):
    body = {"model": model, "instances": ROWS}
    answer = server.http.post("/predict", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def version(server, name, number=1):
    return server.http.get(f"/models/{name}/versions/{number}").json()


def stores(server):
    settings = Settings(data_dir=server.data_dir, _env_file=None)
    return ArtifactStore(settings.artifacts_dir)


def trained(server, dataset_id, name, **changes):
    job = server.train(request(dataset_id, model=name, **changes))
    assert job["status"] == "succeeded", job
    return job["result"]["version"]


def repriced(server, name, number=1):
    costs = {
        "false_positive": 1.0,
        "false_negative": 8.0,
        "reject_positive": 0.6,
        "reject_negative": 0.3,
    }
    url = f"/models/{name}/versions/{number}/reprice"
    return server.http.post(url, json={"costs": costs})


CHOW = {"rule": {"kind": "chow"}}


def test_scores_go_with_their_data_set_and_answers_stay(server):
    dataset_id = upload(server, table())
    rbf = {"kind": "double-hinge-svm", "kernel": {"kind": "rbf"}}
    linear = {"kind": "double-hinge-svm", "kernel": {"kind": "linear"}}
    trained(server, dataset_id, "curved", trainer=rbf, **CHOW)
    trained(server, dataset_id, "straight", trainer=linear, **CHOW)
    assert repriced(server, "curved").status_code == 201
    names = ["curved:1", "curved:2", "straight:1"]
    before = {name: predict(server, name) for name in names}
    old = [version(server, *name.split(":"))["artifact_sha256"] for name in names]
    store = stores(server)
    assert store.read(old[0])["evidence"] is not None
    deleted = server.http.delete(f"/datasets/{dataset_id}")
    assert deleted.status_code == 200, deleted.text
    vectors = ["support_vectors"]
    assert deleted.json()["models"] == [
        {"name": "curved", "version": 1, "lost": ["reprice"], "keeps": vectors},
        {"name": "curved", "version": 2, "lost": ["reprice"], "keeps": vectors},
        {"name": "straight", "version": 1, "lost": ["reprice"], "keeps": []},
    ]
    for name, sha256 in zip(names, old, strict=True):
        assert predict(server, name) == before[name]
        assert store.find(sha256) is None
        told = version(server, *name.split(":"))
        assert any("no longer be re-priced" in w for w in told["warnings"])
        payload = store.read(told["artifact_sha256"])
        assert payload["evidence"] is None
        refused = repriced(server, *name.split(":"))
        assert refused.status_code == 409
        assert "train again" in refused.json()["detail"]
    # An evaluation needs no stored scores.
    cells = table(60).decode().splitlines()
    body = {
        "data": {
            "kind": "inline",
            "columns": ["x", "z", "ward", "outcome"],
            "rows": [
                [float(x), float(z) if z else None, ward, outcome]
                for _, x, z, ward, outcome in (row.split(",") for row in cells[1:])
            ],
        }
    }
    evaluated = server.http.post("/models/curved/versions/1/evaluate", json=body)
    assert evaluated.status_code == 200, evaluated.text
    assert evaluated.json()["compared"]["reject_rate"]["training"] is not None


def test_an_outlier_guard_goes_only_when_that_is_said(server):
    dataset_id = upload(server, table(200))
    trained(server, dataset_id, "watched", guards={"outlier": True}, **CHOW)
    far = {"model": "watched", "instances": [{"x": 900.0, "z": 0.0, "ward": "north"}]}
    (told,) = server.http.post("/predict", json=far).json()["predictions"]
    assert told["reason"] == "outlier"
    refused = server.http.delete(f"/datasets/{dataset_id}")
    assert refused.status_code == 409
    assert refused.json()["type"] == "/problems/outlier-guards"
    assert "watched:1" in refused.json()["detail"]
    assert server.http.get(f"/datasets/{dataset_id}").status_code == 200
    url = f"/datasets/{dataset_id}"
    deleted = server.http.delete(url, params={"outlier_guards": "drop"})
    (made,) = deleted.json()["models"]
    assert made["lost"] == ["reprice", "outlier_guard"]
    (told,) = server.http.post("/predict", json=far).json()["predictions"]
    assert told["reason"] != "outlier"
    facts = version(server, "watched")
    assert facts["guards"]["outlier"] is None
    assert any("no longer rejected" in warning for warning in facts["warnings"])
    assert "outlier" not in stores(server).read(facts["artifact_sha256"])["guards"]


def test_predictions_go_on_while_data_sets_are_deleted(server):
    made = []
    for n in range(4):
        dataset_id = upload(server, table(60 + n))
        trained(server, dataset_id, f"busy-{n}", **CHOW)
        made.append(dataset_id)
    before = [predict(server, f"busy-{n}") for n in range(4)]
    stop, right, wrong = threading.Event(), [], []

    def ask():
        while not stop.is_set():
            for n in range(4):
                body = json.dumps({"model": f"busy-{n}", "instances": ROWS})
                answer = server.http.post("/predict", content=body, headers=JSON)
                same = answer.status_code == 200 and answer.json() == before[n]
                (right if same else wrong).append(answer.text)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for dataset_id in made:
        assert server.http.delete(f"/datasets/{dataset_id}").status_code == 200
    answered = len(right)
    until(lambda: wrong or len(right) > answered + 20)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("kind", ["linear", "rbf"])
def test_a_machine_scores_with_the_same_bits_without_its_rows(kind):
    draw = np.random.default_rng(0)
    scorer = {
        "kind": "kernel-machine",
        "kernel": {"kind": kind, "gamma": 0.3, "degree": 3, "coef0": 0.0},
        "support_vectors": draw.normal(size=(50, 6)),
        "coefficients": draw.normal(size=50),
        "intercept": 0.2,
    }
    left = forget({"scorer": scorer, "guards": {}, "evidence": {}})
    assert keeps_rows(left) == (kind == "rbf")
    X = draw.normal(size=(40, 6))
    assert np.array_equal(load(scorer).score(X), load(left["scorer"]).score(X))
