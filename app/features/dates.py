"""Texts that are dates: new rows bring others, so as categories they say nothing."""

import re
from collections.abc import Iterable

__all__ = ["are_dates"]

_TIME = r"([ T]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?(Z|[+-]\d{2}(:?\d{2})?))?)?"
_DATE = re.compile(
    r"(\d{4}(-\d{1,2}-\d{1,2}|/\d{1,2}/\d{1,2})"
    r"|\d{1,2}(\.\d{1,2}\.|/\d{1,2}/|-\d{1,2}-)\d{4})" + _TIME,
    re.ASCII,
)


def are_dates(texts: Iterable[str]) -> bool:
    """Tell whether all of some texts are dates, with or without a time of day."""
    found = False
    for text in texts:
        if not _DATE.fullmatch(text):
            return False
        found = True
    return found
