"""ADDM's analyses of a window, one per two snapshots, with their active sessions.

Only findings of the largest impact are printed, so analyses may be missing. Snapshot times are truncated to minutes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from awrdiff.analysis.model.comparison import Evidence, Range
from awrdiff.analysis.report.printed_rows import printed_rows
from awrdiff.analysis.rows.align import anchor
from parsers.identity.awr import read_moment, read_moment_of_day
from parsers.model import Period, Report

SECTION = "top_addm_findings"
PERIODS = "addm_period"
MINUTE = timedelta(minutes=1)


class Analysis(Struct, frozen=True):
    """`findings`: shares (0..1) of its sessions, largest first."""

    begin: datetime
    end: datetime
    sessions: float
    findings: dict[str, float]
    evidence: Evidence


class Stretch(Struct, frozen=True):
    """Adjacent analyses; `length_s` within the precision of minutes."""

    analyses: Sequence[Analysis]
    length_s: Range

    @property
    def begin(self) -> datetime:
        return self.analyses[0].begin

    @property
    def end(self) -> datetime:
        return self.analyses[-1].end

    @property
    def sessions(self) -> float:
        return self._mean([a.sessions for a in self.analyses])

    @property
    def main_finding(self) -> tuple[str, float]:
        """Largest share (0..1) of a finding in every analysis."""
        shares = {
            name: self._mean([a.sessions * a.findings[name] for a in self.analyses]) / self.sessions
            for name in self.analyses[0].findings
            if all(name in a.findings for a in self.analyses)
        }
        return max(shares.items(), key=lambda item: item[1], default=("", 0.0))

    def is_in(self, period: Period) -> bool:
        """True if within this window, as precisely as printed."""
        begin, end = period.begin.time, period.end.time
        return begin is None or end is None or (begin - MINUTE < self.begin and self.end <= end)

    def _mean(self, figures: Sequence[float]) -> float:
        lengths = [(a.end - a.begin).total_seconds() for a in self.analyses]
        return sum(f * length for f, length in zip(figures, lengths, strict=True)) / sum(lengths)


class AnalysisPeriod(Struct, frozen=True):
    """Period of one analysis as ADDM's own text prints it, also of those without a large finding."""

    analysis: str
    begin: datetime
    end: datetime
    sessions: float | None

    @property
    def length_s(self) -> float:
        return (self.end - self.begin).total_seconds()


def periods_of(report: Report) -> list[AnalysisPeriod]:
    periods = []
    for printed in printed_rows(report.section(PERIODS)):
        begin, end = (read_moment_of_day(printed.text(c)) for c in ("begin_time", "end_time"))
        if begin is not None and end is not None and end > begin:
            sessions = printed.number("avg_active_sessions")
            average = sessions.number if sessions is not None else None
            periods.append(AnalysisPeriod(printed.text("analysis"), begin, end, average))
    return periods


def weighted_mean(figures: Mapping[str, float], lengths_s: Mapping[str, float], count: int) -> float:
    """Mean over `count` analyses by their lengths; by their number where a length is not printed."""
    if len(lengths_s) < count or not lengths_s.keys() >= figures.keys():
        return sum(figures.values()) / count
    return sum(figure * lengths_s[key] for key, figure in figures.items()) / sum(lengths_s.values())


def analyses_of(report: Report) -> list[Analysis]:
    """Analyses by time, without those of unprinted times."""
    analyses: dict[str, Analysis] = {}
    for printed in printed_rows(report.section(SECTION)):
        task, name = printed.text("task_name"), printed.text("finding")
        sessions, share = (printed.number(c) for c in ("task_avg_active_sessions", "pct_active_sessions"))
        begin, end = (read_moment(printed.text(c)) for c in ("begin_time", "end_time"))
        if sessions is None or begin is None or end is None or end <= begin:
            continue
        row = Evidence(SECTION, task, "task_avg_active_sessions", anchor(SECTION, name, task))
        analysis = analyses.setdefault(task, Analysis(begin, end, sessions.number, {}, row))
        if share is not None:
            analysis.findings[name] = share.number / 100
    return sorted(analyses.values(), key=lambda a: (a.begin, a.end))


def stretch_around(busiest: Analysis, listed: Sequence[Analysis], period: Period) -> Stretch:
    """Analyses adjacent to `busiest` without gaps."""
    run = [busiest]
    for each in listed:
        if each.begin >= run[-1].end and each.begin - run[-1].end <= MINUTE:
            run.append(each)
    for each in reversed(listed):
        if each.end <= run[0].begin and run[0].begin - each.end <= MINUTE:
            run.insert(0, each)
    begin, end = run[0].begin, run[-1].end
    length_s = (end - begin).total_seconds()
    seconds = MINUTE.total_seconds()
    shortest, longest = length_s - seconds, length_s + seconds
    if (exact := _seconds_of(period.begin.time, begin)) is not None:
        shortest, longest = shortest + seconds - exact, longest - exact
    if (exact := _seconds_of(period.end.time, end)) is not None:
        shortest, longest = shortest + exact, longest - seconds + exact
    return Stretch(tuple(run), Range(max(shortest, 0.0), longest))


def _seconds_of(exact: datetime | None, printed: datetime) -> float | None:
    return exact.second if exact is not None and exact.second and exact.replace(second=0) == printed else None
