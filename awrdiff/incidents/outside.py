"""Words from outside, as they are kept: without signs that turn, hide or imitate what stands around them."""

from __future__ import annotations

import re
import unicodedata

from awrdiff.processing.storable import one_line

LONGEST_AUTHOR = 60
MOST_MARKS = 3  # in a row: vowel signs of some scripts need as many
_JOINERS = "\u200c\u200d"  # parts of words in Persian and Hindi, and of emoji
_QUOTES = '"„‟′″‴‵‶‷❛❜❝❞❟❠〝〞〟〃ʹʺ˝ˮ`´'
_BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters and signs without ink
_APOSTROPHES = re.compile("['’ʼ]+")


def plain(text: str) -> str:
    """Several lines, without signs of format: those that turn the direction of a line would mirror who wrote it."""
    return "".join(c for c in text if unicodedata.category(c) != "Cf" or c in _JOINERS)


def author(text: str) -> str:
    """One line that nothing hides in and that cannot end the quotes around it; "" where nothing can be read."""
    name: list[str] = []
    marks = 0
    for c in _APOSTROPHES.sub("'", unicodedata.normalize("NFKC", one_line(text))):
        category = unicodedata.category(c)
        if not c.isprintable() or c in _BLANK or c in _QUOTES or category in ("Pi", "Pf"):
            continue
        is_mark = category.startswith("M")
        if is_mark and (not name or name[-1] == " " or marks == MOST_MARKS):
            continue
        marks = marks + 1 if is_mark else 0
        name.append(c)
    return one_line(one_line("".join(name))[:LONGEST_AUTHOR])
