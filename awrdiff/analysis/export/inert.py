"""Report text inside Markdown, shown verbatim and inert: no markup, link, mention or reference.

Escaping is not enough: GitHub links addresses after resolving escapes. Anything a renderer may link (addresses, host
names, mail, @names, #numbers, commit hashes) goes into a code span.
"""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([\\`*_{}\[\]<>|#~$&])")
_WORD = re.compile(r"[^\s`|<>]+")
_BEGINS_BLOCK = re.compile(r"^(?:[-+=]|\d+(?=[.)](?:\s|$)))")
_LIVE = re.compile(
    r"""//  | (?<!\w)www\.  | [@＠]  | [#!]\w  | \bGH-\d
      | \b(?:mailto|tel|sms|xmpp|callto|skype|javascript|vbscript|data):\S
      | \w\.[^\W\d_]{2}          # a host's name, or what looks like one
      | (?<!\w):[a-z+][\w+-]*:   # a picture by its name
      | \b(?=[0-9a-f]*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40}\b
    """,
    re.I | re.X,
)
_AROUND = "\"'()[]{}.,;?*_"


def escape(text: str) -> str:
    """`text` on one line, for a paragraph, heading or table cell."""
    line = " ".join(text.split())
    pieces, at = [], 0
    for word in _WORD.finditer(line):
        start, end = _without_punctuation(line, *word.span())
        if _LIVE.search(line, start, end):
            pieces += [_escape(line[at:start]), f"`{line[start:end]}`"]
            at = end
    pieces.append(_escape(line[at:]))
    return _BEGINS_BLOCK.sub(lambda m: rf"\{m[0]}" if not m[0].isdigit() else f"{m[0]}\\", "".join(pieces))


def _without_punctuation(line: str, start: int, end: int) -> tuple[int, int]:
    while start < end and line[start] in _AROUND:
        start += 1
    while end > start and line[end - 1] in _AROUND:
        end -= 1
    return start, end


def _escape(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)
