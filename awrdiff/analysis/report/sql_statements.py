"""One statement of a report, joined over all SQL tables.

Reports list top statements once per order, with different figures.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct, field

from awrdiff.analysis.model.comparison import Evidence
from awrdiff.analysis.names.sql_text_normalisation import is_plsql
from awrdiff.analysis.rows.align import anchor
from parsers.model import Report, Row, Section, Value

ELAPSED = "sql_by_elapsed_time"
TEXTS = "sql_text"
# In the order in which a figure that several print is taken from them.
TABLES = (
    ELAPSED,
    "sql_by_cpu_time",
    "sql_by_user_io_wait_time",
    "sql_by_gets",
    "sql_by_reads",
    "sql_by_unoptimized_reads",
    "sql_by_executions",
    "sql_by_parse_calls",
    "sql_by_sharable_memory",
    "sql_by_version_count",
    "sql_by_cluster_wait_time",
    "sql_by_offload_eligible_bytes",
)
SAMPLED = ("top_sql_with_top_events", "top_sql_with_top_row_sources")  # from ASH
FIGURES = (
    "elapsed_time_s",
    "cpu_time_s",
    "user_io_wait_time_s",
    "cluster_wait_time_s",
    "buffer_gets",
    "physical_reads",
    "physical_read_requests",
    "unoptimized_read_requests",
    "rows_processed",
    "executions",
    "parse_calls",
    "version_count",
    "sharable_memory_bytes",
    "offload_eligible_bytes",
)
PLAN_STATISTICS = "sql_plan_statistics"  # an AWR SQL report's, for each plan of its statement
_BY_STATISTIC = {
    "elapsed time": "elapsed_time_s",
    "cpu time": "cpu_time_s",
    "user i/o wait time": "user_io_wait_time_s",
    "cluster wait time": "cluster_wait_time_s",
    "application wait time": "application_wait_time_s",
    "concurrency wait time": "concurrency_wait_time_s",
    "executions": "executions",
    "buffer gets": "buffer_gets",
    "disk reads": "physical_reads",
    "rows": "rows_processed",
    "parse calls": "parse_calls",
}
_UNIT_S = {"ms": 1e-3, "us": 1e-6, "s": 1.0}
# Printed as a share of elapsed time by lists that do not print the seconds.
_SHARES = {"cpu_time_s": "pct_cpu", "user_io_wait_time_s": "pct_io", "cluster_wait_time_s": "pct_cluster"}
_NO_TEXT = "** SQL Text Not Available"
_COUNTED_BY = {"sql_by_gets": "buffer_gets", "sql_by_reads": "physical_reads"}
_LESS_THAN_NOTHING = re.compile(r"captured SQL accounts? for\s+-\s*\d", re.IGNORECASE)
_CAPTURED = re.compile(r"captured (SQL|PL/SQL) accounts? for\s+([\d.,]+)\s*% of total DB time", re.IGNORECASE)


class StatementKey(NamedTuple):
    """SQL id, or Statspack's hash; `pdb`: "" if not printed."""

    sql_id: str
    pdb: str = ""

    @property
    def is_hash_value(self) -> bool:
        """Up to ten digits; SQL ids have thirteen characters."""
        return self.sql_id.isdigit() and len(self.sql_id) <= 10


class StatementFigure(Struct, frozen=True):
    """One figure, as printed; `row`: key texts by column."""

    value: Value
    section: str
    column: str
    row: Mapping[str, str]

    def evidence(self, key: Iterable[str] | None = None, *, apart: str = "") -> Evidence:
        """`key`: columns common to both reports, else all.

        `apart`: marks rows of a report with another key.
        """
        columns = self.row.keys() if key is None else [c for c in key if c in self.row]
        parts = [self.row[c] for c in columns] + [apart] * bool(apart)
        name = next((p for p in self.row.values() if p), "")
        return Evidence(self.section, name, self.column, anchor(self.section, *parts))


class Sample(NamedTuple):
    """Sampled waits in percent of DB time by event and plan."""

    event: str
    pct: float
    plan_hash: str
    row_source: str


class Plan(Struct, frozen=True):
    """Figures for one plan, from an AWR SQL report."""

    plan_hash: str
    figures: Mapping[str, StatementFigure]

    def per_execution(self, figure: str) -> Value | None:
        return _per_execution(self.figures, figure)


class Statement(Struct, frozen=True, dict=True):
    """Statement in one report; `ids`: of all summed into it.

    `sampled`: percent of DB time in ASH, over all plans. `plans`: of an AWR SQL report, longest first.
    """

    key: StatementKey
    figures: Mapping[str, StatementFigure]
    listed_in: tuple[str, ...]
    text: str = ""
    text_is_cut: bool = False
    module: str = ""
    samples: tuple[Sample, ...] = ()
    ids: tuple[str, ...] = field(default=())
    sampled: float | None = None
    plans: tuple[Plan, ...] = ()

    def value(self, figure: str) -> Value | None:
        printed = self.figures.get(figure)
        return printed.value if printed else None

    @property
    def all_ids(self) -> tuple[str, ...]:
        return self.ids or (self.key.sql_id,)

    @property
    def elapsed(self) -> Value | None:
        figure = self.figures.get("elapsed_time_s")  # asked more often than all others together
        return figure.value if figure else None

    @property
    def executions(self) -> Value | None:
        return self.value("executions")

    @cached_property
    def is_plsql(self) -> bool:
        """True if its figures include those of its SQL."""
        return is_plsql(self.text)

    @property
    def plan_hashes(self) -> tuple[str, ...]:
        """Most sampled first; AWR SQL reports print all."""
        if self.plans:
            return tuple(p.plan_hash for p in self.plans)
        ranked = sorted(self.samples, key=lambda s: -s.pct)
        return tuple(dict.fromkeys(s.plan_hash for s in ranked if s.plan_hash.strip("0")))

    @property
    def waits(self) -> dict[str, float]:
        """Percent of DB time by event, most first."""
        shares: dict[str, float] = {}
        for sample in self.samples:
            shares[sample.event] = max(shares.get(sample.event, 0.0), sample.pct)
        return dict(sorted(shares.items(), key=lambda item: -item[1]))

    def per_execution(self, figure: str) -> Value | None:
        """Totals divided, as averages are rounded; None without executions."""
        return _per_execution(self.figures, figure)


def _per_execution(figures: Mapping[str, StatementFigure], name: str) -> Value | None:
    figure, runs = figures.get(name), figures.get("executions")
    if figure is None or runs is None or runs.value.low <= 0:
        return None
    total, count = figure.value, runs.value
    low, high = total.low / count.high, total.high / count.low
    each = total.number / count.number
    return Value(each, max(high - each, each - low))


class Captured(NamedTuple):
    """Share (0..1) of DB time in listed SQL and PL/SQL, overlapping.

    `is_printed`: below the list, from 11.2 on; else the sum of the rows, which may be the least of it.
    """

    sql: float | None
    plsql: float | None
    is_printed: bool = False

    @property
    def best(self) -> float | None:
        return max((s for s in (self.sql, self.plsql) if s is not None), default=None)


def statements_of(report: Report) -> dict[StatementKey, Statement]:
    """Statements by elapsed time, then as listed."""
    if report.kind == "awr_sql":
        return {s.key: s for s in _of_sql_report(report)}
    statements = _StatementIndex()
    for section in _sections(report, TABLES):
        cut = _cuts_texts(report, section)
        for record in section.records:
            key = key_of(section, record)
            if key is not None:
                statements.statement(key).add(section, record, cut=cut)
    for section in _sections(report, (*SAMPLED, TEXTS)):
        cut = _cuts_texts(report, section)
        for record in section.records:
            for collected in statements.matching(section, record):
                collected.add(section, record, cut=cut)
    for figure in _overflowing_figures(report):
        for collected in statements.by_key.values():
            collected.figures.pop(figure, None)
    return {c.key: c.statement() for c in sorted(statements.by_key.values(), key=lambda c: -c.seconds)}


def _of_sql_report(report: Report) -> Iterator[Statement]:
    summary, statistics, texts = (report.section(i) for i in ("sql_summary", PLAN_STATISTICS, TEXTS))
    if summary is None or not summary.records or statistics is None:
        return
    plans: dict[str, dict[str, StatementFigure]] = defaultdict(dict)
    for record in statistics.records:
        statistic, total = statistics.text(record, "statistic"), statistics.number(record, "total")
        name = _BY_STATISTIC.get(statistic.partition(" (")[0].lower())
        if name is not None and total is not None:
            unit = _UNIT_S.get(record.unit or "", 1.0)
            row = {c: statistics.text(record, c) for c in statistics.key}
            value = Value(total.number * unit, total.half * unit)
            plans[statistics.text(record, "plan_hash")][name] = StatementFigure(value, PLAN_STATISTICS, "total", row)
    timed_plans = [Plan(plan_hash, figures) for plan_hash, figures in plans.items() if "elapsed_time_s" in figures]
    timed_plans.sort(key=lambda p: -p.figures["elapsed_time_s"].value.number)
    if not timed_plans:
        return
    first = summary.records[0]
    text = texts.text(texts.records[0], "sql_text") if texts is not None and texts.records else ""
    full_text = text or summary.text(first, "sql_text").removesuffix("...")
    yield Statement(
        StatementKey(summary.text(first, "sql_id")),
        {
            n: _sum(f, [p.figures[n].value for p in timed_plans])
            for n, f in timed_plans[0].figures.items()
            if all(n in p.figures for p in timed_plans)
        },
        (PLAN_STATISTICS,),
        full_text.strip(),
        not text,
        summary.text(first, "module"),
        plans=tuple(timed_plans),
    )


def _overflowing_figures(report: Report) -> Iterator[str]:
    """Statspack counters that overflowed have negative captured totals."""
    for table, figure in _COUNTED_BY.items():
        section = report.section(table)
        if section is not None and any(_LESS_THAN_NOTHING.search(note) for note in section.notes):
            yield figure


def captured_of(report: Report, db_time: Value | None, listed: Iterable[Statement]) -> Captured:
    """Shares printed below the list, else the statements' sum."""
    section = report.section(ELAPSED)
    if section is None:
        return Captured(None, None)
    shares = {
        m[1].upper(): float(m[2].replace(",", ".").rstrip(".")) / 100
        for note in section.notes
        if (m := _CAPTURED.search(note))
    }
    if shares:
        return Captured(shares.get("SQL"), shares.get("PL/SQL"), is_printed=True)
    if db_time is None:
        return Captured(None, None)
    blocks = {True: 0.0, False: 0.0}
    for statement in listed:
        if ELAPSED in statement.listed_in and statement.elapsed is not None:
            blocks[statement.is_plsql] += statement.elapsed.number
    return Captured(blocks[False] / db_time.number, blocks[True] / db_time.number)


def least_listed(report: Report) -> Value | None:
    """Shortest elapsed time listed; captured statements outside took no longer.

    None for Oracle's compare report, which lists by difference.
    """
    section = report.section(ELAPSED)
    if section is None or report.section("compare_snapshots") is not None:
        return None
    values = (section.number(r, "elapsed_time_s") for r in section.records)
    return min((v for v in values if v is not None), key=lambda v: v.number, default=None)


def together(statements: Iterable[Statement]) -> Statement:
    """One text's statements summed; the largest gives its name."""
    ranked = sorted(statements, key=lambda s: -(s.elapsed.number if s.elapsed else 0.0))
    if len(ranked) == 1:
        return ranked[0]
    largest = ranked[0]
    figures = {
        n: _sum(f, [s.figures[n].value for s in ranked])
        for n, f in largest.figures.items()
        if all(n in s.figures for s in ranked)
    }
    return Statement(
        largest.key,
        figures,
        tuple(dict.fromkeys(t for s in ranked for t in s.listed_in)),
        largest.text,
        largest.text_is_cut,
        largest.module,
        largest.samples,
        tuple(i for s in ranked for i in s.all_ids),
        largest.sampled,
    )


def _sum(largest: StatementFigure, values: list[Value]) -> StatementFigure:
    total = Value(sum(v.number for v in values), sum(v.half for v in values))
    return StatementFigure(total, largest.section, largest.column, largest.row)


class _Collected:
    """A statement in progress."""

    def __init__(self, key: StatementKey) -> None:
        self.key = key
        self.figures: dict[str, StatementFigure] = {}
        self.tables: list[str] = []
        self.samples: list[Sample] = []
        self.activity: dict[str, float] = {}  # percent by plan
        self.text, self.is_cut, self.module = "", False, ""

    @property
    def seconds(self) -> float:
        return self.figures["elapsed_time_s"].value.number if "elapsed_time_s" in self.figures else -1.0

    def add(self, section: Section, record: Row, *, cut: bool) -> None:
        if section.id in TABLES:
            self._figures(section, record)
        elif section.id in SAMPLED:
            self._sampled(section, record)
        if section.id not in self.tables and section.id != TEXTS:
            self.tables.append(section.id)
        self.module = self.module or section.text(record, "sql_module")
        text = section.text(record, "sql_text")
        ends = text.rstrip()
        full_text = "" if ends.startswith(_NO_TEXT) else ends.removesuffix("...").rstrip()
        if len(full_text) > len(self.text):
            self.text, self.is_cut = full_text, cut or ends.endswith("...")

    def statement(self) -> Statement:
        return Statement(
            self.key,
            self.figures,
            tuple(self.tables),
            self.text,
            self.is_cut,
            self.module,
            tuple(self.samples),
            sampled=sum(self.activity.values()) if self.activity else None,
        )

    def _figures(self, section: Section, record: Row) -> None:
        row = {c: section.text(record, c) for c in section.key}
        cells, index = record.cells, section.index
        for name in FIGURES:
            if name in index and isinstance(value := cells[index[name]], Value):
                self._keep(name, StatementFigure(value, section.id, name, row))
        elapsed = section.number(record, "elapsed_time_s")
        if elapsed is None:
            return
        for name, share in _SHARES.items():
            of = section.number(record, share)
            if of is not None:
                number = elapsed.number * of.number / 100
                high = elapsed.high * of.high / 100
                self._keep(name, StatementFigure(Value(number, high - number), section.id, share, row))

    def _keep(self, name: str, figure: StatementFigure) -> None:
        present = self.figures.get(name)
        if present is None or figure.value.half < present.value.half:
            self.figures[name] = figure

    def _sampled(self, section: Section, record: Row) -> None:
        active = section.number(record, "pct_activity")
        if active is not None:
            plan = section.text(record, "plan_hash")
            self.activity[plan] = max(self.activity.get(plan, 0.0), active.number)
        pct = section.number(record, "pct_event" if section.id == SAMPLED[0] else "pct_row_source")
        if pct is not None and section.id == SAMPLED[0]:
            event, source = section.text(record, "event"), section.text(record, "row_source")
            self.samples.append(Sample(event, pct.number, section.text(record, "plan_hash"), source))


class _StatementIndex:
    """Statements of a report by key, and by id."""

    def __init__(self) -> None:
        self.by_key: dict[StatementKey, _Collected] = {}
        self._of_id: dict[str, list[_Collected]] = defaultdict(list)

    def statement(self, key: StatementKey) -> _Collected:
        if key not in self.by_key:
            self.by_key[key] = _Collected(key)
            self._of_id[key.sql_id].append(self.by_key[key])
        return self.by_key[key]

    def matching(self, section: Section, record: Row) -> list[_Collected]:
        """Rows without database match all of the id; ASH alone adds a statement."""
        key = key_of(section, record)
        if key is None:
            return []
        if key.pdb and key in self.by_key:
            return [self.by_key[key]]
        same = [c for c in self._of_id.get(key.sql_id, ()) if not (c.key.pdb and key.pdb)]
        return [self.statement(key)] if not same and section.id in SAMPLED else same


def _sections(report: Report, ids: Iterable[str]) -> Iterator[Section]:
    return (s for i in ids if (s := report.section(i)) is not None)


def key_of(section: Section, record: Row) -> StatementKey | None:
    sql_id = section.text(record, "sql_id") or section.text(record, "old_hash_value")
    return StatementKey(sql_id, section.text(record, "pdb_name")) if sql_id else None


def _cuts_texts(report: Report, section: Section) -> bool:
    """Text reports print only a text's first lines."""
    return report.format == "text" and section.id != TEXTS
