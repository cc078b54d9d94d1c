"""Alarms that keep their promise however often somebody looks, and people measured.

Each detector is a Shiryaev-Roberts sum of e-values: without a change it alarms once in
``1 / rate`` looks on average at the most, whatever the data are. A state is plain data.
"""

from solvers.monitoring.audits import error_interval
from solvers.monitoring.doubt import Doubt, calibrated_doubt
from solvers.monitoring.drift import DriftDetector
from solvers.monitoring.limits import LimitDetector
from solvers.monitoring.reviewers import Skill, estimated_skill, known_skill

__all__ = [
    "Doubt",
    "DriftDetector",
    "LimitDetector",
    "Skill",
    "calibrated_doubt",
    "error_interval",
    "estimated_skill",
    "known_skill",
]
