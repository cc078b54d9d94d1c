"""The client for scripts, in this process, against the real service."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from app.client import Client, ClientError, RefusedError

COSTS = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.5,
    "reject_negative": 0.2,
}

pytestmark = pytest.mark.own_server


@pytest.fixture(scope="module")
def frame():
    generator = np.random.default_rng(3)
    x = generator.normal(size=150)
    sick = x + 0.7 * generator.normal(size=150) > 0
    ages = [None if i == 7 else 50 + 10 * one for i, one in enumerate(x)]
    return pa.table(
        {
            "age": ages,
            "ward": np.where(generator.random(150) < 0.5, "a", "b"),
            "sick": np.where(sick, "yes", "no"),
            "patient": [f"p{i}" for i in range(150)],
        }
    )


@pytest.fixture(scope="module")
def patients(frame):
    return frame.drop_columns("patient")


@pytest.fixture(scope="module")
def new(patients):
    return patients.drop_columns("sick")


@pytest.fixture(scope="module")
def client(server):
    with Client(server.url, progress=False) as demur:
        yield demur


@pytest.fixture(scope="module")
def version(client, patients):
    return client.train(
        patients, "sick", "yes", model="scripted", costs=COSTS, trainer="logistic"
    )


def test_a_version_says_what_the_service_says(client, server, version):
    facts = server.http.get(f"/models/scripted/versions/{version.number}").json()
    assert version.facts == facts
    assert version.expected_cost == facts["evaluation"]["expected_cost"]
    assert version.name == f"scripted:{version.number}"
    assert "scripted" in {one["name"] for one in client.models()}
    assert client.jobs(model="scripted")[0]["status"] == "succeeded"


def test_a_frame_comes_back_decided(client, server, version, new):
    decided = client.predict(version.name, new)
    rows = [list(row.values()) for row in new.to_pylist()]
    data = {"columns": new.column_names, "rows": rows}
    answer = server.http.post("/predict", json={"model": version.name, "data": data})
    expected = [one["decision"] for one in answer.json()["predictions"]]
    assert len(set(expected)) == 3
    assert decided.column_names[:2] == ["age", "ward"]
    assert decided["demur_decision"].to_pylist() == expected


def test_other_costs_are_used(client, version, new):
    dear = {**COSTS, "reject_positive": 2.0, "reject_negative": 0.55}
    rejected = [
        client.predict(version.name, new, costs=each)["demur_decision"]
        .to_pylist()
        .count("reject")
        for each in (COSTS, dear)
    ]
    assert rejected[1] < rejected[0]


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
    asked = frame.drop_columns("sick")
    decided = client.predict(version.name, asked, reference="patient").to_pylist()
    rejected = [one for one in decided if one["demur_decision"] == "reject"]
    assert all(one["demur_case"] for one in rejected)
    rows = frame.to_pylist()
    by_age = {row["age"]: row["sick"] for row in rows}
    worked = 0
    for number, claim in enumerate(client.claims("scripted")):
        assert claim.labels == ("yes", "no")
        if number == 0:
            claim.give_back("the picture is blurred")
            continue
        claim.decide(by_age[claim.features["age"]])
        worked += 1
    assert worked >= len(rejected) - 1
    truth = {row["patient"]: row["sick"] for row in rows[:20]}
    told = client.tell_outcomes("scripted", truth)
    assert told["kept"] > 0
    second = client.learn("scripted", trainer="logistic", costs=COSTS)
    assert second.number == version.number + 1


def test_the_page_runs_as_printed(server, patients, frame):
    page = (Path(__file__).parents[3] / "docs/client.md").read_text(encoding="utf-8")
    [code] = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    code = code.replace("http://127.0.0.1:8000", server.url).replace(', key="..."', "")
    new = frame.drop_columns(["sick", "patient"])
    # so many that every draw of audits has enough of either label to teach
    many = pa.concat_tables([new] * 4)
    names = {
        "patients": patients,
        "new_patients": many.append_column(
            "visit", [[f"v{i}" for i in range(len(many))]]
        ),
        "costs": COSTS,
        "ask_somebody": lambda features, labels: labels[(features["age"] or 0) < 50],
    }
    exec(code, names)  # noqa: S102
    aliases = server.http.get("/models/triage/aliases").json()["aliases"]
    assert [one["version"] for one in aliases] == [names["better"].number]
    assert names["better"].number == names["version"].number + 1


def test_a_refusal_names_the_member_and_leaves_no_upload(client, server, patients):
    before = server.http.get("/datasets").json()["datasets"]
    with pytest.raises(RefusedError, match=r"trainer\.C: "):
        client.train(
            patients,
            "sick",
            "yes",
            model="m",
            costs=COSTS,
            trainer={"kind": "svm", "C": -1},
        )
    assert server.http.get("/datasets").json()["datasets"] == before


def test_a_wrong_label_changes_nothing(client, version):
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
