"""Run the experiments; print their tables, write them as Markdown and JSON.

Exit code 1 when a full run has a figure outside the range where a right one lies, and
when it was to be published and is not.
"""

import argparse
import importlib
import json
from pathlib import Path

from rich.console import Console

from experiments.benchmarks import speed_text
from experiments.page import write_page
from experiments.report import Section, section_from
from experiments.running import results_of, run_missing

NAMES = (
    "double_hinge",
    "probabilistic_labels",
    "mutual_information",
    "support_vector_reduction",
    "boosting",
    "comparison",
    "doubt",
    "exports",
)
OPTIONAL = ("peers",)
"""Run where asked for by name only: they need more than the project's environment."""
HERE = Path(__file__).parent
BENCHMARKS = HERE.parent / "benchmark-results" / "benchmarks.json"


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, then report all that is complete."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.data is None and not options.report:
        parser.error("--data FOLDER says where the sets are (or --report: run nothing)")
    if options.publish and options.quick:
        parser.error("--quick is a short form: it is not published")
    chosen = options.only or NAMES
    form = "quick" if options.quick else "full"
    folder = options.output / form
    if not options.report:
        data = options.data.resolve()
        run_missing(chosen, data, folder, quick=options.quick, jobs=options.jobs)
    kept = published(options.docs) if options.publish else {}
    missing = [
        name
        for name in NAMES
        if name not in kept and results_of(name, folder, quick=options.quick) is None
    ]
    publish = options.publish and not missing
    docs = options.docs if publish else folder
    run = report(folder, docs / "figures", quick=options.quick)
    both = {**kept, **run}
    sections = {name: both[name] for name in (*NAMES, *OPTIONAL) if name in both}
    speed = speed_text(BENCHMARKS, docs / "results.md")
    page = write_page(sections, docs, speed)
    console = Console()
    for name in (name for name in chosen if name in run):
        text = sections[name].markdown()
        console.print(text, markup=False, highlight=False, soft_wrap=True)
        console.print()
    outside = [line for section in sections.values() for line in section.outside()]
    summary = f"figures outside their range: {len(outside)}; all in {page}"
    console.print(summary, soft_wrap=True)
    if options.publish and missing:
        told = f"not published: not complete are {', '.join(missing)}; run them first"
        console.print(told, soft_wrap=True)
        return 1
    return int(bool(outside) and not options.quick)


def report(folder: Path, figures: Path, *, quick: bool) -> dict[str, Section]:
    """Return the sections of all experiments whose results are complete."""
    figures.mkdir(parents=True, exist_ok=True)
    sections = {}
    for name in (*NAMES, *OPTIONAL):
        results = results_of(name, folder, quick=quick)
        if results is not None:
            module = importlib.import_module(f"experiments.{name}")
            sections[name] = module.section(results, figures)
            facts = json.dumps(sections[name].payload(), indent=1)
            (folder / f"{name}.json").write_text(facts + "\n", encoding="utf-8")
    return sections


def published(docs: Path) -> dict[str, Section]:
    """Return the sections that were published: those that do not run now stay so."""
    path = docs / "results.json"
    if not path.exists():
        return {}
    facts = json.loads(path.read_text(encoding="utf-8"))
    return {name: section_from(one) for name, one in facts.items()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m experiments")
    parser.add_argument("--data", type=Path, help="the folder with NAME.csv.gz")
    parser.add_argument(
        "--report", action="store_true", help="tables of what has run; run nothing"
    )
    parser.add_argument(
        "--quick", action="store_true", help="few repetitions, about a minute each"
    )
    parser.add_argument(
        "--only", nargs="*", choices=(*NAMES, *OPTIONAL), help="these experiments"
    )
    parser.add_argument("--jobs", type=int, default=-1, help="processes; -1: all cores")
    parser.add_argument("--output", type=Path, default=HERE / "output")
    parser.add_argument(
        "--publish",
        action="store_true",
        help="write results.md and figures to --docs; what has not run stays as it is",
    )
    parser.add_argument("--docs", type=Path, default=HERE.parent / "docs")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
