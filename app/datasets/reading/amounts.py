r"""Numbers as people write them, as texts that can be cast.

    amount = [sign] [unit] number [unit] | "(" amount ")"      in brackets: below zero
    number = digits in groups of three, set apart by spaces, apostrophes or the mark
             that is not the decimal one; or plain digits
    unit   = % | a currency

A number is read in two ways, with a decimal point and with a decimal comma: ``1,234``
fits both, ``44.521,52`` the second alone. Every function takes a whole column.
"""

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from app.features.notation import Decimal

__all__ = ["PERCENT", "Amounts", "amounts", "leading_zeros"]

PERCENT = "%"
_MINUS = "\N{MINUS SIGN}"
_SPACE = r"[ \x{a0}\x{2009}\x{202f}]"
_CURRENCY = r"[$€£¥]|EUR|USD|GBP|CHF|JPY"
_BEFORE = rf"^([-+(]?){_SPACE}*(?:{_CURRENCY}){_SPACE}*"
_BEHIND = rf"{_SPACE}*(?:%|{_CURRENCY}){_SPACE}*(\)?)$"
_UNIT = rf"(?P<unit>%|{_CURRENCY})"
_APART = r"[ '\x{a0}\x{2009}\x{2019}\x{202f}]"
_SPACED = rf"^[-+]?[1-9][0-9]{{0,2}}(?:{_APART}[0-9]{{3}})+(?:[.,][0-9]*)?$"
_POWER = r"(e[-+]?[0-9]+)?"
_WORD = r"[-+]?(inf|infinity|nan)"
_PLAIN = {
    mark: rf"^(?:[-+]?([0-9]+{other}?[0-9]*|{other}[0-9]+){_POWER}|{_WORD})$"
    for mark, other in ((".", r"\."), (",", ","))
}
_GROUPED = {
    mark: rf"^[-+]?[1-9][0-9]{{0,2}}({group}[0-9]{{3}})+({own}[0-9]*)?$"
    for mark, own, group in ((".", r"\.", ","), (",", ",", r"\."))
}
_ZEROS = r"^\s*[-+]?0[0-9]+\s*$"


@dataclass(frozen=True, slots=True, eq=False)
class Amounts:
    """A column of texts without their units, missing as null."""

    texts: pa.StringArray
    units: pa.StringArray
    """The unit of each; null where there is none."""
    spaced: pa.BooleanArray
    """Where thousands were set apart by spaces or apostrophes, which are gone."""

    def plain(self, decimal: Decimal) -> pa.BooleanArray:
        """Tell which are numbers without groups; null where missing."""
        return pc.match_substring_regex(self.texts, _PLAIN[decimal], ignore_case=True)

    def grouped(self, decimal: Decimal) -> pa.BooleanArray:
        """Tell which are numbers in groups by the mark that is not the decimal one."""
        return pc.match_substring_regex(self.texts, _GROUPED[decimal])

    def castable(self, decimal: Decimal, fine: pa.BooleanArray) -> pa.StringArray:
        """Return those that are ``fine`` with a point and without groups."""
        texts = pc.if_else(fine, self.texts, None)
        group = "," if decimal == "." else "."
        return pc.replace_substring(
            pc.replace_substring(texts, group, ""), decimal, "."
        )


def amounts(trimmed: pa.StringArray) -> Amounts:
    """Return texts, without white space around them, as amounts."""
    texts = pc.replace_substring(trimmed, _MINUS, "-")
    units = pc.struct_field(pc.extract_regex(texts, _UNIT), "unit")
    bare = pc.replace_substring_regex(texts, _BEFORE, r"\1")
    bare = pc.replace_substring_regex(bare, _BEHIND, r"\1")
    bare = pc.replace_substring_regex(bare, r"^\(([^-+].*)\)$", r"-\1")
    spaced = pc.match_substring_regex(bare, _SPACED)
    joined = pc.replace_substring_regex(bare, _APART, "")
    return Amounts(pc.if_else(spaced, joined, bare), units, spaced)


def leading_zeros(cells: pa.StringArray) -> pa.BooleanArray:
    """Tell which cells are digits that begin with a zero, as codes do."""
    return pc.match_substring_regex(cells, _ZEROS)
