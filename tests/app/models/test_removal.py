"""Versions, models and their files are deleted, on both databases."""

import pytest

from app.db.tables import ModelVersion
from app.errors import (
    ConflictError,
    UnknownModelError,
)
from app.jobs.service import enqueue
from app.models import removal, service
from app.models.queries import resolve
from app.models.registry_schemas import (
    Labelling,
)
from app.models.schemas import ModelQuery, ModelsQuery


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
            store.blobs.path(f"{row.artifact_sha256}.joblib")
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
        service.label(session, "m", Labelling(description="d", tags={"a": "b"}))
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
