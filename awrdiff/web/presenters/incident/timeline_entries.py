"""Timeline lines: events, and facts of reports and traces."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.urls import reverse
from msgspec import field

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.display_names import shown_name, sign_in_name
from awrdiff.accounts.models import User
from awrdiff.comparisons.anchors import Standing
from awrdiff.incidents.bad_hour_selection import Hours
from awrdiff.incidents.field_validation import TIME_LABELS
from awrdiff.incidents.models import EventKind, Evidence, Incident, IncidentComparison, TimelineEvent, Verdict
from awrdiff.web.presenters.incident.json_types import TimelineEntry, as_documents
from awrdiff.web.presenters.incident.time_scale_band import OTHER, Window, names_of, role_name
from awrdiff.web.presenters.incident.time_zone_clock import Clock
from awrdiff.web.presenters.threads.attachments import AttachedFile, AttachmentLine, attachment_lines

GROUPS = ("typed", "reports", "review")
KINDS = {"restart": "restart", "parameters": "parameters", "trace": "LGWR trace"}


class TimelineLine(TimelineEntry, kw_only=True):
    """`anchor`: id on the page; `by`: display name, `by_name`: sign-in name."""

    at: datetime = field(name="moment")
    when: str
    cls: str = ""
    files: tuple[AttachmentLine, ...] = field(name="attachments", default=())

    @property
    def kind_text(self) -> str:
        """Empty if the text begins with it."""
        if self.text.startswith(f"{self.kind}: "):
            return ""
        return "judgement" if self.kind == "verdict" else self.kind


@dataclass(frozen=True, slots=True)
class Parts:
    """`hours`: incident's hour and direction of findings."""

    incident: Incident
    attached: Sequence[IncidentComparison]
    windows: Sequence[Window]
    events: Sequence[TimelineEvent]
    evidence: Sequence[Evidence]
    verdicts: Sequence[Verdict]
    titles: Mapping[UUID, str]
    hours: Hours
    access: AccessContext | None = None  # whose addresses files have; None: a member's


def lines(parts: Parts, clock: Clock, group: str = "") -> list[TimelineLine]:
    all_lines = [
        *_own(parts, clock),
        *_typed_lines(parts, clock),
        *_of_reports(parts, clock),
        *_of_review(parts, clock),
    ]
    group_lines = [line for line in all_lines if not group or line.group == group]
    return sorted(group_lines, key=lambda line: (line.at, line.anchor))


def _line(clock: Clock, at: datetime, anchor: str, kind: str, text: str, **more: Any) -> TimelineLine:
    own = {"group": "review", "is_log": True, "url": "", "by": "", "by_name": "", "documents": []}
    return TimelineLine(
        at=at, iso=at.isoformat(), when=clock.text(at), anchor=anchor, kind=kind, text=text, **{**own, **more}
    )


def _own(parts: Parts, clock: Clock) -> Iterator[TimelineLine]:
    own = parts.incident
    ends = [("ends", own.ends_at, "The incident ends")] if own.ends_at else []
    times = [(name, at, label) for name, label in TIME_LABELS.items() if (at := getattr(own, name)) is not None]
    for anchor, at, text in (("begins", own.begins_at, "The incident begins"), *ends, *times):
        yield _line(clock, at, anchor, "incident", text, cls="own", is_log=False)


def _typed_lines(parts: Parts, clock: Clock) -> Iterator[TimelineLine]:
    for event in parts.events:
        files = attachment_lines(parts.access, event.attachments.all() if event.attached else ())  # type: ignore[attr-defined]
        typed: dict[str, Any] = {}
        if not event.by_system:
            changes: int = event.changes  # type: ignore[attr-defined] # queries.events_of counts them
            typed = {"group": "typed", "id": event.pk, "version": changes + 1}
        yield _line(
            clock,
            event.at,
            f"event-{event.pk}",
            event.get_kind_display().lower(),
            event.text,
            cls="" if event.by_system else event.kind,
            **({"by": event.outside_text} if event.outside_author else _by(event.user)),
            is_log=event.kind == EventKind.LOG,
            files=files,
            documents=as_documents(AttachedFile, files),
            **typed,
        )


def _of_reports(parts: Parts, clock: Clock) -> Iterator[TimelineLine]:
    anchors: set[str] = set()
    for window in parts.windows:
        label, cls = role_name(window)
        count = len(window.comparisons)
        several = f", of {count} comparisons" if count > 1 else ""
        database = f", {window.database}" if window.database else ""
        text = f"{label}: {clock.window(window.begin, window.end)}{database}{several}"
        url = reverse("comparison", args=[window.comparisons[0].comparison_id])
        times = clock.local(window.begin), clock.local(window.end)
        anchor = _anchor("window", window.side, *times)
        if anchor in anchors:  # another database at the same time
            anchor = _anchor("window", window.side, *times, window.database)
        anchors.add(anchor)
        is_log = window.role == OTHER
        yield _line(clock, window.begin, anchor, label, text, cls=cls, group="reports", url=url, is_log=is_log)
    yield from _comparison_lines(parts.attached, clock)


def _comparison_lines(attached: Sequence[IncidentComparison], clock: Clock) -> Iterator[TimelineLine]:
    """Comparisons of the same reports give equal lines, once per database."""
    seen_keys: set[tuple[str, ...]] = set()
    databases = names_of(attached)
    for comparison in attached:
        names = {name for (of, _), name in databases.items() if of == comparison.comparison_id}
        database = f"{names.pop()}: " if len(names) == 1 else ""
        for event in comparison.told:
            kind, text, at = event["kind"], f"{database}{event['text']}", clock.moment(event["at"])
            key: tuple[str, ...] = (kind, event["at"], event["text"])
            if kind not in KINDS or at is None or (*key, database) in seen_keys:
                continue
            anchor = _anchor(
                "told", *key, *([database] if key in seen_keys else ())
            )  # of another database at that time
            seen_keys |= {key, (*key, database)}
            url = reverse("comparison-commit" if kind == "trace" else "comparison", args=[comparison.comparison_id])
            yield _line(clock, at, anchor, KINDS[kind], text, cls=kind, group="reports", url=url, is_log=False)


def _anchor(what: str, *content: object) -> str:
    """Stable id of a line without row, derived from its content."""
    return f"{what}-{hashlib.sha256(repr([str(part) for part in content]).encode()).hexdigest()[:12]}"


def _of_review(parts: Parts, clock: Clock) -> Iterator[TimelineLine]:
    for comparison in parts.attached:
        pk, text = comparison.comparison_id, f"Comparison made: {parts.titles.get(comparison.comparison_id, '')}"
        url = reverse("comparison", args=[pk])
        yield _line(clock, comparison.comparison.created_at, f"made-{comparison.pk}", "comparison", text, url=url)
    for evidence in parts.evidence:
        text = f"Kept as evidence: {parts.hours.evidence(evidence, Standing.then(evidence)).heading}"
        anchor, url = f"kept-{evidence.pk}", f"#evidence-{evidence.pk}"
        yield _line(clock, evidence.added_at, anchor, "evidence", text, url=url, **_by(evidence.added_by))
    for verdict in parts.verdicts:
        text = verdict_heading(verdict, parts.hours)
        why = f" Because: {verdict.why}" if verdict.why else ""
        by = _by(verdict.user)
        yield _line(clock, verdict.at, f"verdict-{verdict.pk}", "verdict", text + why, cls=verdict.state, **by)


def _by(user: User | None) -> dict[str, str]:
    return {"by": shown_name(user), "by_name": sign_in_name(user)}


def verdict_heading(verdict: Verdict, hours: Hours) -> str:
    return f"{verdict_text(verdict, hours.explaining(verdict))}: {hours.verdict(verdict).heading}"


def judged_by(verdict: Verdict) -> str:
    """`Olivia Berg as dba`"""
    return shown_name(verdict.user) + (f" as {verdict.role}" if verdict.role else "")


def verdict_text(verdict: Verdict, explained_by: str) -> str:
    if verdict.state == "explained_by":
        return f"Explained by “{explained_by.rstrip('.')}”"
    return str(verdict.get_state_display()).capitalize()
