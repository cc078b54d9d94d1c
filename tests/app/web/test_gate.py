"""Who may come in: keys, and without keys only this machine's own pages."""

import httpx
import pytest

from app.web.gate import PUBLIC_PATHS

KEYS = ("first-key", "second-key")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, service_type):
    service = service_type(
        tmp_path_factory.mktemp("guarded"),
        {"DEMUR_API_KEYS": ",".join(KEYS)},
        ("--no-worker", "--host", "0.0.0.0"),  # noqa: S104 - allowed with keys
    ).start()
    service.http.close()
    service.http.close()
    service.http = httpx.Client(base_url=service.url.replace("0.0.0.0", "127.0.0.1"))  # noqa: S104
    yield service
    service.stop()


def bearer(key):
    return {"authorization": f"Bearer {key}"}


@pytest.mark.parametrize("key", KEYS)
def test_each_key_opens(guarded, key):
    assert guarded.http.get("/jobs", headers=bearer(key)).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        bearer("wrong"),
        bearer("first-key,second-key"),
        bearer("first-keyy"),
        bearer("First-key"),
        {"authorization": "first-key"},
        {"authorization": "Basic first-key"},
        {"x-api-key": "first-key"},
        {"authorization": "Bearer"},
    ],
    ids=str,
)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/jobs"),
        ("GET", "/models"),
        ("GET", "/metrics"),
        ("GET", "/nowhere"),
        ("POST", "/train"),
        ("POST", "/predict"),
        ("DELETE", "/livez/"),
        ("GET", "/docs/../jobs"),
        ("GET", "//livez"),
    ],
)
def test_without_a_known_key_everything_else_is_401(guarded, headers, method, path):
    answer = guarded.http.request(method, path, headers=headers)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert answer.json()["type"] == "/problems/unauthorized"
    assert "key" not in answer.json().get("errors", [])


def test_two_authorizations_are_none(guarded):
    headers = [("authorization", "Bearer first-key"), ("authorization", "Bearer x")]
    assert guarded.http.get("/jobs", headers=headers).status_code == 401


def test_these_need_no_key(guarded):
    for path in PUBLIC_PATHS - {"/guide"}:
        assert guarded.http.get(path).status_code == 200, path
    assert guarded.http.get("/guide").status_code in {307, 404}  # built, or not


def test_keys_are_in_no_log(guarded):
    guarded.http.get("/jobs", headers=bearer("wrong-but-telling"))
    guarded.http.get("/nowhere?key=in-the-query", headers=bearer("first-key"))
    log = guarded.log()
    assert "unmatched" in log
    for word in (*KEYS, "wrong-but-telling", "in-the-query"):
        assert word not in log


LINK = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:9"}, 200),
        ({"host": "127.0.0.1"}, 200),
        ({"host": "[::1]:80"}, 200),
        ({"host": "evil.example"}, 403),
        ({"host": "evil.example:8000"}, 403),
        ({"host": "localhost.evil.example"}, 403),
        ({"host": "127.0.0.1.evil.example"}, 403),
        ({"host": ""}, 403),
        ({"host": "localhost:9", "origin": "http://localhost:9"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "localhost:9", "origin": "http://localhost:10"}, 403),
        ({"host": "localhost:9", "origin": "http://localhost:9.evil.example"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "Same-Site"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "cross-site", **LINK}, 200),
        ({"sec-fetch-site": "cross-site", **LINK, "sec-fetch-dest": "iframe"}, 403),
    ],
    ids=str,
)
@pytest.mark.parametrize("path", ["/jobs", "/livez", "/docs"])
def test_without_keys_no_foreign_page_gets_in(server, headers, status, path):
    answer = server.http.get(path, headers=headers)
    assert answer.status_code == status, answer.text
    if status == 403:
        assert answer.json()["type"] == "/problems/forbidden"
        assert "evil" not in answer.text


@pytest.mark.parametrize(
    "headers",
    [{"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site", **LINK}],
)
@pytest.mark.parametrize("path", ["/predict", "/train"])
def test_a_foreign_page_cannot_have_anything_done(server, headers, path):
    assert server.http.post(path, json={}, headers=headers).status_code == 403
