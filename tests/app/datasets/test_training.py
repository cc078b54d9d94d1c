"""POST /train on uploaded data sets, on the real server."""

import io
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

COSTS = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.6,
    "reject_negative": 0.3,
}


def table(n=160):
    draw = np.random.default_rng(0)
    x, z = draw.normal(size=(2, n))
    ward = draw.choice(["north", "south"], size=n)
    y = np.where(x + 0.5 * z + draw.normal(size=n) > 0.3, "yes", "no")
    rows = [
        f"{i},{a:.4f},{'' if i % 10 == 0 else format(b, '.4f')},{w},{label}"
        for i, (a, b, w, label) in enumerate(zip(x, z, ward, y, strict=True))
    ]
    return "\n".join(["patient,x,z,ward,outcome", *rows]).encode()


def upload(server, body):
    answer = server.http.post(
        "/datasets", content=body, headers={"content-type": "text/csv"}
    )
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def request(dataset_id, **changes):
    return {
        "model": "stored",
        "trainer": {"kind": "double-hinge-svm"},
        "costs": COSTS,
        "data": {
            "kind": "dataset",
            "id": dataset_id,
            "columns": ["x", "z", "ward", "outcome"],
        },
        "target": {"column": "outcome", "positive": "yes"},
        **changes,
    }


def inline(body):
    names, *rows = [line.split(",") for line in body.decode().split("\n")]
    cells = [
        [float(x), float(z) if z else None, ward, outcome]
        for _, x, z, ward, outcome in rows
    ]
    return {"kind": "inline", "columns": names[1:], "rows": cells}


@pytest.fixture(scope="module")
def trained(server):
    body = table()
    dataset_id = upload(server, body)
    jobs = [
        server.train(request(dataset_id)),
        server.train(request(dataset_id, model="sent", data=inline(body))),
    ]
    assert [job["status"] for job in jobs] == ["succeeded"] * 2, jobs
    return dataset_id


def test_a_data_set_trains_the_same_model_as_its_rows_inline(server, trained):
    instances = [
        {"x": x, "z": z, "ward": ward}
        for x, z, ward in [
            (0.1, None, "north"),
            (-1.0, 2.0, "south"),
            (3.0, 0.0, "east"),
        ]
    ]
    stored, sent = (
        server.http.post("/predict", json={"model": name, "instances": instances})
        for name in ("stored", "sent")
    )
    assert stored.status_code == 200, stored.text
    assert stored.json()["predictions"] == sent.json()["predictions"]


def test_the_file_itself_is_answered_by_the_model_it_trained(server, trained):
    answer = server.http.post(
        "/predict/batch",
        params={"model": "stored"},
        content=table(),
        headers={"content-type": "text/csv"},
    )
    assert answer.status_code == 200, answer.text
    assert answer.headers["demur-rows"] == "160"


def test_a_data_set_cannot_go_while_a_job_needs_it(server, trained):
    dataset_id = upload(server, table())
    jobs = [server.train(request(dataset_id), wait=False) for _ in range(2)]
    refused = server.http.delete(f"/datasets/{dataset_id}")
    assert refused.status_code == 409
    assert refused.json()["type"] == "/problems/dataset-in-use"
    done = [server.await_job(job["id"]) for job in jobs]
    deleted = server.http.delete(f"/datasets/{dataset_id}")
    assert deleted.status_code == 200, deleted.text
    assert [(m["name"], m["version"]) for m in deleted.json()["models"]] == [
        ("stored", job["result"]["version"]) for job in done
    ]
    assert server.http.get(f"/datasets/{dataset_id}").status_code == 404
    answer = server.http.post("/train", json=request(dataset_id))
    assert answer.status_code == 422


def test_training_and_deleting_at_once_never_starts_a_job_without_its_rows(
    server, trained
):
    for _ in range(5):
        dataset_id = upload(server, table(40))
        answers = []

        def start(dataset_id=dataset_id, answers=answers):
            answers.append(server.http.post("/train", json=request(dataset_id)))

        thread = threading.Thread(target=start)
        thread.start()
        time.sleep(0.002)
        deleted = server.http.delete(f"/datasets/{dataset_id}")
        thread.join()
        started = answers[0].status_code == 202
        assert (started, deleted.status_code) in {(True, 409), (False, 200)}
        if started:
            server.http.post(f"/jobs/{answers[0].json()['id']}/cancel")


REFUSED = {
    "unknown": ({"id": "0" * 36}, {}, "/data/id"),
    "no target": ({}, {"target": {"column": "q", "positive": 1}}, "/target/column"),
    "unknown column": ({"columns": ["x", "q", "outcome"]}, {}, "/data/columns/1"),
    "column twice": ({"columns": ["x", "x", "outcome"]}, {}, "/data/columns"),
    "no feature": ({"columns": ["outcome"]}, {}, "/data/columns"),
    "unfit rule": ({}, {"rule": {"kind": "embedded"}}, "/rule/kind"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_at_once(server, trained, case):
    data, changes, pointer = REFUSED[case]
    asked = request(trained, **changes)
    asked["data"] = {**asked["data"], **data}
    answer = server.http.post("/train", json=asked)
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["pointer"] == pointer


def test_what_only_the_rows_tell_fails_the_job(server, trained):
    target = {"column": "outcome", "positive": "maybe"}
    job = server.train(request(trained, target=target))
    assert job["status"] == "failed"
    assert job["error"]["errors"][0]["pointer"] == "/target/positive"


def test_a_damaged_data_set_fails_the_job(server, trained):
    dataset_id = upload(server, table())
    (path,) = (server.data_dir / "datasets").glob(f"{dataset_id}.*.parquet")
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    job = server.train(request(dataset_id))
    assert job["status"] == "failed"
    assert job["error"]["type"] == "/problems/corrupt-dataset"


def test_the_rows_of_a_training_are_limited(start_service):
    service = start_service(DEMUR_MAX_TRAINING_ROWS="100")
    answer = service.http.post("/train", json=request(upload(service, table(101))))
    assert answer.status_code == 422
    assert "DEMUR_MAX_TRAINING_ROWS" in answer.json()["detail"]


@pytest.mark.thorough
def test_a_training_that_memory_does_not_hold_is_refused_before_it_begins(
    start_service,
):
    service = start_service(DEMUR_MAX_JOB_MEMORY_BYTES=str(256 * 2**20))
    names = [f"x{i}" for i in range(290)]
    cells = np.random.default_rng(0).integers(0, 9, (20_000, 290)).astype("int8")
    columns = dict(zip(names, cells.T, strict=True))
    sink = io.BytesIO()
    outcome = np.where(cells[:, 0] > 4, "yes", "no")
    pq.write_table(pa.table({**columns, "outcome": outcome}), sink)
    sent = service.http.post(
        "/datasets",
        content=sink.getvalue(),
        headers={"content-type": "application/vnd.apache.parquet"},
    )
    assert sent.status_code == 201, sent.text
    body = request(sent.json()["id"])
    del body["data"]["columns"]
    answer = service.http.post("/train", json=body)
    assert answer.status_code == 422
    told = answer.json()["errors"][0]
    assert told["pointer"] == "/data/id"
    for words in ("20000 rows of 291 columns", "0.3 GB", "MAX_JOB_MEMORY_BYTES"):
        assert words in told["detail"]
    body["data"]["columns"] = [*names[:3], "outcome"]
    assert service.http.post("/train", json=body).status_code == 202
