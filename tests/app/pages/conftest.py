"""A real browser for the page, which reaches nothing but the service itself."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

playwright = pytest.importorskip("playwright.sync_api")

# Every name but the service's own address fails to resolve: the network is off.
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


@pytest.fixture(scope="module")
def chromium() -> Iterator["playwright.Browser"]:
    """Debian's Chromium, opened once for the tests of a file.

    While it is open its driver's event loop counts as running, and other tests want
    one of their own.
    """
    path = shutil.which("chromium")
    if path is None:
        reason = "Chromium is not installed"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


class Watched:
    """Pages of one browser context, and what they complained of or fetched."""

    def __init__(self, context: "playwright.BrowserContext") -> None:
        self.context = context
        self.complaints: list[str] = []
        self.requests: list[str] = []
        context.on("console", self._heard)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        context.on("request", lambda asked: self.requests.append(asked.url))

    def _heard(self, message: "playwright.ConsoleMessage") -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def page(self) -> "playwright.Page":
        """Open a page."""
        return self.context.new_page()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave what needs a browser, which takes its seconds, to `make test-slow`."""
    for item in items:
        if "browse" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.thorough)


@pytest.fixture
def browse(chromium: "playwright.Browser") -> Iterator[Callable[..., Watched]]:
    """Open contexts (two are two people); options as Playwright has them."""
    opened: list[Watched] = []

    def begin(**options: object) -> Watched:
        context = chromium.new_context(**options)
        context.set_default_timeout(60_000)  # a busy machine is slow
        opened.append(Watched(context))
        return opened[-1]

    yield begin
    for one in opened:
        with suppress(playwright.Error):
            one.context.close()
