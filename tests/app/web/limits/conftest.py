import re

import pytest

from tests.app.web.limits.everywhere import PROTOCOLS, send
from tests.waiting import until


@pytest.fixture(scope="package")
def service(tmp_path_factory, service_type):
    service = service_type(
        tmp_path_factory.mktemp("everywhere"),
        {
            "DEMUR_MAX_JSON_DEPTH": "10",
            "DEMUR_REQUEST_SECONDS": "8",
            "DEMUR_UPLOAD_SECONDS": "8",
            "DEMUR_MAX_UPLOAD_BYTES": "4000000",
        },
        ("--no-worker",),
    ).start()
    # The process that reads files starts with the first one, however long that takes.
    until(
        lambda: (
            send(
                service, "POST", "/datasets", b"a\n1\n", content_type="text/csv"
            ).is_success
        )
    )
    yield service
    service.stop()


@pytest.fixture(scope="package")
def operations(service):
    """Return (method, path filled in, operation) of each."""
    document = service.http.get("/openapi.json").json()
    return [
        (method.upper(), re.sub(r"\{[^}]*\}", "1", path), operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    ]


@pytest.fixture(scope="package")
def reading(operations):
    """Return (method, path) of each operation that reads JSON."""
    found = [
        (method, path)
        for method, path, operation in operations
        if "application/json" in operation.get("requestBody", {}).get("content", {})
    ]
    assert len(found) >= 15
    assert any(path.startswith(PROTOCOLS) for _, path in found)
    return found
