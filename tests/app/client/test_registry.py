"""``demur models | jobs | datasets | alias | reprice | evaluate`` on a real service."""

import csv
import io
import json
from importlib.metadata import version

import pytest
import typer.testing

from app.cli import demur
from app.client.http import Connection
from tests.app.pima_like import COLUMNS, patients, train

pytestmark = pytest.mark.own_server


@pytest.fixture(scope="module")
def model(server):
    """A model with one version, whose thresholds follow from stored scores."""
    train(server, "wards", rule={"kind": "expected-cost", "method": "roc"})
    return "wards"


@pytest.fixture
def run(server, model):
    """Run a command in this process; return what it wrote to both outputs."""
    runner = typer.testing.CliRunner(env={"DEMUR_URL": server.url})

    def running(*arguments, status=0):
        done = runner.invoke(demur, [str(one) for one in arguments])
        assert done.exit_code == status, done.output
        return done

    return running


@pytest.fixture
def told(run):
    """Return a command's answer as JSON."""
    return lambda *arguments: json.loads(run(*arguments, "--json").stdout)


@pytest.fixture
def rows(tmp_path):
    """Rows that the model has not seen, as a file."""

    def write(columns=COLUMNS, seed=99):
        path = tmp_path / "new [rows].csv"
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(columns)
        writer.writerows(patients(150, seed))
        path.write_text(out.getvalue())
        return path

    return write


def test_the_version_is_told():
    done = typer.testing.CliRunner().invoke(demur, ["--version"])
    assert (done.exit_code, done.stdout) == (0, f"demur {version('demur')}\n")


def test_models_and_versions_are_listed_and_shown(run, told):
    assert "wards" in run("models").stdout
    assert [one["name"] for one in told("models")] == ["wards"]
    assert told("models", "wards")["latest_version"] >= 1
    assert "wards, version 1" in run("models", "wards").stdout
    assert told("models", "wards:1")["version"] == 1
    for unknown in ("none", "wards:99", "wards@none"):
        error = run("models", unknown, status=1).stderr
        assert "No such model" in error
        assert "`demur models`" in error
        assert "GET" not in error


def test_a_version_is_made_at_other_prices_and_gets_a_name(run, told):
    costs = ("--false-positive", 1, "--false-negative", 9)
    costs += ("--reject-positive", 0.6, "--reject-negative", 0.3)
    shown = run("reprice", "wards:1", *costs).stdout
    assert "version 2 (of 1)" in shown
    assert "reject rate" in shown
    assert told("models", "wards:2")["costs"]["false_negative"] == 9.0
    limited = told("reprice", "wards:1", "--max-reject-rate", 0.1)
    assert limited["rule"]["kind"] == "bounded-abstention"
    assert told("alias", "wards") == []
    (best,) = told("alias", "wards", "best", 2)
    assert (best["alias"], best["version"]) == ("best", 2)
    assert told("models", "wards@best")["version"] == 2
    assert "best" in run("models", "wards").stdout
    error = run("alias", "wards", "best", 1, "--max-reject-rate", 0, status=1).stderr
    assert "max_reject_rate" in error
    assert told("alias", "wards", "best")[0]["version"] == 2
    assert told("alias", "wards", "best", "--delete") == []


def test_what_cannot_be_repriced_is_told_by_the_option(run):
    error = run("reprice", "wards", "--max-error", 3, status=1).stderr
    assert "--max-error: " in error
    error = run("reprice", "wards", "--rule", "none", status=1).stderr
    assert "--rule: " in error
    assert "available: " in error
    assert "say what changes" in run("reprice", "wards", status=1).stderr


def test_new_rows_are_compared_with_training_and_do_not_stay(run, told, rows, server):
    before = server.http.get("/datasets").json()["datasets"]
    shown = run("evaluate", "wards", rows()).stdout
    assert "150 rows" in shown
    assert "expected cost" in shown
    answer = told("evaluate", "wards:1", rows())
    assert answer["compared"]["expected_cost"]["here"] is not None
    renamed = rows([*COLUMNS[:-1], "sick"])
    error = run("evaluate", "wards", renamed, status=2).stderr
    assert "has no column 'diabetes'; it has plas, mass, age, ward, sick" in error
    same = told(
        *("evaluate", "wards:1", renamed, "--target", "sick", "--positive", "yes")
    )
    assert same["evaluation"] == answer["evaluation"]
    error = run("evaluate", "wards", rows(), "--positive", "no", status=1).stderr
    assert "--target: is missing" in error
    assert server.http.get("/datasets").json()["datasets"] == before
    missing = rows().with_name("none.csv")
    assert "No such file" in run("evaluate", "wards", missing, status=2).stderr


def test_jobs_are_listed_followed_and_cancelled(run, told):
    (job,) = told("jobs", "--model", "wards")
    assert job["status"] == "succeeded"
    assert job["id"] in run("jobs").stdout
    assert told("jobs", job["id"])["result"]["version"] == 1
    assert told("jobs", job["id"], "--follow")["status"] == "succeeded"
    assert "succeeded already" in run("jobs", job["id"], "--cancel", status=1).stderr
    assert "there are none" in run("jobs", "--status", "running").stdout
    error = run("jobs", "--status", "lost", status=1).stderr
    assert "--status: " in error
    assert "'queued'" in error
    assert "`demur jobs`" in run("jobs", "none", status=1).stderr
    run("jobs", "--cancel", status=2)


def test_data_sets_are_listed_and_deleted(run, told, rows, server):
    name = rows().name
    with rows().open("rb") as body:
        answer = server.http.post(
            f"/datasets?name={name}", content=body, headers={"content-type": "text/csv"}
        )
    dataset = answer.json()["id"]
    assert name in run("datasets").stdout, "brackets are no markup"
    assert [one["id"] for one in told("datasets")] == [dataset]
    shown = run("datasets", dataset).stdout
    assert "plas" in shown
    assert "numeric" in shown
    assert "is deleted" in run("datasets", dataset, "--delete").stdout
    assert told("datasets") == []
    run("datasets", "--delete", status=2)


def test_lists_are_read_page_after_page(server, model, monkeypatch, told):
    train(server, "wards-2")
    asked = []

    def ask(client, method, path, **options):
        options["params"] = {**options.get("params", {}), "limit": 1}
        asked.append(path)
        return real(client, method, path, **options)

    real = Connection.ask
    monkeypatch.setattr(Connection, "ask", ask)
    assert [one["name"] for one in told("models")] == ["wards", "wards-2"]
    assert asked == ["/models", "/models"]
