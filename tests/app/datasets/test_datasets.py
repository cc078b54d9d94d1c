"""POST, GET and DELETE /datasets on the real server."""

import hashlib
import io
import socket
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.waiting import until

CSV = b"glucose,bmi,smokes,outcome\n148,33.6,true,yes\n85,26.6,?,no\n115,,false,no\n"
COLUMNS = [
    {"name": "glucose", "type": "numeric", "missing": 0},
    {"name": "bmi", "type": "numeric", "missing": 1},
    {"name": "smokes", "type": "boolean", "missing": 1},
    {"name": "outcome", "type": "categorical", "missing": 0},
]


def upload(server, body, media_type="text/csv", **query):
    return server.http.post(
        "/datasets", content=body, params=query, headers={"content-type": media_type}
    )


def files(server):
    """Return what lies in the folder of the data sets."""
    root = server.data_dir / "datasets"
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def parquet(table):
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def test_an_upload_is_described_and_kept(server):
    answer = upload(server, CSV, name="pima")
    assert answer.status_code == 201, answer.text
    found = answer.json()
    assert found["rows"] == 3
    assert found["columns"] == COLUMNS
    assert found["sha256"] == hashlib.sha256(CSV).hexdigest()
    assert (found["name"], found["format"], found["bytes"]) == ("pima", "csv", len(CSV))
    assert answer.headers["location"] == f"/datasets/{found['id']}"

    detail = server.http.get(
        answer.headers["location"], params={"preview": 2, "target": "outcome"}
    ).json()
    assert {key: detail[key] for key in found} == found
    assert detail["preview"] == {
        "columns": ["glucose", "bmi", "smokes", "outcome"],
        "rows": [[148.0, 33.6, True, "yes"], [85.0, 26.6, None, "no"]],
    }
    assert detail["target"] == {
        "column": "outcome",
        "classes": [{"label": "no", "rows": 2}, {"label": "yes", "rows": 1}],
        "missing": 0,
    }
    boolean = server.http.get(answer.headers["location"], params={"target": "smokes"})
    assert boolean.json()["target"] == {
        "column": "smokes",
        "classes": [{"label": False, "rows": 1}, {"label": True, "rows": 1}],
        "missing": 1,
    }


def test_the_file_is_parquet_named_by_its_digest(server):
    found = upload(server, CSV).json()
    (path,) = (server.data_dir / "datasets").glob(f"{found['id']}.*.parquet")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert path.name == f"{found['id']}.{digest}.parquet"
    assert pq.read_table(path).to_pydict()["smokes"] == [True, None, False]


@pytest.mark.parametrize("name", ["rows.csv", "C:\\data\\rows.csv", "../../rows.csv"])
def test_a_form_carries_one_file(server, name):
    answer = server.http.post("/datasets", files={"file": (name, CSV)})
    assert answer.status_code == 201, answer.text
    assert answer.json()["name"] == "rows.csv"
    assert answer.json()["sha256"] == hashlib.sha256(CSV).hexdigest()


def test_other_formats(server):
    table = pa.table({"x": [1.5, None], "y": ["a", "b"]})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    bodies = {
        "application/vnd.apache.parquet": parquet(table),
        "application/vnd.apache.arrow.stream": sink.getvalue(),
        "text/tab-separated-values": b"x\ty\n1.5\ta\n\tb\n",
    }
    for media_type, body in bodies.items():
        answer = upload(server, body, media_type)
        assert answer.status_code == 201, answer.text
        assert answer.json()["columns"] == [
            {"name": "x", "type": "numeric", "missing": 1},
            {"name": "y", "type": "categorical", "missing": 0},
        ]
    sparse = upload(server, b"1 2:0.5\n-1 1:1\n", "text/x-svmlight").json()
    assert [column["name"] for column in sparse["columns"]] == ["target", "x1", "x2"]
    named = upload(server, parquet(table), "application/octet-stream", format="parquet")
    assert named.status_code == 201


def test_options_are_read_from_the_query(server):
    body = "a;b;zip\r\n1,5;-;001\r\n2,5;x;002\r\n".encode("utf-16")
    answer = upload(
        server, body, encoding="utf-16", decimal=",", missing="-", categorical="zip"
    )
    assert [c["type"] for c in answer.json()["columns"]] == [
        "numeric",
        "categorical",
        "categorical",
    ]
    assert answer.json()["columns"][1]["missing"] == 1


def test_the_list_is_paged_newest_first_and_found_by_digest(server):
    body = CSV + f"1,2,true,{uuid.uuid4()}\n".encode()
    ids = [upload(server, body).json()["id"] for _ in range(3)]
    first = server.http.get("/datasets", params={"limit": 2}).json()
    assert [entry["id"] for entry in first["datasets"]] == [ids[2], ids[1]]
    then = server.http.get("/datasets", params={"limit": 1, "before": first["next"]})
    assert [entry["id"] for entry in then.json()["datasets"]] == [ids[0]]
    digest = hashlib.sha256(body).hexdigest()
    same = server.http.get("/datasets", params={"sha256": digest}).json()
    assert [entry["id"] for entry in same["datasets"]] == ids[::-1]


def test_deleting_one_of_two_equal_uploads_leaves_the_other(server):
    one, two = upload(server, CSV).json()["id"], upload(server, CSV).json()["id"]
    deleted = server.http.delete(f"/datasets/{one}")
    assert (deleted.status_code, deleted.json()) == (200, {"id": one, "models": []})
    assert not [name for name in files(server) if name.startswith(one)]
    assert server.http.get(f"/datasets/{one}").status_code == 404
    assert server.http.delete(f"/datasets/{one}").status_code == 404
    assert server.http.get(f"/datasets/{two}").json()["preview"]["rows"]


REFUSED = {
    "ragged": (b"a,b\n1,2\n3\n", {}, 422, "line 3: 1 cells"),
    "empty": (b"", {}, 422, "the file is empty"),
    "declared": (b"a,b\n1,secret\n", {"numeric": "b"}, 422, "line 2, column 2 ('b')"),
    "twice declared": (b"a\n1\n", {"numeric": "a", "boolean": "a"}, 422, "already"),
    "one mark": (
        b"a\n1\n",
        {"delimiter": ",", "decimal": ","},
        422,
        "the decimal mark",
    ),
    "unknown option": (b"a\n1\n", {"sep": ","}, 422, "/query/sep"),
    "no format": (b"a\n1\n", {"media_type": "application/json"}, 415, "text/csv"),
    "no parquet": (b"PAR1", {"format": "parquet"}, 422, "no readable Parquet file"),
    "form": (
        b"--x",
        {"media_type": "multipart/form-data; boundary=x"},
        400,
        "multipart",
    ),
    "no boundary": (b"--x", {"media_type": "multipart/form-data"}, 400, "boundary"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_leaves_nothing_and_is_not_repeated(server, case):
    body, query, status, told = REFUSED[case]
    upload(server, CSV)
    before = files(server)
    answer = upload(server, body, **query)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert told in answer.text
    assert "secret" not in answer.text
    assert files(server) == before


@pytest.mark.parametrize(
    "parts",
    [
        {"a": ("a.csv", CSV), "b": ("b.csv", CSV)},
        {"a": (None, "text")},
        {},
    ],
)
def test_a_form_of_anything_but_one_file_is_refused(server, parts):
    headers = {} if parts else {"content-type": "multipart/form-data; boundary=x"}
    content = {} if parts else {"content": b"--x--\r\n"}
    answer = server.http.post("/datasets", files=parts, headers=headers, **content)
    assert answer.status_code in {400, 422}, answer.text
    until(lambda: not any(n.startswith("incoming/") for n in files(server)))


def test_an_upload_over_the_limit_is_refused_and_leaves_nothing(start_service):
    service = start_service(DEMUR_MAX_UPLOAD_BYTES="5000")
    announced = upload(service, CSV * 1000)
    chunked = upload(service, iter([CSV] * 1000))
    for answer in (announced, chunked):
        assert answer.status_code == 413
        assert "DEMUR_MAX_UPLOAD_BYTES" in answer.json()["detail"]
    until(lambda: set(files_or_none(service)) <= {"incoming"})


def files_or_none(server):
    return files(server) if (server.data_dir / "datasets").exists() else []


def test_an_upload_that_breaks_off_leaves_nothing(server):
    before = [row["id"] for row in server.http.get("/datasets").json()["datasets"]]
    logged = len(server.log())
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as line:
        line.sendall(
            b"POST /datasets HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: text/csv\r\n"
            b"content-length: 5000000\r\n\r\n" + CSV * 30_000
        )
        until(lambda: any("uploaded" in name for name in files(server)))
    until(lambda: not any("uploaded" in name for name in files(server)))
    after = [row["id"] for row in server.http.get("/datasets").json()["datasets"]]
    assert after == before
    assert "Traceback" not in server.log()[logged:]


def test_a_damaged_file_is_not_read(server):
    found = upload(server, CSV).json()
    (path,) = (server.data_dir / "datasets").glob(f"{found['id']}.*.parquet")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    answer = server.http.get(f"/datasets/{found['id']}")
    assert answer.status_code == 500
    assert answer.json()["type"] == "/problems/corrupt-dataset"


@pytest.mark.parametrize("bad", ["x", "../../etc/passwd", "0" * 36, "%00"])
def test_an_unknown_id_is_told(server, bad):
    assert server.http.get(f"/datasets/{bad}").status_code == 404
    assert server.http.delete(f"/datasets/{bad}").status_code == 404


def test_a_target_that_is_no_class_is_refused(server):
    rng = np.random.default_rng(0)
    body = parquet(pa.table({"x": rng.normal(size=2000)}))
    where = upload(server, body, "application/vnd.apache.parquet").headers["location"]
    for target, told in (("x", "more than 1000 values"), ("z", "no such column")):
        answer = server.http.get(where, params={"target": target})
        assert answer.status_code == 422
        assert told in answer.json()["detail"]
