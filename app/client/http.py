"""What the commands ask of a running service, over HTTP.

Every problem that the service answers with becomes one ``ClientError`` whose text
names the place and the way out.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self
from urllib.parse import quote

import httpx

from app.client.files import Seen, TableFile
from app.client.problems import ClientError, RefusedError, problem_error

__all__ = ["SHORTER_KEPT", "ClientError", "Connection", "model_path"]

_PATIENCE_S = 60.0
SHORTER_KEPT = httpx.Limits(keepalive_expiry=2.0)
"""The service closes a connection that was idle for five seconds; whoever sends at that
very moment gets no answer. So it is not used again when it was idle for two."""
_PATIENCE_FILE_S = 3600.0
_SHORTEST_WAIT_S = 0.05
_LONGEST_WAIT_S = 0.5
_FINISHED = {"succeeded", "failed", "cancelled"}


class Connection:
    """A connection to one service.

    Parameters
    ----------
    url : str
        Address of the service, such as ``http://127.0.0.1:8000``.
    key : str, optional
        One of its keys.
    refusal : function
        Makes the error of a problem that the service answers with.

    Raises
    ------
    ClientError
        When the address or the key cannot be one.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        refusal: Callable[[Mapping[str, Any]], RefusedError] = problem_error,
    ) -> None:
        if key is not None and not (key.isascii() and key.isprintable()):
            msg = "a key has printable ASCII characters only: see --api-key"
            raise ClientError(msg)
        headers = {} if key is None else {"authorization": f"Bearer {key}"}
        self.url = url
        self._refusal = refusal
        try:
            self._http = httpx.Client(
                base_url=url,
                headers=headers,
                timeout=_PATIENCE_S,
                limits=SHORTER_KEPT,
            )
        except httpx.InvalidURL:
            raise self._no_address() from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._http.close()

    def ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        """Return the JSON that the service answers with, empty where it has none.

        Raises
        ------
        ClientError
            When it answers with a problem, or not at all.
        """
        with self._failures_in_words():
            try:
                request = self._http.build_request(method, path, **options)
            except ValueError:  # what JSON has no way to say
                msg = "numbers are finite and texts are UTF-8: this cannot be sent"
                raise ClientError(msg) from None
            return self._read(self._http.send(request))

    def upload(
        self, file: TableFile, query: Mapping[str, Any], seen: Seen
    ) -> dict[str, Any]:
        """Upload a file as a data set, piece by piece; return what it is.

        Parameters
        ----------
        file : TableFile
        query : mapping
            The parameters of POST /datasets.
        seen : function
            Called with the bytes that were read so far.

        Raises
        ------
        FileError
            When the file cannot be read.
        ClientError
            When the service does not take it.
        """
        with self._failures_in_words():
            return self._read(self._http.post("/datasets", **_sent(file, query, seen)))

    @contextmanager
    def decided(
        self, file: TableFile, query: Mapping[str, Any], seen: Seen
    ) -> Iterator[httpx.Response]:
        """Send a file to POST /predict/batch; give its answer, not read yet.

        Raises as ``upload`` does, also while the answer is read.
        """
        with (
            self._failures_in_words(),
            self._http.stream(
                "POST", "/predict/batch", **_sent(file, query, seen)
            ) as answer,
        ):
            if answer.is_error:
                answer.read()
                self._read(answer)
            yield answer

    def version(self, model: str) -> dict[str, Any]:
        """Return the facts of what ``NAME``, ``NAME:VERSION`` or ``NAME@ALIAS`` is."""
        name, _, alias = model.partition("@")
        if alias:
            alias_answer = self.ask(
                "GET", f"{model_path(name)}/aliases/{quote(alias, '')}"
            )
            return self.version(f"{name}:{alias_answer['version']}")
        name, _, number = model.partition(":")
        if not number:
            latest: dict[str, Any] = self.ask("GET", model_path(name))["latest"]
            return latest
        if not (number.isascii() and number.isdecimal()):
            msg = f"a model is NAME, NAME:VERSION or NAME@ALIAS, not {model!r}"
            raise ClientError(msg)
        return self.ask("GET", f"{model_path(name)}/versions/{number}")

    def file(self, path: str, query: Mapping[str, Any]) -> httpx.Response:
        """Return an answer that is a file; raises as ``ask``."""
        with self._failures_in_words():
            response = self._http.get(path, params=query)
            if response.is_error:
                self._read(response)
            return response

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
            As POST /train answered.
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
            now = self.ask("GET", f"/jobs/{now['id']}")
            seen(now)
        if now["status"] == "failed":
            raise self._refusal(now["error"])
        if now["status"] == "cancelled":
            msg = "the training was cancelled"
            raise RefusedError(msg)
        return now

    @contextmanager
    def _failures_in_words(self) -> Iterator[None]:
        """Tell in words why there is no answer."""
        try:
            yield
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            msg = (
                f"no service answers at {self.url}; start it with `demur serve`, or"
                " name another with --url"
            )
            raise ClientError(msg) from error
        except (httpx.UnsupportedProtocol, httpx.InvalidURL):
            raise self._no_address() from None
        except httpx.TimeoutException as error:
            msg = f"the service at {self.url} took too long to answer"
            raise ClientError(msg) from error
        except httpx.HTTPError as error:
            kind = type(error).__name__
            msg = f"the connection to {self.url} broke ({kind}); did the service stop?"
            raise ClientError(msg) from error

    def _no_address(self) -> ClientError:
        return ClientError(
            f"--url takes an address such as http://127.0.0.1:8000, not {self.url!r}"
        )

    def _read(self, response: httpx.Response) -> dict[str, Any]:
        if response.status_code == httpx.codes.NO_CONTENT:
            return {}
        try:
            answer: dict[str, Any] = response.json()
        except ValueError:
            msg = (
                f"{response.url} answered {response.status_code} and no JSON; is it"
                " Demur?"
            )
            raise ClientError(msg) from None
        if response.is_error:
            raise self._refusal(answer)
        return answer


def model_path(name: str) -> str:
    """Return the address of a model.

    Raises
    ------
    ClientError
        When there is no name.
    """
    if not name:
        msg = "name a model: NAME, NAME:VERSION or NAME@ALIAS; see `demur models`"
        raise ClientError(msg)
    return f"/models/{quote(name, safe='')}"


def _sent(file: TableFile, query: Mapping[str, Any], seen: Seen) -> dict[str, Any]:
    return {
        "content": file.pieces(seen),
        "params": query,
        "headers": {"content-type": file.media_type},
        "timeout": _PATIENCE_FILE_S,
    }
