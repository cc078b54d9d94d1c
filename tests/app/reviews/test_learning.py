"""What verdicts teach: people measured, rejects priced, doubtful labels to train on."""

from datetime import timedelta
from types import SimpleNamespace

import numpy as np
import pyarrow.parquet as pq
import pytest
from sqlalchemy import insert, select

from app.datasets.store import DatasetStore
from app.db.base import utc_now
from app.db.review_tables import Case, CaseUse, Opinion, Verdict
from app.db.tables import ModelVersion, new_id
from app.errors import ConflictError
from app.reviews.learning import make_dataset
from app.reviews.measured import PriceRequest, ReviewDatasetRequest
from app.reviews.proposal import proposed
from app.reviews.report import report
from tests.app.reviews.conftest import model_with_cases, people

COSTS = {
    "false_positive": 1.0,
    "false_negative": 5.0,
    "reject_positive": 0.2,
    "reject_negative": 0.12,
}
S_PLUS, S_MINUS = 0.85, 0.92


def opened(database, **policy):
    """Return a model with a version and a policy, and people not yet at work."""
    model_with_cases(database, 0, **policy)
    with database.write() as session:
        session.add(
            ModelVersion(
                model_id=1,
                version=1,
                summary={"costs": COSTS},
                artifact_sha256="0" * 64,
                artifact_bytes=1,
            )
        )
    return SimpleNamespace(database=database, people=people(database, "anna", "ben"))


@pytest.fixture
def office(database):
    return opened(database, minute_price=0.04)


def work(office, n, *, audits=0, truth_of=0.0, seed=0, minutes=(5.0, 3.0), **case):
    """Close rejected and audited cases, by people whose errors are known."""
    draw = np.random.default_rng(seed)
    p = draw.beta(1.2, 2.0, n + audits)
    truth = draw.random(n + audits) < p
    opened = utc_now() - timedelta(days=1)
    cases, opinions, verdicts = [], [], []
    for i in range(n + audits):
        known = draw.random() < truth_of
        audit = i >= n
        row = {
            "id": new_id(),
            "model_id": 1,
            "version": 1,
            "reason": "audit" if audit else "ambiguous",
            "decision": "-1" if audit else "reject",
            "inclusion": 0.02 if audit else 1.0,
            "probability": float(p[i]),
            "would_be": bool(p[i] > 0.5),
            "labels": {"positive": "yes", "negative": "no"},
            "features": {"x": float(i), "town": "a", "old": None if i % 2 else True},
            "state": "decided",
            "opened_at": opened,
            "closed_at": opened + timedelta(seconds=i),
            "answer": bool(truth[i]),
            "truth": bool(truth[i]) if known else None,
            **case,
        }
        cases.append(row)
        twice = draw.random() < 0.15
        for person in office.people[: 1 + twice]:
            right = draw.random() < (S_PLUS if truth[i] else S_MINUS)
            verdict, opinion = new_id(), new_id()
            opinions.append(
                {
                    "id": opinion,
                    "case_id": row["id"],
                    "model_id": 1,
                    "state": "given",
                    "rank": 0.0,
                    "opened_at": opened,
                    "due_at": opened,
                    "draw": 0.5,
                    "person_id": person,
                    "verdict_id": verdict,
                }
            )
            verdicts.append(
                {
                    "id": verdict,
                    "opinion_id": opinion,
                    "case_id": row["id"],
                    "model_id": 1,
                    "person_id": person,
                    "positive": bool(truth[i] == right),
                    "sure": 0.9,
                    "seconds": 60 * minutes[0 if truth[i] else 1],
                    "at": row["closed_at"],
                }
            )
    with office.database.write() as session:
        for table, rows in ((Case, cases), (Opinion, opinions), (Verdict, verdicts)):
            session.execute(insert(table), rows)
    return truth


def told(office):
    with office.database.read() as session:
        return report(session, "m")


def priced(office, **asked):
    with office.database.read() as session:
        return proposed(session, "m", PriceRequest(**asked))


def test_people_are_measured_and_a_reject_is_priced_by_what_they_miss(office):
    work(office, 2000, truth_of=0.3)
    found = told(office)
    for measured in (found.estimated, found.by_outcomes):
        assert measured.sensitivity == pytest.approx(S_PLUS, abs=0.05)
        assert measured.specificity == pytest.approx(S_MINUS, abs=0.05)
    assert 3.0 < found.minutes.negative < found.minutes.positive < 5.0
    assert found.verdicts > 2000
    assert {one.person for one in found.reviewers} == set(office.people)

    prices = priced(office)
    s, t = found.estimated.sensitivity, found.estimated.specificity
    assert prices.costs["reject_positive"] == pytest.approx(
        0.04 * found.minutes.positive + (1 - s) * 5.0
    )
    assert prices.costs["reject_negative"] == pytest.approx(
        0.04 * found.minutes.negative + (1 - t) * 1.0
    )
    low, high = prices.intervals["reject_positive"]
    assert low < 0.04 * 5 + (1 - S_PLUS) * 5 < high
    assert prices.pays
    assert prices.costs["false_negative"] == 5.0
    delayed = priced(office, delay_positive=0.5)
    assert delayed.costs["reject_positive"] == pytest.approx(
        prices.costs["reject_positive"] + 0.5
    )
    late = priced(office, by="outcomes")
    assert late.people.positives < prices.people.positives


def test_people_who_are_no_better_than_the_machine_are_told_so(office):
    work(office, 400)
    prices = priced(office, minute_price=2.0)
    assert not prices.pays
    assert "no better" in prices.note


def test_nothing_is_told_of_fewer_than_twenty(office):
    work(office, 12, truth_of=1.0)
    found = told(office)
    assert found.verdicts >= 12
    assert (found.minutes, found.agreement) == (None, None)
    assert (found.estimated, found.by_outcomes) == (None, None)
    assert all(one.minutes is None for one in found.reviewers)
    with pytest.raises(ConflictError, match="20"):
        priced(office)


def test_people_who_saw_the_score_first_are_not_measured_by_it(database):
    seen = opened(database, minute_price=0.04, show_score="always")
    work(seen, 100)
    assert told(seen).estimated is None
    with pytest.raises(ConflictError, match="show_score"):
        priced(seen)


def test_without_a_price_of_time_none_is_proposed(database):
    with pytest.raises(ConflictError, match="minute_price"):
        priced(opened(database))


def made(office, tmp_path, **asked):
    settings = SimpleNamespace(datasets_dir=tmp_path / "datasets")
    state = SimpleNamespace(database=office.database, settings=settings)
    answer = make_dataset(state, "m", ReviewDatasetRequest(**asked))
    store = DatasetStore(settings.datasets_dir)
    with store.checked(store.find(answer.id)) as path:
        return answer, pq.read_table(path).to_pydict()


def test_a_data_set_has_doubt_weight_case_and_time(office, tmp_path):
    truth = work(office, 60, audits=20, truth_of=0.25)
    answer, rows = made(office, tmp_path)
    assert (answer.rows, answer.rejects, answer.audits) == (80, 60, 20)
    assert answer.train["groups"] == "case"
    target = answer.train["target"]
    assert target["labels"] == {"positive": "yes", "negative": "no"}
    weight = np.array(rows[target["weight"]])
    assert sorted(set(weight)) == [1.0, 50.0]
    assert answer.effective_rows == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    p = np.array(rows[target["column"]])
    certain = np.isin(p, [0.0, 1.0])
    assert 8 < certain.sum() < 40
    order = np.array(rows["x"], dtype=int)
    np.testing.assert_array_equal(p[certain] == 1.0, truth[order][certain])
    assert rows["reviewed_at"] == sorted(rows["reviewed_at"])
    assert rows["old"].count(None) == 40
    assert set(rows["town"]) == {"a"}
    with office.database.read() as session:
        uses = session.scalars(select(CaseUse.case_id)).all()
    assert sorted(uses) == sorted(rows["case"])


def test_what_the_machine_thought_does_not_teach_it(office, tmp_path):
    work(office, 40, audits=5, seed=3)
    one = made(office, tmp_path / "one")[1]["probability"]
    with office.database.write() as session:
        for case in session.scalars(select(Case)):
            case.probability = 0.999
    assert made(office, tmp_path / "other")[1]["probability"] == one


def test_doubt_is_told_by_person_and_by_late_truth_alone(office, tmp_path):
    """All said .9, and were right on about .89."""
    work(office, 600, audits=20, truth_of=0.5, seed=4)
    (anna, ben) = (one.doubt for one in told(office).reviewers)
    assert anna is not None
    for one in (anna, ben):
        assert one.slope_interval[0] < one.slope < one.slope_interval[1]
        for cell in one.cells:
            assert cell.right.rows >= 20
            assert cell.sure == pytest.approx(0.9)
            assert cell.right.interval[0] < 0.89 < cell.right.interval[1]
    with office.database.write() as session:
        for case in session.scalars(select(Case)):
            case.truth = None
    assert all(one.doubt is None for one in told(office).reviewers)


def test_certainty_is_taken_as_it_was_said(office, tmp_path):
    work(office, 12)
    with office.database.write() as session:
        for verdict in session.scalars(select(Verdict)):
            verdict.sure = 1.0
    p = set(made(office, tmp_path, alone=True)[1]["probability"])
    assert {0.0, 1.0} <= p
    assert all(one.doubt is None for one in told(office).reviewers)


def test_rejects_alone_are_refused_unless_asked_for(office, tmp_path):
    work(office, 30)
    with pytest.raises(ConflictError, match="chosen by the machine"):
        made(office, tmp_path)
    answer, _ = made(office, tmp_path, alone=True)
    assert answer.audits == 0
    assert answer.notes


def test_names_that_the_columns_have_already_are_changed(office, tmp_path):
    work(office, 30, features={"weight": 1.0, "case": "a"})
    answer, rows = made(office, tmp_path, alone=True)
    assert answer.train["target"]["weight"] == "review_weight"
    assert set(rows) >= {"weight", "review_weight", "review_case", "probability"}


def test_cases_without_columns_make_no_data_set(office, tmp_path):
    work(office, 5, features=None)
    with pytest.raises(ConflictError, match="references only"):
        made(office, tmp_path, alone=True)
