"""Texts that are dates: new rows bring others, so as categories they say nothing."""

import re
from collections.abc import Iterable

__all__ = ["are_dates"]

_TIME = r"([ T]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?(Z|[+-]\d{2}(:?\d{2})?))?)?"
_MONTH = (
    r"(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?"
    r"|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)"
)
_DATE = re.compile(
    r"(\d{4}(-\d{1,2}-\d{1,2}|/\d{1,2}/\d{1,2})"
    r"|\d{1,2}(\.\d{1,2}\.|/\d{1,2}/|-\d{1,2}-)\d{4}"
    rf"|\d{{1,2}}([ -]{_MONTH}[ -])(\d{{4}}|\d{{2}})"
    rf"|{_MONTH} \d{{1,2}},? \d{{4}})" + _TIME,
    re.ASCII | re.IGNORECASE,
)


def are_dates(texts: Iterable[str]) -> bool:
    """Tell whether all of some texts are dates, with or without a time of day."""
    any_date = False
    for text in texts:
        if not _DATE.fullmatch(text):
            return False
        any_date = True
    return any_date
