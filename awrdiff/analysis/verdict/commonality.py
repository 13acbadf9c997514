"""Whether two reports are of the same work: what share of the SQL that each captured runs on the other side as well.

Before one period is called worse than another it has to have done the same. Of a side counts the elapsed time of the
statements in its SQL tables, without those that Oracle runs by itself in every database (dictionary, AWR, Enterprise
Manager, RMAN): those are in both, whatever the work. A statement is found again by its id, or by its text without
literals, comments, case and schemas, in any SQL table of the other side.

The larger of the two shares decides: a statement that is new and takes everything lowers Second's, never First's.
Thresholds as measured: pairs of one application reach 38 to 100 %, unrelated ones 19 % at most.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from awrdiff.analysis.model.comparison import Commonality, Comparison
from awrdiff.analysis.names.statement_texts import plain
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.report.statements import Statement
from awrdiff.analysis.words import percent

SAME, OTHER = 0.50, 0.25  # of the larger of the two shares
LEAST_CAPTURED = 0.10  # of DB time, on the side that captured more of it
_LEAST_S = 5.0  # seconds of captured SQL: less is what sessions leave behind in an idle database
_WITH_TEXT = 0.5  # of that time: below it texts that are not printed may hide what is common
_LEAST_TEXT = 20  # characters that tell a statement
_BEGINNING = 60  # characters of a text that one side cuts
_LOOKED_AT = 10_000
_SCHEMA = re.compile(r"(?:[\w$#]+\.)+(?=[\w$#])")
_COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*\n", re.DOTALL)
# Comments of recursive SQL: dynamic sampling, the tuning advisor, column usage.
_MARKED = re.compile(r"/\*\s*(?:OPT_DYN_SAMP|DS_SVC|SQL Analyze|KSXM:|STN_REPT)", re.IGNORECASE)
_NAME = r"\"?[\w$#]+\"?"
_TABLE = re.compile(
    rf"\b(?:from|into|update|table)\b[\s(]*(?!select\b)({_NAME}(?:\s*\.\s*{_NAME})?)|\b(sysauth\$)", re.IGNORECASE
)
# v$, gv$, x$ and the tables below them (obj$, wrh$_…), the dictionary's views, and dual, which is everybody's.
_DICTIONARY = re.compile(
    r"(?:(?:sys|audsys)\.)?(?:[\w#]*\$\w*|(?:dba|cdb|all|user)_\w+|dual|smon_scn_time|opatch_\w+)$"
    r"|(?:sys|dbsnmp|sysman|ctxsys|xdb)\.",
    re.IGNORECASE,
)
# What Oracle's own blocks call; dbms_output, dbms_lock and the like are called by everybody's.
_PACKAGE = re.compile(
    r"\b(?:(?:sys|dbsnmp|sysman)\s*\.|(?:prvt|mgmt_|emd_|bsln_|wwv_flow|dbsnmp)\w*|"
    r"dbms_(?:workload|report|auto|sqltune|sql_|rcvman|backup|stats|space|advisor|feature|swrf|server_alert|scheduler|"
    r"isched|management|spm|xstream|streams|aqadm|perf|monitor|session|ha_alerts)\w*)",
    re.IGNORECASE,
)
_MODULE = re.compile(
    r"oracle enterprise manager|oem\b|em_ping|emagent|mmon_slave|racgimon|\w*oraagent|rman\b|rman@|sys\$|realtime conn",
    re.IGNORECASE,
)


def commonality(first: Side, second: Side) -> Commonality:
    """Both shares, and what they say together. A side without SQL of its users has no share."""
    sides = [[s for s in side.statements.values() if not is_oracles_own(s)] for side in (first, second)]
    shares = [_share(sides[0], _Names(second)), _share(sides[1], _Names(first))]
    most = max((s for s in shares if s is not None), default=None)
    pairs = list(zip((first, second), sides, strict=True))
    if most is None or all(_captured(side, own) < LEAST_CAPTURED for side, own in pairs):
        return Commonality("unknown", *shares)
    if most >= SAME:
        return Commonality("same", *shares)
    differ = most < OTHER and None not in shares and all(_with_text(side) >= _WITH_TEXT for side in sides)
    return Commonality("other" if differ else "unknown", *shares)


def commonality_said(found: Commonality | None) -> str:
    """`94 % of First's captured SQL runs in Second, 26 % of Second's in First.`; "" where neither is known."""
    if found is None or (found.first is None and found.second is None):
        return ""
    if found.first is None:
        return f"{percent(found.second or 0.0)} of Second's captured SQL runs in First."
    more = f", {percent(found.second)} of Second's in First" if found.second is not None else ""
    return f"{percent(found.first)} of First's captured SQL runs in Second{more}."


def shared_sql_said(comparison: Comparison) -> str:
    """The same of a comparison of two periods; a report of one statement captured no more than that."""
    is_of_periods = all(header["kind"] in OF_AN_INTERVAL for header in comparison.headers)
    return commonality_said(comparison.commonality) if is_of_periods else ""


def is_oracles_own(statement: Statement) -> bool:
    """SQL that Oracle, its agents and tools run in every database, as far as module and text tell."""
    text = statement.text[:_LOOKED_AT]
    if _MODULE.match(statement.module) or _MARKED.search(text):
        return True
    bare = _COMMENT.sub(" ", text)
    if statement.is_plsql:
        return _PACKAGE.search(bare) is not None
    table = _TABLE.search(bare)
    named = (table[1] or table[2]) if table is not None else ""
    return _DICTIONARY.match("".join(named.replace('"', "").split())) is not None


def _seconds(statements: Iterable[Statement]) -> float:
    return sum(s.elapsed.number for s in statements if s.elapsed is not None)


def _share(side: Sequence[Statement], other: _Names) -> float | None:
    whole = _seconds(side)
    return _seconds(s for s in side if other.has(s)) / whole if whole >= _LEAST_S else None


def _captured(side: Side, own: Sequence[Statement]) -> float:
    """Of DB time; a block and its SQL may come to more than all of it."""
    return _seconds(own) / side.db_time.number if side.db_time is not None and side.db_time.number > 0 else 0.0


def _with_text(side: Sequence[Statement]) -> float:
    whole = _seconds(side)
    return _seconds(s for s in side if _bare(s)[0]) / whole if whole else 1.0


class _Names:
    """What the statements of a side are found by; texts are read where an id is not found."""

    def __init__(self, side: Side) -> None:
        self._statements = side.statements.values()
        self._ids = {i for s in self._statements for i in s.all_ids}

    @cached_property
    def _bare(self) -> Sequence[tuple[str, bool]]:
        return [found for found in map(_bare, self._statements) if found[0]]

    @cached_property
    def _texts(self) -> Sequence[str]:
        return sorted(bare for bare, _ in self._bare)

    @cached_property
    def _cut(self) -> Mapping[int, set[str]]:
        """Texts whose end is not known, by their length."""
        found = defaultdict(set)
        for bare, is_cut in self._bare:
            if is_cut:
                found[len(bare)].add(bare)
        return found

    def has(self, statement: Statement) -> bool:
        if not self._ids.isdisjoint(statement.all_ids):
            return True
        bare, is_cut = _bare(statement)
        if not bare:
            return False
        at = bisect_left(self._texts, bare)
        other = self._texts[at] if at < len(self._texts) else ""
        if other == bare or (is_cut and other.startswith(bare)):
            return True
        return any(bare[:length] in cut for length, cut in self._cut.items())


def _bare(statement: Statement) -> tuple[str, bool]:
    """The text without what may differ, and whether its end is not known; "" of one that tells no statement.

    Where the print has lost the line that a comment ends with, what follows the comment is not known.
    """
    text, is_cut = statement.text, statement.text_is_cut
    if "--" in text and "\n" not in text:
        text, is_cut = text.partition("--")[0], True
    bare = _SCHEMA.sub("", (plain(text) or "").replace('"', "")).replace(" ", "")
    return (bare, is_cut) if len(bare) >= (_BEGINNING if is_cut else _LEAST_TEXT) else ("", is_cut)


__all__ = ["LEAST_CAPTURED", "OTHER", "SAME", "commonality", "commonality_said", "is_oracles_own", "shared_sql_said"]
