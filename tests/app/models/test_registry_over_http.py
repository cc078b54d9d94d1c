"""Aliases on the real service: a move is seen by every prediction after it."""

import pytest

from tests.app.pima_like import patients, predict, train

ROWS = [row[:-1] for row in patients(5, seed=1)]


@pytest.fixture(scope="module")
def two(server):
    train(server, "women")
    answer = server.http.post(
        "/models/women/versions/1/reprice", json={"rule": {"kind": "chow"}}
    )
    assert answer.status_code == 201, answer.text
    return server


def move(server, version, alias="champion", **gates):
    return server.http.put(
        f"/models/women/aliases/{alias}", json={"version": version, "gates": gates}
    )


def test_a_move_is_seen_at_once_and_a_refused_one_never(two):
    for version in (1, 2, 1):
        moved = move(two, version)
        assert moved.status_code == 200, moved.text
        for _ in range(3):
            told = predict(two, "women@champion", ROWS)["model"]
            assert told == {"name": "women", "version": version}
    refused = move(two, 2, max_expected_cost=1e-9)
    assert refused.status_code == 409
    assert refused.json()["type"] == "/problems/gate-failed"
    assert refused.json()["errors"][0]["pointer"] == "/gates/max_expected_cost"
    compared = move(two, 2, no_worse=True, max_reject_rate=1)
    assert compared.status_code in {200, 409}
    assert "on the same rows at the same prices" in compared.text
    assert two.http.get("/models/women").json()["aliases"].keys() == {"champion"}
    csv = "a,b\n1,2\n"
    batch = two.http.post(
        "/predict/batch?model=women@nobody",
        content=csv,
        headers={"content-type": "text/csv"},
    )
    assert batch.status_code == 404


@pytest.mark.parametrize("version", ["1_0", "+1", "1.0", " 1", "x", "\u0661"])
def test_a_version_is_written_in_digits(two, version):
    answer = two.http.get(f"/models/women/versions/{version}")
    assert answer.status_code == 422
    assert "digits" in answer.json()["errors"][0]["detail"]


def test_a_version_under_an_alias_stays_others_go(two):
    assert move(two, 2).status_code == 200
    assert two.http.delete("/models/women/versions/2").status_code == 409
    assert two.http.delete("/models/women").status_code == 409
    gone = two.http.delete("/models/women/versions/1")
    assert gone.json() == {"name": "women", "versions": [1]}
    body = {"model": "women:1", "instances": []}
    assert two.http.post("/predict", json=body).status_code == 404
    left = two.http.delete("/models/women/aliases/champion")
    assert left.json() == {"aliases": []}
    body["model"] = "women@champion"
    assert two.http.post("/predict", json=body).status_code == 404
    assert two.http.delete("/models/women").status_code == 200
    assert two.http.get("/models/women").status_code == 404
    for address in addresses(two):
        for name in ("women", "nobody"):
            path = address.format(name=name, version=2, alias="champion")
            if path.endswith("/export"):
                path += "?format=python"
            asked = [two.http.get(path), two.http.delete(path)]
            assert {answer.status_code for answer in asked} <= {404, 405}, path
            assert 404 in {answer.status_code for answer in asked}, path
    told = two.http.patch("/models/women", json={"description": "a ghost"})
    assert told.status_code == 404


def addresses(service):
    """Return every address below one model that can be read or deleted."""
    paths = service.http.get("/openapi.json").json()["paths"]
    found = [
        path
        for path, operations in paths.items()
        if path.startswith("/models/{name}") and {"get", "delete"} & operations.keys()
    ]
    assert len(found) >= 4
    return found


@pytest.mark.parametrize(
    "path",
    [
        "/models/women/aliases/a%2Fb",
        "/models/women/aliases/..%2f..%2fkeys",
        "/models/..%2f/aliases/a",
        "/models/women%00/aliases/a",
        "/models/women/aliases/%0a",
        "/models/women/aliases/a%20b",
    ],
)
def test_tricks_with_names_are_refused(server, path):
    answer = server.http.put(path, json={"version": 1})
    assert answer.status_code in {404, 405, 422}
    assert answer.headers["content-type"] == "application/problem+json"
