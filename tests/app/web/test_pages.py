"""Documentation pages without internet, the OpenAPI document, request ids, metrics."""

import asyncio
import html
import re

import httpx
import pytest
from fastapi import FastAPI

import app.main  # noqa: F401 - all kinds of problems are known then
from app.errors import ApiError
from app.web import docs, problems
from app.web.problem_pages import kinds
from tests.waiting import until

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


def asked(folder, *paths):
    """Return what a service whose guide lies in ``folder`` answers."""
    service = FastAPI(redirect_slashes=False)
    problems.install(service)
    docs.install_guide(service, folder)

    async def answers():
        transport = httpx.ASGITransport(service)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://here", follow_redirects=True
        ) as client:
            return [await client.get(path) for path in paths]

    return asyncio.run(answers())


def test_the_guide_is_served_where_it_was_built(tmp_path):
    (tmp_path / "secret.txt").write_text("outside")
    (tmp_path / "built").mkdir()
    (tmp_path / "built" / "index.html").write_text("<h1>Start</h1>")
    page, above, nowhere = asked(
        tmp_path / "built", "/guide", "/guide/..%2fsecret.txt", "/guide/nowhere.html"
    )
    assert (str(page.url), page.text) == ("http://here/guide/", "<h1>Start</h1>")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert (above.status_code, nowhere.status_code) == (404, 404)


def test_a_guide_that_was_not_built_says_how_to(tmp_path):
    (answer,) = asked(tmp_path / "none", "/guide")
    assert answer.status_code == 404
    assert "make guide" in answer.json()["detail"]


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
        problem = answer.json()["type"]
        assert problem == "/problems/unknown-model"
        page = service.http.get(at + problem)
        assert page.status_code == 200
        assert 'href="/demur/problems"' in page.text
        document = service.http.get(f"{at}/openapi.json").json()
        assert document["servers"] == [{"url": "/demur"}]
    finally:
        service.stop()


def test_the_type_of_every_problem_is_a_page_that_explains_it(server):
    index = server.http.get("/problems").text
    assert len(kinds()) > 30
    for name, kind in kinds().items():
        assert f'href="/problems/{name}"' in index
        page = server.http.get(f"/problems/{name}")
        assert page.status_code == 200, name
        assert page.headers["content-type"].startswith("text/html")
        assert html.escape(kind.title) in page.text
        assert html.escape(kind.example) in page.text
        assert f"status {kind.status}" in page.text
        assert server.http.head(f"/problems/{name}").status_code in {200, 405}
    answer = server.http.get("/problems/none")
    assert answer.status_code == 404
    assert server.http.get(answer.json()["type"]).status_code == 200


def test_no_two_kinds_of_problems_have_one_name():
    every = [ApiError]
    for kind in every:
        every += kind.__subclasses__()
    own = [kind.slug for kind in every if "slug" in vars(kind)]
    assert len(set(own)) == len(own)


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
            own = "protocols" in operation["tags"]
            _check_response(where, status, response, schemas, own_errors=own)
        sent = operation.get("requestBody", {}).get("content", {})
        if "application/json" in sent:
            assert _shown(sent["application/json"], schemas), where


def _shown(media, schemas):
    """The examples of a body: beside its schema, or in it."""
    schema = media.get("schema", {})
    named = [one.get("$ref", "") for one in (schema, *schema.get("anyOf", ()))]
    own = [schemas.get(name.rpartition("/")[2], {}).get("examples") for name in named]
    return media.get("examples") or media.get("example") or any(own)


def _check_response(where, status, response, schemas, *, own_errors):
    where = f"{where} {status}"
    if status == "204":
        assert "content" not in response, where
        return
    content = response["content"]
    if int(status) >= 400:
        kinds = {"application/problem+json"}
        if own_errors:  # a protocol's own, and the problems of what stands before it
            kinds.add("application/json")
        assert set() < set(content) <= kinds, where
        for kind, media in content.items():
            assert _shown(media, schemas), where
            if kind == "application/problem+json":
                told = [one["value"]["status"] for one in media["examples"].values()]
                assert set(told) == {int(status)}, where
        return
    for kind, media in content.items():
        if kind != "application/json":
            continue  # a file, described in words
        assert _shown(media, schemas), where


def test_a_request_id_is_kept_when_it_is_a_token_and_made_when_not(server):
    own = server.http.get("/livez", headers={"x-request-id": "trace-1.a_B"})
    assert own.headers["x-request-id"] == "trace-1.a_B"
    for bad in ("", "a b", "x" * 65, "é".encode(), "a\tb"):
        made = server.http.get("/livez", headers={"x-request-id": bad})
        assert re.fullmatch("[0-9a-f]{16}", made.headers["x-request-id"])
    ids = {server.http.get("/livez").headers["x-request-id"] for _ in range(20)}
    assert len(ids) == 20


def test_metrics_count_by_route_never_by_what_was_asked(server):
    server.http.get("/jobs/not-an-id-qqq")
    server.http.get("/nowhere-qqq")
    server.http.request("BREW-qqq", "/jobs")
    server.http.post("/predict", content=b"{")
    text = server.http.get("/metrics").text
    assert "qqq" not in text
    assert re.search(
        r'demur_http_requests_total\{method="GET",route="/jobs/\{job_id\}",status="404"\}',
        text,
    )
    assert 'route="/predict"' in text
    assert 'demur_jobs{status="queued"} 0.0' in text
    assert text.count("demur_http_request_seconds_bucket") > 5


def test_health(server):
    assert server.http.get("/livez").json() == {"status": "alive"}

    def told():
        answer = server.http.get("/readyz").json()
        assert all("no worker lives" in note for note in answer.get("notes", ()))
        return answer

    # The API is ready before its worker is.
    until(lambda: told() == {"status": "ready"}, told)
