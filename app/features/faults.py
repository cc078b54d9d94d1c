"""The former place of ``app.errors.faults``."""

from app.errors.faults import MOST_FAULTS as MAX_FAULTS
from app.errors.faults import unusable

__all__ = ["MAX_FAULTS", "unusable"]
