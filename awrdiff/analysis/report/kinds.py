"""Kinds of report for comparison, and differences in counting."""

from __future__ import annotations

from collections.abc import Iterator

from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.same_database_check import same_database

KINDS = {
    "awr": "one instance",
    "awr_pdb": "one pluggable database",
    "awr_global": "the whole cluster",
    "statspack": "Statspack",
    "awr_sql": "one statement",
    "awr_compare": "two periods, already compared by Oracle",
    "ash": "sampled active sessions (ASH)",
    "addm": "ADDM's findings",
    "lgwr_trace": "an LGWR trace",
}
# What a report of an interval prints is missing in the others: load, waits, DB time of everything.
OF_AN_INTERVAL = frozenset({"awr", "awr_pdb", "awr_global", "statspack"})
_INSTEAD = {
    "awr_sql": "An AWR SQL report holds one statement only: the load, waits and DB time around it are not in it.",
    "awr_compare": "Oracle's compare report holds two periods: choose which of them stands on this side.",
    "ash": "An ASH report counts sampled sessions: it has neither waits nor DB time to compare.",
    "addm": "An ADDM report holds findings and the DB time they are about: it has no waits, load or statistics.",
    "lgwr_trace": "An LGWR trace holds slow log writes and switches: it has neither waits nor DB time to compare.",
}


def weighable(first: Side, second: Side) -> bool:
    return first.report.kind in OF_AN_INTERVAL and second.report.kind in OF_AN_INTERVAL


def differences(first: Side, second: Side) -> Iterator[str]:
    kinds = (first.report.kind, second.report.kind)
    names = ", ".join(KINDS.get(k, k) for k in kinds)
    yield f"Reports of different kinds ({names}): they count different things."
    yield from (_INSTEAD[k] for k in dict.fromkeys(kinds) if k in _INSTEAD)
    if not weighable(first, second):
        return
    if "statspack" in kinds:
        yield from _statspack(*((first, second) if kinds[0] == "statspack" else (second, first)))
    if "awr_global" in kinds:
        yield (
            "A global report adds up all instances, and its active sessions are those of the cluster; rows of single "
            "instances stand beside, unmatched. Choose one instance of it to compare instance with instance."
        )
    if "awr_pdb" in kinds:
        yield (
            "A report of one pluggable database leaves out background processes and the other containers: host and "
            "instance figures are not its own."
        )


def _statspack(statspack: Side, other: Side) -> Iterator[str]:
    yield (
        "Statspack's list of top events holds background events too, and its shares are of CPU time and waits "
        "together, not of DB time."
    )
    if not statspack.has("foreground_wait_events") and other.has("foreground_wait_events"):
        yield "Statspack does not tell foreground from background waits here: its wait events stand in one table."
    if statspack.has("sql_by_elapsed_time") or statspack.has("sql_by_gets"):
        yield (
            "Statspack names statements by their old hash value, AWR by SQL id: findings match them by their text "
            "where Statspack prints enough of it, the rows of the SQL tables stand apart."
        )
    if same_database(statspack.report.database, other.report.database):
        yield "Statspack and AWR take their own snapshots, at other moments: counts differ by what happened in between."
