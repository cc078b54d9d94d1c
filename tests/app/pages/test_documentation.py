"""The documentation pages in a real browser that cannot reach the internet."""

import pytest

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("path", "texts"),
    [
        ("/docs", ("Demur", "/train", "/predict", "/models/{name}")),
        ("/redoc", ("Demur", "Train", "Predict")),
    ],
)
def test_the_page_renders_without_the_internet(server, browse, path, texts):
    watched = browse()
    page = watched.page()
    errors = []

    def note(error):
        errors.append(str(error))

    page.on("pageerror", note)
    page.goto(server.url + path)
    for text in texts:
        page.get_by_text(text).first.wait_for(state="attached")
    assert errors == []
    assert not [told for told in watched.complaints if "Failed to load" in told]
    addresses = [url for url in watched.requests if not url.startswith("data:")]
    assert len(addresses) > 2
    own = (server.url, f"blob:{server.url}")
    assert [address for address in addresses if not address.startswith(own)] == []


def test_a_prediction_can_be_tried_on_the_page(server, browse):
    page = browse().page()
    page.goto(f"{server.url}/docs")
    block = page.locator(".opblock", has_text="/livez")
    block.locator(".opblock-summary-control").click()
    block.locator(".try-out__btn").click()
    block.locator(".execute").click()
    answer = block.locator(".live-responses-table")
    answer.get_by_text("200").first.wait_for()
