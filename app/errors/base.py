"""The root of all errors, and the faults that one can list."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class FieldError:
    """One fault of a request: where it is, and what would be right.

    ``pointer`` is a JSON pointer (RFC 6901) into the body, or ``query/NAME``,
    ``path/NAME``, ``header/NAME`` after a slash; ``row`` counts from 0.
    """

    pointer: str
    detail: str
    row: int | None = None
    column: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the members that are known."""
        known: dict[str, Any] = {"pointer": self.pointer, "detail": self.detail}
        if self.row is not None:
            known["row"] = self.row
        if self.column is not None:
            known["column"] = self.column
        return known


class ApiError(Exception):
    """The root of all errors that are answered as a problem.

    Parameters
    ----------
    detail : str
        One sentence on this case: the thing, what is wrong, the way out.
    errors : iterable of FieldError
        The faults of a body, one by one.
    """

    status: ClassVar[int] = 500
    slug: ClassVar[str] = "internal-error"
    title: ClassVar[str] = "The service failed"
    example: ClassVar[str] = "the request could not be answered; the log says why"
    headers: ClassVar[dict[str, str]] = {}

    def __init__(self, detail: str, errors: Iterable[FieldError] = ()) -> None:
        self.detail, self.errors = detail, tuple(errors)
        super().__init__(detail, self.errors)

    def __str__(self) -> str:
        return self.detail

    def problem(self) -> dict[str, Any]:
        """Return the problem object, ready for JSON."""
        body: dict[str, Any] = {
            "type": f"/problems/{self.slug}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }
        if self.errors:
            body["errors"] = [error.to_json() for error in self.errors]
        return body
