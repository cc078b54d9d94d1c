"""A service in a thread with a model that rejects, and people to review."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import httpx
import pytest

from app.client.http import SHORTER_KEPT
from app.db.review_tables import ReviewPolicy
from app.db.session import Database
from app.db.tables import Model
from app.keys.people import take_in
from app.reviews.new_case import NewCase, Origin
from app.reviews.opening import open_cases
from app.reviews.policy import Policy, terms_of
from app.settings import Settings
from tests.app.predict.conftest import Registry, Running, served, training_rows

__all__ = ["Desk", "model_with_cases", "people", "rows"]

OPERATOR = "the-operators-own-key"


def rows(n: int, seed: int = 7) -> list[dict[str, Any]]:
    """Return rows of the model ``pima``."""
    names = ("glucose", "bmi", "smoker", "town")
    return [dict(zip(names, row, strict=True)) for row in training_rows(n, seed)]


class Desk:
    """A service with keys; one HTTP client for each person and purpose."""

    def __init__(self, folder: Any, **options: Any) -> None:
        settings = Settings(
            data_dir=folder, api_keys=OPERATOR, _env_file=None, **options
        )
        self.registry = Registry(settings)
        self.settings = settings
        self.running = Running(settings)
        self.clients: dict[str, httpx.Client] = {}
        self.admin = self.client(OPERATOR)

    def client(self, key: str) -> httpx.Client:
        """Return the client that sends this key."""
        if key not in self.clients:
            headers = {"authorization": f"Bearer {key}"}
            self.clients[key] = httpx.Client(
                base_url=self.running.http.base_url,
                headers=headers,
                timeout=60,
                limits=SHORTER_KEPT,
            )
        return self.clients[key]

    @cache  # noqa: B019 - issuing a key takes a second
    def person(self, name: str, *scopes: str) -> httpx.Client:
        """Return a client with a key of this person's."""
        asked = {"name": name, "scopes": list(scopes or ("review",)), "person": name}
        return self.client(self.admin.post("/keys", json=asked).json()["key"])

    def model(self, name: str, **policy: Any) -> str:
        """Add a model, and review it by this policy."""
        self.registry.add(name, served())
        answer = self.admin.put(f"/models/{name}/review", json=policy)
        assert answer.status_code == 200, answer.text
        return name

    def stop(self) -> None:
        for client in self.clients.values():
            client.close()
        self.running.stop()
        self.registry.database.close()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One service on SQLite for the tests of a module."""
    opened = Desk(tmp_path_factory.mktemp("desk"))
    yield opened
    opened.stop()


def model_with_cases(database: Database, n: int, **policy: Any) -> Origin:
    """Put a model, its policy and n open cases into a database; case i saves i."""
    kept = Policy.model_validate(policy).model_dump_json(by_alias=True)
    with database.write() as session:
        session.add(Model(id=1, name="m", last_version=1))
        session.flush()
        session.add(ReviewPolicy(model_id=1, policy=kept, secret="ab" * 32, revision=1))
    terms = terms_of(1, kept, "ab" * 32)
    assert terms is not None
    origin = Origin(terms, "m", 1, {"positive": "yes", "negative": "no"}, None)
    cases = [
        NewCase(
            origin,
            f"r-{i}",
            "ambiguous",
            {"n": i},
            "reject",
            probability=0.5,
            saving=float(i),
        )
        for i in range(n)
    ]
    with database.write() as session:
        open_cases(session, cases)
    return origin


def people(database: Database, *names: str) -> list[str]:
    """Take people in; return their ids."""
    with database.write() as session:
        return [take_in(session, name) for name in names]
