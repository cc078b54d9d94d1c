"""Which methods an address takes: HEAD wherever GET is, OPTIONS everywhere.

OPTIONS is answered with ``Allow``, another method than those with 405 and ``Allow``
(RFC 9110, 9.3.2, 9.3.7, 15.5.6). An address of its own (``/cases/changes``) is none of
those with a part to fill in (``/cases/{case_id}``), though they would match it.
"""

from collections.abc import Collection, Iterable

from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import ApiError
from app.web.paths import UI, route_path
from app.web.problems import allow, flat, methods_of, not_allowed, send_problem
from app.web.queries import check_query, lists_of

__all__ = ["Methods", "answer_options"]


async def answer_options(
    methods: Iterable[str], scope: Scope, receive: Receive, send: Send
) -> None:
    """Say what an address takes."""
    response = Response(status_code=204, headers={"allow": allow(methods)})
    await response(scope, receive, send)


class Methods:
    """Give ``inner`` only what its routes know; answer the rest.

    Parameters
    ----------
    inner : ASGI application
        That asks the routes, which know GET where HEAD is sent.
    routes : collection of BaseRoute
    root_path : str
    """

    def __init__(
        self, inner: ASGIApp, routes: Collection[BaseRoute], root_path: str
    ) -> None:
        self.inner, self.routes, self.root_path = inner, routes, root_path
        self._own: dict[str, set[str]] = {}
        self._lists = lists_of(flat(routes))
        for route in flat(routes):
            path, methods = getattr(route, "path", ""), getattr(route, "methods", None)
            if methods and "{" not in path:
                self._own.setdefault(path, set()).update(methods)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        method, path = scope["method"], route_path(scope, self.root_path)
        own = self._own.get(path)
        if own is not None:
            scope["route"] = path
        if method == "OPTIONS" and (taken := own or methods_of(self.routes, scope)):
            await answer_options(taken, scope, receive, send)
        elif wrong := self._wrong_query(scope, path):
            await send_problem(wrong, scope, send)
        elif own and ("GET" if method == "HEAD" else method) not in own:
            await not_allowed(own, scope)(scope, receive, send)
        elif method == "HEAD":
            asked = {**scope, "method": "GET"}
            try:
                await self.inner(asked, receive, _Head(send).send)
            finally:
                scope["route"] = asked.get("route")
        else:
            await self.inner(scope, receive, send)

    def _wrong_query(self, scope: Scope, path: str) -> ApiError | None:
        """Return what is wrong with the query; pages look at theirs themselves."""
        query = scope["query_string"]
        if not query or path.startswith(f"{UI}/"):
            return None
        try:
            check_query(query, self._lists)
        except ApiError as error:
            return error
        return None


class _Head:
    """An answer that ends behind its head, however it would go on."""

    def __init__(self, send: Send) -> None:
        self._send, self._ended = send, False

    async def send(self, message: Message) -> None:
        if self._ended:
            return
        await self._send(message)
        if message["type"] == "http.response.start":
            self._ended = True
            await self._send({"type": "http.response.body", "body": b""})
