"""Time line of a database: instance, span, course."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from awrdiff.analysis.course.slots import ALL, Course, usual_course
from awrdiff.analysis.report.kinds import KINDS
from awrdiff.databases.courses import Read
from awrdiff.web.presenters.database.span import Span, links_of, minute
from awrdiff.web.presenters.page.pieces import Choice


@dataclass(frozen=True, slots=True)
class LineFrame:
    """`left_out`: reports beyond the limit; `count`: their total."""

    span: Span
    ranges: Sequence[Choice]
    earlier: str
    later: str
    begin: str  # as the fields of the form have them
    end: str
    courses: Sequence[Choice]
    chosen: str
    left_out: int
    kept: Sequence[tuple[str, str]]  # what else the address says
    said: Sequence[tuple[str, str]]  # the span and the course, as it says them

    @property
    def query(self) -> str:
        return urlencode(self.said)


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
) -> LineFrame:
    """`sums`: all instances together are a choice; `beside`: other parameters."""
    parameters = beside or {}
    own: dict[str, str | list[str]] = {"course": course_id, **parameters}
    choices = [Choice(course.id, course_name(course), course.id == course_id) for course in courses]
    if sums and (len(courses) > 1 or course_id == ALL):
        choices.insert(0, Choice(ALL, "All instances, added up", course_id == ALL))
    shifted = [
        f"?{urlencode({**s.query, **own}, doseq=True)}" if s is not None else "" for s in (span.before, span.after)
    ]
    return LineFrame(
        span=span,
        ranges=links_of(span, own),
        earlier=shifted[0],
        later="" if span.chosen else shifted[1],
        begin=minute(span.begin) if span.begin else "",
        end=minute(span.end) if span.end else "",
        courses=choices,
        chosen=course_id,
        left_out=line_reports.most if line_reports.left_out else 0,
        kept=[(name, value) for name, values in parameters.items() for value in values],
        said=[*span.query.items(), ("course", course_id)],
    )


def course_name(course: Course) -> str:
    """`instance pay1`, `the whole cluster`, `Statspack, instance pay1`."""
    instance = f"instance {course.name or course.number}" if course.name or course.number is not None else ""
    if course.kind == "awr":
        return instance or KINDS[course.kind]
    kind = KINDS.get(course.kind, course.kind)
    return f"{kind}, {instance}" if instance and course.kind != "awr_global" else kind
