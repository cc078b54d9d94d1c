"""Equal rows on both sides of a split are told, whichever parts they are in."""

import numpy as np
import pytest

from app.features.schema import FeatureSchema
from app.features.table import Table
from app.worker.fit.leakage import repeat_warnings
from app.worker.fit.partition import Partition

COLUMNS = ["x", "kind"]


def told(training, calibration, holdout):
    rows = [*training, *calibration, *holdout]
    table = Table.from_rows(COLUMNS, rows)
    cuts = np.cumsum([len(training), len(calibration)])
    parts = Partition(*np.split(np.arange(len(rows)), cuts))
    return repeat_warnings(FeatureSchema.fit(table), table, parts)


FRESH = [[float(i), "ab"[i % 2]] for i in range(20)]


@pytest.mark.parametrize("parted", [(10, 5, 5), (20, 0, 0), (15, 0, 5), (15, 5, 0)])
def test_different_rows_are_no_twins(parted):
    first, second, _ = np.cumsum(parted)
    assert not told(FRESH[:first], FRESH[first:second], FRESH[second:])


def test_each_pair_of_parts_is_compared():
    training, calibration, held = FRESH[:10], FRESH[10:15], FRESH[15:]
    (only,) = told(training, calibration, [*held, training[3], training[3]])
    assert only.startswith("2 of 7 held-out rows equal a training row")
    (only,) = told(training, [*calibration, training[0]], held)
    assert only.startswith("1 of 6 calibration rows equal a training row")
    assert "what the rule promises" in only
    (only,) = told(training, calibration, [*held, calibration[2]])
    assert only.startswith("1 of 6 held-out rows equal a calibration row")
