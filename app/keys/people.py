"""People: those who review cases, and to whom keys belong."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.db.base import insert_into
from app.db.tables import Person
from app.errors import ConflictError, UnknownPersonError
from app.keys.schemas import PeopleListAnswer, PersonAnswer, PersonChange

__all__ = ["OPERATOR", "change", "list_people", "name_of", "take_in"]

OPERATOR = "operator"
"""Whoever has a key that is nobody's, or needs none."""


def take_in(session: Session, name: str) -> str:
    """Return the id of the person of this name, who is new where there is none."""
    insert = insert_into(session, Person).values(name=name)
    session.execute(insert.on_conflict_do_nothing())
    return session.scalars(select(Person.id).where(Person.name == name)).one()


def name_of(session: Session, person_id: str) -> str:
    """Return a person's name."""
    return session.get_one(Person, person_id).name


def list_people(session: Session) -> PeopleListAnswer:
    """Return all people, by name."""
    rows = session.scalars(select(Person).order_by(Person.name))
    return PeopleListAnswer(people=[PersonAnswer.model_validate(row) for row in rows])


def change(session: Session, person_id: str, asked: PersonChange) -> PersonAnswer:
    """Rename a person, or let their keys open nothing.

    Raises
    ------
    UnknownPersonError
        When there is no such person.
    ConflictError
        When another one has the name.
    """
    query = select(Person).where(Person.id == person_id).with_for_update()
    row = session.scalar(query) if "\x00" not in person_id else None
    if row is None:
        raise UnknownPersonError(UnknownPersonError.example)
    if asked.name is not None and asked.name != row.name:
        others = select(Person.id).where(Person.name == asked.name)
        if session.scalar(others) is not None:
            msg = "another person has this name; see GET /people"
            raise ConflictError(msg)
        row.name = asked.name
    if asked.active is not None:
        row.active = asked.active
    session.flush()
    return PersonAnswer.model_validate(row)
