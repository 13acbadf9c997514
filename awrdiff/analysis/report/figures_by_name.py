"""One report for the analysis: figures by name, None if not printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Evidence, Range
from awrdiff.analysis.names.names_across_releases import plain_name
from awrdiff.analysis.names.wait_events import is_idle_event, wait_class_of
from awrdiff.analysis.report.rac_cluster_figures import sections_of_all
from awrdiff.analysis.report.rac_instance_rows import TIME_MODEL
from awrdiff.analysis.report.sql_statements import (
    SAMPLED,
    Captured,
    Statement,
    StatementKey,
    captured_of,
    least_listed,
    statements_of,
)
from awrdiff.analysis.rows.align import CLUSTER, INSTANCE, anchor
from parsers.model import Report, Row, Section, Value
from parsers.tables.number_parsing import read_number

FOREGROUND = "foreground_wait_events"
BACKGROUND = "background_wait_events"
TOP = "top_timed_events"
ASH_PERIOD = "ash_period"
COMBINED = "wait_events"  # Statspack: foreground and background in one list
ACTIVITY = "instance_activity"
_MAY_SHRINK = ("memory", "current", "space")  # statistics that are no counters
# Statistics of the time model that every release counts.
_EVER = frozenset(
    (
        "parse time elapsed",
        "hard parse elapsed time",
        "failed parse elapsed time",
        "connection management call elapsed time",
    )
)


class Basis(Struct, frozen=True, weakref=True):
    """Divisors of totals: elapsed seconds and transactions."""

    elapsed: Value | None
    transactions: float | None


class Bases(Struct, frozen=True, weakref=True):
    first: Basis
    second: Basis


class Event(Struct, frozen=True, weakref=True):
    """Wait event; `total` narrowed by total and average."""

    name: str
    section: str
    waits: Value | None
    total: Value
    wait_class: str | None

    @property
    def average(self) -> Value | None:
        if self.waits is None or self.waits.number <= 0:
            return None
        return Value(self.total.number / self.waits.number, self.total.half / self.waits.number)

    @property
    def average_s(self) -> float | None:
        return self.average.number if self.average is not None else None

    def evidence(self, column: str = "total_wait_time_s") -> Evidence:
        return Evidence(self.section, self.name, column, anchor(self.section, self.name))

    def with_row(self, other: Event) -> Event:
        """Sum with another row of the same printed name."""
        waits = None
        if self.waits is not None and other.waits is not None:
            waits = Value(self.waits.number + other.waits.number, self.waits.half + other.waits.half)
        total = Value(self.total.number + other.total.number, self.total.half + other.total.half)
        return replace(self, waits=waits, total=total)


def product_of(waits: Value | None, average: Value | None) -> Value | None:
    """Total for columns that overflow (`########`)."""
    if waits is None or average is None or waits.number <= 0:
        return None
    return Value(average.number * waits.number, average.half * waits.high + average.number * waits.half)


def narrow_total(total: Value | None, average: Value | None, waits: Value | None) -> Value | None:
    """Intersection of printed total and average × waits.

    11.2 prints 94 s for 182,739 waits of 0.52 ms, together 94.1 … 94.5 s. If they do not meet, the printed total.
    """
    if total is None:
        return None
    if average is None or waits is None or waits.number <= 0 or waits.half > 0:
        return total
    low = max(total.low, average.low * waits.number)
    high = min(total.high, average.high * waits.number)
    if low > high:
        return total
    return Value((low + high) / 2, (high - low) / 2)


def average_wait(printed: Value | None, total: Value | None, waits: Value | None) -> Value | None:
    """Printed average, or total ÷ waits if twice as fine."""
    exact = narrow_total(total, printed, waits)
    if exact is None or waits is None or waits.number <= 0:
        return printed
    finer = Value(exact.number / waits.number, exact.half / waits.number)
    return finer if printed is None or 2 * finer.half <= printed.half else printed


class Side:
    """First or Second; row names match regardless of case, trailing colon."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._rows: dict[str, dict[str, Row]] = {}
        self._of_all = sections_of_all(report)

    def section(self, section_id: str) -> Section | None:
        """Printed section, or a global report's equivalent."""
        return self.report.section(section_id) or self._of_all.get(section_id)

    def row(self, section_id: str, *names: str) -> Row | None:
        rows = self._rows.get(section_id)
        if rows is None:
            rows = self._rows[section_id] = _by_name(self.section(section_id))
        return next((rows[n.lower()] for n in names if n.lower() in rows), None)

    def value(self, section_id: str, column: str, *names: str) -> Value | None:
        section, record = self.section(section_id), self.row(section_id, *names)
        return section.number(record, column) if section is not None and record is not None else None

    def text(self, section_id: str, column: str, *names: str) -> str | None:
        section, record = self.section(section_id), self.row(section_id, *names)
        return section.text(record, column) if section is not None and record is not None else None

    def has(self, section_id: str) -> bool:
        section = self.section(section_id)
        return section is not None and len(section.records) > 0

    def lists_all(self, section_id: str) -> bool:
        """True if missing rows are 0: printed and complete."""
        section = self.section(section_id)
        return section is not None and len(section.records) > 0 and section.coverage != "top"

    def statistic(self, name: str) -> Value | None:
        """None also for a counter that went backwards."""
        total = self.value(ACTIVITY, "total", name)
        went_back = total is not None and total.number < 0 and not any(w in name.lower() for w in _MAY_SHRINK)
        return None if went_back else total

    def time_model(self, name: str) -> Value | None:
        """Unprinted statistics above DB time are 0."""
        seconds = self.value(TIME_MODEL, "time_s", name)
        section = self.section(TIME_MODEL)
        if seconds is not None or section is None or section.coverage != "nonzero" or name not in _EVER:
            return seconds
        return Value(0.0, 0.0) if self.row(TIME_MODEL, "DB time") is not None else None

    def load(self, *names: str) -> Value | None:
        return self.value("load_profile", "per_second", *names)

    def sessions(self, seconds: Value | None) -> Range | None:
        """Seconds per elapsed second, within printed resolution."""
        if seconds is None or self.elapsed is None:
            return None
        return Range(max(seconds.low, 0.0) / self.elapsed.high, max(seconds.high, 0.0) / self.elapsed.low)

    def per_second(self, value: Value | None) -> float | None:
        return value.number / self.elapsed.number if value is not None and self.elapsed is not None else None

    def share_of_db_time(self, value: Value | None) -> float | None:
        """0..1"""
        return value.number / self.db_time.number if value is not None and self.db_time is not None else None

    @cached_property
    def elapsed(self) -> Value | None:
        """DB time ÷ all instances' active sessions in global reports."""
        elapsed = self._of_cluster() or self.report.period.elapsed_s
        return elapsed if elapsed is not None and elapsed.number > 0 else None

    def _of_cluster(self) -> Value | None:
        listed = self.report.section("instances_in_report")
        if self.report.kind != "awr_global" or listed is None or self.db_time is None:
            return None
        pairs = [(listed.number(r, "db_time_s"), listed.number(r, "elapsed_s")) for r in listed.records]
        if any(t is None or e is None or e.low <= 0 for t, e in pairs) or len({e.number for _, e in pairs if e}) < 2:
            return None
        low = sum(max(t.low, 0.0) / e.high for t, e in pairs if t and e)
        high = sum(t.high / e.low for t, e in pairs if t and e)
        if low <= 0:
            return None
        shortest, longest = self.db_time.low / high, self.db_time.high / low
        return Value((shortest + longest) / 2, (longest - shortest) / 2)

    @cached_property
    def db_time(self) -> Value | None:
        """Time model's (0.01 s), else header's (0.01 min)."""
        time_model_s = self.time_model("DB time") or self.report.period.db_time_s
        return time_model_s if time_model_s is not None and time_model_s.number > 0 else None

    @cached_property
    def db_cpu(self) -> Value | None:
        return self.time_model("DB CPU") or self.value(TOP, "total_wait_time_s", "DB CPU", "CPU time")

    @cached_property
    def active_sessions(self) -> float | None:
        from_time = self.per_second(self.db_time)
        if from_time is not None:
            return from_time
        printed = self.load("DB Time(s)") or self.mean_of_samples
        return printed.number if printed else None

    @cached_property
    def mean_of_samples(self) -> Value | None:
        """Average active sessions as an ASH report prints them."""
        row, section = self.row(ASH_PERIOD, "Average Active Sessions"), self.report.section(ASH_PERIOD)
        return read_number(section.text(row, "value"), "count") if section is not None and row is not None else None

    @cached_property
    def sampled_sessions(self) -> Range | None:
        """Active sessions of all sampled processes, despite the legend.

        From DB time alone to DB time and all background time.
        """
        if self.active_sessions is None:
            return None
        spent = (self.time_model("background elapsed time"), self.time_model("background cpu time"))
        beside = max((self.per_second(s) or 0.0 for s in spent), default=0.0)
        return Range(self.active_sessions, self.active_sessions + beside)

    @cached_property
    def transactions(self) -> float | None:
        """Commits plus rollbacks, else from the load profile."""
        commits, rollbacks = self.statistic("user commits"), self.statistic("user rollbacks")
        if commits is not None:
            total = commits.number + (rollbacks.number if rollbacks else 0.0)
            return total if total > 0 else None
        printed = self.load("Transactions") or self.implied_transactions()
        if printed is None or self.elapsed is None or printed.number <= 0:
            return None
        return printed.number * self.elapsed.number

    def implied_transactions(self) -> Value | None:
        """Per second, from the load profile's most precise row."""
        section = self.report.section("load_profile")
        if section is None:
            return None
        rates: list[Value] = []
        for record in section.records:
            rate, each = (section.number(record, c) for c in ("per_second", "per_transaction"))
            if rate is not None and each is not None and each.low > 0:
                low, high = rate.low / each.high, rate.high / each.low
                rates.append(Value(rate.number / each.number, (high - low) / 2))
        return min(rates, key=lambda v: v.half, default=None)

    @cached_property
    def basis(self) -> Basis:
        return Basis(self.elapsed, self.transactions)

    @cached_property
    def foreground(self) -> dict[str, Event]:
        """Events by lower-case name, not idle; else a combined or top list."""
        return self._foreground[0]

    @cached_property
    def background(self) -> dict[str, Event]:
        return self._listed(BACKGROUND)[0]

    @property
    def unread_waits(self) -> frozenset[str]:
        """Lower-case names of foreground events with unreadable time."""
        return self._foreground[1]

    @cached_property
    def _foreground(self) -> tuple[dict[str, Event], frozenset[str]]:
        printed = next((i for i in (FOREGROUND, COMBINED, TOP) if self.has(i)), None)
        return self._listed(printed) if printed else ({}, frozenset())

    @property
    def lists_waits(self) -> bool:
        """True if an event list, even empty, has readable times."""
        printed = [s for i in (FOREGROUND, COMBINED, TOP) if (s := self.section(i)) is not None]
        of = next((s for s in printed if len(s.records)), None)
        if of is None:
            return bool(printed)
        return any(of.number(r, "total_wait_time_s") is not None for r in of.records)

    @property
    def foreground_is_partial(self) -> bool:
        """True if unlisted events may have been waited for."""
        section = self.report.section(FOREGROUND)
        return section is None or section.coverage == "top"

    @cached_property
    def statements(self) -> dict[StatementKey, Statement]:
        """Statements, longest total first."""
        return statements_of(self.report)

    @cached_property
    def least_listed_sql(self) -> Value | None:
        return least_listed(self.report)

    @cached_property
    def least_sampled_sql(self) -> float | None:
        """Percent of DB time of the last sampled statement."""
        listed = [s.sampled for s in self.statements.values() if s.sampled is not None and SAMPLED[0] in s.listed_in]
        return min(listed, default=None)

    @cached_property
    def most_sampled_untimed(self) -> float:
        """Largest percent of a statement without time; 0 if none."""
        return max((s.sampled or 0.0 for s in self.statements.values() if s.elapsed is None), default=0.0)

    @cached_property
    def captured_sql(self) -> Captured:
        return captured_of(self.report, self.db_time, self.statements.values())

    @cached_property
    def host_busy_pct(self) -> float | None:
        """Busy ÷ (busy + idle), else 100 − Host CPU's idle."""
        busy, idle = (self.value("os_statistics", "value", n) for n in ("BUSY_TIME", "IDLE_TIME"))
        if busy is not None and idle is not None and busy.number + idle.number > 0:
            return busy.number / (busy.number + idle.number) * 100.0
        section = self.report.section("host_cpu")
        record = section.records[0] if section is not None and len(section.records) else None
        if section is None or record is None:
            return None
        free = section.number(record, "pct_idle")
        return 100.0 - free.number if free else None

    @cached_property
    def load_average(self) -> Range | None:
        """Load at begin and end snapshots; None unless both are printed.

        Each a one-minute mean: Host CPU, else OS statistics' LOAD.
        """
        section = self.report.section("host_cpu")
        record = section.records[0] if section is not None and len(section.records) else None
        if section is not None and record is not None:
            printed = [section.number(record, c) for c in ("load_begin", "load_end")]
        else:
            printed = [self.value("os_statistics", c, "LOAD") for c in ("value", "end_value")]
        numbers = [v.number for v in printed if v is not None]
        return Range(min(numbers), max(numbers)) if len(numbers) == 2 else None

    def _listed(self, section_id: str) -> tuple[dict[str, Event], frozenset[str]]:
        """Text reports cut names; equal ones are summed."""
        events: dict[str, Event] = {}
        unread = set()
        for name, event in self._events(section_id):
            key = name.lower()
            if event is None:
                unread.add(key)
            else:
                events[key] = events[key].with_row(event) if key in events else event
        return {key: e for key, e in events.items() if key not in unread}, frozenset(unread)

    def _events(self, section_id: str) -> Iterator[tuple[str, Event | None]]:
        """None: time too wide for its column, or negative."""
        section = self.report.section(section_id)
        if section is None:
            return
        share = "pct_bg_time" if section_id == BACKGROUND else "pct_db_time"
        for record in cluster_rows(section):
            name = section.text(record, "event")
            if not name or name.lower() in ("db cpu", "cpu time"):
                continue
            wait_class = section.text(record, "wait_class") or self.text(TOP, "wait_class", name)
            if is_idle_row(section, record, share, wait_class or ""):
                continue
            waits, average = (section.number(record, c) for c in ("waits", "avg_wait_s"))
            total = section.number(record, "total_wait_time_s") or product_of(waits, average)
            if any(v is not None and v.high < 0 for v in (waits, total)):
                yield name, None
            elif total is not None:
                exact = narrow_total(total, average, waits)
                yield name, Event(name, section_id, waits, exact or total, wait_class or wait_class_of(name))
            elif waits is not None and waits.number > 0:
                yield name, None

    def wait_class(self, event: str) -> str | None:
        return self.text(TOP, "wait_class", event) or wait_class_of(event)

    @cached_property
    def cpus(self) -> int | None:
        if self.report.host.cpus is not None:
            return self.report.host.cpus
        printed = self.value("os_statistics", "value", "NUM_CPUS")
        return int(printed.number) if printed else None

    @cached_property
    def processors(self) -> float:
        """Usable CPUs; AIX prints virtual ones' threads. 0: not printed."""
        virtual = self.value("os_statistics", "value", "NUM_VCPUS")
        return min(v for v in (self.cpus or 0.0, virtual.number if virtual else None) if v is not None)


Computed = TypeVar("Computed")


def once_per_side(figure: Callable[[Side], Computed]) -> Callable[[Side], Computed]:
    """Cached function of a side, for its lifetime."""
    cache: WeakKeyDictionary[Side, Computed] = WeakKeyDictionary()

    @wraps(figure)
    def of(side: Side) -> Computed:
        if side not in cache:
            cache[side] = figure(side)
        return cache[side]

    return of


def is_same_host(first: str | None, second: str | None) -> bool | None:
    """Equality with or without domain; None if one is not printed."""
    if not first or not second:
        return None
    a, b = first.lower(), second.lower()
    return a == b or a.startswith(f"{b}.") or b.startswith(f"{a}.")


def is_idle_row(section: Section, record: Row, share_column: str, wait_class: str = "") -> bool:
    """Idle by class, else name, or blank share of DB time."""
    printed = section.text(record, "wait_class") or wait_class
    if printed or is_idle_event(section.text(record, "event")):
        return not printed or printed == "Idle"
    if share_column not in section.index or section.id == TOP:
        return False
    times = (section.number(record, c) for c in ("total_wait_time_s", "avg_wait_s"))  # a total may be too wide to print
    return section.cell(record, share_column) is None and any(t is not None for t in times)


def cluster_rows(section: Section) -> Iterator[Row]:
    """Cluster rows of a global report; all rows of others."""
    at = section.index.get(INSTANCE) if INSTANCE in section.key else None
    return (r for r in section.records if at is None or r.cells[at] == CLUSTER)


def _by_name(section: Section | None) -> dict[str, Row]:
    name_columns = [c for c in section.key if c != INSTANCE] if section is not None else []
    if section is None or not name_columns:
        return {}
    at = section.index[name_columns[0]]
    rows: dict[str, Row] = {}
    for record in cluster_rows(section):
        cell = record.cells[at]
        if isinstance(cell, str):
            rows.setdefault(plain_name(cell).lower(), record)
    return rows
