"""Text normalised for matching names, with each letter's position in the source.

NFKC without invisible signs and combining marks; entities count as their letters.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

LINK = "\ue000"  # stands for a link that was left out; whoever puts it there takes out those that were typed
_FILLERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and symbols that are blank
_NARROW = frozenset("\u2006\u2009\u200a\u202f\u205f")
_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Cs")
_PLAIN = re.compile(r"[ -%'-~\n]*")  # without `&`
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG = re.compile(r"</?[A-Za-z!][^<>\n]{0,200}>")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")  # of Markdown
_IN_WORD = re.compile(rf"(?<=[^\W\d_])(?:[*`\[\]{LINK}]+|~~)+(?=[^\W\d_])")  # emphasis, code, links inside a word
_MARKS = frozenset(f"*_~`[]\\^|{LINK}")


@dataclass(frozen=True, slots=True)
class Matchable:
    """`low`: lower case; letter i is begins[i] to ends[i] in the source."""

    cased: str
    low: str
    begins: list[int]
    ends: list[int]

    def span(self, begin: int, stop: int) -> tuple[int, int]:
        """Position in the source, with invisible signs after the last."""
        return self.begins[begin], self.ends[stop - 1]


def fold(text: str) -> str:
    """Equal for names that look alike."""
    return as_read(text).low


def as_read(text: str) -> Matchable:
    """Markdown and tags stay."""
    return _matchable(text, frozenset(match.start() for match in _ESCAPE.finditer(text)))


def as_words(text: str) -> Matchable:
    """Drops tags and emphasis inside words, too."""
    read = as_read(text)
    return _without(read, [match.span() for at in (_TAG, _IN_WORD) for match in at.finditer(read.cased)])


def without_marks(text: str) -> Matchable:
    """Drops all Markdown, tags and narrow blanks."""
    read = _matchable(text, frozenset(at for at, c in enumerate(text) if c in _NARROW))
    gone = [match.span() for match in _TAG.finditer(read.cased)]
    return _without(read, [*gone, *((at, at + 1) for at, c in enumerate(read.cased) if c in _MARKS)])


def _without(read: Matchable, spans: list[tuple[int, int]]) -> Matchable:
    if not spans:
        return read
    gone = {at for begin, stop in spans for at in range(begin, stop)}
    stays = [at for at in range(len(read.cased)) if at not in gone]
    return Matchable(
        "".join(read.cased[at] for at in stays),
        "".join(read.low[at] for at in stays),
        [read.begins[at] for at in stays],
        [read.ends[at] for at in stays],
    )


def _matchable(text: str, gone: frozenset[int]) -> Matchable:
    if not gone and _PLAIN.fullmatch(text):
        places = list(range(len(text) + 1))
        return Matchable(text, text.lower(), places[:-1], places[1:])
    entities = {match.start(): match for match in _ENTITY.finditer(text)}
    cased: list[str] = []
    low: list[str] = []
    begins: list[int] = []
    ends: list[int] = []
    at = 0
    while at < len(text):
        letters, stop = text[at], at + 1
        if at in entities:
            letters = html.unescape(entities[at][0])
            stop = entities[at].end() if letters != entities[at][0] else stop
            letters = letters if stop > at + 1 else text[at]
        readable = "" if at in gone else "".join(c for letter in letters for c in _letters(letter))
        if not readable and ends and at not in gone:
            ends[-1] = stop  # what is not seen goes with the letter before it
        for c in readable:
            cased.append(c)
            low.append(lower if len(lower := c.lower()) == 1 else c)
            begins.append(at)
            ends.append(stop)
        at = stop
    return Matchable("".join(cased), "".join(low), begins, ends)


def _letters(letter: str) -> str:
    """Two of `ﬁ`, none of a combining mark; blanks are spaces."""
    if (letter.isascii() and letter.isprintable()) or letter == LINK:
        return letter
    if letter.isspace():
        return "\n" if letter in "\n\u2028\u2029" else " "
    if letter in _FILLERS or unicodedata.category(letter) in _UNSEEN:
        return ""
    return "".join(c for c in unicodedata.normalize("NFKD", letter) if unicodedata.category(c) not in ("Mn", "Me"))
