"""Servers to compare with, each in a process of its own.

    python -m tests.benchmarks.serving_peers echo    pydantic reads the body, a count
    python -m tests.benchmarks.serving_peers inline  ours, every body answered whole

Either prints its port.
"""

import socket
import sys

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

__all__ = ["echo", "inline"]


def echo() -> object:
    """Return an app with the usual FastAPI route: pydantic in, a dictionary out."""
    row = {f"feature_{j}": (float, ...) for j in range(8)}
    from pydantic import create_model

    instance = create_model("Instance", **row)

    class Body(BaseModel):
        model: str
        instances: list[instance]  # type: ignore[valid-type]

    app = FastAPI()

    @app.post("/predict")
    async def predict(body: Body) -> dict[str, int]:
        return {"n": len(body.instances)}

    return app


def inline() -> object:
    """Return our app without its care for other requests."""
    from threadpoolctl import threadpool_limits

    from app.environment import load_settings
    from app.main import create_app
    from app.predict import endpoint

    threadpool_limits(1)
    endpoint.SMALL_BYTES = endpoint.LARGE_BYTES = endpoint.PART_ROWS = 1 << 40
    return create_app(load_settings())


def main() -> None:
    """Serve the app that was asked for on a free port."""
    app = {"echo": echo, "inline": inline}[sys.argv[1]]()
    # Named as TCP, or asyncio leaves Nagle's delay on: 40 ms a request on loopback.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(2048)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(
        app, http="httptools", ws="none", access_log=False, log_config=None
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
