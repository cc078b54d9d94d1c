"""The protocols that are spoken, and the way from a path to one of them."""

import re

from starlette.types import Receive, Scope, Send

from app.errors import ApiError
from app.predict.endpoint import PredictEndpoint
from app.protocols import mlflow, open_inference
from app.protocols.skin import Address, Call, Reply, Skin
from app.state import AppState
from app.web.bodies import receive_body
from app.web.content import without_mark
from app.web.failures import logged_problem
from app.web.methods import answer_options
from app.web.problems import not_allowed

__all__ = ["SKINS", "Protocols"]

SKINS: tuple[Skin, ...] = (open_inference.SKIN, mlflow.SKIN)
"""Another protocol is one file, and its name here."""


class Protocols:
    """Answer the addresses of the skins.

    Parameters
    ----------
    state : AppState
    predict : PredictEndpoint
    """

    def __init__(self, state: AppState, predict: PredictEndpoint) -> None:
        self._state, self._predict = state, predict

    def find(self, path: str) -> tuple[Skin, Address, re.Match[str]] | None:
        """Return what answers a path; None where no protocol has it."""
        for skin in SKINS:
            for address in skin.addresses:
                if match := address.pattern.fullmatch(path):
                    return skin, address, match
        return None

    async def answer(
        self,
        matched_address: tuple[Skin, Address, re.Match[str]],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        """Answer one HTTP request."""
        skin, address, matched = matched_address
        scope["route"] = address.route
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        act = address.acts.get(method)
        if act is None:
            if method == "OPTIONS":
                await answer_options(address.acts, scope, receive, send)
            else:
                await not_allowed(address.acts, scope)(scope, receive, send)
            return
        body = await receive_body(receive)
        if body is None:
            return
        call = Call(
            self._state,
            self._predict,
            scope["request_id"],
            dict(scope["headers"]),
            without_mark(body),
            matched.groupdict(),
        )
        try:
            reply = await act(call)
        except Exception as error:  # noqa: BLE001 - told there
            reply = _refused(logged_problem(error, "a prediction failed"), skin)
        await _send(reply, send, empty=scope["method"] == "HEAD")


def _refused(error: ApiError, skin: Skin) -> Reply:
    headers = tuple((k.encode(), v.encode()) for k, v in error.headers.items())
    return Reply(skin.error(error), status=error.status, headers=headers)


async def _send(reply: Reply, send: Send, *, empty: bool) -> None:
    headers = [
        (b"content-type", reply.content_type),
        (b"content-length", str(len(reply.body)).encode()),
        *reply.headers,
    ]
    start = {"type": "http.response.start", "status": reply.status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": b"" if empty else reply.body})
