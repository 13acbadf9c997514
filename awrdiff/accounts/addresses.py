"""E-mail addresses out of pasted text: a mail's head, a column, a list."""

from __future__ import annotations

import re

LONGEST_SHOWN = 80  # of what is none
_QUOTED = re.compile(r'"[^"\n]*"')
_IN_BRACKETS = re.compile(r"<([^<>]*)>")
_BETWEEN = re.compile(r"[\s,;]+")
_AROUND = "[](){}\"'"  # a list's, as programs write it


def extract_addresses(text: str) -> list[str]:
    """Addresses, or attempts at one, each once: only the address of `Olivia Berg <olivia@example.com>`, and of quoted
    text only what has an @.
    """
    addresses: list[str] = []
    for entry in re.split(r"[,;\n]+", _QUOTED.sub(_unquoted, text)):
        inside = [_bare(word) for word in _IN_BRACKETS.findall(entry)]
        beside = [_bare(word) for word in _IN_BRACKETS.sub(" ", entry).split()]
        addresses += [word for word in beside if "@" in word or not any(inside)] + inside
    return list(dict.fromkeys(word if "@" in word else word[:LONGEST_SHOWN] for word in addresses if word))


def _unquoted(quoted: re.Match[str]) -> str:
    """A name is dropped; addresses are written so by spreadsheets and programs."""
    words = _BETWEEN.split(quoted[0].strip('"'))
    return f" {' '.join(word for word in words if '@' in word)} "


def _bare(text: str) -> str:
    return text.strip().strip(_AROUND).strip()
