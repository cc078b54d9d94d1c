"""Each screen at 200 %: a window of 1280 by 800 has 640 by 400 points left then."""

import pytest

from tests.app.pages.scene import set_up
from tests.app.pages.screenshots import fill_queue, screens

pytestmark = [
    pytest.mark.browser,
    pytest.mark.own_server,
    pytest.mark.thorough,
]

axe = pytest.importorskip("axe_playwright_python.sync_playwright")

ZOOMED = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"
CUT_OFF = """() => [...document.querySelectorAll(
  "main a, main button, main input, main select, main textarea, main summary"
)].filter((one) => {
  const place = one.getBoundingClientRect();
  const scrolls = one.closest(".wide");
  return place.width && !scrolls && (place.left < 0 || place.right > innerWidth + 1);
}).map((one) => one.outerHTML.slice(0, 200))"""


@pytest.fixture(scope="module")
def paths(server):
    scene = set_up(server)
    fill_queue(scene)
    return {name: server.url + path for name, path in screens(scene).items()}


def test_every_screen_can_be_read_and_used_at_twice_the_size(paths, browse):
    page = browse(**ZOOMED).page()
    for name, url in paths.items():
        page.goto(url)
        assert not page.evaluate(TOO_WIDE), name
        assert page.evaluate(CUT_OFF) == [], name
        found = axe.Axe().run(page)
        assert found.violations_count == 0, (name, found.generate_report())
