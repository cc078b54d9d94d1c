"""A client that a generator made of /openapi.json: train, follow, predict, batch."""

import importlib
import inspect
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.train.trainers.registry import TRAINERS
from tests.app.pima_like import FEATURES, PRICES, inline, patients
from tests.waiting import until

GENERATOR = Path(sys.prefix) / "generator" / "bin" / "openapi-python-client"
FEW = {"n_rounds": 10}
OWN = {
    "abstention-boosting": FEW,
    "abstention-trees": FEW,
    "adaboost": FEW,
    "gradient-boosting": FEW,
    "scores": {"column": "plas"},
}
ROW = dict(zip(FEATURES, [148.0, 33.6, 50.0, "north"], strict=True))


@pytest.fixture(scope="module")
def made(server, tmp_path_factory):
    """The generated package, which was generated without a word of warning."""
    if not GENERATOR.exists():
        reason = f"no {GENERATOR}: make test installs it"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("generated")
    document = folder / "openapi.json"
    document.write_text(server.http.get("/openapi.json").text)
    ended = subprocess.run(
        [
            *(str(GENERATOR), "generate"),
            *("--path", str(document), "--output-path", str(folder / "demur_made")),
            *("--meta", "none", "--fail-on-warning"),
            *("--config", str(Path(__file__).with_name("generated_client.yaml"))),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    sys.path.insert(0, str(folder))
    try:
        importlib.import_module("demur_made")
        client = importlib.import_module("demur_made.client").Client
        with client(base_url=server.url) as opened:
            yield SimpleNamespace(
                models=importlib.import_module("demur_made.models"),
                types=importlib.import_module("demur_made.types"),
                api=lambda name: importlib.import_module(f"demur_made.api.{name}"),
                client=opened,
            )
    finally:
        sys.path.remove(str(folder))


def trainer_class(made, kind):
    """Return the generated class of a trainer, by the kind that it stands for."""
    (found,) = [
        value
        for name, value in vars(made.models).items()
        if name.endswith("Trainer")
        and f"Literal['{kind}']" in str(inspect.get_annotations(value).get("kind"))
    ]
    return found


def train(made, kind):
    """Queue a training with classes alone and follow it to its end."""
    models = made.models
    data = inline(patients(160))
    asked = models.TrainRequest(
        model=kind,
        trainer=trainer_class(made, kind)(kind=kind, **OWN.get(kind, {})),
        costs=models.Costs(**PRICES),
        data=models.InlineData(
            kind="inline", columns=data["columns"], rows=data["rows"]
        ),
        target=models.Target(column="diabetes", positive="yes"),
    )
    job = made.api("train.train").sync(client=made.client, body=asked)
    assert isinstance(job, models.JobAnswer), job

    def ended():
        now = made.api("jobs.get_job").sync(job.id, client=made.client)
        return now if now.finished_at else None

    done = until(ended, lambda: job)
    assert done.status == "succeeded", done
    return done


@pytest.mark.thorough
@pytest.mark.parametrize("kind", TRAINERS)
def test_every_trainer_is_a_class_that_trains(made, kind):
    train(made, kind)
    version = made.api("models.get_version").sync(kind, 1, client=made.client)
    assert isinstance(version, made.models.VersionAnswer)
    assert version.to_dict()["costs"] == PRICES


def test_a_kernel_is_a_class(made):
    models = made.models
    machine = trainer_class(made, "svm")(
        kind="svm", kernel=models.RbfKernel(kind="rbf", gamma=0.5)
    )
    assert machine.to_dict()["kernel"] == {"kind": "rbf", "gamma": 0.5}


@pytest.fixture(scope="module")
def model(made):
    train(made, "logistic")
    return "logistic"


def test_an_answer_is_read_into_classes(made, model):
    models = made.models
    row = models.PredictRequestInstancesInstancesItem.from_dict(ROW)
    asked = models.PredictRequestInstances(model=model, instances=[row])
    answer = made.api("predict.predict").sync(client=made.client, body=asked)
    assert isinstance(answer, models.PredictAnswer), answer
    (one,) = answer.predictions
    assert one.decision in {"+1", "-1", "reject"}
    assert set(one.expected_costs.additional_properties) == {"+1", "-1", "reject"}


def test_a_file_goes_and_comes_back(made, model):
    text = ",".join(FEATURES) + "\n148,33.6,50,north\n85,26.6,31,south\n"
    file = made.types.File(payload=io.BytesIO(text.encode()))
    answer = made.api("predict.predict_batch").sync(
        client=made.client, body=file, model=model
    )
    assert isinstance(answer, made.types.File), answer
    head, *rows = answer.payload.read().decode().splitlines()
    assert head.startswith("plas,mass,age,ward,demur_decision")
    assert len(rows) == 2


def test_protocols_are_read_into_classes(made, model):
    models = made.models
    tensors = [
        models.V2InferRequestInputsItem(
            name=name,
            shape=[1],
            datatype=models.V2InferRequestInputsItemDatatype(datatype),
            data=[ROW[name]],
        )
        for name, datatype in zip(FEATURES, ["FP64"] * 3 + ["BYTES"], strict=True)
    ]
    told = made.api("protocols.infer").sync(
        model, client=made.client, body=models.V2InferRequest(inputs=tensors)
    )
    assert isinstance(told, models.V2InferAnswer), told
    (decision,) = next(one.data for one in told.outputs if one.name == "decision")
    split = models.MlflowRequestDataframeSplitDataframeSplit(
        FEATURES, [list(ROW.values())]
    )
    answer = made.api("protocols.invoke_endpoint").sync(
        model,
        client=made.client,
        body=models.MlflowRequestDataframeSplit(dataframe_split=split),
    )
    assert isinstance(answer, models.PredictAnswer), answer
    assert [one.decision for one in answer.predictions] == [decision]
    unknown = made.api("protocols.describe_model").sync("nobody", client=made.client)
    assert isinstance(unknown, models.V2Error), unknown


def test_operations_are_verbs_and_each_has_its_own(server):
    document = json.loads(server.http.get("/openapi.json").text)
    names = [
        operation["operationId"]
        for operations in document["paths"].values()
        for operation in operations.values()
    ]
    assert len(names) == len(set(names))
    assert {"train", "predict", "predict_batch", "get_job"} <= set(names)
    assert not [name for name in names if name.endswith(("_get", "_post", "_put"))]
