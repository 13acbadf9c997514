"""An incident's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.names import shown_name, sign_in_name
from awrdiff.accounts.tickets import address_of, name_of
from awrdiff.comparisons.anchors import Standing
from awrdiff.comparisons.pairs import TURNED
from awrdiff.comparisons.titles import titles_of
from awrdiff.incidents import queries
from awrdiff.incidents.account import WhatHappened, account_of
from awrdiff.incidents.attached import refresh
from awrdiff.incidents.evidence import Live, as_then
from awrdiff.incidents.fields import zone_said
from awrdiff.incidents.hours import Hours
from awrdiff.incidents.judgements import by_finding, finding_of, team_state
from awrdiff.incidents.models import (
    ActionItem,
    ActionState,
    Evidence,
    Incident,
    IncidentComparison,
    IncidentReport,
    Severity,
    Status,
    Verdict,
)
from awrdiff.incidents.ticket_requests import Request
from awrdiff.web import links
from awrdiff.web.presenters.incident import band, lines
from awrdiff.web.presenters.incident.clock import Clock, impact_text
from awrdiff.web.presenters.page import titles

NO_REQUESTS: Mapping[int, Request] = {}


@dataclass(frozen=True, slots=True)
class Ticket:
    """`said` as it is read, "" for none; `url`: where it is, "" for a reference of a team that has no pattern."""

    said: str
    url: str

    @classmethod
    def of(cls, pattern: str, text: str) -> Ticket:
        return cls(name_of(text), address_of(pattern, text))


@dataclass(frozen=True, slots=True)
class HeadView:
    """The incident itself. `duration`: of its impact, as people set it."""

    id: str
    title: str
    severity: int
    severity_said: str
    status: str
    window: str
    duration: str
    zone: str
    summary: str
    tags: tuple[str, ...]
    ticket: Ticket
    made: str
    url: str
    version: int
    changes: int


@dataclass(frozen=True, slots=True)
class AttachedLine:
    """`hours`: of a comparison, those that may be the incident's; `own` is the one that is, `is_suggested` by the
    comparison and not by a person; `doubt`: why somebody is asked, "" where nobody has to be. Of a report `own` says
    what its hour is there for. `hour_url` takes the answer."""

    title: str
    url: str
    note: str
    remove_url: str
    hour_url: str = ""
    hours: tuple[HourLine, ...] = ()
    own: str = ""
    is_suggested: bool = False
    doubt: str = ""
    is_comparison: bool = False


@dataclass(frozen=True, slots=True)
class HourLine:
    place: int
    window: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class EvidenceLine:
    """`by`: who and when, as the page says it; `by_name` as they sign in. `now` is None until what stands there now was
    looked up, and where nothing does: then `missing` says why."""

    id: int
    title: str
    place: str
    note: str
    by: str
    by_name: str
    by_shown: str
    at: str
    url: str
    arrow: str
    then: Sequence[tuple[str, str]]
    now: Sequence[tuple[str, str]] | None
    differs: bool
    gone: bool
    missing: str
    note_url: str
    remove_url: str

    def as_dict(self) -> dict[str, Any]:
        named = ("id", "title", "place", "note", "by_shown", "at", "url", "then", "now", "differs", "gone")
        return {**{name: getattr(self, name) for name in named}, "by": self.by_name}


@dataclass(frozen=True, slots=True)
class ActionLine:
    """`owner` as they are called, `owner_name` as they sign in. `asked`: what became of asking for a ticket; `ask_url`
    asks for one, empty where that cannot be."""

    id: int
    text: str
    owner: str
    owner_name: str
    due: str
    state: str
    link: str
    ticket: Ticket
    asked: str
    ask_url: str
    overdue: bool
    edit_url: str
    state_url: str
    changed: bool
    incident: str
    incident_url: str
    version: int
    by_tracker: bool

    def as_dict(self) -> dict[str, Any]:
        """`link` is the address, `ticket` what was typed."""
        named = ("id", "text", "due", "state", "overdue", "incident", "version", "by_tracker")
        people = {"owner": self.owner_name, "owner_shown": self.owner}
        own = {name: getattr(self, name) for name in named}
        return {**own, **people, "link": self.ticket.url, "ticket": self.link, "ticket_asked": self.asked}


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """`by`: who gave it, and as what."""

    id: int
    title: str
    said: str
    state: str
    why: str
    by: str
    by_name: str
    by_shown: str
    role: str
    when: str
    url: str
    comparison: str
    sign_offs: tuple[str, ...]
    team: str  # what all agree on who judged the finding, else `disputed`


def head(incident: Incident, pattern: str = "") -> HeadView:
    clock = Clock.of(incident)
    return HeadView(
        id=str(incident.pk),
        title=incident.title,
        severity=incident.severity,
        severity_said=Severity(incident.severity).label,
        status=incident.status,
        window=clock.window(incident.begins_at, incident.ends_at),
        duration=impact_text(incident),
        zone=zone_said(incident.time_zone),
        summary=incident.summary,
        tags=tuple(tag.name for tag in incident.tags.all()),
        ticket=Ticket.of(pattern, incident.ticket),
        made=f"{shown_name(incident.created_by)}, {clock.said(incident.created_at)}",
        url=reverse("incident", args=[incident.pk]),
        version=incident.version,
        changes=lines.changes(incident),
    )


def attached_lines(parts: lines.Parts) -> list[AttachedLine]:
    """Each leads to the page on which the incident's hour is Second, where there is one."""
    clock = Clock.of(parts.incident)
    is_known = any(one.bad is not None for one in parts.attached)

    def line(one: IncidentComparison) -> AttachedLine:
        here = [one.incident_id, one.comparison_id]
        hours = [
            HourLine(told["side"], clock.window(*span), told["side"] == one.bad)
            for told in one.told
            if told["kind"] == "window" and (span := clock.span(told["at"], told["end"])) is not None
        ]
        return AttachedLine(
            title=parts.titles[one.comparison_id],
            url=links.place(one.comparison_id, TURNED if one.bad == 0 and one.comparison.both_ways else 0),
            note="" if one.comparison.is_ready else "being computed",
            remove_url=reverse("incident-comparison-detach", args=here),
            hour_url=reverse("incident-hour", args=here),
            hours=tuple(hours),
            own=next((hour.window for hour in hours if hour.is_own), ""),
            is_suggested=one.bad is not None and not one.bad_chosen,
            doubt="" if is_known and one.bad is None else _doubt(parts.incident, one, clock),
            is_comparison=True,
        )

    return [line(one) for one in parts.attached]


def _doubt(incident: Incident, one: IncidentComparison, clock: Clock) -> str:
    if one.bad is None:
        return "The comparison calls neither hour the worse one." if one.told else ""
    if one.bad_chosen:
        return ""
    windows = {told["side"]: clock.span(told["at"], told["end"]) for told in one.told if told["kind"] == "window"}
    own, filed = windows.get(one.bad), (incident.begins_at, incident.ends_at)
    if own is None or own == filed or filed not in windows.values():
        return ""
    return "The incident has the window of one, and the comparison calls the other the worse one."


def reports(access: AccessContext, incident: Incident, found: Sequence[IncidentReport]) -> list[AttachedLine]:
    """What prints no window is of no hour."""
    clock = Clock.of(incident)

    def line(one: IncidentReport) -> AttachedLine:
        here = [one.incident_id, one.report_id]
        title, kind = titles.report_title(one.report), titles.KINDS.get(one.report.kind, "")
        span = clock.span(one.report.begin_at, one.report.end_at or one.report.begin_at)
        within = span is not None and span[0] < (incident.ends_at or span[1]) and span[1] > incident.begins_at
        bad = within if one.bad is None else one.bad
        hours = (HourLine(1, "It is the incident's hour", bad), HourLine(0, "It is for comparison", not bad))
        return AttachedLine(
            title=title,
            url=links.report(access, one.report) or "",
            note=kind,
            remove_url=reverse("incident-report-detach", args=here),
            hour_url=reverse("incident-report-hour", args=here),
            hours=hours if span else (),
            own=("the incident's hour" if bad else "for comparison") if span else "",
            is_suggested=one.bad is None,
        )

    return [line(one) for one in found]


def evidence(found: Sequence[Evidence], hours: Hours) -> list[EvidenceLine]:
    """As they were: what stands there now is fetched by itself."""
    return [_evidence(one, hours, as_then(one), None) for one in found]


def live_evidence(found: Sequence[Live], hours: Hours) -> list[EvidenceLine]:
    return [
        _evidence(one.evidence, hours, one.then, one.now, differs=one.differs, missing=one.missing) for one in found
    ]


def _evidence(
    found: Evidence, hours: Hours, then: Standing, now: Standing | None, *, differs: bool = False, missing: str = ""
) -> EvidenceLine:
    here, told, sides = [found.incident_id, found.pk], hours.evidence(found, then), hours.sides(found)
    is_finding = bool(told.text)
    arrow, figures = (hours.arrow(found), then.figures) if differs else hours.figures(found, then.figures)
    if is_finding:
        arrow, figures = "", (("", told.text),)
    if is_finding and now is not None:
        now = None if told.is_turned else Standing("", "", (("", sides.said(now.figures[0][1])),))
    return EvidenceLine(
        id=found.pk,
        title=told.named,
        place=hours.place(found, found.place),
        note=found.note,
        by=f"{shown_name(found.added_by)}, {found.added_at:%d %b %Y}",
        by_name=sign_in_name(found.added_by),
        by_shown=shown_name(found.added_by),
        at=found.added_at.isoformat(),
        url=links.place(found.comparison_id, told.pair, found.anchor, found.baseline),
        arrow=arrow,
        then=figures,
        now=now.figures if now else None,
        differs=differs,
        gone=bool(missing),
        missing=missing,
        note_url=reverse("incident-evidence-note", args=here),
        remove_url=reverse("incident-evidence-remove", args=here),
    )


def actions(
    found: Sequence[ActionItem], pattern: str = "", requests: Mapping[int, Request] = NO_REQUESTS
) -> list[ActionLine]:
    """`pattern`: the team's, for references to tickets; `requests` for tickets, by item."""
    today: dict[str, date] = {}
    for one in found:
        if one.incident.time_zone not in today:
            today[one.incident.time_zone] = Clock.of(one.incident).today()
    return [_action(one, today[one.incident.time_zone], pattern, requests.get(one.pk)) for one in found]


def _action(one: ActionItem, today: date, pattern: str, request: Request | None) -> ActionLine:
    here = [one.incident_id, one.pk]
    return ActionLine(
        id=one.pk,
        text=one.text,
        owner=shown_name(one.owner) if one.owner else "",
        owner_name=one.owner.get_username() if one.owner else "",
        due=one.due.isoformat() if one.due else "",
        state=one.state,
        link=one.link,
        ticket=Ticket.of(pattern, one.link),
        asked=_asked(one, request) if request and request.at else "",
        ask_url=reverse("incident-action-ticket", args=here) if request and not request.waits else "",
        overdue=one.state == ActionState.OPEN and one.due is not None and one.due < today,
        edit_url=reverse("incident-action", args=here),
        state_url=reverse("incident-action-state", args=here),
        changed=one.version > 1,
        incident=one.incident.title,
        incident_url=reverse("incident", args=[one.incident_id]),
        version=one.version,
        by_tracker=one.by_tracker,
    )


def _asked(one: ActionItem, request: Request) -> str:
    at = f"asked for a ticket {Clock.of(one.incident).said(request.at.replace(second=0))}" if request.at else ""
    if request.waits:
        return f"{at}: {request.error or 'no answer yet'}{' It is tried again.' if request.error else ''}"
    return f"{at}: {request.error or 'the answer named none'}"


def verdicts(found: Sequence[Verdict], parts: lines.Parts, clock: Clock) -> list[VerdictLine]:
    names, hours = parts.titles, parts.hours
    teams = {of: team_state(several) for of, several in by_finding(found).items()}
    return [
        VerdictLine(
            id=one.pk,
            title=(told := hours.verdict(one)).named,
            said=lines.verdict_said(one, hours.explaining(one)),
            state=one.state,
            why=one.why,
            by=lines.judged_by(one),
            by_name=sign_in_name(one.user),
            by_shown=shown_name(one.user),
            role=one.role,
            when=clock.said(one.at),
            url=links.place(one.comparison_id, told.pair, one.anchor),
            comparison=names.get(one.comparison_id, ""),
            sign_offs=tuple(f"{shown_name(s.user)} ({s.role})" for s in one.sign_offs.all()),
            team=teams[finding_of(one)],
        )
        for one in found
    ]


def parts_of(
    incident: Incident, without: frozenset[UUID] = frozenset(), access: AccessContext | None = None
) -> lines.Parts:
    """What its timeline is made of, as it is now; `without` the comparisons of these ids. `access`: whose addresses
    files have, a member's where it is None."""
    comparisons = [one for one in queries.comparisons_of(incident) if one.comparison_id not in without]
    refresh(comparisons)
    evidence = [one for one in queries.evidence_of(incident) if one.comparison_id not in without]
    verdicts = [one for one in queries.verdicts_of(incident) if one.comparison_id not in without]
    return lines.Parts(
        incident,
        comparisons,
        band.windows_of(comparisons, Clock.of(incident)),
        queries.events_of(incident),
        evidence,
        verdicts,
        titles_of([one.comparison for one in comparisons]),
        Hours.of(comparisons, verdicts, evidence),
        access,
    )


def what_happened(parts: lines.Parts, reports: Sequence[IncidentReport]) -> WhatHappened:
    """Whoever has a link gets no ids."""
    happened = account_of(parts.attached, reports, parts.verdicts, parts.hours)
    is_outside = parts.access is not None and parts.access.link is not None
    return happened.for_outsiders() if is_outside else happened


def timeline(parts: lines.Parts, group: str) -> dict[str, Any]:
    """What happened and what was clicked, all of it or those of a group, and the band above them."""
    clock = Clock.of(parts.incident)
    found = lines.lines(parts, clock, group if group in lines.GROUPS else "")
    return {
        "lines": found,
        "happened": [one for one in found if not one.is_log],
        "log": [one for one in found if one.is_log],
        "band": band.draw(parts.incident, parts.windows, clock, timezone.now()),
    }


STATUSES = tuple((one.value, one.label) for one in Status)
SEVERITIES = tuple((one.value, one.label) for one in Severity)
