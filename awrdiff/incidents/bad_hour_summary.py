"""An incident's bad hour among all its reports, beside the hours around it. Hours of different databases or instances
are never ordered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct

from awrdiff.accounts.display_names import shown_name
from awrdiff.analysis.figures_in_words import change, number
from awrdiff.analysis.model.diagnosis import BADGES
from awrdiff.analysis.report_time_windows import SpanWord, common_shares, length_s, moment, span_word, window
from awrdiff.analysis.worse_hour import SideName, rename_sides
from awrdiff.comparisons.models import REVERSE
from awrdiff.comparisons.report_pairs import other_way
from awrdiff.incidents.bad_hour_selection import OWN, Hours, sides_of
from awrdiff.incidents.cached_comparison_answers import RATES, PairAnswer, ReportHour, Story, load
from awrdiff.incidents.finding_verdicts import by_finding, one_of_each, team_state
from awrdiff.incidents.models import IncidentComparison, IncidentReport, Verdict, VerdictState

NOT_JUDGED = "not judged"
When = Literal["before", "after"]
_BADGES: dict[str, str] = {state: BADGES[state] for state in ("other_work", "partial", "calm")}
_BADGES["both_sick"] = "Both are sick"


class ImpactFigure(Struct):
    """Figure of the other hour and the bad one; null if not printed."""

    name: str
    other: float | None
    bad: float | None

    @property
    def other_text(self) -> str:
        return "–" if self.other is None else number(self.other)

    @property
    def bad_text(self) -> str:
        return "–" if self.bad is None else number(self.bad)

    @property
    def change_text(self) -> str:
        return "" if self.other is None or self.bad is None else change(self.other, self.bad)


class Chapter(Struct):
    """The bad hour against one before or after it; figures alone without a comparison."""

    when: When
    window: Annotated[str, Meta(description="of the other hour")]
    begin: str
    is_sick: bool
    figures: Annotated[
        list[ImpactFigure], Meta(description="average active sessions, host CPU in percent, rates per second")
    ]
    state: str = ""
    headline: str = ""
    detail: str = ""
    improvement: str = ""
    not_the_cause: list[str] = []
    event: str = ""
    statement: str = ""
    comparison: UUID | None = None
    pair: int = 0
    anchor: str = ""
    waits: Annotated[list[ImpactFigure], Meta(description="average active sessions by wait class")] = []

    @property
    def badge(self) -> str:
        return _BADGES.get(self.state, "")


class ConfirmedCause(Struct):
    """A finding that the team agrees on."""

    title: str
    text: str
    why: str
    by: str
    comparison: UUID | None = None
    pair: int = 0
    anchor: str = ""


class WhatHappened(Struct):
    """`window` of the bad hour, "" if unknown; `trouble`: the largest its report has.

    `headline`: from the comparison with the hour before, else after, else the report; `judgement`: the team's. `open`:
    answers while the hour is unknown; `is_pending`: something is still being read.
    """

    window: str = ""
    begin: str = ""
    database: str = ""
    trouble: str = ""
    headline: str = ""
    judgement: Annotated[str, Meta(description="not judged, confirmed, rejected, explained_by, disputed")] = NOT_JUDGED
    event: str = ""
    statement: str = ""
    load: Annotated[str, Meta(description="average active sessions, before and in the bad hour")] = ""
    causes: Annotated[list[ConfirmedCause], Meta(description="confirmed, and not of the hour for comparison")] = []
    before: Chapter | None = None
    after: Chapter | None = None
    open: list[str] = []
    is_pending: bool = False
    span: Annotated[SpanWord, Meta(description="what the bad window is called: hour if it lasts 60 minutes")] = "hour"

    @property
    def judgement_text(self) -> str:
        return self.judgement.removesuffix("_by")

    @property
    def chapters(self) -> list[Chapter]:
        return [chapter for chapter in (self.before, self.after) if chapter is not None]

    @property
    def in_brief(self) -> str:
        """Event, statement and load, as far as known."""
        return " · ".join(filter(None, (self.event, self.statement, self.load)))

    def for_outsiders(self) -> WhatHappened:
        """Without ids of what members see."""
        for cause in self.causes:
            cause.comparison = None
        for chapter in self.chapters:
            chapter.comparison = None
        return self


@dataclass(frozen=True, slots=True)
class _Hour:
    """A report's hour, in a comparison or by itself."""

    of: ReportHour
    row: IncidentComparison | IncidentReport
    story: Story
    is_bad: bool
    is_chosen: bool

    def is_same(self, other: _Hour) -> bool:
        """A Statspack report begins seconds beside its AWR report."""
        return _is_one_window(self.of, other.of) and self.of.is_beside(other.of)


@dataclass(frozen=True, slots=True)
class _Beside:
    bad: ReportHour
    other: ReportHour
    answer: PairAnswer | None = None
    row: IncidentComparison | None = None


def account_of(
    attached: Sequence[IncidentComparison], reports: Sequence[IncidentReport], verdicts: Sequence[Verdict], hours: Hours
) -> WhatHappened:
    """From read comparisons and reports (comparisons_and_reports.py) and verdicts."""
    every = list(_hours_of([*attached, *reports]))
    bad_hours = [hour for hour in every if hour.is_bad]
    by_hand = [hour for hour in bad_hours if hour.is_chosen]
    bad = max(by_hand or bad_hours, key=lambda hour: hour.of.rank(), default=None)
    happened = WhatHappened() if bad is None else _of_hour(bad, every)
    happened.causes = [_cause(verdict, hours) for verdict in confirmed_causes(verdicts, hours)]
    if not happened.headline:
        happened.open = [*_open(attached)]
    happened.is_pending = any(not row.comparison.is_settled for row in attached) or any(
        not row.report.is_settled for row in reports
    )
    lead = next((chapter for chapter in happened.chapters if chapter.headline), None)
    happened.judgement = str(VerdictState.CONFIRMED) if happened.causes else _judgement(lead, verdicts)
    return happened


def settle(attached: Sequence[IncidentComparison]) -> list[IncidentComparison]:
    """Rows whose bad hour changed: chosen first, else suggested."""
    every = list(_hours_of(attached))
    chosen_hours = [hour for hour in every if hour.is_chosen]
    suggested = [hour for hour in every if hour.of.place == hour.story.suggested]
    changed = []
    for row in attached:
        own = [hour for hour in every if hour.row is row]
        if row.bad_chosen or not own:
            continue
        place = _place_of(chosen_hours, own)
        place = own[0].story.suggested if place is None else place
        place = _place_of(suggested, own) if place is None else place
        if row.bad != place:
            row.bad = place
            changed.append(row)
    return changed


def _place_of(wanted: Sequence[_Hour], own: Sequence[_Hour]) -> int | None:
    there = [mine.of for mine in own if any(mine.is_same(hour) for hour in wanted)]
    return max(there, key=ReportHour.rank).place if there else None


def confirmed_causes(verdicts: Sequence[Verdict], hours: Hours) -> list[Verdict]:
    """Agreed causes of the bad hour, each once."""
    groups = by_finding(verdicts).values()
    agreed = [verdict for group in groups if team_state(group) == VerdictState.CONFIRMED for verdict in group]
    return [v for v in one_of_each(agreed) if hours.sides(v).is_known and not hours.verdict(v).of_other]


def _cause(verdict: Verdict, hours: Hours) -> ConfirmedCause:
    as_read = hours.verdict(verdict)
    by = shown_name(verdict.user)
    here = verdict.comparison_id, as_read.pair, verdict.anchor
    return ConfirmedCause(as_read.heading, as_read.text, verdict.why, by, *here)


def _judgement(lead: Chapter | None, verdicts: Sequence[Verdict]) -> str:
    if lead is None or not lead.anchor:
        return NOT_JUDGED
    there = [v for v in verdicts if (v.comparison_id, v.anchor) == (lead.comparison, lead.anchor)]
    own = [v for v in there if v.pair == lead.pair] or [v for v in there if v.pair == other_way(lead.pair)]
    return team_state(own) if own else NOT_JUDGED


def _hours_of(rows: Iterable[IncidentComparison | IncidentReport]) -> Iterator[_Hour]:
    for row in rows:
        story = load(row.story)
        for hour in story.hours:
            if isinstance(row, IncidentReport):
                yield _Hour(hour, row, story, row.bad is not False and bool(row.bad or hour.level), bool(row.bad))
            else:
                is_bad = hour.place == row.bad
                yield _Hour(hour, row, story, is_bad, is_bad and row.bad_chosen)


def _of_hour(bad: _Hour, every: Sequence[_Hour]) -> WhatHappened:
    hour = bad.of
    before, after = (_chapter(bad, every, when) for when in ("before", "after"))
    lead = next((chapter for chapter in (before, after) if chapter is not None and chapter.headline), None)
    alone = (each.story for each in every if isinstance(each.row, IncidentReport) and each.is_same(bad))
    by_report = next((story.pairs[0].headline for story in alone if story.pairs), "")
    return WhatHappened(
        window(hour.begin, hour.end),
        hour.begin,
        hour.name,
        hour.trouble,
        lead.headline if lead is not None else by_report,
        event=lead.event if lead is not None else "",
        statement=lead.statement if lead is not None else "",
        load=_load_text(hour.sessions, before),
        before=before,
        after=after,
        span=span_word(length_s(hour.span)),
    )


def _load_text(sessions: float | None, before: Chapter | None) -> str:
    other, bad = (before.figures[0].other, before.figures[0].bad) if before is not None else (None, sessions)
    lead = f"{number(other)} → " if other is not None else ""
    return f"{lead}{number(bad)} active sessions" if bad is not None else ""


def _chapter(bad: _Hour, every: Sequence[_Hour], when: When) -> Chapter | None:

    def rank(beside: _Beside) -> tuple[bool, bool, float, bool]:
        answer = beside.answer
        first, second = moment(beside.other.begin), moment(bad.of.begin)
        distance_s = abs((second - first).total_seconds()) if first and second else float("inf")
        is_back = answer is not None and (answer.second == beside.bad.place) != (when == "before")
        return answer is None, beside.other.level > 0, distance_s, is_back

    candidates = [*_compared(bad, every), *(_Beside(bad.of, hour.of) for hour in every if hour.of.is_beside(bad.of))]
    on_side = [beside for beside in candidates if _is_on_side(beside.other, bad.of, when)]
    return _chapter_of(min(on_side, key=rank), when) if on_side else None


def _compared(bad: _Hour, every: Sequence[_Hour]) -> Iterator[_Beside]:
    for hour in every:
        if not hour.is_same(bad) or not isinstance(hour.row, IncidentComparison):
            continue
        hours = {each.place: each for each in hour.story.hours}
        for answer in hour.story.pairs:
            other = {answer.first: answer.second, answer.second: answer.first}.get(hour.of.place)
            if other in hours and hours[other].is_beside(bad.of):
                yield _Beside(hour.of, hours[other], answer, hour.row)


def _is_on_side(other: ReportHour, bad: ReportHour, when: When) -> bool:
    shares = common_shares(other.span, bad.span)
    if not other.begin or not bad.begin or _is_one_window(other, bad) or (shares and shares[1] > 0.5):
        return False
    return other.begin < bad.begin if when == "before" else other.begin > bad.begin


def _is_one_window(first: ReportHour, other: ReportHour) -> bool:
    shares = common_shares(first.span, other.span)
    return (first.begin, first.end) == (other.begin, other.end) if shares is None else shares[0] > 0.5


def _chapter_of(beside: _Beside, when: When) -> Chapter:
    hour = beside.other
    text = window(hour.begin, hour.end)
    chapter = Chapter(when, text, hour.begin, hour.level > 0, [*_figures(hour, beside.bad)])
    chapter.waits = [*_waits(hour, beside.bad)]
    answer, row = beside.answer, beside.row
    if answer is None or row is None:
        return chapter
    is_second = answer.second == beside.bad.place
    word = span_word(length_s(hour.span), length_s(beside.bad.span))
    other = SideName(f"the {word} {when}", f"the {'earlier' if when == 'before' else 'later'} {word}'s")
    names = (other, OWN[word]) if is_second else (OWN[word], other)
    movers = answer.rises if is_second else answer.falls
    chapter.state, chapter.anchor = answer.state, answer.anchor
    chapter.comparison, chapter.pair = row.comparison_id, answer.pair
    chapter.headline, chapter.detail, chapter.improvement, *chapter.not_the_cause = (
        rename_sides(text, *names)
        for text in (answer.headline, answer.detail, answer.improvement, *answer.not_the_cause)
    )
    chapter.event, chapter.statement = movers.event, movers.statement
    return chapter


def _figures(other: ReportHour, bad: ReportHour) -> Iterator[ImpactFigure]:
    yield ImpactFigure("active sessions", other.sessions, bad.sessions)
    if other.busy_pct is not None or bad.busy_pct is not None:
        yield ImpactFigure("host CPU, %", other.busy_pct, bad.busy_pct)
    for name in RATES:
        if name in other.rates or name in bad.rates:
            yield ImpactFigure(f"{name} per second", other.rates.get(name), bad.rates.get(name))


def _waits(other: ReportHour, bad: ReportHour) -> Iterator[ImpactFigure]:
    if other.classes and bad.classes:
        for name in sorted({**bad.classes, **other.classes}, key=lambda name: -bad.classes.get(name, 0.0)):
            yield ImpactFigure(name, other.classes.get(name), bad.classes.get(name))


def _open(attached: Sequence[IncidentComparison]) -> Iterator[str]:
    """By the hours' own times, not First and Second."""
    for row in attached:
        pairs = [answer for answer in load(row.story).pairs if answer.pair != REVERSE]
        if pairs and pairs[-1].headline:
            yield sides_of(row, pairs[-1].pair).rename(pairs[-1].headline)
