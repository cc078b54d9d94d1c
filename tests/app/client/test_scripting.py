"""The client for scripts, in this process, against the real service."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from app.client import Client, ClientError, RefusedError

COSTS = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.5,
    "reject_negative": 0.2,
}


@pytest.fixture(scope="module")
def frame():
    generator = np.random.default_rng(3)
    x = generator.normal(size=150)
    sick = x + 0.7 * generator.normal(size=150) > 0
    return pd.DataFrame(
        {
            "age": np.where(np.arange(150) == 7, np.nan, 50 + 10 * x),
            "ward": np.where(generator.random(150) < 0.5, "a", "b"),
            "sick": np.where(sick, "yes", "no"),
        },
        index=[f"p{i}" for i in range(150)],
    )


@pytest.fixture(scope="module")
def client(server):
    with Client(server.url, progress=False) as demur:
        yield demur


@pytest.fixture(scope="module")
def version(client, frame):
    return client.train(
        frame, "sick", "yes", model="scripted", costs=COSTS, trainer="logistic"
    )


def test_a_version_says_what_the_service_says(client, server, version):
    facts = server.http.get(f"/models/scripted/versions/{version.number}").json()
    assert version.facts == facts
    assert version.expected_cost == facts["evaluation"]["expected_cost"]
    assert version.name == f"scripted:{version.number}"
    assert "scripted" in {one["name"] for one in client.models()}
    assert client.jobs(model="scripted")[0]["status"] == "succeeded"


@pytest.mark.parametrize("kind", ["pandas", "pyarrow"])
def test_a_frame_comes_back_as_its_own_kind_decided(
    client, server, version, frame, kind
):
    new = frame.drop(columns="sick")
    rows = new if kind == "pandas" else pa.Table.from_pandas(new, preserve_index=False)
    decided = client.predict(version.name, rows)
    if kind == "pandas":
        assert list(decided.index) == list(frame.index)
        decided = pa.Table.from_pandas(decided, preserve_index=False)
    columns = {
        name: [None if pd.isna(value) else value for value in new[name]] for name in new
    }
    data = {"columns": list(columns), "rows": list(zip(*columns.values(), strict=True))}
    answer = server.http.post("/predict", json={"model": version.name, "data": data})
    expected = [one["decision"] for one in answer.json()["predictions"]]
    assert len(set(expected)) == 3
    assert decided["demur_decision"].to_pylist() == expected


def test_other_costs_are_used(client, version, frame):
    dear = {**COSTS, "reject_positive": 2.0, "reject_negative": 0.55}
    rows = frame.drop(columns="sick")
    shares = [
        (client.predict(version.name, rows, costs=each)["demur_decision"] == "reject")
        for each in (COSTS, dear)
    ]
    assert shares[1].sum() < shares[0].sum()


def test_a_file_is_trained_on(client, csv_file):
    made = client.train(
        csv_file,
        {"column": "sick", "positive": "yes"},
        model="of-a-file",
        costs=COSTS,
        trainer={"kind": "svm", "C": 1.0},
    )
    client.set_alias("of-a-file", "live", made.number)
    assert client.version("of-a-file@live") == made


def test_people_decide_and_the_next_version_learns(client, version, frame):
    policy = {"audit": {"+1": 0.5, "-1": 0.5}}
    client.ask("PUT", "/models/scripted/review", json=policy)
    asked = frame.drop(columns="sick").assign(patient=frame.index)
    decided = client.predict(version.name, asked, reference="patient")
    rejected = decided["demur_decision"] == "reject"
    assert decided["demur_case"][rejected].notna().all()
    by_age = dict(zip(frame["age"], frame["sick"], strict=True))
    worked = 0
    for number, claim in enumerate(client.claims("scripted")):
        assert claim.labels == ("yes", "no")
        if number == 0:
            claim.give_back("the picture is blurred")
            continue
        claim.decide(by_age[claim.features["age"]] if claim.features["age"] else "no")
        worked += 1
    assert worked >= rejected.sum() - 1
    told = client.tell_outcomes("scripted", dict(frame["sick"].head(20)))
    assert told["kept"] > 0
    second = client.learn("scripted", trainer="logistic", costs=COSTS)
    assert second.number == version.number + 1


def test_the_page_runs_as_printed(server, frame):
    page = (Path(__file__).parents[3] / "docs/client.md").read_text(encoding="utf-8")
    [code] = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    code = code.replace("http://127.0.0.1:8000", server.url).replace(', key="..."', "")
    names = {
        "patients": frame,
        "new_patients": frame.drop(columns="sick").assign(visit=frame.index),
        "costs": COSTS,
        "ask_somebody": lambda features, labels: labels[(features["age"] or 0) < 50],
    }
    exec(code, names)  # noqa: S102
    aliases = server.http.get("/models/triage/aliases").json()["aliases"]
    assert [one["version"] for one in aliases] == [names["better"].number]
    assert names["better"].number == names["version"].number + 1


def test_a_refusal_names_the_member_and_leaves_no_upload(client, server, frame):
    before = server.http.get("/datasets").json()["datasets"]
    with pytest.raises(RefusedError, match=r"trainer\.C: "):
        client.train(
            frame,
            "sick",
            "yes",
            model="m",
            costs=COSTS,
            trainer={"kind": "svm", "C": -1},
        )
    assert server.http.get("/datasets").json()["datasets"] == before


def test_a_wrong_label_changes_nothing(client, version, frame):
    client.ask("PUT", "/models/scripted/review", json={})
    client.ask(
        "POST",
        "/cases",
        json={
            "model": "scripted",
            "cases": [{"reference": "later", "features": {"age": 50.0, "ward": "a"}}],
        },
    )
    claim = next(client.claims("scripted"))
    with pytest.raises(RefusedError, match="label"):
        claim.decide("maybe")
    claim.decide("no", sure=0.8, note="as far as one can see")


@pytest.mark.parametrize("rows", [[1, 2], {"age": [50]}, "rows.csv", None])
def test_what_is_no_frame_is_named(client, rows):
    with pytest.raises(TypeError, match=type(rows).__name__):
        client.predict("scripted", rows)


def test_no_service_is_a_sentence():
    with pytest.raises(ClientError, match="no service answers"):
        Client("http://127.0.0.1:9").models()
