"""A service in Python: ``from app.client import Client``."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import pyarrow as pa
from rich.console import Console

from app.client.claims import Claim
from app.client.files import TableFile, open_table
from app.client.frames import as_frame, frame_file
from app.client.http import Connection, model_path
from app.client.problems import ClientError, RefusedError, problem_in_python
from app.client.registry import pages
from app.client.showing import sending
from app.client.training import follow

__all__ = ["Client", "Version"]


@dataclass(frozen=True, slots=True)
class Version:
    """A trained version of a model.

    Parameters
    ----------
    model : str
    number : int
    expected_cost, reject_rate, error_rate : float
        A case, on the rows that were held out of training.
    warnings : tuple of str
    facts : dict
        All that GET /models/{name}/versions/{version} answers.
    """

    model: str
    number: int
    expected_cost: float | None
    reject_rate: float
    error_rate: float
    warnings: tuple[str, ...]
    facts: dict[str, Any]

    @property
    def name(self) -> str:
        """``model:number``, as predictions ask for it."""
        return f"{self.model}:{self.number}"


class Client:
    """A running service, for scripts and notebooks.

    Parameters
    ----------
    url : str
    key : str, optional
        One of the service's keys.
    progress : bool
        Whether a terminal shows how far an upload or a training is.

    Notes
    -----
    Whatever goes wrong is a ``ClientError``; a ``RefusedError`` is one that the service
    answered, and names the place of each fault. ``ask`` reaches what no method does.

    Examples
    --------
    >>> with Client() as demur:  # doctest: +SKIP
    ...     version = demur.train(frame, "sick", "yes", model="triage", costs=costs)
    ...     decided = demur.predict(version.name, new)
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        key: str | None = None,
        *,
        progress: bool = True,
    ) -> None:
        self._connection = Connection(url, key, problem_in_python)
        self._console = Console(stderr=True, quiet=not progress)
        self.ask = self._connection.ask

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._connection.__exit__(*raised)

    def train(
        self,
        data: Any,
        target: str | Mapping[str, Any],
        positive: Any = None,
        *,
        model: str,
        costs: Mapping[str, float] | None = None,
        trainer: str | Mapping[str, Any] = "auto",
        **members: Any,
    ) -> Version:
        """Train a version and wait for it; Ctrl-C cancels the training.

        Parameters
        ----------
        data : data frame, path, or mapping
            Rows, a file of them, or ``data`` as POST /train takes it.
        target : str or mapping
            The column to predict, or ``target`` as POST /train takes it.
        positive : label
            That is +1; only beside the name of a column.
        model : str
        costs : mapping, optional
            ``false_positive``, ``false_negative``, ``reject_positive`` and
            ``reject_negative``.
        trainer : str or mapping
            A kind, or a kind with its parameters.
        **members
            Whatever else POST /train takes, such as ``groups``, ``rule``, ``search``.

        Raises
        ------
        RefusedError
            When the service refuses, or the training fails. What was uploaded for it
            is deleted again.
        FileError
            When the file cannot be read.
        """
        column = {"column": target} if isinstance(target, str) else dict(target)
        request = {
            **members,
            "model": model,
            "target": column if positive is None else {**column, "positive": positive},
            "trainer": {"kind": trainer} if isinstance(trainer, str) else trainer,
        }
        if costs is not None:
            request["costs"] = dict(costs)
        if isinstance(data, Mapping):
            return self._trained({**request, "data": data})
        stored = self.upload(data)
        try:
            of_upload = {"kind": "dataset", "id": stored["id"]}
            return self._trained({**request, "data": of_upload})
        except (RefusedError, KeyboardInterrupt):
            with suppress(ClientError):
                self.ask("DELETE", f"/datasets/{stored['id']}")
            raise

    def _trained(self, request: dict[str, Any]) -> Version:
        job = self.ask("POST", "/train", json=request)
        result = follow(self._connection, job, self._console)["result"]
        return self.version(f"{result['model']}:{result['version']}")

    def upload(self, data: Any, **reading: Any) -> dict[str, Any]:
        """Store a data frame or a file as a data set; return its facts and notes.

        Parameters
        ----------
        data : data frame or path
        **reading
            How a file is to be read, as POST /datasets takes it.
        """
        with _file(data) as file, sending(self._console, file, "the service") as seen:
            return self._connection.upload(file, {"name": file.name, **reading}, seen)

    def predict(
        self,
        model: str,
        rows: Any,
        *,
        reference: str | None = None,
        costs: Mapping[str, float] | None = None,
    ) -> Any:
        """Decide the rows of a data frame.

        Parameters
        ----------
        model : str
            ``name``, ``name:version`` or ``name@alias``.
        rows : data frame
        reference : str, optional
            The column that says what you call a row.
        costs : mapping, optional
            All four, instead of those that it was trained with.

        Returns
        -------
        data frame of the same kind
            The rows, and beside them ``demur_decision`` and the other columns of
            POST /predict/batch.
        """
        query = {"model": model, **(costs or {})}
        if reference is not None:
            query["reference"] = reference
        with (
            frame_file(rows) as file,
            sending(self._console, file, model) as seen,
            self._connection.decided(file, query, seen) as answer,
        ):
            table = pa.ipc.open_stream(answer.read()).read_all()
        return as_frame(table, rows)

    def version(self, model: str) -> Version:
        """Return what ``name``, ``name:version`` or ``name@alias`` is."""
        facts = self._connection.version(model)
        held_out = facts["evaluation"]
        return Version(
            model=facts["name"],
            number=facts["version"],
            expected_cost=held_out.get("expected_cost"),
            reject_rate=held_out["reject_rate"],
            error_rate=held_out["error_rate"],
            warnings=tuple(facts["warnings"]),
            facts=facts,
        )

    def models(self) -> list[dict[str, Any]]:
        """Return all models."""
        return list(pages(self._connection, "/models", "models", "after"))

    def jobs(self, **filters: str) -> list[dict[str, Any]]:
        """Return the newest trainings, such as those of ``status="failed"``."""
        trainings: list[dict[str, Any]] = self.ask("GET", "/jobs", params=filters)[
            "jobs"
        ]
        return trainings

    def set_alias(self, model: str, alias: str, version: int) -> None:
        """Let ``model@alias`` stand for a version."""
        path = f"{model_path(model)}/aliases/{quote(alias, safe='')}"
        self.ask("PUT", path, json={"version": version})

    def claims(self, model: str | None = None) -> Iterator[Claim]:
        """Yield one case after the other, as a person who works the queue gets them.

        Each is to be decided or given back before the next; it ends when none waits.
        """
        asked = {} if model is None else {"model": model}
        while claim := self.ask("POST", "/claims", json=asked):
            yield Claim.of(self._connection, claim)

    def tell_outcomes(self, model: str, outcomes: Mapping[str, Any]) -> dict[str, Any]:
        """Tell what references turned out to be: labels by reference."""
        rows = [{"reference": name, "label": label} for name, label in outcomes.items()]
        body = {"model": model, "outcomes": rows}
        return self.ask("POST", "/outcomes", json=body)

    def learn(self, model: str, **members: Any) -> Version:
        """Train the next version on what people decided.

        Parameters
        ----------
        model : str
        **members
            As ``train`` takes them; the trainer and the costs are yours to say again.
        """
        made = self.ask("POST", f"{model_path(model)}/review/dataset", json={})
        return self.train(**{**made["train"], **members, "model": model})


def _file(data: Any) -> AbstractContextManager[TableFile]:
    if isinstance(data, str | PathLike):
        return open_table(Path(data))
    return frame_file(data)
