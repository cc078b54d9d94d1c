"""Pictures of the screens for the documentation, from a service with a scene in it.

python -m tests.app.pages.screenshots docs/pictures
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.app.conftest import Service
from tests.app.pages.conftest import ARGUMENTS
from tests.app.pages.scene import Scene, set_up
from tests.app.pima_like import FEATURES, patients

SIZE = {"width": 1100, "height": 800}


ROOT = Path(__file__).parents[3]


def screens(scene: Scene) -> dict[str, str]:
    """Return the path of each screen by the name of its picture."""
    table = (ROOT / "examples" / "heart.csv").read_bytes()
    sent = scene.service.http.post("/datasets", files={"file": ("heart.csv", table)})
    report = f"/ui/models/{scene.model}/1"
    return {
        "models": "/ui",
        "report": f"{report}?false_negative=8&cases_a_day=200",
        "new-model": f"/ui/train/{sent.json()['id']}?target=disease",
        "review": "/ui/review",
        "monitor": f"/ui/models/{scene.model}/monitor?minute_price=0.04",
    }


def fill_queue(scene: Scene) -> None:
    """Let some cases wait for people."""
    http = scene.service.http
    http.put(f"/models/{scene.model}/review", json={}).raise_for_status()
    rows = [dict(zip(FEATURES, row, strict=False)) for row in patients(40, seed=3)]
    asked = {
        "model": scene.model,
        "instances": rows,
        "references": [f"patient {i}" for i in range(len(rows))],
    }
    http.post("/predict", json=asked).raise_for_status()


def main(folder: Path) -> None:
    """Take every picture."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data:
        service = Service(Path(data)).start()
        try:
            scene = set_up(service)
            fill_queue(scene)
            with sync_playwright() as driver:
                browser = driver.chromium.launch(
                    executable_path=shutil.which("chromium"), args=list(ARGUMENTS)
                )
                page = browser.new_page(viewport=SIZE)
                for name, path in screens(scene).items():
                    page.goto(service.url + path)
                    page.screenshot(path=folder / f"{name}.png")
                    print(folder / f"{name}.png")
                browser.close()
        finally:
            service.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
