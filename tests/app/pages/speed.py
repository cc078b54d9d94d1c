"""How long people wait for the page, in a real browser on this machine.

python -m tests.app.pages.speed

Prints, in milliseconds: from a key to the next case (95th percentile of 60 verdicts),
from a moved price to the figures on the screen (median of 40, 24,000 held-out rows;
40 ms of it is the pause that is waited for), and the list of 1,000 models.
"""

import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from app.db.session import open_database
from app.db.tables import Model, ModelVersion
from tests.app.conftest import Service
from tests.app.pages.conftest import ARGUMENTS
from tests.app.pima_like import FEATURES, inline, patients, train

CASES, MOVES, ROWS, MODELS = 60, 40, 24_000, 1_000


def key_to_next_case(page: Page, service: Service) -> float:
    """Return the 95th percentile over one queue."""
    http = service.http
    plain = {"audit": None, "second_opinion": None}
    http.put("/models/speed/review", json=plain).raise_for_status()
    rows = [
        {"reference": f"case {i}", "features": dict(zip(FEATURES, row, strict=False))}
        for i, row in enumerate(patients(CASES))
    ]
    http.post("/cases", json={"model": "speed", "cases": rows}).raise_for_status()
    page.goto(f"{service.url}/ui/review")
    taken = []
    for _ in range(CASES - 1):
        began = time.perf_counter()
        with page.expect_navigation(wait_until="load"):
            page.keyboard.press("1")
        taken.append(1000 * (time.perf_counter() - began))
    return statistics.quantiles(taken, n=20)[-1]


_MOVE = """async (price) => {
  const told = document.getElementById("told");
  const field = document.getElementById("false_negative");
  const began = performance.now();
  await new Promise((done) => {
    const watch = new MutationObserver(() => { watch.disconnect(); done(); });
    watch.observe(told, { childList: true, subtree: true });
    field.value = price;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await new Promise(requestAnimationFrame);
  return performance.now() - began;
}"""


def price_to_figures(page: Page, service: Service) -> float:
    """Return the median over prices that all show other figures."""
    page.goto(f"{service.url}/ui/models/speed/1")
    taken: list[Any] = [page.evaluate(_MOVE, f"{3 + i / 8:g}") for i in range(MOVES)]
    return statistics.median(taken)


def list_of_models(service: Service) -> float:
    """Return the median of the first pages of a thousand models."""
    database = open_database(f"sqlite:///{service.data_dir / 'demur.sqlite3'}")
    with database.write() as session:
        made = session.query(ModelVersion).one()
        names = ("summary", "artifact_sha256", "artifact_bytes")
        same = {name: getattr(made, name) for name in names}
        for i in range(MODELS):
            session.add(model := Model(name=f"m{i:04}", last_version=1))
            session.flush()
            session.add(ModelVersion(model_id=model.id, version=1, **same))
    database.close()
    taken = []
    for _ in range(10):
        began = time.perf_counter()
        service.http.get("/ui").raise_for_status()
        taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken)


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as data:
        service = Service(Path(data)).start()
        try:
            train(
                service,
                "speed",
                trainer={"kind": "gradient-boosting", "n_rounds": 20},
                data=inline(patients(2 * ROWS)),
                evaluation={"holdout": 0.5},
            )
            with sync_playwright() as driver:
                browser = driver.chromium.launch(
                    executable_path=shutil.which("chromium"), args=list(ARGUMENTS)
                )
                page = browser.new_page()
                print(f"key to next case, p95: {key_to_next_case(page, service):.0f}")
                figures = price_to_figures(page, service)
                print(f"price to figures, median: {figures:.0f}")
                browser.close()
            print(f"list of {MODELS} models: {list_of_models(service):.0f}")
        finally:
            service.stop()


if __name__ == "__main__":
    main()
