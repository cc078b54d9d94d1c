"""A case that a person holds, in Python."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from app.client.http import Connection

__all__ = ["Claim"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A case that this key holds, to be decided or given back.

    Parameters
    ----------
    case : str
        The identifier of the case.
    model : str
    features : dict or None
        Its columns; None where only the caller's reference is kept.
    reference : str or None
        What the caller calls it, where it has no features here.
    labels : tuple of two
        The label that is +1, and the other.
    """

    case: str
    model: str
    features: dict[str, Any] | None
    reference: str | None
    labels: tuple[Any, Any]
    _id: str
    _token: str
    _connection: Connection

    @classmethod
    def of(cls, connection: Connection, answer: Mapping[str, Any]) -> Self:
        """Return the claim that the service has answered with."""
        case = answer["case"]
        return cls(
            case=case["id"],
            model=case["model"],
            features=case["features"],
            reference=case["reference"],
            labels=(case["labels"]["positive"], case["labels"]["negative"]),
            _id=answer["id"],
            _token=answer["token"],
            _connection=connection,
        )

    def decide(self, label: Any, *, sure: float = 1.0, note: str | None = None) -> None:
        """Give the verdict.

        Parameters
        ----------
        label : one of ``labels``
        sure : float
            From .5 (no idea) to 1.
        note : str, optional

        Raises
        ------
        RefusedError
            When the label is none, or the claim ran out.
        """
        body = {"token": self._token, "label": label, "sure": sure, "note": note}
        self._connection.ask("POST", f"/claims/{self._id}/verdict", json=body)

    def give_back(self, reason: str | None = None) -> None:
        """Leave the case to others; with a reason it does not come again."""
        body = {"token": self._token, "reason": reason}
        self._connection.ask("DELETE", f"/claims/{self._id}", json=body)
