"""The timeline as its lines: what was typed, and what the system knows of reports, traces and the review."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, TypedDict
from uuid import UUID

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import User
from awrdiff.accounts.names import shown_name, sign_in_name
from awrdiff.incidents.evidence import as_then
from awrdiff.incidents.fields import TIME_LABELS
from awrdiff.incidents.hours import Hours
from awrdiff.incidents.models import EventKind, Evidence, Incident, IncidentComparison, TimelineEvent, Verdict
from awrdiff.web.presenters.incident.band import OTHER, Window, names_of, role_name
from awrdiff.web.presenters.incident.clock import Clock
from awrdiff.web.presenters.threads.attachments import AttachmentLine, attachment_lines

GROUPS = ("typed", "reports", "review")
KINDS = {"restart": "restart", "parameters": "parameters", "trace": "LGWR trace"}


class _Names(TypedDict):
    by: str
    by_name: str


@dataclass(frozen=True, slots=True)
class TimelineLine:
    """`anchor` is its id on the page; `edit_url` leads to what may be changed, and to what it said before. `is_log`: it
    tells what was clicked, or which hours are there for comparison, and not what happened. `by` whom, as they are
    called; `by_name` as they sign in. `event`: the id of what was typed."""

    anchor: str
    at: datetime
    when: str
    group: str
    kind: str
    text: str
    cls: str = ""
    by: str = ""
    by_name: str = ""
    changes: int = 0
    url: str = ""
    edit_url: str = ""
    is_log: bool = False
    event: int = 0
    files: tuple[AttachmentLine, ...] = ()

    @property
    def kind_said(self) -> str:
        """Beside the text, where that does not begin with it."""
        if self.text.startswith(f"{self.kind}: "):
            return ""
        return "judgement" if self.kind == "verdict" else self.kind

    def as_dict(self) -> dict[str, Any]:
        found = {name: value for name, value in asdict(self).items() if name in ("group", "kind", "text", "url")}
        people = {"by": self.by_name, "by_shown": self.by}
        own = {"id": self.event, "version": self.changes + 1} if self.event else {}
        files = [one.as_dict() for one in self.files]
        where = {"at": self.at.isoformat(), "anchor": self.anchor}
        return {**where, **found, **people, "log": self.is_log, "files": files, **own}


@dataclass(frozen=True, slots=True)
class Parts:
    """What the lines are made of; `titles`: of the comparisons; `hours`: which is the incident's, and how findings read
    from it."""

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
    """In order of time; those of one group, or all."""
    found = [*_own(parts, clock), *_typed_lines(parts, clock), *_of_reports(parts, clock), *_of_review(parts, clock)]
    shown = [one for one in found if not group or one.group == group]
    return sorted(shown, key=lambda one: (one.at, one.anchor))


def changes(incident: Incident) -> int:
    """The microsecond of the last change of anything its page shows: an open page is shown anew after another."""
    return int(incident.changed_at.timestamp() * 1_000_000) if incident.changed_at else 0


def _own(parts: Parts, clock: Clock) -> Iterator[TimelineLine]:
    own = parts.incident
    ends = [("ends", own.ends_at, "The incident ends")] if own.ends_at else []
    times = [(name, at, label) for name, label in TIME_LABELS.items() if (at := getattr(own, name)) is not None]
    for anchor, at, text in (("begins", own.begins_at, "The incident begins"), *ends, *times):
        yield TimelineLine(anchor, at, clock.said(at), "review", "incident", text, "own")


def _typed_lines(parts: Parts, clock: Clock) -> Iterator[TimelineLine]:
    for one in parts.events:
        yield TimelineLine(
            anchor=f"event-{one.pk}",
            at=one.at,
            when=clock.said(one.at),
            group="review" if one.by_system else "typed",
            kind=one.get_kind_display().lower(),
            text=one.text,
            cls="" if one.by_system else one.kind,
            **_by(one.user),
            changes=one.changes,  # type: ignore[attr-defined] # queries.events_of counts them
            edit_url="" if one.by_system else reverse("incident-event", args=[parts.incident.pk, one.pk]),
            is_log=one.kind == EventKind.LOG,
            event=0 if one.by_system else one.pk,
            files=attachment_lines(parts.access, one.attachments.all() if one.attached else ()),  # type: ignore[attr-defined]
        )


def _of_reports(parts: Parts, clock: Clock) -> Iterator[TimelineLine]:
    anchors: set[str] = set()
    for window in parts.windows:
        label, cls = role_name(window.role)
        count = len(window.comparisons)
        several = f", of {count} comparisons" if count > 1 else ""
        database = f", {window.database}" if window.database else ""
        text = f"{label}: {clock.window(window.begin, window.end)}{database}{several}"
        url = reverse("comparison", args=[window.comparisons[0].comparison_id])
        when = clock.said(window.begin)
        times = clock.local(window.begin), clock.local(window.end)
        anchor = _anchor("window", window.side, *times)
        if anchor in anchors:  # another database at the same time
            anchor = _anchor("window", window.side, *times, window.database)
        anchors.add(anchor)
        yield TimelineLine(
            anchor, window.begin, when, "reports", label, text, cls, url=url, is_log=window.role == OTHER
        )
    yield from _comparison_lines(parts.attached, clock)


def _comparison_lines(attached: Sequence[IncidentComparison], clock: Clock) -> Iterator[TimelineLine]:
    """Two comparisons of the same reports tell the same; two databases do not."""
    known: set[tuple[str, ...]] = set()
    databases = names_of(attached)
    for one in attached:
        names = {name for (of, _), name in databases.items() if of == one.comparison_id}
        database = f"{names.pop()}: " if len(names) == 1 else ""
        for told in one.told:
            kind, text, at = told["kind"], f"{database}{told['text']}", clock.moment(told["at"])
            key: tuple[str, ...] = (kind, told["at"], told["text"])
            if kind not in KINDS or at is None or (*key, database) in known:
                continue
            anchor = _anchor("told", *key, *([database] if key in known else ()))  # of another database at that time
            known |= {key, (*key, database)}
            url = reverse("comparison-commit" if kind == "trace" else "comparison", args=[one.comparison_id])
            yield TimelineLine(anchor, at, clock.said(at), "reports", KINDS[kind], text, kind, url=url)


def _anchor(what: str, *said: object) -> str:
    """Of what no row holds: the same as long as it says the same, whatever is attached or computed anew."""
    return f"{what}-{hashlib.sha256(repr([str(one) for one in said]).encode()).hexdigest()[:12]}"


def _of_review(parts: Parts, clock: Clock) -> Iterator[TimelineLine]:
    for one in parts.attached:
        made, pk = one.comparison.created_at, one.comparison_id
        text = f"Comparison made: {parts.titles.get(pk, '')}"
        url = reverse("comparison", args=[pk])
        yield TimelineLine(f"made-{one.pk}", made, clock.said(made), "review", "comparison", text, url=url, is_log=True)
    for kept in parts.evidence:
        said = f"Kept as evidence: {parts.hours.evidence(kept, as_then(kept)).named}"
        anchor, url, when = f"kept-{kept.pk}", f"#evidence-{kept.pk}", clock.said(kept.added_at)
        yield TimelineLine(
            anchor, kept.added_at, when, "review", "evidence", said, url=url, is_log=True, **_by(kept.added_by)
        )
    for verdict in parts.verdicts:
        text = verdict_told(verdict, parts.hours)
        why = f" Because: {verdict.why}" if verdict.why else ""
        anchor, when = f"verdict-{verdict.pk}", clock.said(verdict.at)
        yield TimelineLine(
            anchor, verdict.at, when, "review", "verdict", text + why, verdict.state, is_log=True, **_by(verdict.user)
        )


def _by(user: User | None) -> _Names:
    return {"by": shown_name(user), "by_name": sign_in_name(user)}


def verdict_told(verdict: Verdict, hours: Hours) -> str:
    """As the incident tells it."""
    return f"{verdict_said(verdict, hours.explaining(verdict))}: {hours.verdict(verdict).named}"


def judged_by(verdict: Verdict) -> str:
    """`Olivia Berg as dba`"""
    return shown_name(verdict.user) + (f" as {verdict.role}" if verdict.role else "")


def verdict_said(verdict: Verdict, explained_by: str) -> str:
    if verdict.state == "explained_by":
        return f"Explained by “{explained_by.rstrip('.')}”"
    return str(verdict.get_state_display()).capitalize()
