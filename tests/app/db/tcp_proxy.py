"""A line between the service and PostgreSQL that can be held up: nothing is cut."""

import socket
from contextlib import suppress
from threading import Event, Thread

import sqlalchemy


class Proxy:
    """Forward every connection to a server, until it is held."""

    def __init__(self, url: str) -> None:
        self._url = sqlalchemy.make_url(url)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._made: list[socket.socket] = []
        self._open: set[socket.socket] = set()
        self._flows = Event()
        self._flows.set()
        Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The URL of the server by way of this line."""
        host, port = self._listener.getsockname()
        through = self._url.set(host=host, port=port)
        return through.render_as_string(hide_password=False)

    def hold(self) -> None:
        """Take what is sent, open what is asked for, and pass nothing on."""
        self._flows.clear()

    def release(self) -> None:
        """Pass on what was held, and everything after it."""
        self._flows.set()

    def strand(self) -> None:
        """Pass nothing more on connections that are open now; new ones work."""
        self._open.clear()

    def close(self) -> None:
        """End the line."""
        self._listener.close()
        self._flows.set()
        for end in self._made:
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._made.append(client)
                Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        self._flows.wait()
        server = socket.create_connection((self._url.host, self._url.port or 5432))
        self._made.append(server)
        self._open.add(client)
        for one, other in ((client, server), (server, client)):
            Thread(target=self._pass, args=(client, one, other), daemon=True).start()

    def _pass(self, client, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while part := source.recv(65536):
                self._flows.wait()
                if client not in self._open:
                    return
                target.sendall(part)
        if client in self._open:
            for end in (source, target):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
