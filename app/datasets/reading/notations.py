"""How the numbers of each column are written, and what is to be said of it.

    own cells      1,5 has a decimal comma, 44,521.52 a decimal point
    training       where 1,234 may be either, a model reads it as it learnt to
    other columns  a file has one decimal mark, where its columns do not differ
    the caller     by ``decimal``

Where none of them tells, a column of 1,234 is text, or refused where it has to be
numbers: no reading is guessed that may be a thousand times off.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from app.datasets.reading.amounts import PERCENT
from app.datasets.reading.facts import DECIMALS, ColumnFacts
from app.datasets.reading.faults import fault
from app.datasets.reading.options import ReadOptions
from app.features.notation import Decimal, Notation

__all__ = ["notes_of", "settle"]

_OTHER: Mapping[Decimal, Decimal] = MappingProxyType({".": ",", ",": "."})
_CALLED = {".": "points", ",": "commas"}


def settle(
    names: Sequence[str],
    facts: Sequence[ColumnFacts],
    options: ReadOptions,
    learnt: Mapping[str, Notation] | None = None,
) -> None:
    """Set the notation of every column that has one.

    Parameters
    ----------
    names : sequence of str
    facts : sequence of ColumnFacts
        Of all cells; declared numeric where a column has to be numbers.
    options : ReadOptions
    learnt : mapping of str to Notation, optional
        Of the columns of a model that is to answer; its percent signs and currencies
        are the only ones taken then.

    Raises
    ------
    InvalidRequestError
        When a column that has to be numbers can be read in two ways.
    """
    common = _common(facts)
    for name, fact in zip(names, facts, strict=True):
        known = None if learnt is None else learnt.get(name, Notation())
        fact.notation = _notation(name, fact, options, known, common)


def _notation(
    name: str,
    fact: ColumnFacts,
    options: ReadOptions,
    known: Notation | None,
    common: Decimal | None,
) -> Notation | None:
    chosen = None if options.decimal == "auto" else options.decimal
    demanded = fact.declared == "numeric"
    fits = [mark for mark in DECIMALS if fact.reads[mark].fits]
    decimal = chosen or (
        fits[0] if len(fits) == 1 else _resolved(fact, known, common if fits else None)
    )
    if decimal is None and demanded:
        detail = f"{_ambiguous(fact)}; name one of them"
        raise fault(detail, line=_line(fact), name=name)
    if decimal is None or not (demanded or (decimal in fits and _countable(fact))):
        return None
    same = known is not None and known.decimal == decimal and known.grouped
    grouped = same or fact.reads[decimal].grouped is not None
    unit = _unit(fact) if known is None else known.unit
    return Notation(decimal, grouped, unit)


def _common(facts: Sequence[ColumnFacts]) -> Decimal | None:
    """Return the one decimal mark of the columns that show which they have."""
    shown = set()
    for fact in facts:
        fits = [mark for mark in DECIMALS if fact.reads[mark].fits]
        if len(fits) == 1 and fact.marks:
            shown.add(fits[0])
    return shown.pop() if len(shown) == 1 else None


def _resolved(
    fact: ColumnFacts, known: Notation | None, common: Decimal | None
) -> Decimal | None:
    """Return the decimal mark of a column that fits both, or None."""
    commas, points = "," in fact.marks, "." in fact.marks
    if known is not None and known.grouped:
        return known.decimal
    if known is not None and known.decimal == "," and not points:
        return ","
    if common is not None:
        return common
    return None if commas else "."


def _countable(fact: ColumnFacts) -> bool:
    return fact.zeros is None and fact.large is None and not _mixed(fact)


def _mixed(fact: ColumnFacts) -> bool:
    """Tell whether numbers have several units; money may stand without its own."""
    several = len(set(fact.units) - {""}) > 1
    return several or (PERCENT in fact.units and len(fact.units) > 1)


def _unit(fact: ColumnFacts) -> str:
    return next((unit for unit in fact.units if unit), "")


def _line(fact: ColumnFacts) -> int | None:
    return min((n for n in fact.marks.values() if n is not None), default=None)


def _ambiguous(fact: ColumnFacts) -> str:
    mark: Decimal = "," if "," in fact.marks else "."
    return (
        f"its {_CALLED[mark]} may stand before decimals (decimal={mark} reads them so)"
        f" or set thousands apart (decimal={_OTHER[mark]}), a thousandfold difference"
    )


def notes_of(names: Sequence[str], facts: Sequence[ColumnFacts]) -> list[str]:
    """Say of each column of text, and of amounts, what its user may not have meant."""
    notes = []
    for name, fact in zip(names, facts, strict=True):
        said = (
            _of_amounts(fact)
            if fact.kind == "numeric"
            else _of_text(name, fact)
            if fact.declared is None
            else []
        )
        notes += [f"column {name!r} {text}" for text in said]
    return notes


def _of_amounts(fact: ColumnFacts) -> list[str]:
    notation = fact.notation
    if notation is None:
        return []
    sentences = []
    other = _OTHER[notation.decimal]
    line = fact.reads[notation.decimal].grouped
    if line is not None:
        sentences.append(
            f"was read with {_CALLED[other]} that set thousands apart (line {line} has"
            f" the first); if they stand before decimals, say decimal={other}"
        )
    elif notation.decimal == "," and "," in fact.marks:
        sentences.append(f"was read with decimal commas (line {fact.marks[',']})")
    elif "." in fact.marks and fact.reads[","].fits:
        sentences.append(
            f"was read with decimal points (line {fact.marks['.']} has the first); if"
            " they set thousands apart, say decimal=,"
        )
    if fact.spaced is not None:
        sentences.append(
            f"was read with spaces or apostrophes that set thousands apart (line"
            f" {fact.spaced} has the first)"
        )
    if notation.unit == PERCENT:
        line = fact.units[PERCENT]
        sentences.append(
            f"was read without its percent signs (line {line} has the first): 5 % is 5"
        )
    elif notation.unit:
        line = fact.units[notation.unit]
        sentences.append(f"was read without its currency (line {line} has the first)")
    return sentences


def _of_text(name: str, fact: ColumnFacts) -> list[str]:
    """Say why a column that holds numbers was read as text."""
    if not (fact.filled and fact.typed) or fact.kind != "categorical":
        return []
    as_text = "was read as text: "
    if not fact.numeric:
        odd = [read.odd for read in fact.reads.values() if read.odd is not None]
        if not odd:
            return []
        return [
            "was read as text, though many of its cells are numbers; line"
            f" {max(odd)} has the first that is none: correct it, or name the mark by"
            " missing="
        ]
    if fact.zeros is not None:
        return [
            f"{as_text}line {fact.zeros} has the first digits that begin with a zero,"
            f" as codes do; numeric={name} reads numbers"
        ]
    if fact.large is not None:
        return [
            f"{as_text}line {fact.large} has the first whole number of more digits than"
            f" a float64 keeps; numeric={name} reads numbers, rounded"
        ]
    if _mixed(fact):
        lines = ", ".join(f"line {line}" for line in fact.units.values())
        return [
            f"{as_text}its numbers have several units, or only some have a percent sign"
            f" (see {lines}); write one unit"
        ]
    fits = [mark for mark in DECIMALS if fact.reads[mark].fits]
    if len(fits) == 1:
        line = fact.marks.get(fits[0], _line(fact))
        return [
            f"{as_text}its numbers have decimal {_CALLED[fits[0]]} (line {line});"
            " where decimal= is not said, each column is read by its own cells"
        ]
    return [f"{as_text}{_ambiguous(fact)}; line {_line(fact)} has the first"]
