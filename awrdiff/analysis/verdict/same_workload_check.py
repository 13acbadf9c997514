"""SQL that both sides captured, as a test of equal work.

The larger share decides: a new, dominant statement lowers Second's alone. Measured: 38 to 100 % in pairs of one
application, 19 % at most in others.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from awrdiff.analysis.model.comparison import Commonality
from awrdiff.analysis.names.sql_text_normalisation import plain
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.sql_statements import Statement, StatementKey

SAME, OTHER = 0.50, 0.25  # of the larger of the two shares
LEAST_CAPTURED = 0.10  # of DB time, on the side that captured more of it
_LEAST_S = 5.0  # seconds of captured SQL: less is what sessions leave behind in an idle database
_WITH_TEXT = 0.5  # of that time: below it texts that are not printed may hide what is common
_LEAST_TEXT = 20  # characters that tell a statement
_BEGINNING = 60  # characters of a text that one side cuts
_LOOKED_AT = 10_000
_SCHEMA = re.compile(r"(?<![\w$#])(?:[\w$#]+\.)+(?=[\w$#])")
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
    sql, other = _Sql(first), _Sql(second)
    shares = (sql.share_in(other), other.share_in(sql))
    most = max((s for s in shares if s is not None), default=None)
    if most is None or max(sql.of_db_time, other.of_db_time) < LEAST_CAPTURED:
        return Commonality("unknown", *shares)
    if most >= SAME:
        return Commonality("same", *shares)
    differ = most < OTHER and None not in shares and min(sql.with_text, other.with_text) >= _WITH_TEXT
    return Commonality("other" if differ else "unknown", *shares)


def is_other_work(shared: Commonality, *, different: bool) -> bool:
    """No change may be claimed. `different`: two databases."""
    return shared.work == "other" or (shared.work != "same" and different)


def is_oracles_own(statement: Statement) -> bool:
    """SQL of Oracle, its agents or tools."""
    text = statement.text[:_LOOKED_AT]
    if _MODULE.match(statement.module) or _MARKED.search(text):
        return True
    bare = _COMMENT.sub(" ", text)
    if statement.is_plsql:
        return _PACKAGE.search(bare) is not None
    table = _TABLE.search(bare)
    table_name = (table[1] or table[2]) if table is not None else ""
    return _DICTIONARY.match("".join(table_name.replace('"', "").split())) is not None


class _Sql:
    def __init__(self, side: Side) -> None:
        self._statements = side.statements.values()
        self._of_users = [s for s in self._statements if not is_oracles_own(s)]
        self._db_time = side.db_time
        self._ids = {i for s in self._statements for i in s.all_ids}
        self._read: dict[StatementKey, tuple[str, bool]] = {}

    @property
    def of_db_time(self) -> float:
        """Captured share of DB time; a block and its SQL may exceed 1."""
        whole = self._db_time.number if self._db_time is not None else 0.0
        return self._seconds(self._of_users) / whole if whole > 0 else 0.0

    @property
    def with_text(self) -> float:
        whole = self._seconds(self._of_users)
        return self._seconds(s for s in self._of_users if self._text(s)[0]) / whole if whole else 1.0

    def share_in(self, other: _Sql) -> float | None:
        whole = self._seconds(self._of_users)
        common = self._seconds(s for s in self._of_users if other._has(s, self))
        return common / whole if whole >= _LEAST_S else None

    def _seconds(self, statements: Iterable[Statement]) -> float:
        """Elapsed; of a statement that samples alone name, its part of DB time."""
        whole = self._db_time.number if self._db_time is not None else 0.0
        return sum(s.elapsed.number if s.elapsed is not None else (s.sampled or 0.0) / 100 * whole for s in statements)

    def _has(self, statement: Statement, whose: _Sql) -> bool:
        if not self._ids.isdisjoint(statement.all_ids):
            return True
        bare, is_cut = whose._text(statement)
        if not bare:
            return False
        at = bisect_left(self._texts, bare)
        other = self._texts[at] if at < len(self._texts) else ""
        if other == bare or (is_cut and other.startswith(bare)):
            return True
        return any(bare[:length] in cut for length, cut in self._cut.items())

    def _text(self, statement: Statement) -> tuple[str, bool]:
        if statement.key not in self._read:
            self._read[statement.key] = _bare(statement)
        return self._read[statement.key]

    @cached_property
    def _bare(self) -> Sequence[tuple[str, bool]]:
        return [read for read in map(self._text, self._statements) if read[0]]

    @cached_property
    def _texts(self) -> Sequence[str]:
        return sorted(bare for bare, _ in self._bare)

    @cached_property
    def _cut(self) -> Mapping[int, set[str]]:
        by_length = defaultdict(set)
        for bare, is_cut in self._bare:
            if is_cut:
                by_length[len(bare)].add(bare)
        return by_length


def _bare(statement: Statement) -> tuple[str, bool]:
    """A comment without its line end hides what follows."""
    text, is_cut = statement.text, statement.text_is_cut
    if "--" in text and "\n" not in text:
        text, is_cut = text.partition("--")[0], True
    bare = _SCHEMA.sub("", (plain(text) or "").replace('"', "")).replace(" ", "")
    return (bare, is_cut) if len(bare) >= (_BEGINNING if is_cut else _LEAST_TEXT) else ("", is_cut)
