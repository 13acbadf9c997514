"""Shape of a statement: keywords and signs stay, literals become `?`, all other names pseudonyms, so that a text cut
within a literal reveals nothing either.
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
    parts = (_token(match, names) for match in _TOKEN.finditer(text[:LONGEST]))
    return " ".join("".join(parts).split())


def _token(match: re.Match[str], names: Pseudonyms) -> str:
    kind, text = match.lastgroup, match[0]
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
