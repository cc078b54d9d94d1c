"""The page that holds everything: results.md, with its figures as JSON beside it."""

import json
from collections.abc import Mapping
from pathlib import Path

from experiments.report import Section

__all__ = ["write_page"]

OPENING = """# Results

Every table here is written by `make experiments DATA=folder PUBLISH=1` (`QUICK=1` for a
short form, which is not published); nothing is edited by hand. Everything runs through
the public Python API, seeded; no parameter is chosen on a test part. *ours* is a mean
over repetitions ± its standard error; *range* is where a correct implementation lands,
about three standard errors wide, from an independent run; a figure outside it would be
a fault of ours. The printed formulas that are wrong are in [errata](errata.md), what
follows for a user in [choosing](choosing.md). The repetitions of one table share rows,
so their standard errors are somewhat too small."""


def write_page(
    sections: Mapping[str, Section], docs: Path, benchmarks: str = ""
) -> Path:
    """Write results.md and results.json; return the path of the page.

    ``benchmarks`` is more text for the end of the page.
    """
    docs.mkdir(parents=True, exist_ok=True)
    told = [OPENING, *(one.markdown() for one in sections.values()), benchmarks]
    text = "\n\n".join(part for part in told if part)
    page = docs / "results.md"
    page.write_text(text + "\n", encoding="utf-8")
    facts = {name: section.payload() for name, section in sections.items()}
    (docs / "results.json").write_text(
        json.dumps(facts, indent=1, default=float) + "\n", encoding="utf-8"
    )
    return page
