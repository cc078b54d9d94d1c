"""What the commands ask of a running service, over HTTP.

Every problem that the service answers with becomes one ``ClientError`` whose text
names the place (row, column) and the way out.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

__all__ = ["Client", "ClientError"]

_PATIENCE_S = 60.0
_SHORTEST_WAIT_S = 0.05
_LONGEST_WAIT_S = 0.5
_FINISHED = {"succeeded", "failed", "cancelled"}
_SHOWN_FAULTS = 5
_PIECE_BYTES = 2**20


class ClientError(Exception):
    """The service refused, failed, or is not there; the text is for people."""

    def __init__(self, text: str, rows: tuple[int, ...] = ()) -> None:
        super().__init__(text, rows)
        self.text, self.rows = text, rows

    def __str__(self) -> str:
        return self.text


class Client:
    """A connection to one service.

    Parameters
    ----------
    url : str
        Address of the service, such as ``http://127.0.0.1:8000``.
    key : str, optional
        One of its keys.
    """

    def __init__(self, url: str, key: str | None = None) -> None:
        headers = {} if key is None else {"authorization": f"Bearer {key}"}
        self._url = url
        self._http = httpx.Client(base_url=url, headers=headers, timeout=_PATIENCE_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.close()

    def train(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Queue a training; return its job."""
        return self._ask("POST", "/train", json=request)

    def upload(self, file: Path, query: Mapping[str, Any]) -> dict[str, Any]:
        """Upload a CSV file as a data set, piece by piece; return what it is.

        Parameters
        ----------
        file : Path
        query : mapping
            The parameters of POST /datasets.

        Raises
        ------
        OSError
            When the file cannot be read.
        ClientError
            When the service does not take it.
        """
        headers = {"content-type": "text/csv"}
        return self._ask(
            "POST", "/datasets", content=_pieces(file), params=query, headers=headers
        )

    def job(self, job_id: str) -> dict[str, Any]:
        """Return a job as it stands."""
        return self._ask("GET", f"/jobs/{job_id}")

    def cancel(self, job_id: str) -> dict[str, Any]:
        """Ask for a job to be cancelled."""
        return self._ask("POST", f"/jobs/{job_id}/cancel")

    def version(self, model: str, version: int | None = None) -> dict[str, Any]:
        """Return the facts of a version; of the latest when none is named."""
        path = f"/models/{quote(model, safe='')}"
        if version is not None:
            return self._ask("GET", f"{path}/versions/{version}")
        latest: dict[str, Any] = self._ask("GET", path)["latest"]
        return latest

    def version_of(self, model: str) -> dict[str, Any]:
        """Return the facts of what ``NAME``, ``NAME:VERSION`` or ``NAME@ALIAS`` is."""
        name, _, alias = model.partition("@")
        if alias:
            path = f"/models/{quote(name, safe='')}/aliases/{quote(alias, safe='')}"
            found = self._ask("GET", path)
            return self.version(name, found["version"])
        name, _, number = model.partition(":")
        if number and not number.isdecimal():
            msg = f"a model is NAME, NAME:VERSION or NAME@ALIAS, not {model!r}"
            raise ClientError(msg)
        return self.version(name, int(number) if number else None)

    def predict(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a prediction request."""
        return self._ask("POST", "/predict", json=request)

    def is_ready(self) -> bool:
        """Tell whether the service is up and its database reachable."""
        try:
            return self._http.get("/readyz", timeout=2.0).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    def wait(
        self, job: Mapping[str, Any], seen: Callable[[Mapping[str, Any]], None]
    ) -> dict[str, Any]:
        """Follow a job to its end; return it as succeeded.

        Parameters
        ----------
        job : mapping
            As ``train`` returned it.
        seen : function
            Called with the job at every look.

        Raises
        ------
        ClientError
            When it fails or is cancelled.
        """
        pause = _SHORTEST_WAIT_S
        now = dict(job)
        while now["status"] not in _FINISHED:
            time.sleep(pause)
            pause = min(1.5 * pause, _LONGEST_WAIT_S)
            now = self.job(now["id"])
            seen(now)
        if now["status"] == "failed":
            raise _problem(now["error"])
        if now["status"] == "cancelled":
            msg = "the training was cancelled"
            raise ClientError(msg)
        return now

    def _ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        try:
            response = self._http.request(method, path, **options)
        except httpx.HTTPError as error:
            msg = (
                f"no service answers at {self._url} ({type(error).__name__}); start it"
                " with `demur serve`, or name another with --url"
            )
            raise ClientError(msg) from error
        try:
            answer: dict[str, Any] = response.json()
        except ValueError:
            msg = f"{self._url}{path} answered {response.status_code} and no JSON"
            raise ClientError(msg) from None
        if response.is_error:
            raise _problem(answer)
        return answer


def _pieces(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while piece := stream.read(_PIECE_BYTES):
            yield piece


def _problem(problem: Mapping[str, Any]) -> ClientError:
    """Return the text of a problem, its faults one a line."""
    faults = problem.get("errors", [])
    lines = [str(problem.get("title", "The service answered with an error"))]
    if not faults:
        lines.append(str(problem.get("detail", "")))
    lines += [f"{_place(fault)}: {fault['detail']}" for fault in faults[:_SHOWN_FAULTS]]
    if len(faults) > _SHOWN_FAULTS:
        lines.append(f"and {len(faults) - _SHOWN_FAULTS} more")
    shown = faults[:_SHOWN_FAULTS]
    rows = tuple(fault["row"] for fault in shown if "row" in fault)
    return ClientError("\n  ".join(lines), rows)


def _place(fault: Mapping[str, Any]) -> str:
    column = f"column {fault['column']!r}" if fault.get("column") else ""
    if "row" not in fault:
        return column or str(fault.get("pointer") or "the request")
    return ", ".join(filter(None, (f"row {fault['row'] + 1}", column)))
