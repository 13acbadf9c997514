"""Statement texts without differences that only Oracle sees.

Comments, hints, literals, bind names, IN lists, case and spacing go; `plain` is fast, `sql_form` takes milliseconds.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

_LONGEST = 10_000  # characters; longer texts are not compared
_LONGEST_PARSED = 8_000
_OPENING, _FIRST = 300, 3  # characters, and the words in them that tell most statements apart
_IGNORED = r"/\*.*?\*/|--[^\n]*"
_VALUE = r"n?q?'(?:[^']|'')*'|:\s*\"[^\"]*\"|:\s*\w+|&\w+|\?|(?<![\w$#])\d+(?:\.\d*)?(?:e[+-]?\d+)?"
# What begins none of them, most of a text, is told from its first character.
_COMMENT_OR_LITERAL = re.compile(
    rf"(?=[/\-nq'\":&?\d])(?:(?P<ignored>{_IGNORED})|(?P<value>{_VALUE})|(?P<quoted>\"[^\"]*\"))",
    re.DOTALL | re.IGNORECASE,
)
_COMMENT = re.compile(_IGNORED, re.DOTALL)
_BESIDE_A_SIGN = re.compile(r' (?:(?=[^\w$#" ])|(?<=[^\w$#" ] ))')  # a blank that says nothing
_UNEQUAL = re.compile(r"<>|\^=")
_LIST = re.compile(r"\(\?(?:,\?)+\)")
_WORD = re.compile(r"[^\W\d][\w$#]*")
_BLOCK = re.compile(
    rf"^(?:\s|{_IGNORED}|<<\s*\w+\s*>>|\{{|\?\s*=|;)*(?:begin|declare|call)\b", re.DOTALL | re.IGNORECASE
)
_CHANGE = re.compile(rf"^(?:\s|{_IGNORED})*(?:insert|update|delete|merge)\b", re.DOTALL | re.IGNORECASE)
_QUERY = re.compile(rf"^(?:\s|\(|{_IGNORED})*(?:select|insert|update|delete|merge|with)\b", re.DOTALL | re.IGNORECASE)


def is_plsql(text: str) -> bool:
    """Block or call: its figures include those of its SQL."""
    return _BLOCK.match(text[:_LONGEST_PARSED]) is not None


def changes_rows(text: str) -> bool:
    return _CHANGE.match(text[:_LONGEST_PARSED]) is not None


@lru_cache(maxsize=1024)
def plain(text: str) -> str | None:
    """Text on one line; None if too long."""
    if len(text) > _LONGEST:
        return None
    bare = " ".join(_with_binds(text, "?").upper().split())
    return _LIST.sub("(?)", _UNEQUAL.sub("!=", _BESIDE_A_SIGN.sub("", bare))).rstrip(" ;.")


def _with_binds(text: str, bind: str) -> str:

    def instead(match: re.Match[str]) -> str:
        return bind if match["value"] else match["quoted"] or " "

    return _COMMENT_OR_LITERAL.sub(instead, text)


def without_comments(text: str) -> str:
    """One line without comments and hints, literals kept."""
    bare = _COMMENT_OR_LITERAL.sub(lambda m: m["value"] or m["quoted"] or " ", text)
    return _BESIDE_A_SIGN.sub("", " ".join(bare.upper().split())).rstrip(" ;.")


@lru_cache(maxsize=1024)
def opening(text: str) -> tuple[str, ...]:
    """First words, fast: equal for one statement."""
    head = _COMMENT.sub(" ", text[:_OPENING])
    if "/*" in head or "--" in head:  # one that is longer
        head = _COMMENT.sub(" ", text[:_LONGEST])
    return tuple(_WORD.findall(head[:_OPENING].upper())[:_FIRST])


@lru_cache(maxsize=1024)
def words(text: str) -> frozenset[str]:
    """Names and obligatory keywords: equal for one statement."""
    return frozenset(_WORD.findall(plain(text) or "")) - {"AS", "OUTER", "INNER", "ASC"}


@lru_cache(maxsize=256)
def sql_form(text: str) -> str | None:
    """Form by sqlglot's Oracle dialect; None: unreadable, PL/SQL, long."""
    if len(text) > _LONGEST_PARSED or not _QUERY.match(text):
        return None
    # Imported here: it takes a tenth of a second, and hardly any comparison comes to this.
    from sqlglot import ErrorLevel, exp, parse_one  # noqa: PLC0415
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    source = _with_binds(text, ":b ")
    try:
        tree = parse_one(source, read="oracle", error_level=ErrorLevel.RAISE)
        form: str = tree.transform(_bare).sql(dialect="oracle", comments=False, unsupported_level=ErrorLevel.IGNORE)
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError):
        return None
    return None if isinstance(tree, exp.Command) else plain(form)


def _bare(node: Any) -> Any:
    from sqlglot import exp  # noqa: PLC0415

    if isinstance(node, exp.Identifier):
        return exp.to_identifier(str(node.this).upper(), quoted=False)
    if isinstance(node, exp.Join) and node.kind == "INNER":
        node.set("kind", None)
    if isinstance(node, exp.Paren) and _is_alone(node, exp):
        return node.this
    return node


def _is_alone(paren: Any, exp: Any) -> bool:
    within = paren.this
    return isinstance(within, exp.Predicate) or not isinstance(within, exp.Binary | exp.Not | exp.Query | exp.Unary)
