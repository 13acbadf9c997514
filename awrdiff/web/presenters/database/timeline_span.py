"""Time line of a database: instance, span, course."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

from awrdiff.analysis.course.report_timeline import ALL, Course, usual_course
from awrdiff.analysis.report.kinds import KINDS
from awrdiff.analysis.report_time_windows import window
from awrdiff.databases.reports_over_time import Read
from awrdiff.web.query_options import Choice

DAY, WEEK, MONTH, EVERY = "day", "week", "month", "all"
LENGTHS = {DAY: timedelta(days=1), WEEK: timedelta(days=7), MONTH: timedelta(days=31)}
_NAMES = {DAY: "Day", WEEK: "Week", MONTH: "Month", EVERY: "All"}
_YEARS = (1980, 2200)
_MINUTE = "%Y-%m-%dT%H:%M"


@dataclass(frozen=True, slots=True)
class Span:
    """`end` is excluded; None is unbounded. `preset`: its name, "" for custom."""

    begin: datetime | None
    end: datetime | None
    preset: str

    @property
    def query(self) -> dict[str, str]:
        if self.preset:
            return {"range": self.preset}
        ends = (("from", self.begin), ("to", self.end))
        return {name: minute(at) for name, at in ends if at is not None}

    @property
    def text(self) -> str:
        if self.begin is None or self.end is None:
            return "all reports"
        return window(self.begin.isoformat(), self.end.isoformat())

    @property
    def before(self) -> Span | None:
        """Equally long, just before; None if unbounded."""
        if self.begin is None or self.end is None:
            return None
        return Span(self.begin - (self.end - self.begin), self.begin, "")

    @property
    def after(self) -> Span | None:
        if self.begin is None or self.end is None:
            return None
        return Span(self.end, self.end + (self.end - self.begin), "")


def span_of(parameters: Mapping[str, str], latest: datetime | None) -> Span:
    """Invalid parameters are ignored. `latest`: end of last report."""
    begin, end = moment(parameters.get("from", "")), moment(parameters.get("to", ""))
    if begin is not None or end is not None:
        if begin is not None and end is not None and end <= begin:
            begin, end = end, begin
        return Span(begin, end, "")
    preset = parameters.get("range", "")
    preset = preset if preset in _NAMES else WEEK
    if preset == EVERY or latest is None:
        return Span(None, None, preset)
    return Span(latest - LENGTHS[preset], latest, preset)


def links_of(span: Span, parameters: Mapping[str, str | list[str]]) -> list[Choice]:
    """`parameters`: others to carry on."""
    return [
        Choice(f"?{urlencode({'range': key, **parameters}, doseq=True)}", name, key == span.preset)
        for key, name in _NAMES.items()
    ]


def moment(text: str) -> datetime | None:
    try:
        parsed = datetime.fromisoformat(text.strip()[:19])
    except ValueError:
        return None
    return parsed.replace(tzinfo=None) if _YEARS[0] <= parsed.year <= _YEARS[1] else None


def minute(at: datetime) -> str:
    return f"{at:{_MINUTE}}"


def chosen_course(courses: Sequence[Course], requested: str) -> str:
    """Falls back to the usual course."""
    return requested if requested in {ALL, *(course.id for course in courses)} else usual_course(courses)


def frame(
    courses: Sequence[Course],
    line_reports: Read,
    span: Span,
    course_id: str,
    *,
    sums: bool = False,
    beside: Mapping[str, list[str]] | None = None,
) -> dict[str, Any]:
    """`sums`: all instances together are a choice; `beside`: other parameters."""
    parameters = beside or {}
    own: dict[str, str | list[str]] = {"course": course_id, **parameters}
    choices = [Choice(course.id, course_name(course), course.id == course_id) for course in courses]
    if sums and (len(courses) > 1 or course_id == ALL):
        choices.insert(0, Choice(ALL, "All instances, added up", course_id == ALL))
    earlier, later = (
        f"?{urlencode({**s.query, **own}, doseq=True)}" if s is not None else "" for s in (span.before, span.after)
    )
    query = {**span.query, "course": course_id}
    return {
        "span": span,
        "ranges": links_of(span, own),
        "earlier": earlier,
        "later": "" if span.preset else later,
        "begin": minute(span.begin) if span.begin else "",
        "end": minute(span.end) if span.end else "",
        "courses": choices,
        "chosen": course_id,
        "left_out": line_reports.most if line_reports.left_out else 0,  # the most that are shown
        "kept": [(name, value) for name, values in parameters.items() for value in values],
        "fields": list(query.items()),
        "query": urlencode(query),
    }


def course_name(course: Course) -> str:
    """`instance pay1`, `the whole cluster`, `Statspack, instance pay1`."""
    instance = f"instance {course.name or course.number}" if course.name or course.number is not None else ""
    if course.kind == "awr":
        return instance or KINDS[course.kind]
    kind = KINDS.get(course.kind, course.kind)
    return f"{kind}, {instance}" if instance and course.kind != "awr_global" else kind
