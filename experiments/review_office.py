"""An office that is played: the service, people with errors, and days that pass.

The service runs on the present clock; after each day what it has counted, and the cases
that were closed, are moved to the day that is played, and weighed as it ends. Played
days begin tomorrow, so that the service's own watch never comes to them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Any

import httpx
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from sqlalchemy import select, update

from app.artifacts.store import ArtifactStore
from app.client.demo import running
from app.client.http import Connection
from app.client.training import follow
from app.db.monitor_tables import Bucket, Monitor
from app.db.review_tables import Case
from app.db.session import Database, open_database
from app.monitor.counts import start_of
from app.monitor.watch import Cycle, watch

__all__ = ["S_MINUS", "S_PLUS", "Flags", "Floats", "Office", "Past", "opened"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

DAY = timedelta(days=1)
S_PLUS, S_MINUS = 0.85, 0.92
"""Share of true +1, and of true -1, that people call right."""
KEY = "the-month-is-played-by-this-key"
TRAINER = {"kind": "gradient-boosting"}


class Office:
    """The service, and three people with keys of their own."""

    def __init__(self, url: str, seed: int) -> None:
        self.client = Connection(url, KEY)
        self.truth: dict[str, bool] = {}
        self.draw = np.random.default_rng(seed)
        self.people = [
            httpx.Client(
                base_url=url, headers={"authorization": f"Bearer {self._key(name)}"}
            )
            for name in ("anna", "ben", "carla")
        ]

    def _key(self, name: str) -> str:
        body = {"name": name, "scopes": ["review"], "person": name}
        key: str = self.ask("POST", "/keys", json=body)["key"]
        return key

    def ask(self, method: str, path: str, **sent: Any) -> Any:
        """Return what the operator's key is answered."""
        return self.client.ask(method, path, **sent)

    def train(self, console: Console, model: str, **body: Any) -> int:
        """Train a version; return its number."""
        body = {"model": model, "trainer": TRAINER, "rule": {"kind": "chow"}, **body}
        job = self.ask("POST", "/train", json=body)
        version: int = follow(self.client, job, console)["result"]["version"]
        return version

    def decide(self, columns: list[str], day: int, rows: Floats, truth: Flags) -> None:
        """Have a day's rows decided, each with a reference."""
        references = [f"{day}-{i}" for i in range(len(rows))]
        self.truth |= dict(zip(references, truth.tolist(), strict=True))
        for at in range(0, len(rows), 100):
            self.ask(
                "POST",
                "/predict",
                json={
                    "model": "month:1",
                    "data": {"columns": columns, "rows": rows[at : at + 100].tolist()},
                    "references": references[at : at + 100],
                },
            )
        known = [name for name in references if self.draw.random() < 0.05]
        outcomes = [
            {"reference": name, "label": self.label(self.truth[name])} for name in known
        ]
        if outcomes:
            self.ask("POST", "/outcomes", json={"model": "month", "outcomes": outcomes})

    @staticmethod
    def label(positive: bool) -> str:
        """Return the user's label."""
        return "coding" if positive else "other"

    def work(self, references: dict[str, str]) -> int:
        """Let people work until no case waits; return how many verdicts they gave."""
        given, idle = 0, 0
        while idle < len(self.people):
            person = self.people[given % len(self.people)]
            answer = person.post("/claims", json={"model": "month"})
            if answer.status_code == 204:
                self.people.append(self.people.pop(0))
                idle += 1
                continue
            idle, claim = 0, answer.raise_for_status().json()
            case = claim["case"]["id"]
            if case not in references:  # audits are opened a moment after the answer
                references[case] = self.ask("GET", f"/cases/{case}")["reference"]
            truth = self.truth[references[case]]
            right = self.draw.random() < (S_PLUS if truth else S_MINUS)
            verdict = {"token": claim["token"], "label": self.label(truth == right)}
            person.post(
                f"/claims/{claim['id']}/verdict", json=verdict
            ).raise_for_status()
            given += 1
        return given

    def references(self) -> dict[str, str]:
        """Return the reference of each case that is open."""
        found: dict[str, str] = {}
        after = None
        while True:
            query = {"model": "month", "limit": 200, "state": "open"}
            if after is not None:
                query["after"] = after
            page = self.ask("GET", "/cases", params=query)
            found |= {case["id"]: case["reference"] for case in page["cases"]}
            after = page["next"]
            if after is None:
                return found

    def alarms(self) -> list[str]:
        """Return the kinds of alarm that are on."""
        return [
            one["kind"] for one in self.ask("GET", "/models/month/monitor")["alarms"]
        ]

    def close(self) -> None:
        """Let go of every connection."""
        for person in self.people:
            person.close()
        self.client.__exit__(None, None, None)


class Past:
    """The service's database: what it counts today is weighed as a played day's."""

    def __init__(self, folder: Path) -> None:
        self.database: Database = open_database(f"sqlite:///{folder}/demur.sqlite3")
        self.store = ArtifactStore(folder / "artifacts")
        self.before = Cycle()
        self.first = start_of(datetime.now(UTC), DAY) + DAY

    def end_of(self, day: int, rows: int) -> None:
        """End a day, once all its rows are counted."""
        start = self.first + day * DAY
        now = self._counted(self.before.rows + rows)
        with self.database.write() as session:
            if day == 0:
                session.execute(update(Monitor).values(since=start))
            version = session.scalars(select(Bucket.version_id)).first()
            session.add(
                Bucket(
                    version_id=version,
                    start=start,
                    writer="played",
                    n_rows=now.rows - self.before.rows,
                    positive=now.positive - self.before.positive,
                    rejects=now.rejects - self.before.rejects,
                    priced=now.priced - self.before.priced,
                    cost=now.cost - self.before.cost,
                    cells={
                        str(cell): n
                        for cell, n in (now.cells - self.before.cells).items()
                    },
                )
            )
            session.execute(
                update(Case)
                .where(Case.closed_at < self.first)
                .values(closed_at=start + DAY / 2)
            )
            session.flush()
            watch(session, self.store, start + DAY + timedelta(hours=1))
        self.before = now

    def _counted(self, rows: int) -> Cycle:
        """Return what the service has counted, once it is so many rows."""
        for _ in range(600):
            total = Cycle()
            with self.database.read() as session:
                for bucket in session.scalars(
                    select(Bucket).where(Bucket.writer != "played")
                ):
                    total.add(bucket)
            if total.rows >= rows:
                return total
            sleep(0.1)
        msg = f"the service has counted {total.rows} rows instead of {rows}"
        raise RuntimeError(msg)


@contextmanager
def opened(seed: int) -> Iterator[tuple[Office, Past]]:
    """Run the service in a folder of its own."""
    with (
        TemporaryDirectory(prefix="demur-month-") as folder,
        running(Path(folder), DEMUR_API_KEYS=KEY) as url,
    ):
        office, past = Office(url, seed), Past(Path(folder))
        try:
            yield office, past
        finally:
            office.close()
            past.database.close()
