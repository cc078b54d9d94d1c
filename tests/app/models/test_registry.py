"""Aliases, gates and tags, on both databases."""

import pytest

from app.artifacts.model import FORMAT, ServedModel
from app.errors import (
    GateFailedError,
    InvalidRequestError,
    UnknownModelError,
    UnreadableArtifactError,
)
from app.models import aliases, service
from app.models.publication import add_version
from app.models.queries import resolve
from app.models.schemas import ModelQuery


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
    publish(wrong=15)  # .429 in place of .45, by chance perhaps
    with pytest.raises(
        GateFailedError, match=r"not shown.*answering reject costs 0\.45"
    ):
        move(2, beats_constant=True)
    publish(wrong=1)
    assert move(3, beats_constant=True).version == 3


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


def test_what_other_versions_wrote_is_refused_never_misread():
    with pytest.raises(
        UnreadableArtifactError, match=rf"format {FORMAT + 1}.*reads format"
    ) as caught:
        ServedModel.from_payload({"format": FORMAT + 1})
    assert caught.value.problem()["type"] == "/problems/unreadable-artifact"
