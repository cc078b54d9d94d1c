"""Models and versions as the API shows them, on both databases."""

import pytest

from app.errors import UnknownModelError
from app.jobs.identity import own_identity
from app.jobs.service import enqueue
from app.models import service
from app.models.queries import ResolvedVersion, resolve
from app.models.schemas import ModelQuery, ModelsQuery
from app.worker import finish, recovery
from app.worker.claim import claim
from app.worker.messages import Done


@pytest.fixture
def publish(database):
    """Publish a version of a model as a worker does; return its number."""
    with database.write() as session:
        worker_id = recovery.enter(session, own_identity())

    def one(name, digit="0"):
        with database.write() as session:
            enqueue(session, model=name, request_body=b"{}")
        with database.write() as session:
            held = claim(session, worker_id)
        summary = {"trainer": {"kind": "svm"}, "thresholds": {"lower": None}}
        with database.write() as session:
            done = Done(sha256=digit * 64, size=123, summary=summary)
            version = finish.publish(session, held, done)
        with database.write() as session:
            assert finish.succeed(session, held, version)
        return version

    return one


def test_versions_count_from_1_for_each_model(publish):
    assert [publish("a"), publish("b"), publish("a"), publish("a")] == [1, 1, 2, 3]


def test_a_name_means_its_newest_version(database, publish):
    publish("a", "1")
    publish("a", "2")
    with database.read() as session:
        assert resolve(session, "a") == ResolvedVersion("a", 2, "2" * 64)
        assert resolve(session, "a", 1) == ResolvedVersion("a", 1, "1" * 64)
        assert resolve(session, "a", 3) is None
        assert resolve(session, "b") is None


def test_a_version_says_what_it_is(database, publish):
    publish("a", "1")
    with database.read() as session:
        shown = service.describe_version(session, "a", 1).model_dump(mode="json")
    assert shown["name"] == "a"
    assert shown["version"] == 1
    assert shown["artifact_sha256"] == "1" * 64
    assert shown["artifact_bytes"] == 123
    assert shown["trainer"] == {"kind": "svm"}
    assert shown["thresholds"] == {"lower": None}
    assert shown["created_at"].endswith("Z")
    assert len(shown["job_id"]) == 36


def test_a_model_shows_its_newest_version_and_pages_of_all(database, publish):
    for digit in "12345":
        publish("a", digit)
    with database.read() as session:
        first = service.describe_model(session, "a", ModelQuery(limit=2))
        assert first.latest_version == first.latest.version == 5
        assert [entry.version for entry in first.versions] == [5, 4]
        second = service.describe_model(
            session, "a", ModelQuery(limit=3, before=first.next)
        )
    assert [entry.version for entry in second.versions] == [3, 2, 1]
    assert second.next is None
    assert second.latest_version == 5


def test_models_are_listed_by_name_in_pages(database, publish):
    for name in ("c", "a", "b", "a"):
        publish(name)
    with database.read() as session:
        first = service.list_models(session, ModelsQuery(limit=2))
        second = service.list_models(session, ModelsQuery(limit=2, after=first.next))
    assert [(m.name, m.latest_version, m.versions) for m in first.models] == [
        ("a", 2, 2),
        ("b", 1, 1),
    ]
    assert [m.name for m in second.models] == ["c"]
    assert second.next is None


@pytest.mark.parametrize(
    ("name", "version"),
    [("b", 1), ("a", 2), ("a", 0), ("a", -1), ("a", 2**40), ("\x00", 1), ("../a", 1)],
)
def test_what_does_not_exist_is_unknown(database, publish, name, version):
    publish("a")
    with database.read() as session:
        with pytest.raises(UnknownModelError):
            service.describe_version(session, name, version)
        if name != "a":
            with pytest.raises(UnknownModelError):
                service.describe_model(session, name, ModelQuery())
