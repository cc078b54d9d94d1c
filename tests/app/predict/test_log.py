"""The prediction log of a running service: what is in it, and what is not."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import app.audit
from app.guards.guards import Guards
from app.journal import journal as journal_module
from app.predict.endpoint import LARGE_BYTES
from solvers.rules.band import Band
from tests.app.predict.conftest import COLUMNS, COSTS, served, training_rows
from tests.waiting import until

ROWS = training_rows(300, seed=5)
INSTANCES = [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]
INSTANCES[3]["town"] = "a town nobody saw"
CHOW = {"kind": "chow", **Band(COSTS.p_minus, COSTS.p_plus, on="probability").payload()}


def guarded():
    model = served()
    object.__setattr__(model, "guards", Guards("any", True, None))
    return model


def ask(running, instances, model="pima", **more):
    body = {"model": model, "instances": instances, **more}
    answer = running.http.post("/predict", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json() | {"id": answer.headers["x-request-id"]}


def folder_of(registry):
    return registry.store.place.parent / "predictions"


def text_of(path):
    """Return what a file of the log holds; nothing where its time was just over."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return ""


def logged(registry, rows):
    """Return the lines, once so many rows are there."""

    def lines():
        files = sorted(folder_of(registry).glob("*.jsonl"))
        found = [json.loads(x) for f in files for x in text_of(f).splitlines()]
        return found if sum(len(line["scores"]) for line in found) >= rows else None

    return until(lines)


@pytest.fixture(scope="module")
def service(serve):
    running, registry = serve(prediction_log="best-effort")
    registry.add("pima", served())
    registry.add("guarded", guarded())
    registry.add("chow", served(CHOW))
    return running, registry


def by_request(lines):
    found = {}
    for line in lines:
        for i in range(len(line["scores"])):
            row = {"row": line["first_row"] + i, "line": line}
            for name in ("scores", "probabilities", "decisions", "reasons"):
                row[name] = line[name][i]
            row["expected_costs"] = {k: v[i] for k, v in line["expected_costs"].items()}
            row["expected_cost"] = line["expected_cost"][i]
            found.setdefault(line["request_id"], []).append(row)
    return found


def test_every_decision_is_logged_as_it_was_answered_and_audits(service, tmp_path):
    running, registry = service
    other = {
        "false_positive": 1.0,
        "false_negative": 3.0,
        "reject_positive": 0.2,
        "reject_negative": 0.1,
    }
    large = INSTANCES * 50
    assert len(json.dumps(large)) > LARGE_BYTES
    answers = [
        *(ask(running, [row]) for row in INSTANCES[:20]),  # alone
        ask(running, INSTANCES, "guarded"),  # in parts
        ask(running, INSTANCES[:30], "chow", costs=other),
        ask(running, large),  # in the process beside
    ]
    text = "\n".join(",".join(map(written, row.values())) for row in INSTANCES)
    batch = running.http.post(
        "/predict/batch",
        content=",".join(COLUMNS) + "\n" + text,
        params={"model": "guarded"},
        headers={"content-type": "text/csv"},
    )
    assert batch.status_code == 200, batch.text
    total = 20 + 300 + 30 + len(large) + 300
    lines = logged(registry, total)
    found = by_request(lines)
    assert len(found) == len(answers) + 1
    for answer in answers:
        rows = found[answer["id"]]
        assert [row["row"] for row in rows] == list(range(len(rows)))
        for row, told in zip(rows, answer["predictions"], strict=True):
            assert row["line"]["costs"] == answer["costs"]
            assert row["line"]["model"] == answer["model"]["name"]
            assert row["line"]["version"] == answer["model"]["version"]
            assert row["scores"] == told["score"]
            assert row["probabilities"] == told["probability"]
            assert row["decisions"] == told["decision"]
            assert row["reasons"] == told["reason"]
            assert row["expected_costs"] == told["expected_costs"]
            assert row["expected_cost"] == told["expected_cost"]
    alike = ("scores", "probabilities", "decisions", "reasons", "expected_costs")
    singly = found[answers[20]["id"]]
    of_batch = found[batch.headers["x-request-id"]]
    for one, same in zip(singly, of_batch, strict=True):
        assert [one[name] for name in alike] == [same[name] for name in alike]
    assert {row["reasons"] for row in singly} >= {"missing_value", "unseen_category"}
    # No feature value and no label of the user's.
    whole = "".join(f.read_text() for f in folder_of(registry).glob("*.jsonl"))
    for word in ("town", "Oslo", "Rome", "glucose", repr(ROWS[0][0]), '"yes"', '"no"'):
        assert word not in whole
    # Audited by a Python that can import neither the service nor any package.
    command = [sys.executable, "-I", "-S", app.audit.__file__, folder_of(registry)]
    ended = subprocess.run(
        command, check=False, cwd=tmp_path, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"{total} decisions" in ended.stdout


def written(cell):
    return "" if cell is None else str(cell).lower() if cell is True else str(cell)


def test_off_by_default(serve):
    running, registry = serve()
    registry.add("pima", served())
    ask(running, INSTANCES[:2])
    assert not folder_of(registry).exists()


def test_files_are_deleted_when_their_time_is_over(serve):
    running, registry = serve(prediction_log="best-effort", prediction_log_days=3)
    registry.add("pima", served())
    folder = folder_of(registry)
    folder.mkdir()
    today = datetime.now(UTC).date()
    days = [today - timedelta(days=n) for n in (2, 3, 4, 400)]
    for day in days:
        (folder / f"{day}.{'0' * 16}.jsonl").touch()
    (folder / "notes.txt").touch()
    ask(running, INSTANCES[:1])
    logged(registry, 1)
    kept = {str(day) for day in (today, *days[:2])}
    # The line may be written before the old files are gone.
    until(lambda: {path.name[:10] for path in folder.glob("*.jsonl")} == kept)
    assert (folder / "notes.txt").exists()


def blocked(registry):
    """Put a file where the folder belongs: nothing can be written then."""
    folder = folder_of(registry)
    folder.write_text("")
    return folder


def test_what_cannot_be_written_is_counted_and_answered(serve):
    running, registry = serve(prediction_log="best-effort")
    registry.add("pima", served())
    blocker = blocked(registry)
    ask(running, INSTANCES[:5])
    lost = 'demur_prediction_log_rows_total{outcome="lost"} 5.0'
    until(lambda: lost in running.http.get("/metrics").text)
    blocker.unlink()
    ask(running, INSTANCES[:2])
    logged(registry, 2)
    assert lost in running.http.get("/metrics").text


def test_required_refuses_what_it_cannot_write_and_answers_what_it_has_written(serve):
    running, registry = serve(prediction_log="required")
    registry.add("pima", served())
    blocker = blocked(registry)
    body = {"model": "pima", "instances": INSTANCES[:5]}
    answer = running.http.post("/predict", json=body)
    assert answer.status_code == 503
    assert answer.headers["content-type"] == "application/problem+json"
    assert "prediction log" in answer.json()["detail"]
    blocker.unlink()
    ask(running, INSTANCES[:5])
    (file,) = folder_of(registry).glob("*.jsonl")  # there before the answer
    assert len(json.loads(file.read_text())["scores"]) == 5


def test_a_full_queue_loses_or_refuses(serve, monkeypatch):
    monkeypatch.setattr(journal_module, "MOST_WAITING_ROWS", 10)
    running, registry = serve(prediction_log="required")
    registry.add("pima", served())
    journal = Path(folder_of(registry))
    assert not journal.exists()
    with ThreadPoolExecutor(8) as threads:
        bodies = [{"model": "pima", "instances": INSTANCES[:8]}] * 80
        answers = list(
            threads.map(lambda b: running.http.post("/predict", json=b), bodies)
        )
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) <= {200, 503}
    written_rows = sum(len(line["scores"]) for line in logged(registry, 8))
    assert written_rows == 8 * statuses.count(200)
