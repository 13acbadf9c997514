"""E-mail addresses as people paste them: out of a mail's head, a column, a list."""

from __future__ import annotations

import re

LONGEST_SHOWN = 80  # of what is none
_QUOTED = re.compile(r'"[^"\n]*"')
_IN_BRACKETS = re.compile(r"<([^<>]*)>")
_BETWEEN = re.compile(r"[\s,;]+")
_AROUND = "[](){}\"'"  # a list's, as programs write it


def found_in(text: str) -> list[str]:
    """What stands between spaces, commas, semicolons and ends of lines, each once: addresses, or what was meant to
    be one. Of `Olivia Berg <olivia@example.com>` the address alone, and of what is quoted what has an @."""
    found: list[str] = []
    for entry in re.split(r"[,;\n]+", _QUOTED.sub(_unquoted, text)):
        inside = [_bare(one) for one in _IN_BRACKETS.findall(entry)]
        beside = [_bare(one) for one in _IN_BRACKETS.sub(" ", entry).split()]
        found += [one for one in beside if "@" in one or not any(inside)] + inside
    return list(dict.fromkeys(one if "@" in one else one[:LONGEST_SHOWN] for one in found if one))


def _unquoted(quoted: re.Match[str]) -> str:
    """A name is dropped; addresses are written so by spreadsheets and programs."""
    words = _BETWEEN.split(quoted[0].strip('"'))
    return f" {' '.join(word for word in words if '@' in word)} "


def _bare(text: str) -> str:
    return text.strip().strip(_AROUND).strip()
