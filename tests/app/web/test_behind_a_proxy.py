"""Behind a proxy that ends TLS and takes a prefix off, every address leads back."""

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest

PUBLIC = "demur.example"
ADDRESS = re.compile(r"""(?:src|href|url)["']?\s*[=:]\s*["']([^"']+)["']""")
ROWS = [[float(i), "yes" if i % 3 else "no"] for i in range(30)]


def proxy_to(url: str, prefix: str) -> type[BaseHTTPRequestHandler]:
    """Return a handler that forwards what comes under a prefix, without it."""

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            assert self.path.startswith(prefix), self.path
            size = int(self.headers.get("content-length", 0))
            skipped = {"host", "connection", "content-length"}
            named = ((name.lower(), value) for name, value in self.headers.items())
            headers = {name: value for name, value in named if name not in skipped}
            headers |= {
                "host": PUBLIC,
                "x-forwarded-proto": "https",
                "x-forwarded-for": "203.0.113.9",
                "x-forwarded-host": PUBLIC,
            }
            answer = httpx.request(
                self.command,
                url + self.path.removeprefix(prefix),
                headers=headers,
                content=self.rfile.read(size),
            )
            self.send_response(answer.status_code)
            for name, value in answer.headers.items():
                if name not in {"content-length", "content-encoding"}:
                    self.send_header(name, value)
            self.send_header("content-length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        do_GET = do_POST = do_DELETE = forward  # noqa: N815 - the library's names

        def log_message(self, *told: object) -> None:
            del told

    return Proxy


@pytest.fixture(scope="module")
def proxied(tmp_path_factory, service_type):
    service = service_type(
        tmp_path_factory.mktemp("proxied"),
        {"DEMUR_ALLOWED_HOSTS": PUBLIC},
        ("--no-worker", "--root-path", "/demur"),
    ).start()
    yield service
    service.stop()


@pytest.fixture(scope="module")
def public(proxied) -> Iterator[httpx.Client]:
    """A client of the proxy; the browser's page has its address as origin."""
    proxy = ThreadingHTTPServer(("127.0.0.1", 0), proxy_to(proxied.url, "/demur"))
    thread = Thread(target=proxy.serve_forever)
    thread.start()
    with httpx.Client(
        base_url=f"http://127.0.0.1:{proxy.server_port}",
        headers={"origin": f"https://{PUBLIC}"},
    ) as client:
        yield client
    proxy.shutdown()
    thread.join()
    proxy.server_close()


def test_the_log_is_json_lines_alone(public, proxied):
    public.get("/demur/livez")
    for line in proxied.log().splitlines():
        assert line.startswith("{"), line


def test_every_location_leads_back(public):
    uploaded = public.post(
        "/demur/datasets",
        content="x,outcome\n1,yes\n2,no\n",
        headers={"content-type": "text/csv"},
    )
    assert uploaded.status_code == 201, uploaded.text
    queued = public.post(
        "/demur/train",
        json={
            "model": "m",
            "trainer": {"kind": "svm"},
            "rule": {"kind": "chow"},
            "costs": {
                "false_positive": 1,
                "false_negative": 1,
                "reject_positive": 0.2,
                "reject_negative": 0.2,
            },
            "data": {"kind": "inline", "columns": ["x", "outcome"], "rows": ROWS},
            "target": {"column": "outcome", "positive": "yes"},
        },
    )
    assert queued.status_code == 202, queued.text
    for answer in (uploaded, queued):
        location = answer.headers["location"]
        assert location.startswith("/demur/"), location
        assert public.get(location).json()["id"] == answer.json()["id"]


def test_pages_and_their_document_are_found(public):
    for page in ("/demur/docs", "/demur/redoc"):
        addresses = ADDRESS.findall(public.get(page).text)
        assert len(addresses) >= 2
        for address in addresses:
            assert public.get(address).status_code == 200, address
    document = public.get("/demur/openapi.json").json()
    assert [server["url"] for server in document["servers"]] == ["/demur"]


def test_a_page_of_another_site_is_still_refused(public):
    answer = public.get("/demur/jobs", headers={"origin": "https://elsewhere.example"})
    assert answer.status_code == 403
