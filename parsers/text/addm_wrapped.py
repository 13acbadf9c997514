"""ADDM reports with lines cut by SQL*Plus at its line size, at any letter.

Proof is the rule of 78 tildes, printed as W and 78 - W, with no line longer than W; ADDM fills lines to 78 characters,
so rests have at most 78 - W. Pasted reports often lost indentation in steps of three: cut lines are 3, 6 or 9 shorter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_FULL: Final = 78
_LEAST: Final = 40
_STEPS: Final = (0, 3, 6, 9)  # characters that a line may have been set in
_WORD: Final = re.compile(r"\w+")
_LAST_WORD: Final = re.compile(r"\w+\Z")
_PARTS: Final = frozenset(("action", "rationale", "related object"))  # which begin a line of their own
# Of the sentences that facts and figures are read from (addm_head.py, addm.py).
_FRAME_WORDS: Final = """
    active activity action addm analyzed analysis and average benefit database during ending ends estimated
    finding from hosted id impact instance instances is load number numbered of performed period range rationale
    recommendation recommendations related requested seconds sessions snapshot starts subset task time total
    version was with
"""
_FRAME: Final = frozenset(_FRAME_WORDS.split())
_OBJECT: Final = "related object"  # below it stand statements, in lines of their own


def set_out(lines: list[str]) -> list[str]:
    """`lines` without their common indentation."""
    common = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return [line[common:] for line in lines] if common else lines


def unwrap(lines: list[str]) -> list[str]:
    """`lines` with cut ones joined; unchanged without proof of a cut."""
    width = _width(lines)
    if not width:
        return lines
    cuts = _cuts(lines, width)
    rests = {at + 1 for at in cuts}
    words = _words_elsewhere(lines, cuts)
    return [
        _join(line, lines[at + 1], words) if at in cuts else line for at, line in enumerate(lines) if at not in rests
    ]


def _width(lines: Sequence[str]) -> int:
    """The line size, 0 where nothing proves one."""
    before = 0  # tildes in the line before
    widths = set()
    longest = 0
    for line in lines:
        plain = line.strip()
        longest = max(longest, len(plain))
        tildes = len(plain) if plain and not plain.strip("~") else 0
        if tildes and before + tildes == _FULL and before > tildes:
            widths.add(before)
        before = tildes
    return longest if longest >= _LEAST and widths == {longest} else 0


def _cuts(lines: Sequence[str], width: int) -> set[int]:
    cuts: set[int] = set()
    of_object = False
    for at, line in enumerate(lines[:-1]):
        plain, rest = line.strip(), lines[at + 1].strip()
        if plain.lower() in _PARTS or not plain:
            of_object = plain.lower() == _OBJECT
        if of_object or at - 1 in cuts or not 0 < len(rest) <= _FULL - width or rest.lower() in _PARTS:
            continue
        # one short of the width, where the blank at its end was left out
        if any(len(plain) + step in (width, width - 1) for step in _STEPS) and _is_ruler(plain) == _is_ruler(rest):
            cuts.add(at)
    return cuts


def _is_ruler(plain: str) -> bool:
    return not plain.strip("-~ ")


def _words_elsewhere(lines: Sequence[str], cuts: set[int]) -> frozenset[str]:
    words: set[str] = set(_FRAME)
    for at, line in enumerate(lines):
        line_words = _WORD.findall(line.lower())
        begin = 1 if at - 1 in cuts else 0
        end = len(line_words) - 1 if at in cuts else len(line_words)
        words.update(line_words[begin:end])
    return frozenset(words)


def _join(line: str, rest: str, words: frozenset[str]) -> str:
    """Join with a blank, unless a word, number or ruler was cut.

    Halves form one word if it occurs elsewhere and not both halves do.
    """
    line, tail = line.rstrip(), rest.strip()
    last, first = _LAST_WORD.search(line), _WORD.match(tail)
    if _is_ruler(line) or not tail[0].isalnum():
        return line + tail
    if tail[0].isdecimal() and line[-1] in ".,0123456789":
        return line + tail
    if not last or not first:
        return f"{line} {tail}"
    left_half, right_half = last[0].lower(), first[0].lower()
    whole = left_half + right_half in words and not (left_half in words and right_half in words)
    return f"{line}{'' if whole else ' '}{tail}"
