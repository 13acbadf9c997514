"""Statement text in lines with highlighted words and differences; adds only white space, never inside literals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby, takewhile
from typing import NamedTuple

import sqlparse
from sqlparse import tokens as t
from sqlparse.exceptions import SQLParseError
from sqlparse.lexer import tokenize

from awrdiff.analysis.names.statement_texts import is_plsql

_LONGEST_SET_OUT = 6_000  # characters: 50 ms
_LONGEST_MARKED = 20_000
_MOST_LIKE = 20_000  # pairs of equal words in two texts that are held against each other
_OWN_QUOTES = re.compile(r"(?i)(?<![\w$#])n?q'|--")  # Oracle's q'[…]', and a comment that ends with its line
_WORD = re.compile(r"\s+|[\w$#:.]+\s*|[^\w\s]\s*")
# Of what the lexer takes for a keyword: it knows every dialect's, and names of columns are among them.
_RESERVED = re.compile(
    r"(?:\s*\b(?:ALL|AND|ANY|AS|ASC|BEGIN|BETWEEN|BY|CALL|CASE|CONNECT|CROSS|DECLARE|DELETE|DESC|DISTINCT|ELSE|END"
    r"|EXCEPTION|EXISTS|FETCH|FIRST|FOR|FROM|FULL|GROUP|HAVING|IF|IN|INNER|INSERT|INTERSECT|INTO|IS|JOIN|LEFT|LIKE|LOOP"
    r"|MATCHED|MERGE|MINUS|NOT|NULL|OF|ON|OR|ORDER|OUTER|OVER|PARTITION|PRIOR|RETURNING|RIGHT|ROWNUM|SELECT|SET|START"
    r"|THEN|UNION|UPDATE|USING|VALUES|WHEN|WHERE|WITH)\b)+",
    re.IGNORECASE,
)
_MARKS = (
    (t.Comment, "c"),
    (t.Literal.String, "s"),
    (t.Literal.Number, "n"),
    (t.Name.Placeholder, "b"),
    (t.Keyword, "k"),
)


class Piece(NamedTuple):
    """`cls`: k keyword, s string, n number, b bind, c comment, "first" or "second"."""

    cls: str
    text: str

    @property
    def tag(self) -> str:
        """The element that says it."""
        return {"first": "del", "second": "ins"}.get(self.cls, "span")


@lru_cache(maxsize=128)
def set_out(text: str) -> str:
    """One-line SQL split by clauses; other text as printed."""
    plain = text.strip()
    if len(plain) > _LONGEST_SET_OUT or plain.count("\n") > 2 or _OWN_QUOTES.search(plain) or is_plsql(plain):
        return plain
    try:
        formatted = sqlparse.format(plain, reindent=True, indent_width=2)
    except (SQLParseError, RecursionError):
        return plain
    return formatted if _words(formatted) == _words(plain) else plain


def mark_words(text: str) -> tuple[Piece, ...]:
    """Text split into highlighted pieces."""
    if len(text) > _LONGEST_MARKED:
        return (Piece("", text),)
    return _join(Piece(_mark(kind, part), part) for kind, part in _tokens(text))


@lru_cache(maxsize=32)
def differing(first: str, second: str) -> tuple[Piece, ...]:
    """Word diff of both texts; parts that differ too much stay in one piece."""
    a, b = _WORD.findall(first), _WORD.findall(second)
    begin = _alike(zip(a, b, strict=False))
    end = _alike(zip(reversed(a[begin:]), reversed(b[begin:]), strict=False))
    first_words, second_words = a[begin : len(a) - end], b[begin : len(b) - end]
    return _join(
        [
            Piece("", "".join(a[:begin])),
            *_pieces_between(first_words, second_words),
            Piece("", "".join(a[len(a) - end :])),
        ]
    )


def _alike(pairs: Iterable[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _pieces_between(a: list[str], b: list[str]) -> Iterator[Piece]:
    often = Counter(b)
    if sum(often[word] for word in a) > _MOST_LIKE:
        yield from (Piece("first", "".join(a)), Piece("second", "".join(b)))
        return
    for tag, i, k, m, n in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Piece("", "".join(a[i:k]))
        else:
            yield from (Piece("first", "".join(a[i:k])), Piece("second", "".join(b[m:n])))


def _mark(kind: t._TokenType, part: str) -> str:
    if kind in t.Keyword and not _RESERVED.fullmatch(part):
        return ""
    return next((cls for family, cls in _MARKS if kind in family), "")


def _join(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    groups = groupby((p for p in pieces if p.text), key=lambda p: p.cls)
    return tuple(Piece(cls, "".join(p.text for p in group)) for cls, group in groups)


def _words(text: str) -> list[str]:
    return [part for kind, part in _tokens(text) if kind not in t.Whitespace]


def _tokens(text: str) -> Iterator[tuple[t._TokenType, str]]:
    yield from tokenize(text)  # type: ignore[no-untyped-call]
