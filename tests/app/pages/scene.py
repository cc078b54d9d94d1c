"""A service after two weeks of work: a model, its alarm, its people, their verdicts."""

from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace

import numpy as np

from app.db.monitor_tables import Monitor
from tests.app.conftest import Service
from tests.app.monitor.test_monitor import DAY, Past
from tests.app.pima_like import inline, patients, train
from tests.app.reviews.conftest import people
from tests.app.reviews.test_learning import work

__all__ = ["DAYS", "Scene", "set_up"]

DAYS = 14


@dataclass(frozen=True)
class Scene:
    """What stands."""

    service: Service
    model: str

    @property
    def monitor(self) -> dict:
        """What the interface tells of the monitor."""
        return self.service.http.get(f"/models/{self.model}/monitor").json()


def set_up(service: Service, model: str = "patients") -> Scene:
    """Train the first model of a service, and let two weeks pass."""
    train(
        service,
        model,
        trainer={"kind": "gradient-boosting", "n_rounds": 20},
        rule={"kind": "chow"},
        data=inline(patients(600)),
        evaluation={"holdout": 0.4},
    )
    past = Past(service, model)
    past.set(limits={"reject_rate": 0.25})
    past.now -= DAYS * DAY
    with past.database.write() as session:
        session.get_one(Monitor, 1).since = past.now - timedelta(days=1)
    cells = np.arange(128)
    past.days(DAYS - 2, rejects=0.2, cells=cells)
    past.days(2, rejects=0.45, cells=cells)
    office = SimpleNamespace(
        database=past.database, people=people(past.database, "Anna", "Ben")
    )
    work(office, 300, truth_of=0.3)
    past.database.close()
    return Scene(service, model)
