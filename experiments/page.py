"""The page that holds everything: results.md, with its figures as JSON beside it."""

import json
from collections.abc import Mapping
from pathlib import Path

from experiments.report import Section

__all__ = ["write_page"]

OPENING = """# Results

Every table here is written by `make experiments DATA=folder PUBLISH=1` (`QUICK=1` for a
short form, which is not published), or one section of them by `python -m experiments
--only NAME --publish`; nothing is edited by hand. Everything runs through the public
Python API (`auto` and exports through the service's own training), seeded;
no parameter is chosen on a test part. Each section says how many repetitions its
figures are of. *ours* is a mean over repetitions ± its standard error; *range* is where
a correct implementation lands, about three standard errors wide, from an independent
run; a figure outside it would be a fault of ours. The printed formulas that are wrong
are in [errata](errata.md), what follows for a user in [choosing](choosing.md). Where
repetitions split the same rows, standard errors are corrected for what the splits share
(Nadeau and Bengio 2003: the variance times 1 / n + test rows per training row)."""

DIFFERENT = "What does not come out as the papers print it:"


def write_page(
    sections: Mapping[str, Section], docs: Path, benchmarks: str = ""
) -> Path:
    """Write results.md and results.json; return the path of the page.

    ``benchmarks`` is more text for the end of the page.
    """
    docs.mkdir(parents=True, exist_ok=True)
    differ = [
        f"- {section.title}: {remark}"
        for section in sections.values()
        for remark in section.remarks
    ]
    summary = "\n".join([_verdict(sections), "", DIFFERENT, "", *differ])
    parts = [
        OPENING,
        summary,
        *(one.markdown() for one in sections.values()),
        benchmarks,
    ]
    text = "\n\n".join(part for part in parts if part)
    page = docs / "results.md"
    page.write_text(text + "\n", encoding="utf-8")
    facts = {name: section.payload() for name, section in sections.items()}
    (docs / "results.json").write_text(
        json.dumps(facts, indent=1, default=float) + "\n", encoding="utf-8"
    )
    return page


def _verdict(sections: Mapping[str, Section]) -> str:
    """Say how many figures lie where a right implementation lands."""
    inside = [
        line.inside
        for section in sections.values()
        for table in section.tables
        for line in table.lines
        if line.inside is not None
    ]
    return (
        f"{sum(inside)} of {len(inside)} figures with a range lie inside it, each"
        " judged on the repetitions that were planned."
    )
