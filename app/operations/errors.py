"""Why a backup or a restore did not happen, each in one line for an operator."""

__all__ = ["OperationError"]


class OperationError(Exception):
    """Nothing was changed, and this is why."""
