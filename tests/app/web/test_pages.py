"""Documentation pages without internet, the OpenAPI document, request ids, metrics."""

import re

import pytest

SCRIPT = re.compile(r"""(?:src|href|url)["']?\s*[=:]\s*["']([^"']+)["']""")


@pytest.mark.parametrize("page", ["/docs", "/redoc"])
def test_a_page_loads_nothing_from_elsewhere(server, page):
    answer = server.http.get(page)
    assert answer.status_code == 200
    addresses = SCRIPT.findall(answer.text)
    assert len(addresses) >= 2
    for address in addresses:
        assert address.startswith("/"), address
        assert server.http.get(address).status_code == 200, address


@pytest.mark.parametrize("left_on", [True, False], ids=["prefix left on", "stripped"])
def test_behind_a_prefix_pages_and_routes_are_found(
    tmp_path_factory, service_type, left_on
):
    service = service_type(
        tmp_path_factory.mktemp("prefixed"),
        {"DEMUR_API_KEYS": "k"},
        ("--no-worker", "--root-path", "/demur"),
    ).start()
    at = "/demur" if left_on else ""
    try:
        key = {"authorization": "Bearer k"}
        page = service.http.get(f"{at}/docs")
        addresses = SCRIPT.findall(page.text)
        assert addresses
        for address in addresses:
            assert address.startswith("/demur/")
            inner = address if left_on else address.removeprefix("/demur")
            assert service.http.get(inner).status_code == 200, inner
        assert service.http.get(f"{at}/jobs").status_code == 401
        assert service.http.get(f"{at}/jobs", headers=key).status_code == 200
        unknown = {"model": "nobody", "instances": [{"a": 1}]}
        answer = service.http.post(f"{at}/predict", json=unknown, headers=key)
        assert answer.json()["type"] == "/problems/unknown-model"
        document = service.http.get(f"{at}/openapi.json").json()
        assert document["servers"] == [{"url": "/demur"}]
    finally:
        service.stop()


def test_the_document_tells_every_request_and_problem_with_an_example(server):
    document = server.http.get("/openapi.json").json()
    schemas = document["components"]["schemas"]
    assert "HTTPValidationError" not in schemas
    operations = [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    told = {f"{method.upper()} {path}" for path, method, _ in operations}
    assert {
        "POST /train",
        "POST /predict",
        "GET /jobs",
        "GET /jobs/{job_id}",
        "POST /jobs/{job_id}/cancel",
        "GET /models",
        "GET /models/{name}",
        "GET /models/{name}/versions/{version}",
        "GET /livez",
        "GET /readyz",
        "GET /metrics",
    } <= told
    for path, method, operation in operations:
        where = f"{method} {path}"
        assert operation["summary"], where
        for status, response in operation["responses"].items():
            _check_response(where, status, response, schemas)
        sent = operation.get("requestBody", {}).get("content", {})
        if "application/json" in sent:
            assert sent["application/json"].get("examples"), where


def _check_response(where, status, response, schemas):
    where = f"{where} {status}"
    if status == "204":
        assert "content" not in response, where
        return
    content = response["content"]
    if int(status) >= 400:
        assert set(content) == {"application/problem+json"}, where
        examples = content["application/problem+json"]["examples"]
        assert examples
        for example in examples.values():
            assert example["value"]["status"] == int(status), where
        return
    for kind, media in content.items():
        if kind != "application/json":
            continue  # a file, described in words
        reference = media.get("schema", {}).get("$ref", "").rpartition("/")[2]
        shown = media.get("examples") or media.get("example")
        assert shown or schemas.get(reference, {}).get("examples"), where


def test_a_request_id_is_kept_when_it_is_a_token_and_made_when_not(server):
    own = server.http.get("/livez", headers={"x-request-id": "trace-1.a_B"})
    assert own.headers["x-request-id"] == "trace-1.a_B"
    for bad in ("", "a b", "x" * 65, "é".encode(), "a\tb"):
        made = server.http.get("/livez", headers={"x-request-id": bad})
        assert re.fullmatch("[0-9a-f]{16}", made.headers["x-request-id"])
    ids = {server.http.get("/livez").headers["x-request-id"] for _ in range(20)}
    assert len(ids) == 20


def test_metrics_count_by_route_never_by_what_was_asked(server):
    server.http.get("/jobs/not-an-id-4711")
    server.http.get("/nowhere-4711")
    server.http.request("BREW-4711", "/jobs")
    server.http.post("/predict", content=b"{")
    text = server.http.get("/metrics").text
    assert "4711" not in text
    assert re.search(
        r'demur_http_requests_total\{method="GET",route="/jobs/\{job_id\}",status="404"\}',
        text,
    )
    assert 'route="/predict"' in text
    assert 'demur_jobs{status="queued"} 0.0' in text
    assert text.count("demur_http_request_seconds_bucket") > 5


def test_health(server):
    assert server.http.get("/livez").json() == {"status": "alive"}
    assert server.http.get("/readyz").json() == {"status": "ready"}
