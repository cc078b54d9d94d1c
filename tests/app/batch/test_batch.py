"""POST /predict/batch on the real server: every row as POST /predict answers it."""

import csv
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

PARQUET = "application/vnd.apache.parquet"
ARROW = "application/vnd.apache.arrow.stream"
ADDED = [
    "demur_decision",
    "demur_label",
    "demur_score",
    "demur_probability",
    "demur_expected_cost",
    "demur_reason",
    "demur_would_be",
    "demur_warnings",
]
FEATURES = ("glucose", "bmi", "smoker", "town")


def some_rows(n, seed=1):
    draw = np.random.default_rng(seed)
    towns = ["Rome", "Oslo", "Lima, Peru", "Paris", None]
    return [
        {
            "patient": f"p {i}" if i % 3 else 'says "hi"\nthere',
            "glucose": None if i % 11 == 10 else float(draw.normal(120, 40)),
            "bmi": None if i % 5 == 4 else float(draw.normal(30, 5)),
            "smoker": None if i % 13 == 12 else bool(draw.integers(2)),
            "town": towns[int(draw.integers(5))],
        }
        for i in range(n)
    ]


def written(rows, delimiter=",", end="\n"):
    out = io.StringIO()
    writer = csv.DictWriter(
        out, rows[0].keys(), delimiter=delimiter, lineterminator=end
    )
    writer.writeheader()
    for row in rows:
        writer.writerow({k: "NA" if v is None else v for k, v in row.items()})
    return out.getvalue()


def read(text, delimiter=","):
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


def check(found, prediction, *, number=float):
    """Compare one answered row with the answer to that row alone, bit by bit."""
    assert found["demur_decision"] == prediction["decision"]
    assert (found["demur_label"] or None) == prediction["label"]
    assert (found["demur_reason"] or None) == prediction["reason"]
    assert found["demur_would_be"] == prediction["would_be"]
    for name in ("score", "probability", "expected_cost"):
        assert number(found[f"demur_{name}"]) == prediction[name]
    kinds = [told.split(":")[0] for told in prediction["warnings"]]
    told = (found["demur_warnings"] or "").split("; ")
    assert [kind.split(":")[0] for kind in told if kind] == kinds


def test_csv_rows_come_back_as_they_were_with_the_answers_of_predict(send, alone):
    rows = some_rows(120)
    body = written(rows)
    answer = send(body)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    found = read(answer.text)
    assert list(found[0]) == [*rows[0], *ADDED]
    assert [{k: row[k] for k in rows[0]} for row in found] == read(body)
    for row, prediction in zip(found, alone(rows), strict=True):
        check(row, prediction)
    rejected = sum(row["demur_decision"] == "reject" for row in found)
    assert 0 < rejected < len(rows)
    assert answer.headers["demur-rows"] == str(len(rows))
    assert answer.headers["demur-rejected"] == str(rejected)
    warned = sum(row["demur_warnings"] != "" for row in found)
    assert answer.headers["demur-warned"] == str(warned)
    assert answer.headers["demur-model"] == "batch:1"
    assert {d for row in found for d in row["demur_warnings"].split("; ")} >= {
        "unseen_category: town",
        "missing_value: glucose",
    }


def test_records_are_copied_byte_by_byte(send):
    head = b'"id";town;glucose;smoker;bmi;note\r\n'
    records = [
        b'007; Rome ;120,50;TRUE;30;"a ""b"";\r\nc"',
        b'1;"Oslo";99;false;?;5" pipe',
        b'2; "x;Lima;1;true;1;',
    ]
    body = b"\xef\xbb\xbf" + head + b"\r\n".join(records)
    answer = send(body, decimal=",")
    assert answer.status_code == 422  # the last record has a cell too many
    records[2] = b'2;Lima;1;true;1; "x'
    answer = send(b"\xef\xbb\xbf" + head + b"\r\n".join(records), decimal=",")
    assert answer.status_code == 200, answer.text
    assert answer.content.startswith(head[:-2] + b";demur_decision;")
    for record in records:
        assert record + b";" in answer.content
    for row in read(answer.text, ";"):
        assert "," in row["demur_score"]
        float(row["demur_score"].replace(",", "."))


def test_a_spreadsheet_needs_no_options_and_is_told_how_it_was_read(send):
    body = "town;glucose;smoker;bmi;größe\r\nRome;1.120,5;TRUE;0,5;1\r\n"
    answer = send(("sep=;\r\n" + body).encode("cp1252"))
    assert answer.status_code == 200, answer.text
    plain = send(b"town,glucose,smoker,bmi\nRome,1120.5,TRUE,0.5\n")
    (row,), (same,) = read(answer.text, ";"), read(plain.text)
    assert row["demur_score"].replace(",", ".") == same["demur_score"]
    notes = json.loads(answer.headers["demur-notes"])
    assert any("windows-1252" in note for note in notes)
    assert any("'glucose' was read with points that set" in note for note in notes)
    assert "demur-notes" not in plain.headers


def test_labels_with_a_delimiter_are_quoted(send):
    rows = some_rows(60)
    answer = send(written(rows, ";"))
    assert answer.status_code == 200, answer.text
    labels = {row["demur_would_be"] for row in read(answer.text, ";")}
    assert labels == {"yes; surely", "no"}


@pytest.mark.parametrize("media_type", [PARQUET, ARROW])
def test_typed_files_keep_every_column_and_answer_as_predict_does(
    send, alone, media_type
):
    rows = some_rows(70)
    table = pa.Table.from_pylist(rows)
    table = table.set_column(4, "town", table["town"].dictionary_encode())
    table = table.append_column("tags", pa.array([[i, i + 1] for i in range(70)]))
    table = table.replace_schema_metadata({"made": "for a test"})
    sink = io.BytesIO()
    if media_type == PARQUET:
        pq.write_table(table, sink, row_group_size=32)
    else:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=32)
    answer = send(sink.getvalue(), media_type)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == media_type
    source = pa.BufferReader(answer.content)
    found = (
        pq.read_table(source)
        if media_type == PARQUET
        else pa.ipc.open_stream(source).read_all()
    )
    assert found.column_names == [*table.column_names, *ADDED]
    assert found.select(table.column_names).equals(table)
    assert found.schema.metadata[b"made"] == b"for a test"
    assert found.schema.field("demur_score").type == pa.float64()
    for row, prediction in zip(found.to_pylist(), alone(rows), strict=True):
        check(row, prediction)


def test_a_file_without_rows_has_no_answers(send):
    answer = send(b"glucose,bmi,smoker,town\n")
    assert answer.status_code == 200
    assert answer.text == "glucose,bmi,smoker,town," + ",".join(ADDED) + "\n"
    sink = io.BytesIO()
    table = pa.Table.from_pylist(some_rows(1)).slice(0, 0)
    pq.write_table(table, sink)
    answer = send(sink.getvalue(), PARQUET)
    assert pq.read_table(pa.BufferReader(answer.content)).num_rows == 0


def test_blank_lines_are_no_rows_and_an_unnamed_column_passes(send):
    body = b",glucose,bmi,smoker,town\n\n0,120,30,true,Rome\n\n1,99,,false,Oslo\n\n"
    answer = send(body)
    assert answer.status_code == 200, answer.text
    assert [line[:2] for line in answer.text.splitlines()[1:]] == ["0,", "1,"]


def test_a_file_of_many_blocks_is_answered_in_order(send):
    rows = some_rows(500)
    lines = written(rows).split("\n", 1)
    body = lines[0] + "\n" + lines[1] * 60

    def chunks():
        data = body.encode()
        for start in range(0, len(data), 7919):
            yield data[start : start + 7919]

    answer = send(chunks())
    assert answer.status_code == 200, answer.text
    found = read(answer.text)
    assert len(found) == 30_000
    once = found[:500]
    assert found == once * 60


REFUSED = {
    "missing column": (b"glucose,bmi,town\n1,2,x\n", {}, 422, "smoker: the column is"),
    "taken name": (
        b"glucose,bmi,smoker,town,demur_score\n1,2,true,x,1\n",
        {},
        422,
        "column 5 ('demur_score')",
    ),
    "no number": (
        b"town,glucose,bmi,smoker\nx,1,2,true\nx,secret,2,true\n",
        {},
        422,
        "line 3, column 2 ('glucose'): not a number",
    ),
    "no boolean": (
        b"glucose,bmi,smoker,town\n1,2,secret,x\n",
        {},
        422,
        "line 2, column 3 ('smoker'): neither",
    ),
    "infinite": (
        b"glucose,bmi,smoker,town\ninf,2,true,x\n",
        {},
        422,
        "line 2, column 1",
    ),
    "ragged": (b"glucose,bmi,smoker,town\n1,2,true,x\n1\n", {}, 422, "line 3: 1 cells"),
    "empty": (b"", {}, 422, "the file is empty"),
    "twice": (b"glucose,glucose,bmi,smoker,town\n1,1,2,true,x\n", {}, 422, "column 2"),
    "other type": (b"{}", {"media_type": "application/json"}, 415, "text/csv"),
    "svmlight": (b"1 1:1\n", {"media_type": "text/x-svmlight"}, 415, "text/csv"),
    "no parquet": (b"PAR1", {"media_type": PARQUET}, 422, "no readable Parquet file"),
    "no arrow": (b"x", {"media_type": ARROW}, 422, "no readable Arrow stream"),
    "unknown model": (b"a\n1\n", {"model": "nobody"}, 404, "no model has this name"),
    "no such version": (b"a\n1\n", {"model": "batch:99"}, 404, "version 99"),
    "unknown option": (b"a\n1\n", {"header": "false"}, 422, "/query/header"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_its_place_and_without_its_values(send, server, case):
    body, query, status, told = REFUSED[case]
    answer = send(body, **query)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert told in answer.text
    assert "secret" not in answer.text
    assert "declare" not in answer.text  # the types are the model's
    left = [p for p in (server.data_dir / "datasets").rglob("*") if p.is_file()]
    assert left == []


def test_a_model_must_be_named(server):
    answer = server.http.post(
        "/predict/batch", content=b"a\n1\n", headers={"content-type": "text/csv"}
    )
    assert answer.status_code == 422
    assert "/query/model" in answer.text


def test_the_first_fault_is_told_after_the_whole_body_was_sent(send):
    good = b"1,2,true,x\n" * 200_000
    body = b"glucose,bmi,smoker,town\n" + good + b"1,2,true\n" + good
    answer = send(body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["row"] == 200_000
    assert "line 200002: 3 cells" in answer.json()["detail"]


TYPES = {
    "text for a number": (
        "glucose",
        pa.array(["1"]),
        "the column is string, the model",
    ),
    "text for a boolean": ("smoker", pa.array(["true"]), "needs boolean"),
    "number for a category": ("town", pa.array([1.5]), "needs categorical"),
    "list for a number": ("glucose", pa.array([[1.0]]), "the column is list<"),
    "object for a number": ("glucose", pa.array([{"x": 1.0}]), "the column is struct<"),
    "list for a boolean": ("smoker", pa.array([[True]]), "needs boolean"),
    "bytes for a category": ("town", pa.array([b"north"]), "the column is binary"),
    "span for a category": ("town", pa.array([5], pa.duration("s")), "is duration[s]"),
}


@pytest.mark.parametrize("case", TYPES)
def test_typed_columns_are_taken_at_their_word(send, case):
    name, values, told = TYPES[case]
    table = pa.Table.from_pylist(some_rows(1))
    table = table.set_column(table.column_names.index(name), name, values)
    sink = io.BytesIO()
    pq.write_table(table, sink)
    answer = send(sink.getvalue(), PARQUET)
    assert answer.status_code == 422
    assert told in answer.json()["detail"]
    assert answer.json()["errors"][0]["column"] == name


def test_rows_are_counted(server, send):
    send(written(some_rows(10)))
    metrics = server.http.get("/metrics").text
    lines = [
        line for line in metrics.splitlines() if line.startswith("demur_predictions")
    ]
    assert any('model="batch"' in line for line in lines)
