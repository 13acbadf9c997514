"""The shape of a statement: keywords and signs as they are, `?` for literals, a pseudonym for any other name.

What is no keyword is a name, so that a text which is cut within a literal tells nothing of it either.
"""

from __future__ import annotations

import re

from awrdiff.redaction import known
from awrdiff.redaction.pseudonyms import Pseudonyms
from awrdiff.redaction.words import COMMANDS

_TOKEN = re.compile(
    r"""
      (?P<comment> /\*.*?(?:\*/|\Z) | --[^\n]*)
    | (?P<literal> [nN]?[qQ]'\[.*?(?:\]'|\Z) | [nN]?[qQ]'\(.*?(?:\)'|\Z) | [nN]?[qQ]'\{.*?(?:\}'|\Z)
                 | [nN]?[qQ]'<.*?(?:>'|\Z) | [nN]?[qQ]'(?P<mark>[^\w\s]).*?(?:(?P=mark)'|\Z)
                 | [nN]?'(?:[^']|'')*(?:'|\Z))
    | (?P<quoted> "[^"]*(?:"|\Z))
    | (?P<bind> :"?[\w$\#]*"?)
    | (?P<number> (?<![\w$\#])\d[\w.]*)
    | (?P<word> [^\W\d][\w$\#]*)
    | (?P<blank> \s+)
    | (?P<sign> [-+*/=<>!|(),.;@%&^~])
    """,
    re.VERBOSE | re.DOTALL,
)
LONGEST = 20_000  # of a text; what is longer is cut


def shape(text: str, names: Pseudonyms) -> str:
    parts: list[str] = []
    for found in _TOKEN.finditer(text[:LONGEST]):
        parts.append(_written(found, names))
    return " ".join("".join(parts).split())


def _written(found: re.Match[str], names: Pseudonyms) -> str:
    kind, text = found.lastgroup, found[0]
    if kind in ("literal", "number", "mark"):
        return "?"
    if kind == "bind":
        return ":b"
    if kind in ("comment", "blank"):
        return " "
    if kind == "quoted":
        return f"n_{names.tail(text.strip(chr(34)))}"
    if kind == "word":
        plain = text.casefold()
        stays = plain in COMMANDS or known.DICTIONARY.fullmatch(text)
        return text if stays else f"n_{names.tail(text)}"
    return text
