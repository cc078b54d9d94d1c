"""The monitor on the real service: counts of all ways to answer, alarms, gates."""

from collections import Counter
from datetime import timedelta

import numpy as np
import pytest
from sqlalchemy import select

from app.artifacts.store import ArtifactStore
from app.db.base import utc_now
from app.db.monitor_tables import Bucket
from app.db.session import open_database
from app.db.tables import ModelVersion
from app.monitor.counts import start_of
from app.monitor.watch import watch
from tests.app.pima_like import FEATURES, PRICES, inline, patients, predict, train
from tests.waiting import until

DAY = timedelta(days=1)
ROWS = [row[:-1] for row in patients(60, seed=1)]

pytestmark = pytest.mark.own_server


@pytest.fixture(scope="module")
def seen(server):
    """A model that has answered in three ways, and what it answered."""
    train(
        server,
        "seen",
        trainer={"kind": "gradient-boosting", "n_rounds": 20},
        rule={"kind": "chow"},
        data=inline(patients(600)),
        guards={"outlier": True},
    )
    told = [predict(server, "seen", [ROWS[0]])["predictions"]]
    told.append(predict(server, "seen", ROWS)["predictions"])
    lines = [",".join(FEATURES)]
    lines += [",".join("" if c is None else str(c) for c in row) for row in ROWS]
    batch = server.http.post(
        "/predict/batch?model=seen",
        content="\n".join(lines) + "\n",
        headers={"content-type": "text/csv"},
    )
    assert batch.status_code == 200, batch.text
    told.append(told[1])  # the file has the same rows
    return [one for answers in told for one in answers]


def monitor(server, name="seen") -> dict:
    answer = server.http.get(f"/models/{name}/monitor")
    assert answer.status_code == 200, answer.text
    return answer.json()


def counted(server, rows) -> dict:
    """Return what is told once so many rows are written down."""

    def come() -> dict | None:
        told = monitor(server)
        found = [c for v in told["versions"] for c in v["cycles"]]
        return told if sum(cycle["rows"] for cycle in found) >= rows else None

    return until(come)


def test_every_way_to_answer_is_counted_as_it_was_told(server, seen):
    (version,) = counted(server, len(seen))["versions"]
    cycles = version["cycles"]
    assert sum(c["rows"] for c in cycles) == len(seen)
    decided = Counter(one["decision"] for one in seen)
    assert sum(c["positive"] for c in cycles) == decided["+1"]
    reasons = Counter()
    for cycle in cycles:
        reasons.update(cycle["rejects"])
    assert reasons == Counter(one["reason"] for one in seen if one["reason"])
    cost = sum(c["expected_cost"] * c["rows"] for c in cycles)
    assert cost == pytest.approx(sum(one["expected_cost"] for one in seen))


def test_cells_are_the_same_for_a_row_alone_and_in_a_file(server, seen):
    counted(server, len(seen))
    database = _database(server)
    with database.read() as session:
        buckets = session.scalars(select(Bucket)).all()
    database.close()
    cells = Counter()
    for bucket in buckets:
        cells.update(bucket.cells)
    # The first row came once alone, and all came twice in other ways.
    assert sum(cells.values()) == len(seen)
    assert sum(count % 2 for count in cells.values()) == 1
    assert len(cells) > 5


def _database(server):
    return open_database(f"sqlite:///{server.data_dir / 'demur.sqlite3'}")


class Past:
    """Days that a model has answered before now."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        self.database = _database(server)
        self.store = ArtifactStore(server.data_dir / "artifacts")
        self.now = start_of(utc_now(), DAY)
        self.draw = np.random.default_rng(4)

    def set(self, **settings):
        answer = self.server.http.put(f"/models/{self.name}/monitor", json=settings)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def days(self, n, rejects, cells, cost=0.1, per_day=200, *, weigh=True):
        """Answer on n further days, and have each weighed in its time."""
        with self.database.read() as session:
            version = session.scalars(
                select(ModelVersion.id).order_by(ModelVersion.id.desc())
            ).first()
        for _ in range(n):
            with self.database.write() as session:
                for part in range(2):  # two processes
                    held = self.draw.choice(cells, per_day // 2)
                    session.add(
                        Bucket(
                            version_id=version,
                            start=self.now + timedelta(hours=5),
                            writer=f"process-{part}",
                            n_rows=per_day // 2,
                            positive=0,
                            rejects={
                                "ambiguous": int(self.draw.binomial(100, rejects))
                            },
                            priced=per_day // 2,
                            cost=cost * per_day / 2,
                            cells=dict(Counter(map(str, held))),
                        )
                    )
            self.now += DAY
            if weigh:
                self.weigh()

    def weigh(self):
        """Have all whole days weighed."""
        with self.database.write() as session:
            watch(session, self.store, self.now + timedelta(hours=1))

    def alarms(self):
        return [
            one
            for one in monitor(self.server, self.name)["alarms"]
            if one["acknowledged_at"] is None
        ]


@pytest.fixture
def past(server, request):
    """A model of the test's own, and cells in which its held-out rows lie."""
    name = request.node.name.replace("_", "-")[:60]
    train(
        server,
        name,
        trainer={"kind": "gradient-boosting", "n_rounds": 20},
        rule={"kind": "chow"},
        data=inline(patients(600)),
        evaluation={"holdout": 0.4},
    )
    made = Past(server, name)
    version = made.store.read(
        server.http.get(f"/models/{name}/versions/1").json()["artifact_sha256"]
    )
    unseen = version["evidence"]["out_of_fold"]["scores"]
    held = version["evidence"]["holdout"]["scores"]
    edges = np.unique(np.quantile(unseen, np.arange(1, 128) / 128))
    made.cells = np.searchsorted(edges, held, side="right")
    yield made
    made.database.close()


def test_quiet_days_stay_quiet_and_a_doubling_is_found_in_days(server, past):
    past.set(limits={"reject_rate": 0.25})
    past.days(10, rejects=0.2, cells=past.cells)
    assert past.alarms() == []
    past.days(2, rejects=0.45, cells=past.cells)
    (alarm,) = past.alarms()
    assert alarm["kind"] == "reject_rate"
    assert alarm["evidence"]["reject_rate"] == pytest.approx(0.45, abs=0.1)
    assert alarm["evidence"]["limit"] == 0.25
    scraped = server.http.get("/metrics").text
    assert (
        f'demur_alarms{{kind="reject_rate",model="{past.name}",version="1"}} 1.0'
        in (scraped)
    )


def test_an_alarm_stays_until_it_is_acknowledged_and_bars_an_alias(server, past):
    past.set(limits={"reject_rate": 0.2})
    past.days(3, rejects=0.5, cells=past.cells)
    past.days(2, rejects=0.5, cells=past.cells)
    (alarm,) = past.alarms()  # one, however long it lasts
    alias = f"/models/{past.name}/aliases/champion"
    barred = server.http.put(alias, json={"version": 1, "gates": {"no_alarm": True}})
    assert barred.status_code == 409
    assert "reject_rate of version 1" in barred.json()["detail"]

    path = f"/models/{past.name}/monitor/acknowledge"
    told = server.http.post(path, json={"alarm": alarm["id"], "note": "more staff"})
    assert told.status_code == 200, told.text
    (seen,) = told.json()["alarms"]
    assert (seen["note"], seen["acknowledged_by"]) == ("more staff", "operator")
    again = server.http.post(path, json={"alarm": alarm["id"], "note": "again"})
    assert again.status_code == 409
    moved = server.http.put(alias, json={"version": 1, "gates": {"no_alarm": True}})
    assert moved.status_code == 200, moved.text
    past.days(3, rejects=0.5, cells=past.cells)  # it begins anew
    assert len(past.alarms()) == 1


def test_dearer_cases_and_other_scores_are_found(server, past):
    past.set(limits={"reject_rate": 0.9, "expected_cost": 0.5})
    past.days(8, rejects=0.2, cells=past.cells)
    assert past.alarms() == []
    past.days(6, rejects=0.2, cells=past.cells[past.cells > 40], cost=1.5)
    kinds = {alarm["kind"] for alarm in past.alarms()}
    assert kinds == {"expected_cost", "drift"}


def test_cycles_are_weighed_once_whoever_watches(server, past):
    past.set(limits={"reject_rate": 0.25})
    past.days(3, rejects=0.24, cells=past.cells)
    before = monitor(server, past.name)["versions"][0]["history"]
    for _ in range(2):
        with past.database.write() as session:
            watch(session, past.store, past.now + timedelta(hours=1))
    assert monitor(server, past.name)["versions"][0]["history"] == before
    assert len(before) == 3


def test_settings_are_told_and_two_who_set_them_are_told_apart(server, past):
    told = monitor(server, past.name)
    assert (told["enabled"], told["revision"]) == (False, 0)
    first = past.set(cycle="week", revision=0)
    assert (first["enabled"], first["revision"], first["cycle"]) == (True, 1, "week")
    late = server.http.put(f"/models/{past.name}/monitor", json={"revision": 0})
    assert late.status_code == 409


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"limits": {"reject_rate": 1.5}}, 422),
        ({"limits": {"reject_rate": 0}}, 422),
        ({"limits": {"max_error": {"0": 0.1}}}, 422),
        ({"false_alarm_days": 1}, 422),
        ({"cycle": "month"}, 422),
        ({"cycles": "day"}, 422),
    ],
)
def test_what_cannot_be_watched_is_refused(server, seen, body, status):
    answer = server.http.put("/models/seen/monitor", json=body)
    assert answer.status_code == status
    assert answer.json()["errors"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/models/nobody/monitor/acknowledge", {"alarm": "1", "note": "x"}, 404),
        ("/models/seen/monitor/acknowledge", {"alarm": "1", "note": "x"}, 404),
        ("/models/seen/monitor/acknowledge", {"alarm": "1", "note": " "}, 422),
        ("/models/seen/monitor/acknowledge", {"alarm": "1"}, 422),
    ],
)
def test_an_acknowledgement_of_nothing_is_refused(server, seen, path, body, status):
    assert server.http.post(path, json=body).status_code == status


def test_a_version_at_prices_of_rows_is_watched_but_for_its_mean_cost(server):
    """Days of a version whose prices follow a column: rejects rise."""
    price = {"column": "plas", "times": 0.05}
    train(
        server,
        "by-row",
        trainer={"kind": "logistic"},
        costs={**PRICES, "false_negative": price},
        data=inline(patients(600)),
    )
    past = Past(server, "by-row")
    refused = server.http.put(
        "/models/by-row/monitor", json={"limits": {"expected_cost": 2.0}}
    )
    assert refused.status_code == 409, refused.text
    assert "plas" in refused.json()["detail"]
    past.set(limits={"reject_rate": 0.3}, false_alarm_days=30)
    past.days(6, rejects=0.9, cells=[3, 40, 90], cost=50.0)
    assert "reject_rate" in {one["kind"] for one in past.alarms()}
    assert "expected_cost" not in {one["kind"] for one in past.alarms()}
    past.database.close()
