"""Every word of the page is in one file, and every word of the file is on the page."""

import re
from pathlib import Path

import app.pages
from app.errors import ApiError, ConflictError
from app.pages.page import _catalogue, _uncoded, error_in_words

FOLDER = Path(app.pages.__file__).parent
SOURCES = [*FOLDER.glob("*.py"), *FOLDER.glob("templates/*.html")]


def test_every_key_that_is_asked_for_is_there():
    known = set(_catalogue())
    for source in SOURCES:
        for key in re.findall(
            r"""say\(\s*["']([a-z_.]+)["']\s*[,)]""", source.read_text()
        ):
            assert key in known, (source.name, key)


def test_every_key_is_asked_for():
    text = "\n".join(source.read_text() for source in SOURCES).replace("'", '"')
    # "nav." ~ name and f"alarms.{kind}" ask for a whole table, or a part of one
    begun = tuple(re.findall(r'"([a-z_]+\.[a-z_]*)(?:" ~|\{)', text))
    for key in _catalogue():
        whole = key.removesuffix("_one")
        assert f'"{whole}"' in text or (begun and key.startswith(begun)), key


def test_no_word_stands_in_a_template_itself():
    for source in FOLDER.glob("templates/*.html"):
        bare = re.sub(
            r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<!doctype html>",
            "",
            source.read_text(),
            flags=re.DOTALL,
        )
        bare = re.sub(r"<[^<>]*>", " ", bare)
        assert not re.search(r"[A-Za-z]{2,}", bare), (source.name, bare.split())


def kinds(root):
    for kind in root.__subclasses__():
        yield kind
        yield from kinds(kind)


def test_no_error_on_a_page_asks_for_a_call_of_the_interface():
    texts = [error_in_words(kind(kind.example)) for kind in kinds(ApiError)]
    texts.append(error_in_words(ConflictError("it is open by now: GET /cases/1")))
    texts.append(
        error_in_words(ConflictError("too late; a lead can POST /cases/1/reopen"))
    )
    for text in texts:
        assert not re.search(r"\b(GET|POST|PUT|DELETE) /", text), text
        assert not text[0].islower()
        assert text.endswith(".")


def test_what_a_training_or_a_prediction_says_is_told_without_its_code():
    assert _uncoded("/data/rows: too few") == "too few"
    assert _uncoded("missing_value: age is missing") == "age is missing"
    for text in ("line 3: 3 cells", "age: too high", "a: /b: c_d: e"):
        assert _uncoded(text) == text
