"""A service with a model that rejects, asked by the bytes of other protocols."""

import pytest

from tests.app.predict.conftest import serve, served, training_rows

__all__ = ["serve"]

ROWS = training_rows(40, seed=5)


@pytest.fixture(scope="module")
def service(serve):
    running, registry = serve(default_model="pima", prediction_log="best-effort")
    registry.add("pima", served())
    registry.add("flat", served(numeric_only=True))
    registry.add("free", served(costs=None, labels=(1, 0)))
    return running


@pytest.fixture(scope="module")
def client(service):
    return service.http
