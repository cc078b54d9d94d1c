"""The documentation pages in a real browser that cannot reach the internet."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from tests.app.conftest import Service

pytestmark = pytest.mark.browser

# Every name but the service's own address fails to resolve: the network is off.
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--window-size=1200,1000",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        reason = "Chromium and its driver are not installed"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ARGUMENTS:
        options.add_argument(argument)
    profile: Path = tmp_path_factory.mktemp("profile")
    options.add_argument(f"--user-data-dir={profile}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield opened
    opened.quit()


def shown(browser: WebDriver, text: str) -> bool:
    return text in browser.find_element(By.TAG_NAME, "body").text


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("/docs", ("Demur", "/train", "/predict", "/models/{name}")),
        ("/redoc", ("Demur", "Train", "Predict")),
    ],
)
def test_the_page_renders_without_the_internet(
    server: Service, browser: WebDriver, path: str, texts: tuple[str, ...]
) -> None:
    browser.get_log("browser")
    browser.get(server.url + path)
    for text in texts:
        WebDriverWait(browser, 20).until(
            lambda page, text=text: shown(page, text), f"{path} does not show {text!r}"
        )
    severe = [
        e["message"] for e in browser.get_log("browser") if e["level"] == "SEVERE"
    ]
    assert not severe
    addresses = browser.execute_script(
        "return performance.getEntriesByType('resource').map(entry => entry.name)"
    )
    assert addresses
    assert [a for a in addresses if not a.startswith(server.url)] == []


def test_a_prediction_can_be_tried_on_the_page(
    server: Service, browser: WebDriver
) -> None:
    browser.get(server.url + "/docs")
    opened = WebDriverWait(browser, 20)
    block = opened.until(
        lambda page: page.find_element(
            By.XPATH, "//div[contains(@class,'opblock')][.//a[contains(.,'/livez')]]"
        )
    )
    block.find_element(By.CSS_SELECTOR, ".opblock-summary-control").click()
    for button in (".try-out__btn", ".execute"):
        opened.until(
            lambda _, button=button: block.find_element(By.CSS_SELECTOR, button)
        ).click()
    opened.until(
        lambda _: (
            "200" in block.find_element(By.CSS_SELECTOR, ".live-responses-table").text
        )
    )
