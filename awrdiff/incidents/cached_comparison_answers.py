"""Windows and answers of a comparison, stored until recomputed: reading takes every pair. Texts say First and Second;
account.py rewords them.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import pairwise
from typing import Any, TypedDict

import msgspec
from msgspec import Struct

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.baseline.member_selection import positions_by_time, restarted_between
from awrdiff.analysis.baseline.parameter_differences import ParameterChange
from awrdiff.analysis.export.comparison_json import load_overview
from awrdiff.analysis.figures_in_words import listing
from awrdiff.analysis.model.comparison import Attribution, ComparedSection, IdentityFacts
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.analysis.model.diagnosis import Trouble
from awrdiff.analysis.model.ranked_changes import Ranked
from awrdiff.analysis.report.same_database_check import same_database
from awrdiff.analysis.report_time_windows import Span, moment
from awrdiff.analysis.verdict.active_sessions_attribution import sessions_by_class
from awrdiff.analysis.verdict.db_time_bars import REST
from awrdiff.analysis.worse_hour import worse_side
from awrdiff.comparisons import baseline_reports, queries
from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.report_pairs import places_of_pair
from awrdiff.processing.storable_values import storable
from awrdiff.reports.assessments import assessment_of
from awrdiff.reports.models import Report
from parsers.model import Database, Instance
from parsers.model import Report as Parsed

MOST_TRACE_EVENTS = 40  # of one comparison; its page has them all
MOST_PARAMETERS = 6
LONGEST = 300
ROW_FORMAT = 4  # what the row keeps: rows of before have no story, or of one way alone, or no wait classes
UNREADABLE = (NotFound, zlib.error, ValueError, KeyError, TypeError, IndexError, AttributeError)


class ComparisonEvent(TypedDict):
    """`kind`: window, restart, parameters or trace. `side`: report place, 0 is First."""

    kind: str
    at: str
    end: str
    text: str
    side: int


def version_of(comparison: Comparison) -> str:
    """Changes with the story; "" until ready."""
    return f"{comparison.engine_version}.{comparison.attempt}.{ROW_FORMAT}" if comparison.is_ready else ""


def events_of(comparison: Comparison) -> list[Any]:
    """Unordered; empty unless ready and readable."""
    if not comparison.is_ready:
        return []
    try:
        return list(storable([*_of_reports(comparison), *_of_traces(comparison)]))
    except UNREADABLE:
        return []


def _of_reports(comparison: Comparison) -> Iterator[ComparisonEvent]:
    places = baseline_reports.compared_places(comparison)
    heads = baseline_reports.heads_of(places)
    for side, head in enumerate(heads):
        begin, end = head.period.begin.time, head.period.end.time
        if begin is not None:
            yield ComparisonEvent(kind="window", at=_iso(begin), end=_iso(end or begin), text="", side=side)
    order = positions_by_time(heads)
    try:
        changes = baseline_reports.parameter_changes_of(places, heads)
    except ComparisonRefused:
        changes = [() for _ in order]
    for at, (before, after) in enumerate(pairwise(order), start=1):
        yield from _events_between(heads[before], heads[after], changes[at])


def _events_between(before: Parsed, after: Parsed, changes: Sequence[ParameterChange]) -> Iterator[ComparisonEvent]:
    for at, instances in restarted_between(before, after).items():
        yield ComparisonEvent(kind="restart", at=_iso(at), end="", text=_cut(_restart_text(instances)), side=0)
    begin = after.period.begin.time
    if changes and begin is not None:  # they date from before the window that shows them
        texts = [f"{c.name} {c.before or 'default'} → {c.after or 'default'}" for c in changes[:MOST_PARAMETERS]]
        more = len(changes) - len(texts)
        text = _cut(f"Changed by now: {'; '.join(texts)}{f'; {more} more' if more else ''}")
        yield ComparisonEvent(kind="parameters", at=_iso(begin), end="", text=text, side=0)


def _restart_text(instances: Sequence[Instance]) -> str:
    """By instance: several databases may be involved."""
    instance_names = [i.name or ("" if i.number is None else str(i.number)) for i in instances]
    if not all(instance_names):
        return "An instance was restarted"
    several = len(instance_names) > 1
    return f"Instance{'s' * several} {listing(instance_names)} {'were' if several else 'was'} restarted"


def _of_traces(comparison: Comparison) -> Iterator[ComparisonEvent]:
    events = queries.overview(comparison).commit_latency.events
    if events is None:
        return
    for switch in events.switches[:MOST_TRACE_EVENTS]:
        yield ComparisonEvent(
            kind="trace", at=switch.moment, end="", text=f"Log file sync went over to {switch.mode}", side=0
        )
    for slow in events.slow_writes[: MOST_TRACE_EVENTS - len(events.switches)]:
        yield ComparisonEvent(
            kind="trace", at=slow.moment, end="", text=f"LGWR wrote for {slow.elapsed_s * 1000:,.0f} ms", side=0
        )


def _iso(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat()


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


# Rates that the impact is told in, with the labels that releases print them under.
RATES: Mapping[str, tuple[str, ...]] = {
    "transactions": ("Transactions",),
    "executions": ("Executes (SQL)", "Executes"),
    "user calls": ("User calls",),
    "hard parses": ("Hard parses (SQL)", "Hard parses"),
    "logical reads": ("Logical read (blocks)", "Logical reads"),
}


class ReportHour(Struct):
    """Report window, ISO local times. `level`: active sessions in its largest trouble `trouble`, 0 without. `rates`:
    per second; `classes`: active sessions by wait class.
    """

    place: int = 0
    begin: str = ""
    end: str = ""
    name: str = ""
    dbid: str = ""
    instance: int | None = None
    sessions: float | None = None
    busy_pct: float | None = None
    level: float = 0.0
    trouble: str = ""
    rates: dict[str, float] = {}
    classes: dict[str, float] = {}

    @property
    def span(self) -> Span:
        return moment(self.begin), moment(self.end)

    def rank(self) -> tuple[float, float]:
        return self.level, self.sessions or 0.0

    def is_beside(self, other: ReportHour) -> bool:
        """True if of one database and instance, where printed."""
        if same_database(Database(self.name, self.dbid), Database(other.name, other.dbid)) is False:
            return False
        return None in (self.instance, other.instance) or self.instance == other.instance


class Largest(Struct, frozen=True):
    """Event and statement changed most in one sign."""

    event: str = ""
    statement: str = ""


class PairAnswer(Struct):
    """`first`, `second`: report places. `anchor`: headline's finding; `rises`, `falls`: largest movers."""

    pair: int
    first: int
    second: int
    state: str = "partial"
    headline: str = ""
    detail: str = ""
    improvement: str = ""
    not_the_cause: list[str] = []
    anchor: str = ""
    rises: Largest = Largest()
    falls: Largest = Largest()


class Story(Struct):
    """`suggested`: the bad hour by this comparison alone."""

    hours: list[ReportHour] = []
    pairs: list[PairAnswer] = []
    suggested: int | None = None


def load(stored: Any) -> Story:
    """Empty for other versions."""
    with suppress(msgspec.ValidationError):
        return msgspec.convert(stored, Story)
    return Story()


def story_of(comparison: Comparison) -> dict[str, Any]:
    """Row document; empty unless ready and readable."""
    with suppress(*UNREADABLE):
        if comparison.is_ready:
            document: dict[str, Any] = storable(msgspec.to_builtins(_read(comparison)))
            return document
    return {}


def story_of_report(report: Report) -> dict[str, Any]:
    """Row document of a single report."""
    with suppress(*UNREADABLE):
        assessment = assessment_of(report)
        if assessment is not None:
            sessions = report.db_time_s / report.elapsed_s if report.db_time_s and report.elapsed_s else None
            window, database = (report.begin_at, report.end_at or report.begin_at), (report.db_name, report.dbid)
            hour = ReportHour(0, *window, *database, report.instance_number, sessions)
            _add_trouble(hour, assessment.troubles[:1])
            answer = PairAnswer(0, 0, 0, assessment.state, assessment.headline)
            return dict(storable(msgspec.to_builtins(Story([hour], [answer]))))
    return {}


def _suggested(comparison: Comparison, story: Story, opens: int, count: int) -> int | None:
    """Highest trouble in one database; else the busiest that is worse."""
    worse = [hour for hour in story.hours if hour.level]
    if not worse:
        sides = ({"second_worse": pair.second, "first_was_sick": pair.first}.get(pair.state) for pair in story.pairs)
        places = set(sides)
        worse = [hour for hour in story.hours if hour.place in places]
    if len(story.hours) > 2 and worse:
        worst = max(worse, key=ReportHour.rank)
        return worst.place if all(hour.is_beside(worst) for hour in worse) else None
    side = worse_side(queries.overview(comparison, opens))
    return None if side is None else places_of_pair(opens, count)[side == "second"]


def _read(comparison: Comparison) -> Story:
    documents = queries.overviews(comparison)
    count = max(queries.compared_count(comparison), 2)
    hours: dict[int, ReportHour] = {}
    pairs: list[PairAnswer] = []
    for number, pair_document in documents.items():
        try:
            places = places_of_pair(number, count)
        except NotFound:  # an older version stored other pairs
            continue
        computed = load_overview(pair_document)
        troubles = computed.answer.first, computed.answer.second
        for at, place in enumerate(places):
            hour = hours.setdefault(place, _hour(place, computed.headers[at], computed.identity[at]))
            _add_trouble(hour, troubles[at])
        _add_rates([hours[place] for place in places], comparison, number)
        _add_classes([hours[place] for place in places], computed.attribution)
        pairs.append(_answer(number, places, computed))
    story = Story([hours[place] for place in sorted(hours)], pairs)
    story.suggested = _suggested(comparison, story, queries.opening_pair(comparison), count)
    return story


def _hour(place: int, header: Mapping[str, Any], facts: IdentityFacts) -> ReportHour:
    database: Mapping[str, Any] = header.get("database") or {}
    instances: Sequence[Mapping[str, Any]] = header.get("instances") or ()
    return ReportHour(
        place,
        facts.begin or "",
        facts.end or facts.begin or "",
        database.get("name") or "",
        str(database.get("dbid") or ""),
        instances[0].get("number") if len(instances) == 1 else None,
        facts.active_sessions,
        facts.host_busy_pct,
    )


def _add_trouble(hour: ReportHour, troubles: Sequence[Trouble]) -> None:
    for trouble in troubles:
        if trouble.sessions > hour.level:
            hour.level, hour.trouble = trouble.sessions, trouble.text


def _add_rates(hours: Sequence[ReportHour], comparison: Comparison, pair: int) -> None:
    if all(hour.rates for hour in hours):
        return
    try:
        section = queries.load_section(comparison, "load_profile", pair)
    except UNREADABLE:
        return
    for hour, side in zip(hours, ("first", "second"), strict=True):
        hour.rates = dict(_rates(section, side))


def _add_classes(hours: Sequence[ReportHour], attribution: Attribution | None) -> None:
    """DB time by wait class, where printed."""
    if attribution is None or not attribution.parts:
        return
    rest = attribution.unaccounted or (None, None)
    for hour, classes, rest_sessions in zip(hours, sessions_by_class(attribution), rest[:2], strict=True):
        if not hour.classes:
            hour.classes = classes if rest_sessions is None else {**classes, REST: rest_sessions}


def _rates(section: ComparedSection, side: str) -> Iterator[tuple[str, float]]:
    printed = {row.key.get("metric", ""): row.values.get("per_second") for row in section.rows}
    for name, labels in RATES.items():
        cell = next((printed[label] for label in labels if printed.get(label) is not None), None)
        value = getattr(cell, side, None)
        if value is not None and not isinstance(value, str):
            yield name, float(value.number)


def _answer(pair: int, places: tuple[int, int], computed: Computed) -> PairAnswer:
    answer, ranked = computed.answer, computed.ranked
    anchor = of_finding(computed.findings[answer.findings[0]]) if answer.findings else ""
    return PairAnswer(
        pair,
        *places,
        answer.state,
        answer.claim,
        answer.detail,
        answer.improvement,
        list(answer.not_the_cause),
        anchor,
        _largest(ranked, 1),
        _largest(ranked, -1),
    )


def _largest(ranked: Ranked | None, sign: int) -> Largest:
    def of(kind: str) -> str:
        candidates = (
            [mover for mover in ranked.movers if mover.subject.kind == kind and sign * mover.change > 0]
            if ranked
            else []
        )
        return max(candidates, key=lambda mover: abs(mover.change)).subject.key if candidates else ""

    return Largest(of("event"), of("sql"))
