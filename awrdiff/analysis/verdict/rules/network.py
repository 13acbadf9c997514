"""Waits for data in transit: volume, time per byte, and the likely sender.

Source: Oracle Database Net Services Administrator's Guide, session data unit; Reference, SQL*Net wait events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import log

from msgspec import Struct

from awrdiff.analysis.figures_in_words import seconds, size
from awrdiff.analysis.model.comparison import Evidence, Subject
from awrdiff.analysis.report.figures_by_name import Event, Side
from awrdiff.analysis.report.sql_statements import Statement, StatementFigure
from awrdiff.analysis.verdict.active_sessions_attribution import unaccounted_share
from awrdiff.analysis.verdict.capacity_limits import saturated_host
from awrdiff.analysis.verdict.rule_inputs import Facts, FactsOfTwo, row
from awrdiff.analysis.verdict.rule_result import (
    QUIET,
    WAITS,
    Candidate,
    Contradicted,
    Observation,
    Reason,
    RuleResult,
    Unknown,
    reasons_for,
)
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.rules.new_gone_and_slower_statements import row_of
from awrdiff.analysis.verdict.thresholds import FELT
from parsers.model import Value

_SECTION = "instance_activity"
_PACKET, _HEADER = 512.0, 10.0  # bytes: of the smallest session data unit (SDU); of any packet
_DEFAULT_SDU = 8192.0  # bytes, since 11g
_SHORT_S = 0.001  # a packet within one site
_FARTHEST_S = 0.3  # there and back, anywhere on earth by cable
_SLOW, _NO_NETWORK = float(1 << 20), 4096.0  # bytes per second: a tenth of 100 Mbit/s; no network in use is as slow
_MAIN = 0.6  # of a change: what is nearer to half is the doing of both
_EXPLAINS = ("event-latency", "event-count", "top-wait")
_BY_STATEMENT = ("sql-slower", "sql-faster", "sql-change", "sql-dominant")


class Way(Struct, frozen=True):
    """`event`: lower-case prefix, as text reports cut it. `least`: bytes per wait. `answers`: until the first byte."""

    event: str
    statistic: str
    trips: str
    what: str
    movement: str
    less: str
    pauses: str
    least: float = _PACKET

    @property
    def answers(self) -> bool:
        return self.least == _HEADER

    def includes(self, name: str) -> bool:
        return name.startswith(self.event)


_TO_CLIENT, _TO_DBLINK = "SQL*Net roundtrips to/from client", "SQL*Net roundtrips to/from dblink"
WAYS = (
    Way(
        "sql*net more data from c",
        "bytes received via SQL*Net from client",
        _TO_CLIENT,
        "for data that clients send",
        "received from clients",
        "LOBs, array binds",
        "a client that pauses while it sends",
    ),
    Way(
        "sql*net more data to c",
        "bytes sent via SQL*Net to client",
        _TO_CLIENT,
        "for clients to take data",
        "sent to clients",
        "LOBs, columns, rows",
        "a client that reads slowly",
    ),
    Way(
        "sql*net more data from d",
        "bytes received via SQL*Net from dblink",
        _TO_DBLINK,
        "for data of other databases",
        "received from other databases",
        "columns, rows",
        "a database that is slow to send",
    ),
    Way(
        "sql*net more data to d",
        "bytes sent via SQL*Net to dblink",
        _TO_DBLINK,
        "for other databases to take data",
        "sent to other databases",
        "columns, rows",
        "a database that is slow to read",
    ),
    Way(
        "sql*net message from d",
        "bytes received via SQL*Net from dblink",
        _TO_DBLINK,
        "for answers of other databases",
        "received from other databases",
        "",
        "",
        _HEADER,
    ),
)


def includes(name: str) -> bool:
    return any(way.includes(name) for way in WAYS)


class Traffic(Struct, frozen=True):
    """One way on one side. `volume`: all bytes, waited for or not."""

    side: Side
    way: Way
    event: Event
    volume: float
    share: float

    @property
    def each_s(self) -> float:
        return self.event.average_s or 0.0

    @property
    def per_wait(self) -> float:
        """Bytes at most, as some passed without waiting."""
        return self.volume / self.event.waits.number if self.event.waits and self.event.waits.number else 0.0

    @property
    def per_waited_s(self) -> float:
        return self.volume / self.event.total.number if self.event.total.number else 0.0

    @property
    def rate(self) -> float:
        return self.volume / self.side.elapsed.number if self.side.elapsed else 0.0

    def per(self, statistic: str) -> float | None:
        """Bytes per unit of the statistic."""
        count = self.side.statistic(statistic)
        return self.volume / count.number if count is not None and count.number > 0 else None

    @property
    def denied(self) -> str:
        """Row that shows these waits are not for data."""
        if self.per_wait < self.way.least:
            return f"{self.way.statistic}: at most {size(self.per_wait, 3)} per wait"
        if self.way.answers:
            return ""
        if self.per_waited_s < _NO_NETWORK:  # the other end pauses
            return f"{self.event.name}: {seconds(self.each_s)} per wait for at most {size(self.per_wait, 3)}"
        is_slow = self.each_s >= _SHORT_S and self.per_waited_s < _SLOW
        return saturated_host(self.side) if is_slow else ""

    @property
    def meaning(self) -> str:
        """Meaning of a wait's length; "" if unclear."""
        if self.way.answers and self.each_s >= _FARTHEST_S:
            return " No way takes that long: it is the work of the other database."
        if self.way.answers and self.each_s < _SHORT_S:
            return " Each answer comes soon: there are many, and more rows at a time would need fewer."
        if self.way.answers:
            return " The other database's work and the way to it are not told apart."
        if self.each_s < _SHORT_S:
            larger = " or larger packets (SDU, by default 8 kB)" if self.per_wait < _DEFAULT_SDU else ""
            return f" Many short waits: less data ({self.way.less}){larger} would help."
        if self.per_waited_s < _SLOW:
            passed = size(self.per_waited_s, 3)
            return f" At most {passed} pass per second of waiting: a slow way, or {self.way.pauses}."
        return ""

    @property
    def rows(self) -> tuple[Evidence, ...]:
        names = (self.way.statistic, "execute count", self.way.trips)
        rows = (row(_SECTION, name, "total") for name in names if self.side.statistic(name) is not None)
        return (self.event.evidence(), *rows)


def traffic_of(side: Side, way: Way, *, least: float = FELT) -> Traffic | Unknown | None:
    """None under `least` (0..1) of DB time."""
    event = next(iter(finding_sizes.events_named(side, way.includes)), None)
    share = side.share_of_db_time(event.total) if event is not None else None
    if event is None or share is None or share < least or event.waits is None:
        return None
    volume = side.statistic(way.statistic)
    if volume is None or volume.number < 0:
        return Unknown(f"Instance Activity: {way.statistic}")
    return Traffic(side, way, event, volume.number, share)


def whose(traffic: Traffic, evidence: Callable[[StatementFigure], Evidence], where: str = "") -> tuple[Reason, ...]:
    """Statement with most time neither CPU nor I/O: its network time is unprinted."""
    side, elapsed = traffic.side, traffic.side.elapsed
    missing = unaccounted_share(side)
    if elapsed is None or missing is None or side.db_time is None:
        return ()
    other = sum(e.total.high for n, e in side.foreground.items() if e.wait_class != "User I/O" and not includes(n))
    other += max(missing, 0.0) * side.db_time.number
    candidates = [(rest, s) for s in side.statements.values() if (rest := _rest_s(s)) is not None and rest > other]
    if not candidates:
        return ()
    rest, statement = max(candidates, key=lambda pair: pair[0])
    claim = f"Likely of {statement.key.sql_id}: {seconds(rest)} of it{where} are neither CPU nor I/O"
    candidate = Candidate(claim, evidence(statement.figures["elapsed_time_s"]), rest)
    return reasons_for([candidate], traffic.event.total.number, elapsed.number)


def _rest_s(statement: Statement) -> float | None:
    parts = [statement.value(n) for n in ("cpu_time_s", "user_io_wait_time_s")]
    if statement.elapsed is None or statement.is_plsql or any(p is None for p in parts):
        return None
    parts.append(statement.value("cluster_wait_time_s"))
    return statement.elapsed.low - sum(p.high for p in parts if p is not None)


def network_bound(facts: Facts) -> RuleResult:
    """Waits for data that clients or databases send or take, {FELT:%} of DB time on a side, borne out by bytes."""
    if not all(side.foreground for side in facts.sides):
        return WAITS
    answers = [a for way in WAYS if (a := _of_way(facts, way)) is not None]
    return tuple(a for a in answers if isinstance(a, Observation)) or next(iter(answers), QUIET)


def _of_way(facts: Facts, way: Way) -> Observation | Contradicted | Unknown | None:
    each = [traffic_of(side, way) for side in facts.sides]
    sessions, is_pair = finding_sizes.size_waiting(facts, way.includes), isinstance(facts, FactsOfTwo)
    tone = finding_sizes.tone(sessions)
    of_first = is_pair and (each[-1] is None or (each[0] is not None and tone == "better"))
    traffic = each[0] if of_first else each[-1]
    if not isinstance(traffic, Traffic):
        return traffic
    if traffic.denied:
        return Contradicted(traffic.denied)
    where = f" in {'First' if of_first else 'Second'}" if is_pair else ""
    title = f"Sessions wait{' less' * (tone == 'better')} {way.what}."
    if facts.unrelated:
        title = f"Sessions wait {way.what}{' on both sides' if all(each) else where}."
    share_text = finding_sizes.share_text(finding_sizes.shares_of(facts, sessions))
    text = f"{traffic.event.name}: {share_text}, {finding_sizes.text(sessions)}"
    before, now = (traffic_of(side, way, least=0.0) for side in (facts.sides[0], facts.sides[-1]))
    if is_pair and isinstance(before, Traffic) and isinstance(now, Traffic):
        each_s = _first_to_second(seconds(before.each_s), seconds(now.each_s))
        text += f", {each_s} per wait. {'; '.join(_changes(before, now))}."
        text += "" if facts.unrelated or tone == "neutral" else _why(before, now)
    else:
        units = [f"{size(value, 3)} {unit}" for unit, value in _units(traffic) if value is not None]
        figures = "; ".join([f"{size(traffic.rate, 3)} {traffic.way.movement} per second", *units])
        text += f", {seconds(traffic.each_s)} per wait{where}. {figures}."
    owners = whose(
        traffic, partial(row_of, facts) if isinstance(facts, FactsOfTwo) else StatementFigure.evidence, where
    )
    text += "".join(f" {r.text}." for r in owners) + traffic.meaning * (not of_first or facts.unrelated)
    rows = (*traffic.rows, *(r.evidence for r in owners))
    explains = (*_EXPLAINS, *_BY_STATEMENT * bool(owners))
    subject = Subject("event", traffic.event.name)
    return Observation(title, text, rows, sessions, subject, tone if is_pair else "neutral", explains)


def _units(traffic: Traffic) -> Iterator[tuple[str, float | None]]:
    yield "per execution", traffic.per("execute count")
    yield "per round trip", traffic.per(traffic.way.trips)
    if not traffic.way.answers:
        yield "per wait at most", traffic.per_wait


def _changes(first: Traffic, second: Traffic) -> Iterator[str]:
    yield f"{_first_to_second(size(first.rate, 3), size(second.rate, 3))} {second.way.movement} per second"
    for (unit, before), (_, now) in zip(_units(first), _units(second), strict=True):
        if before is not None and now is not None:
            yield f"{_first_to_second(size(before, 3), size(now, 3))} {unit}"


def _first_to_second(before: str, now: str) -> str:
    return " → ".join(dict.fromkeys((before, now)))


def _why(first: Traffic, second: Traffic) -> str:
    many, unit = ("answers", "answer") if second.way.answers else ("bytes", "byte")
    before, now = (t.event.waits.number if many == "answers" and t.event.waits else t.volume for t in (first, second))
    spent = [t.side.per_second(t.event.total) or 0.0 for t in (first, second)]
    counts = [t.side.per_second(Value(n, 0.0)) or 0.0 for t, n in ((first, before), (second, now))]
    if min(*spent, *counts) <= 0:
        return ""
    count, each = log(counts[1] / counts[0]), log(spent[1] / spent[0] * counts[0] / counts[1])
    if count * each > 0 and max(abs(count), abs(each)) < _MAIN * abs(count + each):
        return f" {'More' if each > 0 else 'Fewer'} {many}, and a {'longer' if each > 0 else 'shorter'} wait for each."
    if abs(count) > abs(each):
        return f" {'More' if count > 0 else 'Fewer'} {many} are why."
    return f" Each {unit} is waited for {'longer' if each > 0 else 'less long'}."
