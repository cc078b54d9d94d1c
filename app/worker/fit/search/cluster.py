"""A search on the workers of a Dask cluster: one that is there, or one of its own.

    units, two for each thread of the cluster -> tasks -> what each unit gave

Rows are sent once to all workers, and named by the tasks. Whatever is lost (a worker
with its tasks and rows, the scheduler with everything) is sent again: the units that
are not done are held here. joblib's own way to Dask waits where nobody can cancel it,
and for ever where rows are lost, so that tasks are looked after here; in a context of
joblib's the units run as well.

Dask runs what it is sent: whoever reaches a scheduler runs programs on its workers. So
a plain connection goes to private addresses alone, and a cluster of its own, whose port
is on this machine, has certificates that are made for it and end with it.
"""

import ipaddress
import logging
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import joblib

from app.errors import ServiceUnavailableError, TrainingFailedError
from app.worker.fit.report import Report
from app.worker.fit.search.far import (
    AWAY,
    POLL_S,
    Begun,
    LostError,
    Numbered,
    SearchProgress,
    Work,
)
from app.worker.fit.search.unit import Rows, Unit

__all__ = ["Cluster", "cluster_of"]

log = logging.getLogger(__name__)

PATIENCE_S = 120.0
_CONNECT_S = 10.0
_MOST_LOSSES = 10


class Cluster:
    """Where units of a search run.

    Parameters
    ----------
    name : str
        ``tcp://HOST:PORT`` or ``tls://HOST:PORT`` of a scheduler, ``local`` or
        ``local:N``.
    tls : sequence of str
        Files of the authority's certificate, one's own certificate and its key; empty:
        a plain connection.
    patience_s : float
        How long a cluster without an answer, or without a worker, is waited for.
    """

    def __init__(
        self, name: str, tls: tuple[str, ...] = (), patience_s: float = PATIENCE_S
    ) -> None:
        self.name, self.tls, self.patience_s = name, tls, patience_s

    def run(
        self, units: Iterator[tuple[Unit, Rows]], total: int, report: Report
    ) -> Iterator[Numbered]:
        """Yield the number of each unit with what it gave, as they are done.

        Parameters
        ----------
        units : iterator of (Unit, Rows)
        total : int
            How many there are.
        report : Report

        Raises
        ------
        Interrupted
            When the training is to stop.
        ServiceUnavailableError
            When the cluster does not answer, or has no worker.
        TrainingFailedError
            When its workers are not fit to run units.
        """
        waiting = enumerate(units)
        begun: Begun = {}
        progress = SearchProgress(report, total)
        losses = 0
        with ExitStack() as stack:
            address, security = self._opened(stack)
            while True:
                with self._client(address, security, progress) as client:
                    search = Work(
                        client, waiting, begun, progress, self.away, self.patience_s
                    )
                    try:
                        for done in search.results():
                            losses = 0
                            yield done
                    except LostError:
                        log.warning("the cluster %s lost a search", self.name)
                    else:
                        return
                losses += 1
                if losses > _MOST_LOSSES:
                    msg = "loses what it is sent again and again"
                    raise self.away(msg)

    def away(self, what: str) -> ServiceUnavailableError:
        """Return the error that says what is wrong with the cluster."""
        msg = f"the cluster of DEMUR_CLUSTER ({self.name}) {what}; train again later"
        return ServiceUnavailableError(msg)

    def _opened(self, stack: ExitStack) -> tuple[str, Any]:
        """Return the scheduler's address, and how to talk to it."""
        try:
            from distributed import LocalCluster, Security  # noqa: PLC0415 - an extra
        except ImportError:
            msg = "DEMUR_CLUSTER is set and Dask is missing: install demur[cluster]"
            raise TrainingFailedError(msg) from None
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        if not self.name.startswith("local"):
            return self._address(), self._security(Security)
        wanted = self.name.partition(":")[2]
        security = Security.temporary()
        local = LocalCluster(
            n_workers=int(wanted) if wanted else joblib.cpu_count(),
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            security=security,
            silence_logs=logging.CRITICAL,
        )
        return stack.enter_context(local).scheduler_address, security

    def _security(self, security: Any) -> Any:
        if not self.tls:
            return None
        authority, certificate, key = self.tls
        return security(
            tls_ca_file=authority,
            tls_client_cert=certificate,
            tls_client_key=key,
            require_encryption=True,
        )

    def _address(self) -> str:
        """Return where to connect to: a plain connection at a private number."""
        address = urlsplit(self.name)
        host, port = address.hostname or "", address.port
        if self.tls:
            return f"tls://{address.netloc}"
        try:
            addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError:
            msg = "has a name that no address is known of"
            raise self.away(msg) from None
        numbers = [ipaddress.ip_address(str(one[4][0])) for one in addresses]
        if not all(number.is_private for number in numbers):
            msg = (
                f"the cluster of DEMUR_CLUSTER ({self.name}) is on no private network:"
                " set DEMUR_CLUSTER_TLS"
            )
            raise TrainingFailedError(msg)
        number = numbers[0]
        return (
            f"tcp://[{number}]:{port}"
            if number.version == 6
            else f"tcp://{number}:{port}"
        )

    @contextmanager
    def _client(
        self, address: str, security: Any, progress: SearchProgress
    ) -> Iterator[Any]:
        """Give a client of a cluster with a worker, and end it."""
        from distributed import Client  # noqa: PLC0415 - an extra

        until_s = time.monotonic() + self.patience_s
        while True:
            try:
                client = Client(
                    address,
                    security=security,
                    timeout=min(_CONNECT_S, self.patience_s),
                    set_as_default=False,
                )
            except AWAY:
                if time.monotonic() > until_s:
                    msg = "does not answer"
                    raise self.away(msg) from None
                progress.ask("waiting for the cluster to answer")
                time.sleep(POLL_S)
                continue
            try:
                yield client
            finally:
                with suppress(*AWAY):
                    client.close(timeout=_CONNECT_S)
            return


def cluster_of(environment: Mapping[str, str]) -> Cluster | None:
    """Return the cluster that the settings name; None where there is none."""
    name = environment.get("DEMUR_CLUSTER", "")
    if not name:
        return None
    files = environment.get("DEMUR_CLUSTER_TLS", "").split(",")
    return Cluster(name, tuple(file.strip() for file in files if file.strip()))
