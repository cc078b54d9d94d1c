"""Reviews: rejects become cases, people give verdicts, the caller hears of them."""
