"""The Helm chart, rendered by Helm itself and checked by the schemas of Kubernetes."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import sqlalchemy

from app.db.base import utc_now
from app.db.tables import Job, Worker
from app.settings import Settings

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".venv-charts" / "bin" / "python"
CHART = ROOT / "examples" / "deploy" / "helm"
NEEDED = {
    "image": {"repository": "registry.example/demur"},
    "secret": "keys",
    "database": {"host": "db.example"},
    "store": {"url": "s3://bucket/prefix"},
}
ALL = {
    **NEEDED,
    "store": {
        "url": "s3://bucket/prefix?region=eu-west-1",
        "keysOfSecret": {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"},
    },
    "settings": {"DEMUR_PREDICTION_LOG": "required", "DEMUR_SEARCH_JOBS": 2},
    "serviceAccount": {"annotations": {"role": "reader"}},
    "worker": {"concurrency": 3, "keda": {"enabled": True}},
}
LEAST = {
    **NEEDED,
    "api": {"autoscaling": {"enabled": False}},
    "network": {"enabled": False},
}
REFUSED = [
    {name: value for name, value in NEEDED.items() if name != left_out}
    for left_out in NEEDED
]
WRONG = [
    {**NEEDED, "store": {"url": "/var/demur"}},
    {**NEEDED, "settings": {"PATH": "x"}},
]


@pytest.fixture(scope="module")
def rendered():
    if not PYTHON.exists():
        reason = "nothing to render a chart with: make charts"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    told = subprocess.run(
        [PYTHON, Path(__file__).with_name("render.py"), CHART],
        input=json.dumps([NEEDED, ALL, LEAST, *REFUSED, *WRONG]),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(told.stdout)


@pytest.fixture(params=[0, 1, 2], ids=["needed", "all", "least"])
def chart(request, rendered):
    return rendered[request.param]


def of_kind(chart, kind):
    return [one for one in chart["manifests"] if one["kind"] == kind]


def pods(chart):
    """Return every pod template with its labels."""
    kinds = ("Deployment", "Job")
    return [one["spec"]["template"] for kind in kinds for one in of_kind(chart, kind)]


def environment(container):
    return {one["name"]: one for one in container["env"]}


def test_helm_and_kubernetes_find_no_fault(chart):
    assert chart["faults"] == []
    assert len(pods(chart)) == 3


def test_what_must_be_said_is_asked_for(rendered):
    for one in rendered[3:]:
        assert "refused" in one


def test_pods_have_no_rights_and_bounds_on_all_they_take(chart):
    for pod in pods(chart):
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"]
        assert spec["securityContext"]["runAsUser"] == 10001
        assert "USER 10001:10001" in (ROOT / "Dockerfile").read_text()
        assert spec["automountServiceAccountToken"] is False
        for container in spec["containers"]:
            rights = container["securityContext"]
            assert rights["readOnlyRootFilesystem"]
            assert rights["capabilities"]["drop"] == ["ALL"]
            for bound in ("requests", "limits"):
                assert {"cpu", "memory"} <= container["resources"][bound].keys()
            mounted = {one["mountPath"] for one in container["volumeMounts"]}
            assert mounted == {"/data", "/tmp"}  # noqa: S108 - the pods' own


def test_every_setting_exists_and_no_secret_is_written_down(chart):
    known = {f"DEMUR_{name.upper()}" for name in Settings.model_fields}
    for pod in pods(chart):
        for container in pod["spec"]["containers"]:
            told = environment(container)
            assert {name for name in told if name.startswith("DEMUR_")} <= known
            for name in told.keys() & {"PGPASSWORD", "DEMUR_API_KEYS"} | {
                name for name in told if name.startswith("AWS_")
            }:
                assert told[name]["valueFrom"]["secretKeyRef"]["name"] == "keys"
    assert not of_kind(chart, "Secret")


def test_what_pods_are_told_makes_settings(rendered):
    worker = next(
        one
        for one in of_kind(rendered[1], "Deployment")
        if one["metadata"]["name"] == "r-worker"
    )
    told = environment(worker["spec"]["template"]["spec"]["containers"][0])
    values = {
        name.removeprefix("DEMUR_").lower(): one["value"]
        for name, one in told.items()
        if name.startswith("DEMUR_") and "value" in one
    }
    settings = Settings(**values)
    assert settings.job_concurrency == 3
    assert settings.search_jobs == 2
    assert settings.prediction_log == "required"
    assert settings.store == ALL["store"]["url"]
    url = sqlalchemy.make_url(settings.database)
    assert (url.host, url.port, url.query["sslmode"]) == ("db.example", 5432, "require")


def test_what_selects_pods_selects_those_that_are_there(chart):
    labels = [pod["metadata"]["labels"] for pod in pods(chart)]

    def selected(by):
        return sum(by.items() <= one.items() for one in labels)

    for one in of_kind(chart, "Deployment") + of_kind(chart, "PodDisruptionBudget"):
        assert selected(one["spec"]["selector"]["matchLabels"]) == 1
    assert selected(of_kind(chart, "Service")[0]["spec"]["selector"]) == 1
    policies = of_kind(chart, "NetworkPolicy")
    counts = [selected(one["spec"]["podSelector"]["matchLabels"]) for one in policies]
    assert counts in ([3, 1], [])
    assert len(of_kind(chart, "PodDisruptionBudget")) == 2


def test_who_scales_names_what_it_scales(rendered):
    for chart in rendered[:3]:
        deployments = {
            one["metadata"]["name"]: one["spec"] for one in of_kind(chart, "Deployment")
        }
        scalers = of_kind(chart, "HorizontalPodAutoscaler")
        scalers += of_kind(chart, "ScaledObject")
        for one in scalers:
            assert "replicas" not in deployments[one["spec"]["scaleTargetRef"]["name"]]
        fixed = [one for one in deployments.values() if "replicas" in one]
        assert len(fixed) + len(scalers) == 2


def test_the_account_is_there_before_the_migration(chart):
    account, job = of_kind(chart, "ServiceAccount")[0], of_kind(chart, "Job")[0]
    hooks = [one["metadata"]["annotations"] for one in (account, job)]
    weights = [int(one["helm.sh/hook-weight"]) for one in hooks]
    assert weights[0] < weights[1]
    assert {one["helm.sh/hook"] for one in hooks} == {"pre-install,pre-upgrade"}


def test_the_queue_is_counted_as_the_scaler_asks(rendered, database):
    trigger = of_kind(rendered[1], "ScaledObject")[0]["spec"]["triggers"][0]
    assert trigger["type"] == "postgresql"
    query = sqlalchemy.text(trigger["metadata"]["query"])
    with database.write() as session:
        assert session.scalar(query) == 0
        worker = Worker(id="w", host="h", pid=1, process_start="s")
        session.add(worker)
        session.flush()
        for status in ("queued", "running", "cancelled"):
            session.add(
                Job(
                    model="m",
                    status=status,
                    worker_id="w" if status == "running" else None,
                    finished_at=utc_now() if status == "cancelled" else None,
                )
            )
        session.flush()
        assert session.scalar(query) == 2


def test_the_probes_ask_for_what_is_served(chart):
    served = {"/livez", "/readyz"}
    for pod in pods(chart):
        for container in pod["spec"]["containers"]:
            for name, probe in container.items():
                if name.endswith("Probe") and "httpGet" in probe:
                    assert probe["httpGet"]["path"] in served
