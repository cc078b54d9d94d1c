"""Aliases, gates, tags, lists and deletions, on both databases."""

import hashlib
import pickle
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import select

from app.artifacts.model import ServedModel
from app.artifacts.store import ArtifactStore
from app.db.tables import ModelVersion
from app.errors import (
    ConflictError,
    GateFailedError,
    InvalidRequestError,
    UnknownModelError,
    UnreadableArtifactError,
)
from app.jobs.service import enqueue
from app.models import aliases, labelling, removal, service
from app.models.publication import add_version
from app.models.queries import resolve
from app.models.registry_schemas import (
    GatesAsked,
    Labelling,
    MoveAlias,
    TagVersion,
)
from app.models.schemas import ModelQuery, ModelsQuery

COSTS = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.6,
    "reject_negative": 0.3,
}


@pytest.fixture
def store(tmp_path):
    return ArtifactStore(tmp_path / "artifacts")


def table(wrong, rejected, right=90):
    """A confusion table: so many errors and rejects of each class."""
    return {
        "+1": {"+1": right, "-1": wrong, "reject": rejected},
        "-1": {"-1": right, "+1": wrong, "reject": rejected},
    }


@pytest.fixture
def publish(database, store):
    """Add a version that made so many errors on held-out rows."""

    def one(name="m", wrong=1, rows=range(20), content=None):
        confusion = table(wrong, 4)
        total = sum(sum(row.values()) for row in confusion.values())
        cost = (wrong * 6 + 4 * 0.9) / total
        evaluation = {
            "rows": total,
            "expected_cost": cost,
            "reject_rate": 8 / total,
            "selective_error": 2 * wrong / (total - 8),
            "confusion": confusion,
            "share_positive": 0.5,
            "constants": {"+1": 0.5, "-1": 2.5, "reject": 0.45},
        }
        n = len(rows)
        holdout = {
            "rows": np.array(rows),
            "positive": np.arange(n) % 2.0,
            "weight": np.ones(n),
        }
        file = store.write(
            {"evidence": {"holdout": holdout}, "content": content or [name, wrong]}
        )
        with database.write() as session:
            summary = {"evaluation": evaluation, "costs": COSTS}
            return add_version(session, name, summary, file)

    return one


@pytest.fixture
def move(database, store):
    """Point an alias of m at a version."""

    def to(version, alias="champion", name="m", **gates):
        asked = MoveAlias(version=version, gates=GatesAsked(**gates))
        with database.write() as session:
            return aliases.move(session, store, name, alias, asked)

    return to


def meant(database, alias="champion", name="m"):
    with database.read() as session:
        found = resolve(session, name, alias=alias)
    return found and found.version


def test_an_alias_moves_and_is_resolved(database, publish, move):
    publish(), publish(wrong=2), publish("other")
    assert meant(database) is None
    assert move(1).previous_version is None
    assert meant(database) == 1
    assert move(2).previous_version == 1
    assert meant(database) == 2
    assert meant(database, name="other") is None, "an alias belongs to its model"
    with database.read() as session:
        assert service.describe_model(session, "m", ModelQuery()).aliases == {
            "champion": 2
        }
        assert aliases.find(session, "m", "champion").version == 2
    with database.write() as session:
        aliases.remove(session, "m", "champion")
    assert meant(database) is None
    with database.write() as session, pytest.raises(UnknownModelError):
        aliases.remove(session, "m", "champion")


@pytest.mark.parametrize("alias", ["", ".x", "a b", "a/b", "a@b", "a:1", "é", "a\n"])
def test_nothing_is_called_so(publish, move, alias):
    publish()
    with pytest.raises(InvalidRequestError):
        move(1, alias=alias)


@pytest.mark.parametrize("name", ["n", "../m", "m\x00", "m\n", "M", ""])
def test_no_name_leads_to_another_model(publish, move, name):
    publish()
    with pytest.raises(UnknownModelError):
        move(1, name=name)


@pytest.mark.parametrize(
    ("gates", "figures"),
    [
        ({"max_expected_cost": 0.01}, ("0.0505", "0.01")),
        ({"max_reject_rate": 0.01}, ("0.0421", "0.01")),
        ({"max_selective_error": 0.001}, ("0.010989", "0.001")),
    ],
)
def test_a_missed_bar_is_named_with_both_figures(
    database, publish, move, gates, figures
):
    publish()
    with pytest.raises(GateFailedError) as caught:
        move(1, **gates)
    (fault,) = caught.value.errors
    (name,) = gates
    assert fault.pointer == f"/gates/{name}"
    assert all(figure in caught.value.detail for figure in figures)
    assert meant(database) is None, "a refused move moves nothing"
    passed = move(1, **{name: 0.5})
    assert name in passed.gates[0]


def test_a_version_must_beat_the_constant_answers(publish, move):
    publish(wrong=60)
    with pytest.raises(GateFailedError, match="always answering reject costs"):
        move(1, beats_constant=True)
    publish(wrong=1)
    assert move(2, beats_constant=True).version == 2


def test_no_worse_is_held_on_the_same_rows_only(publish, move):
    publish(wrong=3), publish(wrong=5), publish(wrong=1)
    publish(wrong=0, rows=range(1, 21))
    move(1)
    with pytest.raises(GateFailedError, match=r"0\.16.*version 1.*0\.11"):
        move(2, no_worse=True)
    assert move(3, no_worse=True).previous_version == 1
    assert move(3, no_worse=True).previous_version == 3
    with pytest.raises(GateFailedError, match="not evaluated on the same held-out"):
        move(4, no_worse=True)


def test_without_an_evaluation_no_bar_is_passed(database, store, move):
    with database.write() as session:
        add_version(session, "m", {"evaluation": {"rows": 0}}, store.write({"a": 1}))
    for gates in ({"max_reject_rate": 1.0}, {"beats_constant": True}):
        with pytest.raises(GateFailedError, match="known"):
            move(1, **gates)
    assert move(1).gates == []


def remove(database, store, number=None):
    with database.write() as session:
        gone = (
            removal.remove_model(session, "m")
            if number is None
            else removal.remove_version(session, "m", number)
        )
    for one in gone:
        with database.write() as session:
            removal.remove_file(session, store, one)


def test_a_file_goes_with_the_last_version_that_uses_it(database, store, publish, move):
    publish(content="same"), publish(content="same"), publish(content="other")
    with database.read() as session:
        first, _, third = (
            store.path(row.artifact_sha256)
            for row in session.query(ModelVersion).order_by(ModelVersion.version)
        )
    move(2)
    remove(database, store, 1)
    assert first.exists()
    with pytest.raises(ConflictError, match="champion points at version 2"):
        remove(database, store, 2)
    with pytest.raises(ConflictError, match="champion"):
        remove(database, store)
    move(3)
    remove(database, store, 2)
    assert not first.exists()
    assert third.exists()
    with pytest.raises(UnknownModelError):
        remove(database, store, 2)


def test_a_deleted_model_is_gone_and_its_numbers_are_not_used_again(
    database, store, publish
):
    publish(), publish()
    with database.write() as session:
        labelling.label(session, "m", Labelling(description="d", tags={"a": "b"}))
        enqueue(session, model="m", request_body=b"{}")
    with pytest.raises(ConflictError, match="job"):
        remove(database, store)
    with database.write() as session:
        session.execute(ModelVersion.metadata.tables["jobs"].delete())
    remove(database, store)
    with database.read() as session:
        assert service.list_models(session, ModelsQuery()).models == []
        assert resolve(session, "m") is None
    assert publish() == 3
    with database.read() as session:
        assert service.describe_model(session, "m", ModelQuery()).tags == {}


def test_lists_are_sorted_filtered_and_paged(database, publish):
    for name in ("b", "a", "ab", "c_c"):
        publish(name)
    with database.write() as session:
        labelling.label(session, "ab", Labelling(tags={"team.x": 'r"1'}))
        publish_tags = TagVersion(tags={"data": "old"})
        labelling.tag(session, "ab", 1, publish_tags)

    def names(**query):
        found = []
        with database.read() as session:
            after = None
            while True:
                asked = ModelsQuery(limit=2, after=after, **query)
                page = service.list_models(session, asked)
                found += [model.name for model in page.models]
                if page.next is None:
                    return found
                after = page.next

    assert names() == ["a", "ab", "b", "c_c"]
    assert names(sort="-name") == ["c_c", "b", "ab", "a"]
    assert names(sort="created_at") == ["b", "a", "ab", "c_c"]
    assert names(sort="-created_at") == ["c_c", "ab", "a", "b"]
    assert names(search="B") == ["ab", "b"]
    assert names(search="_") == ["c_c"], "no wildcard"
    assert names(tag='team.x=r"1') == ["ab"]
    assert names(tag="team.x=r") == []
    publish("ab", wrong=3)
    with database.read() as session:
        told = service.describe_model(session, "ab", ModelQuery(tag="data=old"))
        assert [version.version for version in told.versions] == [1]
        assert told.latest_version == 2
        assert service.describe_version(session, "ab", 1).tags == {"data": "old"}


@pytest.mark.parametrize("per_page", [1, 2, 3, 10])
def test_versions_are_sorted_filtered_and_paged(database, publish, per_page):
    for wrong in range(5):
        publish(wrong=wrong)
    publish("other")
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    with database.write() as session:
        for row in session.scalars(select(ModelVersion)):
            # 3 came before 2; 4 and 5 at the same moment
            minute = {2: 30, 3: 20, 4: 40, 5: 40}.get(row.version, 0)
            row.created_at = moment + timedelta(minutes=minute)
        labelling.tag(session, "m", 2, TagVersion(tags={"data": "old"}))
        labelling.tag(session, "m", 5, TagVersion(tags={"data": "old"}))

    def numbers(**query):
        found, after = [], None
        with database.read() as session:
            while True:
                asked = ModelQuery(limit=per_page, after=after, **query)
                told = service.describe_model(session, "m", asked)
                assert told.latest_version == 5
                assert len(told.versions) <= per_page
                found += [entry.version for entry in told.versions]
                if told.next is None:
                    return found
                after = told.next

    assert numbers() == numbers(sort="-version") == [5, 4, 3, 2, 1]
    assert numbers(sort="version") == [1, 2, 3, 4, 5]
    assert numbers(sort="created_at") == [1, 3, 2, 4, 5]
    assert numbers(sort="-created_at") == [5, 4, 2, 3, 1]
    assert numbers(sort="version", tag="data=old") == [2, 5]
    assert numbers(sort="created_at", before=4) == [1, 3, 2]
    with database.read() as session:
        gone = ModelQuery(sort="created_at", after=99)
        assert service.describe_model(session, "m", gone).versions == []


def test_what_other_versions_wrote_is_refused_never_misread(store):
    with pytest.raises(UnreadableArtifactError, match=r"format 2.*reads format 1"):
        ServedModel.from_payload({"format": 2})
    content = pickle.dumps(np.arange(3)).replace(b"numpy", b"nvmpy")
    sha256 = hashlib.sha256(content).hexdigest()
    store.root.mkdir(parents=True)
    store.path(sha256).write_bytes(content)
    with pytest.raises(UnreadableArtifactError, match="library versions") as caught:
        store.read(sha256)
    assert caught.value.problem()["type"] == "/problems/unreadable-artifact"
