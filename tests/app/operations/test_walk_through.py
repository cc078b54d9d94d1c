"""The service as an operator meets it: two processes, keys, SQLite and PostgreSQL.

Each test walks through one part of what is promised; the details have tests of their
own. Every request goes over a connection of its own, so that any process may answer.
"""

import json

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.app.soak.mixed import COLUMNS, CSV, PRICES, as_csv, labelled, rows, training
from tests.waiting import until

pytestmark = pytest.mark.thorough

KEY = "key-of-the-walk"
SETTINGS = {
    "DEMUR_API_KEYS": KEY,
    "DEMUR_MAX_QUEUED_JOBS": "4",
}
LONG = {"kind": "abstention-boosting", "n_rounds": 100_000}
ROWS = {"columns": COLUMNS, "rows": rows(30, 9)}
QUICK = {"kind": "svm"}
CHOW = {"rule": {"kind": "chow"}}


@pytest.fixture(scope="module")
def walk(url, tmp_path_factory, service_type):
    settings = {**SETTINGS, **({"DEMUR_DATABASE_URL": url} if url else {})}
    service = service_type(
        tmp_path_factory.mktemp("walk"), settings, ("--processes", "2")
    ).start()
    service.http.headers["authorization"] = f"Bearer {KEY}"
    yield service
    service.stop()


def ask(walk, method, path, *, key=KEY, expect=None, **more):
    """Send one request on a fresh connection."""
    headers = {**more.pop("headers", {}), "authorization": f"Bearer {key}"}
    with httpx.Client(base_url=walk.url, timeout=60) as http:
        answer = http.request(method, path, headers=headers, **more)
    if expect is not None:
        assert answer.status_code == expect, answer.text
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        told = answer.json()
        assert told["request_id"] == answer.headers["x-request-id"]
    return answer


def trained(walk, model, **changes):
    """Train a model; return what its version says."""
    job = ask(walk, "POST", "/train", json=training(model, 0, **changes), expect=202)
    ended = walk.await_job(job.json()["id"])
    assert ended["status"] == "succeeded", ended
    number = ended["result"]["version"]
    return ask(walk, "GET", f"/models/{model}/versions/{number}", expect=200).json()


def predicted(walk, model):
    body = {"model": model, "data": ROWS}
    return ask(walk, "POST", "/predict", json=body, expect=200).json()


def test_jobs_wait_in_order_stop_and_are_not_queued_twice(walk):
    holding = ask(
        walk, "POST", "/train", json=training("hold", 0, trainer=LONG), expect=202
    )
    held = holding.json()["id"]
    walk.await_job(held, "running")
    ids = {}
    for priority in (-5, 0, 7):
        body = training("in-order", 0, trainer=QUICK, priority=priority, **CHOW)
        key = {"idempotency-key": f"walk-{priority}"}
        sent = [
            ask(walk, "POST", "/train", json=body, headers=key, expect=202)
            for _ in range(2)
        ]
        assert sent[0].json() == sent[1].json()
        ids[priority] = sent[0].json()["id"]
    other = training("in-order", 0, trainer=QUICK, priority=3, **CHOW)
    reused = ask(walk, "POST", "/train", json=other, headers=key, expect=409)
    assert reused.json()["type"] == "/problems/idempotency-key-reused"
    limited = training("limited", 0, trainer=LONG, max_seconds=1, priority=-9)
    limited_id = ask(walk, "POST", "/train", json=limited, expect=202).json()["id"]
    full = ask(walk, "POST", "/train", json=other, expect=503)
    assert int(full.headers["retry-after"]) > 0
    listed = ask(walk, "GET", "/jobs?status=queued&limit=2", expect=200).json()
    assert len(listed["jobs"]) == 2
    assert listed["next"]

    progressed = walk.job(held)["progress"]
    assert 0.0 <= progressed["fraction"] < 1.0
    ask(walk, "POST", f"/jobs/{held}/cancel", expect=202)
    with (
        httpx.Client(base_url=walk.url, timeout=60) as http,
        http.stream(
            "GET", f"/jobs/{held}/events", headers={"authorization": f"Bearer {KEY}"}
        ) as stream,
    ):
        lines = [line for line in stream.iter_lines() if line.startswith("data: ")]
    assert json.loads(lines[-1].removeprefix("data: "))["status"] == "cancelled"

    ended = {p: walk.await_job(job) for p, job in ids.items()}
    assert {job["status"] for job in ended.values()} == {"succeeded"}
    begun = sorted(ended, key=lambda p: ended[p]["started_at"])
    assert begun == [7, 0, -5], "the most urgent first"
    over = walk.await_job(limited_id)
    assert over["error"]["type"] == "/problems/training-limit"
    assert "max_seconds" in over["error"]["detail"]


def test_aliases_move_and_versions_never_change(walk):
    first = trained(walk, "registry")
    second = trained(walk, "registry", trainer=QUICK, **CHOW)
    assert [first["version"], second["version"]] == [1, 2]
    assert first["library_versions"]["numpy"]
    labels = {"description": "a walk", "tags": {"team": "risk"}}
    ask(walk, "PATCH", "/models/registry", json=labels, expect=200)
    tags = {"tags": {"data": "old"}}
    ask(walk, "PATCH", "/models/registry/versions/1", json=tags, expect=200)
    fixed = {"trainer": {"kind": "svm"}}
    ask(walk, "PATCH", "/models/registry/versions/1", json=fixed, expect=422)
    again = ask(walk, "GET", "/models/registry/versions/1", expect=200).json()
    assert {**again, "tags": {}} == {**first, "tags": {}}, "versions never change"
    found = ask(walk, "GET", "/models?tag=team=risk&sort=-created_at", expect=200)
    assert [model["name"] for model in found.json()["models"]] == ["registry"]
    path, seen = "/models/registry?limit=1&sort=version", []
    told = ask(walk, "GET", path, expect=200).json()
    while told["versions"]:
        seen += [entry["version"] for entry in told["versions"]]
        if told["next"] is None:
            break
        told = ask(walk, "GET", f"{path}&after={told['next']}", expect=200).json()
    assert seen == [1, 2]

    alias = "/models/registry/aliases/champion"
    for version in (1, 2, 1):
        ask(walk, "PUT", alias, json={"version": version}, expect=200)
        for _ in range(6):
            model = predicted(walk, "registry@champion")["model"]
            assert model == {"name": "registry", "version": version}
    gates = {"max_expected_cost": 1e-6}
    refused = ask(walk, "PUT", alias, json={"version": 2, "gates": gates}, expect=409)
    assert refused.json()["errors"][0]["pointer"] == "/gates/max_expected_cost"
    assert predicted(walk, "registry@champion")["model"]["version"] == 1
    ask(walk, "DELETE", "/models/registry/versions/1", expect=409)
    ask(walk, "DELETE", "/models/registry/versions/2", expect=200)
    for _ in range(4):
        gone = {"model": "registry:2", "data": ROWS}
        ask(walk, "POST", "/predict", json=gone, expect=404)


def test_keys_open_what_their_scope_says_in_every_process(walk):
    made = {
        scope: ask(
            walk, "POST", "/keys", json={"name": scope, "scope": scope}, expect=201
        ).json()
        for scope in ("predict", "train", "admin")
    }
    keys = {scope: told["key"] for scope, told in made.items()}
    await_status(walk, "/models", keys["predict"], 200)
    asked = (
        ("POST", "/train", "predict", 403),
        ("GET", "/jobs", "predict", 403),
        ("GET", "/jobs", "train", 200),
        ("DELETE", "/models/nothing", "train", 403),
        ("DELETE", "/models/nothing", "admin", 404),
        ("GET", "/keys", "train", 403),
        ("GET", "/keys", "admin", 200),
    )
    for method, path, scope, status in asked:
        for _ in range(3):
            ask(walk, method, path, key=keys[scope], expect=status)
    for path in ("/models", "/jobs", "/metrics", "/nothing", "/datasets"):
        ask(walk, "GET", path, key="no-such-key", expect=401)
        assert httpx.get(f"{walk.url}{path}").status_code == 401
    for path in ("/livez", "/readyz", "/docs"):
        assert httpx.get(f"{walk.url}{path}").status_code == 200
    ask(walk, "DELETE", f"/keys/{made['train']['id']}", expect=200)
    await_status(walk, "/jobs", keys["train"], 401)
    log = (walk.data_dir / "log").read_text()
    assert not any(key in log for key in [KEY, *keys.values()])


def await_status(walk, path, key, status):
    """Wait until every process says the same of a key."""

    def told():
        return {ask(walk, "GET", path, key=key).status_code for _ in range(8)}

    until(lambda: told() == {status}, told)


def test_metrics_count_what_was_answered(walk):
    trained(walk, "counted", trainer=QUICK, **CHOW)
    told = [predicted(walk, "counted:1") for _ in range(12)]
    rejected = sum(answer["summary"]["rejected"] for answer in told)
    text = ask(walk, "GET", "/metrics", expect=200).text
    found = {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }
    counted = {
        dict(labels)["decision"]: 0.0
        for name, labels in found
        if name == "demur_predictions_total"
    }
    for (name, labels), value in found.items():
        told_of = dict(labels)
        if name == "demur_predictions_total" and told_of["model"] == "counted":
            assert told_of["version"] == "1"
            counted[told_of["decision"]] += value
    assert sum(counted.values()) == 12 * 30
    assert counted["reject"] == rejected
    assert found["demur_jobs", (("status", "queued"),)] == 0
    assert found["demur_job_seconds_count", (("status", "succeeded"),)] >= 1


def test_groups_and_time_are_kept_apart_and_twins_are_told(walk):
    table = labelled(240, 3)
    columns = [*COLUMNS, "who", "day", "y"]
    grouped = [
        [*row[:3], f"p{i // 4}", f"2026-{1 + i // 30:02}-{1 + i % 28:02}", row[3]]
        for i, row in enumerate(table)
    ]
    data = {"kind": "inline", "columns": columns, "rows": grouped}
    by_time = trained(
        walk, "by-time", data=data, groups="who", evaluation={"order_by": "day"}
    )
    assert {column["name"] for column in by_time["features"]} == set(COLUMNS)
    assert by_time["evaluation"]["order_by"] == "day"
    plain = {"kind": "inline", "columns": [*COLUMNS, "y"]}
    doubled = [row for row in table for _ in range(2)]
    twins = trained(walk, "twins", data={**plain, "rows": doubled})
    assert any("equal a training row" in text for text in twins["warnings"])


def test_a_deleted_data_set_takes_its_rows_along(walk):
    text = as_csv([*COLUMNS, "y"], labelled(300, 5))
    upload = ask(walk, "POST", "/datasets", content=text, headers=CSV, expect=201)
    dataset_id = upload.json()["id"]
    data = {"kind": "dataset", "id": dataset_id}
    trained(walk, "of-persons", data=data, trainer=QUICK, **CHOW)
    before = predicted(walk, "of-persons")
    reprice = "/models/of-persons/versions/1/reprice"
    dearer = {"costs": {**PRICES, "false_negative": 9.0}}
    ask(walk, "POST", reprice, json=dearer, expect=201)
    gone = ask(walk, "DELETE", f"/datasets/{dataset_id}", expect=200).json()
    assert [(m["version"], m["lost"]) for m in gone["models"]] == [
        (1, ["reprice"]),
        (2, ["reprice"]),
    ]
    ask(walk, "GET", f"/datasets/{dataset_id}", expect=404)
    ask(walk, "POST", reprice, json=dearer, expect=409)
    assert predicted(walk, "of-persons:1") == before
    assert not list((walk.data_dir / "datasets").rglob(f"*{dataset_id}*"))


def test_a_stop_gives_back_what_runs_and_all_is_there_again(walk):
    trained(walk, "stays", trainer=QUICK, **CHOW)
    before = predicted(walk, "stays")
    body = training("waits", 0, trainer=LONG)
    job_id = ask(walk, "POST", "/train", json=body, expect=202).json()["id"]
    walk.await_job(job_id, "running")
    assert walk.stop() == 0
    walk.start()
    walk.http.headers["authorization"] = f"Bearer {KEY}"
    assert predicted(walk, "stays") == before
    again = walk.await_job(job_id, "running")
    assert again["attempts"] == 1, "a stop is no death"
    ask(walk, "POST", f"/jobs/{job_id}/cancel", expect=202)
    assert walk.await_job(job_id)["status"] == "cancelled"
