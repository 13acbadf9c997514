"""A comparison built by hand, so that the pages are tested without parser or engine. All figures are invented."""

from __future__ import annotations

import hashlib
from typing import Any

from awrdiff.analysis.model.comparison import (
    Attribution,
    CommitFigures,
    CommitLatency,
    ComparedRow,
    ComparedSection,
    Comparison,
    Consumer,
    Delta,
    Estimate,
    Evidence,
    Finding,
    IdentityFacts,
    RuleOutcome,
    RuleState,
    Warning_,
)
from parsers.model import Column, Value

HOSTILE = "<script>alert(1)</script>\"'&"
_STATES: tuple[RuleState, ...] = (*["fired"] * 7, *["quiet"] * 22, *["forbidden"] * 2, *["unknown"] * 3)  # type: ignore[assignment]
ELAPSED = (3600.0, 3700.0)
TRANSACTIONS = (90_000.0, 91_000.0)

WAIT_COLUMNS = (
    Column("event", "Event"),
    Column("waits", "Waits", "count", "neither", "total"),
    Column("total_wait_time_s", "Total Wait Time", "s", "lower", "total"),
    Column("avg_wait_s", "Avg wait", "s", "lower", "average"),
    Column("pct_db_time", "% DB time", "percent", "lower", "share"),
)


def delta(first: float | None, second: float | None, half: float = 0.0, *, total: bool = True) -> Delta:
    a = None if first is None else Value(first, half)
    b = None if second is None else Value(second, half)
    if first is None or second is None:
        rates = [None if v is None else v / e for v, e in zip((first, second), ELAPSED, strict=True)]
        return Delta(a, b, first_per_s=rates[0] if total else None, second_per_s=rates[1] if total else None)
    certain = abs(second - first) > 2 * half
    pct = (second / first - 1) * 100 if first else None
    if not total:
        return Delta(a, b, second - first, pct, significant=certain)
    per_s = [v / e for v, e in zip((first, second), ELAPSED, strict=True)]
    per_txn = [v / t for v, t in zip((first, second), TRANSACTIONS, strict=True)]
    return Delta(a, b, second - first, pct, *per_s, pct, *per_txn, pct, significant=certain, significant_per_s=certain)


def row_id(section: str, *key: str) -> str:
    return hashlib.sha256("\x1f".join((section, *key)).encode()).hexdigest()[:12]


def row(section: str, key: dict[str, str], values: dict[str, Delta], **more: Any) -> ComparedRow:
    status = more.pop("status", "changed" if any(d.significant for d in values.values()) else "same")
    return ComparedRow(row_id(section, *key.values()), key, status, values, **more)


def wait_row(section: str, event: str, first: tuple | None, second: tuple | None, **more: Any) -> ComparedRow:
    """`first` and `second` are (waits, seconds) or None where the event is not listed."""
    a, b = first or (None, None), second or (None, None)
    averages = [None if not s[0] else s[1] / s[0] for s in (a, b)]
    values = {
        "waits": delta(a[0], b[0]),
        "total_wait_time_s": delta(a[1], b[1], 0.5),
        "avg_wait_s": delta(*averages, 5e-6, total=False),
        "pct_db_time": delta(*[None if s[1] is None else s[1] / 100 for s in (a, b)], 0.05, total=False),
    }
    status = "only_second" if first is None else "only_first" if second is None else None
    return row(section, {"event": event}, values, **({"status": status} if status else {}), **more)


def waits_section(rows: int = 12) -> ComparedSection:
    name = "foreground_wait_events"
    made = [
        wait_row(name, "library cache: mutex X", (2_780, 9.2), (17_800, 100_570.0)),
        wait_row(name, "log file sync", (99_000, 289.0), (79_252, 305.0)),
        wait_row(name, "db file sequential read", (928_000, 1_921.0), (1_091_000, 2_673.0)),
        wait_row(name, "direct path read", (524_800, 2_046.0), (189_600, 1_871.0)),
        wait_row(name, "ksdxexeotherwait", None, (180, 104.0)),
        wait_row(name, HOSTILE, (10, 1.0), (400, 44.0)),
        wait_row(name, "SQL*Net message from client", (5_000_000, 900_000.0), (6_000_000, 950_000.0), idle=True),
        wait_row(name, "Disk file operations I/O", (1_000, 3.0), (1_000, 3.0)),
    ]
    made += [wait_row(name, f"invented event {i}", (100 + i, 10.0), (200 + 3 * i, 20.0 + i)) for i in range(rows - 8)]
    return ComparedSection(
        name, "Foreground Wait Events", True, "time", "nonzero", WAIT_COLUMNS, ("event",), tuple(made[:rows])
    )


def histogram_section() -> ComparedSection:
    name = "wait_event_histogram"
    edges = ["lt_1ms", "lt_2ms", "lt_4ms", "lt_8ms", "lt_16ms", "lt_32ms", "ge_32ms"]
    columns = (
        Column("event", "Event"),
        Column("waits", "Total Waits", "count", "neither", "total"),
        *(Column(f"pct_{e}", e, "percent", "neither", "share") for e in edges),
    )

    def one(event: str, first: list[float], second: list[float]) -> ComparedRow:
        shares = {f"pct_{e}": delta(a, b, 0.05, total=False) for e, a, b in zip(edges, first, second, strict=True)}
        return row(name, {"event": event}, {"waits": delta(99_000, 79_000, 50), **shares})

    rows = (
        one("log file sync", [10, 40.2, 30, 12, 5, 2, 0.8], [4, 20, 30.5, 25, 12, 6, 2.5]),
        one("log file parallel write", [12, 48, 30, 8, 2, 0, 0], [10, 45, 31, 10, 3, 1, 0]),
    )
    return ComparedSection(name, "Wait Event Histogram", True, "time", "all", columns, ("event",), rows)


def sql_section() -> ComparedSection:
    name = "sql_by_elapsed_time"
    columns = (
        Column("sql_id", "SQL Id", holds="sql_id"),
        Column("elapsed_time_s", "Elapsed Time", "s", "lower", "total"),
        Column("executions", "Executions", "count", "neither", "total"),
        Column("elapsed_per_exec_s", "Elapsed per Exec", "s", "lower", "average"),
        Column("pct_total", "%Total", "percent", "lower", "share"),
        Column("sql_module", "SQL Module", holds="program"),
        Column("sql_text", "SQL Text", holds="sql_text"),
    )

    def one(sql_id: str, first: tuple | None, second: tuple | None, text: str) -> ComparedRow:
        a, b = first or (None, None), second or (None, None)
        per = [None if not s[1] else s[0] / s[1] for s in (a, b)]
        values = {
            "elapsed_time_s": delta(a[0], b[0], 0.005),
            "executions": delta(a[1], b[1]),
            "elapsed_per_exec_s": delta(*per, 0.005, total=False),
            "pct_total": delta(*[None if s[0] is None else s[0] / 50 for s in (a, b)], 0.005, total=False),
            "sql_module": Delta("JDBC Thin Client", "JDBC Thin Client"),
            "sql_text": Delta(text, text),
        }
        status = "only_second" if first is None else "only_first" if second is None else "changed"
        return row(name, {"sql_id": sql_id}, values, status=status)

    rows = (
        one("7ws837zynp1zv", (112.5, 1_200), (4_421.0, 1_350), "SELECT CARD_ID FROM ALL_OF_THEM WHERE ID = :B1"),
        one("0w26sk6t6gq98", None, (812.0, 3), f"UPDATE X SET Y = '{HOSTILE}'"),
        one("b6usrg82hwsa3", (95.0, 2), None, "call dbms_stats.gather_database_stats_job_proc ( )"),
    )
    return ComparedSection(
        name,
        "SQL ordered by Elapsed Time",
        True,
        "sql",
        "top",
        columns,
        ("sql_id",),
        rows,
        first_notes=("Captured SQL account for 22.2% of Total DB Time (s): 13,795",),
        second_notes=("Captured SQL account for 41.0% of Total DB Time (s): 300,201",),
    )


def parameters_section() -> ComparedSection:
    name = "init_parameters"
    columns = (
        Column("parameter", "Parameter Name"),
        Column("begin_value", "Begin value"),
        Column("end_value", "End value"),
    )
    rows = (
        row(
            name,
            {"parameter": "cursor_sharing"},
            {"begin_value": Delta("EXACT", "FORCE"), "end_value": Delta(None, None)},
            status="changed",
        ),
        row(
            name,
            {"parameter": "session_cached_cursors"},
            {"begin_value": Delta(None, "200"), "end_value": Delta(None, None)},
            status="only_second",
        ),
        row(
            name,
            {"parameter": "processes"},
            {"begin_value": Delta("2000", "2000"), "end_value": Delta(None, None)},
            status="same",
        ),
    )
    return ComparedSection(name, "init.ora Parameters", True, "settings", "all", columns, ("parameter",), rows)


def activity_section(rows: int = 6) -> ComparedSection:
    name = "instance_activity"
    columns = (
        Column("statistic", "Statistic"),
        Column("total", "Total", "count", "neither", "total"),
        Column("per_second", "per Second", "per_s", "neither", "rate"),
        Column("per_transaction", "per Trans", "per_txn", "neither", "rate"),
    )
    rates = {"per_second": Delta(None, None), "per_transaction": Delta(None, None)}
    made = [
        row(
            name,
            {"statistic": f"invented statistic {i}"},
            {"total": delta(1_000.0 * (i + 1), 1_400.0 * (i + 2)), **rates},
        )
        for i in range(rows - 1)
    ]
    made.append(row(name, {"statistic": "redo size"}, {"total": delta(1.9e9, 2.4e9), **rates}, unit="bytes"))
    return ComparedSection(
        name, "Instance Activity Stats", True, "activity", "nonzero", columns, ("statistic",), tuple(made)
    )


def _estimate(value: float, half: float) -> Estimate:
    return Estimate(value - half, value, value + half)


def comparison(sections: tuple[ComparedSection, ...] | None = None) -> Comparison:
    facts = IdentityFacts(
        "RECEIPT", "receipt1", "12.1.0.2.0", "db01", "AIX-Based Systems (64-bit)", 12,
        "2018-01-11T09:30:05", "2018-01-11T10:30:19", 173494, 173496, 3614.4, 13_795.0, 3.82, 20.1, 32.4,
    )  # fmt: skip
    later = IdentityFacts(
        "RECEIPT", "receipt1", "12.1.0.2.0", "db01", "AIX-Based Systems (64-bit)", 12,
        "2018-01-11T11:30:44", "2018-01-11T12:31:13", 173498, 173500, 3689.4, 300_201.0, 81.4, 16.2, 1.4,
    )  # fmt: skip
    mutex = row_id("foreground_wait_events", "library cache: mutex X")
    parts = (
        Consumer("library cache: mutex X", "Concurrency", 0.0026, 27.24, 27.2, 11.4, 15.8, 0.00331, 5.65, mutex),
        Consumer("db file sequential read", "User I/O", 0.53, 0.73, 0.2, 0.09, 0.11, 0.00207, 0.00245),
        Consumer("DB CPU", None, 1.23, 0.86, -0.37, None, None),
    )
    first = CommitFigures(
        lfs_waits=_estimate(99_000, 0), lfs_avg_s=_estimate(0.00292, 5e-6), lfpw_avg_s=_estimate(0.0028, 5e-6),
        naive_overhead_s=_estimate(0.00013, 1e-5), naive_share=_estimate(0.044, 0.004),
        lfs_db_time_share=_estimate(0.021, 0.001), group_commit=_estimate(0.97, 0.01),
    )  # fmt: skip
    second = CommitFigures(
        lfs_waits=_estimate(79_252, 0), lfs_avg_s=_estimate(0.00386, 5e-6), missing=("log file parallel write",),
        lfs_db_time_share=_estimate(0.001, 0.0001),
    )  # fmt: skip
    made = (waits_section(), histogram_section(), sql_section(), activity_section(), parameters_section())
    header: dict[str, Any] = {"schema": "awrdiff.report/1", "file": "a.html", "kind": "awr"}
    return Comparison(
        headers=(header, header),
        identity=(facts, later),
        warnings=(Warning_("elapsed", "The windows differ by 2.1 % in length: rates are compared."),),
        summary="Average active sessions rose from 3.8 to 81.4 while logical reads changed by +13 % per second.",
        attribution=Attribution(3.82, 81.4, parts, 50.55, 0.8, 0.76),
        commit_latency=CommitLatency((first, second)),
        findings=(
            Finding(
                "hard-parsing", "critical", "Hard parsing collapsed on the shared pool.",
                f"Hard parse time 5,917 s → 143,822 s {HOSTILE}",
                (Evidence("foreground_wait_events", "library cache: mutex X", "total_wait_time_s", mutex),),
            ),
        ),
        rules=tuple(RuleOutcome(f"rule-{n}", state) for n, state in enumerate(_STATES)),
        sections=made if sections is None else sections,
        elapsed_differs=True,
    )  # fmt: skip
