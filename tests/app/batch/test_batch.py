"""POST /predict/batch on the real server: every row as POST /predict answers it."""

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.app.batch.conftest import ARROW, PARQUET, some_rows

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


def test_rows_are_counted(server, send):
    send(written(some_rows(10)))
    metrics = server.http.get("/metrics").text
    lines = [
        line for line in metrics.splitlines() if line.startswith("demur_predictions")
    ]
    assert any('model="batch"' in line for line in lines)
