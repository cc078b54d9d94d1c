"""What users write by hand for a batch: pandas in, scikit-learn, pandas out.

    python -m tests.benchmarks.batch_peers

prints its port. The machine has about 300 support vectors on 8 columns, as ours.
"""

import io
import socket

import numpy as np
import pandas as pd
import uvicorn
from fastapi import FastAPI, Request, Response
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from starlette.concurrency import run_in_threadpool

__all__ = ["app"]


def app() -> FastAPI:
    """Return the app; labels that were drawn make every row a support vector."""
    draw = np.random.default_rng(0)
    columns = [f"feature_{j}" for j in range(8)]
    X = pd.DataFrame(draw.normal(size=(310, 8)), columns=columns)
    y = draw.integers(2, size=310)
    model = make_pipeline(StandardScaler(), SVC(gamma=0.125, C=1.0)).fit(X, y)

    def answered(body: bytes) -> bytes:
        table = pd.read_csv(io.BytesIO(body))
        score = model.decision_function(table[columns])
        table["decision"] = np.where(
            score > 0.5, "+1", np.where(score < -0.5, "-1", "reject")
        )
        table["score"] = score
        return table.to_csv(index=False).encode()

    service = FastAPI()

    @service.post("/predict/batch")
    async def batch(request: Request) -> Response:
        return Response(
            await run_in_threadpool(answered, await request.body()),
            media_type="text/csv",
        )

    return service


def main() -> None:
    """Serve it on a free port."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(app(), http="httptools", ws="none", log_config=None)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
