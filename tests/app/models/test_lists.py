"""Lists of models and versions: sorted, filtered, paged, on both databases."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from app.db.tables import ModelVersion
from app.models import service
from app.models.registry_schemas import (
    Labelling,
    TagVersion,
)
from app.models.schemas import ModelQuery, ModelsQuery


def test_lists_are_sorted_filtered_and_paged(database, publish):
    for name in ("b", "a", "ab", "c_c"):
        publish(name)
    with database.write() as session:
        service.label(session, "ab", Labelling(tags={"team.x": 'r"1'}))
        publish_tags = TagVersion(tags={"data": "old"})
        service.tag(session, "ab", 1, publish_tags)

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
        service.tag(session, "m", 2, TagVersion(tags={"data": "old"}))
        service.tag(session, "m", 5, TagVersion(tags={"data": "old"}))

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
