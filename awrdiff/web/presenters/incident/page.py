"""An incident as page and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from msgspec import field, to_builtins

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.display_names import shown_name, sign_in_name
from awrdiff.accounts.ticket_references import address_of
from awrdiff.analysis.report_time_windows import length_s, span_word
from awrdiff.comparisons.anchors import Standing
from awrdiff.comparisons.models import REVERSE
from awrdiff.comparisons.report_places_and_titles import titles_of
from awrdiff.incidents import queries
from awrdiff.incidents.bad_hour_selection import Hours
from awrdiff.incidents.bad_hour_summary import WhatHappened, account_of
from awrdiff.incidents.comparisons_and_reports import refresh
from awrdiff.incidents.evidence import Live
from awrdiff.incidents.field_validation import zone_text
from awrdiff.incidents.finding_verdicts import by_finding, finding_of, team_state
from awrdiff.incidents.models import (
    ActionItem,
    Evidence,
    Incident,
    IncidentComparison,
    IncidentReport,
    Severity,
    Status,
    Verdict,
)
from awrdiff.notices.models import Delivery
from awrdiff.web import links
from awrdiff.web.presenters.incident import json_types, time_scale_band, timeline_entries
from awrdiff.web.presenters.incident.json_types import IncidentHour, IncidentSource, IncidentVerdict, KeptEvidence
from awrdiff.web.presenters.incident.time_zone_clock import Clock, impact_text
from awrdiff.web.presenters.page import titles

NO_REQUESTS: Mapping[int, Delivery | None] = {}


class AttachedLine(IncidentSource, kw_only=True):
    """`hours`: candidate hours of a comparison; `own`: the incident's, `is_suggested` if not set by a person; `doubt`:
    reason to ask, or "". For a report `own` is the role of its hour. `hour_url` takes the answer; `word`: hour or
    window.
    """

    note: str
    remove_url: str
    hour_url: str
    own: str
    doubt: str = ""
    is_comparison: bool = False
    word: str = "hour"


class EvidenceLine(KeptEvidence, kw_only=True):
    """`by`: author and time as text; `by_name`: sign-in name. `now`: None until looked up or if gone; `missing` says
    why.
    """

    by: str = field(name="by_text")
    arrow: str
    missing: str


class VerdictLine(IncidentVerdict, kw_only=True):
    """`by`: who gave it, and as what."""

    said: str
    by: str = field(name="by_text")
    when: str
    comparison: str
    sign_offs: Sequence[str]


def head(incident: Incident) -> dict[str, Any]:
    return {
        "title": incident.title,
        "severity": incident.severity,
        "severity_said": incident.get_severity_display(),
        "status": incident.status,
        "window": Clock.of(incident).window(incident.begins_at, incident.ends_at),
        "duration": impact_text(incident),  # of the impact, as typed
        "zone": zone_text(incident.time_zone),
        "summary": incident.summary,
        "tags": [tag.name for tag in incident.tags.all()],
    }


def attached_lines(parts: timeline_entries.Parts) -> list[AttachedLine]:
    """Links show the incident's hour as Second."""
    clock = Clock.of(parts.incident)
    is_known = any(attached.bad is not None for attached in parts.attached)

    def line(attached: IncidentComparison) -> AttachedLine:
        here = [attached.incident_id, attached.comparison_id]
        spans = {
            event["side"]: span
            for event in attached.told
            if event["kind"] == "window" and (span := clock.span(event["at"], event["end"])) is not None
        }
        hours = [IncidentHour(side, clock.window(*span), side == attached.bad) for side, span in spans.items()]
        word = span_word(*map(length_s, spans.values()))
        doubt = "" if is_known and attached.bad is None else _doubt(parts.incident, attached, clock, word)
        return AttachedLine(
            title=parts.titles[attached.comparison_id],
            url=links.place(
                attached.comparison_id, REVERSE if attached.bad == 0 and attached.comparison.both_ways else 0
            ),
            note="" if attached.comparison.is_ready else "being computed",
            remove_url=reverse("incident-comparison-detach", args=here),
            hour_url=reverse("incident-hour", args=here),
            hours=hours,
            own=next((hour.window for hour in hours if hour.is_own), ""),
            is_suggested=attached.bad is not None and not attached.bad_chosen,
            is_open=bool(doubt),
            doubt=doubt,
            is_comparison=True,
            word=word,
        )

    return [line(attached) for attached in parts.attached]


def _doubt(incident: Incident, attached: IncidentComparison, clock: Clock, word: str) -> str:
    if attached.bad is None:
        return f"The comparison calls neither {word} the worse one." if attached.told else ""
    if attached.bad_chosen:
        return ""
    windows = {
        event["side"]: clock.span(event["at"], event["end"]) for event in attached.told if event["kind"] == "window"
    }
    own, filed = windows.get(attached.bad), (incident.begins_at, incident.ends_at)
    if own is None or own == filed or filed not in windows.values():
        return ""
    return "The incident has the window of one, and the comparison calls the other the worse one."


def reports(
    access: AccessContext, incident: Incident, incident_reports: Sequence[IncidentReport]
) -> list[AttachedLine]:
    """Reports without a window belong to no hour."""
    clock = Clock.of(incident)

    def line(incident_report: IncidentReport) -> AttachedLine:
        here = [incident_report.incident_id, incident_report.report_id]
        title, kind = titles.report_title(incident_report.report), titles.KINDS.get(incident_report.report.kind, "")
        span = clock.span(
            incident_report.report.begin_at, incident_report.report.end_at or incident_report.report.begin_at
        )
        within = span is not None and span[0] < (incident.ends_at or span[1]) and span[1] > incident.begins_at
        bad = within if incident_report.bad is None else incident_report.bad
        word = span_word(length_s(span)) if span else "hour"
        hours = [
            IncidentHour(1, f"It is the incident's {word}", bad),
            IncidentHour(0, "It is for comparison", not bad),
        ]
        return AttachedLine(
            title=title,
            url=links.report(access, incident_report.report) or "",
            note=kind,
            remove_url=reverse("incident-report-detach", args=here),
            hour_url=reverse("incident-report-hour", args=here),
            hours=hours if span else [],
            is_open=False,
            own=(f"the incident's {word}" if bad else "for comparison") if span else "",
            is_suggested=incident_report.bad is None,
        )

    return [line(incident_report) for incident_report in incident_reports]


def evidence(evidence_rows: Sequence[Evidence], hours: Hours) -> list[EvidenceLine]:
    """Stored figures only."""
    return [_evidence(evidence_row, hours, Standing.then(evidence_row), None) for evidence_row in evidence_rows]


def live_evidence(live_rows: Sequence[Live], hours: Hours) -> list[EvidenceLine]:
    return [
        _evidence(
            live_row.evidence, hours, live_row.then, live_row.now, differs=live_row.differs, missing=live_row.missing
        )
        for live_row in live_rows
    ]


def _evidence(
    evidence_row: Evidence,
    hours: Hours,
    then: Standing,
    now: Standing | None,
    *,
    differs: bool = False,
    missing: str = "",
) -> EvidenceLine:
    evidence_text, sides = hours.evidence(evidence_row, then), hours.sides(evidence_row)
    is_finding = bool(evidence_text.text)
    arrow, figures = (hours.arrow(evidence_row), then.figures) if differs else hours.figures(evidence_row, then.figures)
    if is_finding:
        arrow, figures = "", (("", evidence_text.text),)
    if is_finding and now is not None:
        now = None if evidence_text.is_turned else Standing("", "", (("", sides.rename(now.figures[0][1])),))
    return EvidenceLine(
        id=evidence_row.pk,
        title=evidence_text.heading,
        place=hours.place(evidence_row, evidence_row.place),
        note=evidence_row.note,
        by=f"{shown_name(evidence_row.added_by)}, {evidence_row.added_at:%d %b %Y}",
        by_name=sign_in_name(evidence_row.added_by),
        by_shown=shown_name(evidence_row.added_by),
        at=evidence_row.added_at.isoformat(),
        url=links.place(evidence_row.comparison_id, evidence_text.pair, evidence_row.anchor, evidence_row.baseline),
        arrow=arrow,
        then=figures,
        now=now.figures if now else None,
        differs=differs,
        gone=bool(missing),
        missing=missing,
    )


def actions(
    items: Sequence[ActionItem], pattern: str = "", requests: Mapping[int, Delivery | None] = NO_REQUESTS
) -> list[json_types.ActionItem]:
    """`pattern`: of tickets; `requests`: by item."""
    documents = []
    for item in items:
        request = requests.get(item.pk)
        asked_at = (request.created_at if request else item.ticket_asked_at) if item.pk in requests else None
        documents.append(
            json_types.ActionItem(
                id=item.pk,
                text=item.text,
                owner=shown_name(item.owner) if item.owner else "",
                owner_name=item.owner.get_username() if item.owner else "",
                due=item.due.isoformat() if item.due else "",
                state=item.state,
                link=item.link,
                address=address_of(pattern, item.link),
                request_text=_request_text(item, asked_at, request) if asked_at else "",
                overdue=item.is_overdue,
                incident=item.incident.title,
                version=item.version,
                by_tracker=item.by_tracker,
            )
        )
    return documents


def with_items(
    documents: Sequence[json_types.ActionItem], items: Sequence[ActionItem], requests: Mapping[int, Delivery | None]
) -> list[tuple[json_types.ActionItem, ActionItem, bool]]:
    """Third: True if a ticket can be asked for."""
    free = {pk for pk, request in requests.items() if request is None or request.due_at is None}
    return [(document, item, item.pk in free) for document, item in zip(documents, items, strict=True)]


def _request_text(item: ActionItem, at: datetime, request: Delivery | None) -> str:
    error = request.error if request else ""
    if request is not None and request.due_at is not None:
        outcome = f"{error} It is tried again." if error else "no answer yet"
    else:
        outcome = error or "the answer named none"
    return f"asked for a ticket {Clock.of(item.incident).text(at.replace(second=0))}: {outcome}"


def verdicts(verdict_rows: Sequence[Verdict], parts: timeline_entries.Parts, clock: Clock) -> list[VerdictLine]:
    names, hours = parts.titles, parts.hours
    teams = {of: team_state(several) for of, several in by_finding(verdict_rows).items()}
    return [
        VerdictLine(
            id=verdict.pk,
            title=(verdict_text := hours.verdict(verdict)).heading,
            said=timeline_entries.verdict_text(verdict, hours.explaining(verdict)),
            state=verdict.state,
            why=verdict.why,
            by=timeline_entries.judged_by(verdict),
            by_name=sign_in_name(verdict.user),
            by_shown=shown_name(verdict.user),
            role=verdict.role,
            when=clock.text(verdict.at),
            url=links.place(verdict.comparison_id, verdict_text.pair, verdict.anchor),
            comparison=names.get(verdict.comparison_id, ""),
            sign_offs=tuple(f"{shown_name(s.user)} ({s.role})" for s in verdict.sign_offs.all()),
            team=teams[finding_of(verdict)],
        )
        for verdict in verdict_rows
    ]


def parts_of(
    incident: Incident, without: frozenset[UUID] = frozenset(), access: AccessContext | None = None
) -> timeline_entries.Parts:
    """`access`: for file addresses; None for a member's."""
    comparisons = [attached for attached in queries.comparisons_of(incident) if attached.comparison_id not in without]
    refresh(comparisons)
    evidence = [
        evidence_row for evidence_row in queries.evidence_of(incident) if evidence_row.comparison_id not in without
    ]
    verdicts = [verdict for verdict in queries.verdicts_of(incident) if verdict.comparison_id not in without]
    return timeline_entries.Parts(
        incident,
        comparisons,
        time_scale_band.windows_of(comparisons, Clock.of(incident)),
        queries.events_of(incident),
        evidence,
        verdicts,
        titles_of([attached.comparison for attached in comparisons]),
        Hours.of(comparisons, verdicts, evidence),
        access,
    )


def what_happened(parts: timeline_entries.Parts, reports: Sequence[IncidentReport]) -> WhatHappened:
    """Without ids for link holders."""
    happened = account_of(parts.attached, reports, parts.verdicts, parts.hours)
    is_outside = parts.access is not None and parts.access.link is not None
    return happened.for_outsiders() if is_outside else happened


def timeline(parts: timeline_entries.Parts, group: str) -> dict[str, Any]:
    """One group or all, with the band above."""
    clock = Clock.of(parts.incident)
    timeline_lines = timeline_entries.lines(parts, clock, group if group in timeline_entries.GROUPS else "")
    chart, rows = time_scale_band.draw(parts.incident, parts.windows, clock, timezone.now())
    return {
        "lines": timeline_lines,
        "happened": [line for line in timeline_lines if not line.is_log],
        "log": [line for line in timeline_lines if line.is_log],
        "band": chart,
        "band_rows": rows,
    }


def for_members(incident: Incident, context: dict[str, Any]) -> json_types.Incident:
    pattern = context["access"].team.ticket_pattern
    return json_types.Incident(
        id=incident.pk,
        title=incident.title,
        severity=incident.severity,
        status=incident.status,
        begins_at=incident.begins_at.isoformat(),
        ends_at=incident.ends_at.isoformat() if incident.ends_at else None,
        time_zone=incident.time_zone,
        summary=incident.summary,
        what_happened=context["what"],
        tags=context["head"]["tags"],
        times=context["times"],
        ticket=json_types.IncidentTicket(incident.ticket, address_of(pattern, incident.ticket))
        if incident.ticket
        else None,
        version=incident.version,
        url=reverse("incident", args=[incident.pk]),
        roles=context["roles"],
        comparisons=json_types.as_documents(json_types.IncidentSource, context["comparisons"]),
        reports=json_types.as_documents(json_types.IncidentSource, context["reports"]),
        timeline=json_types.as_documents(json_types.TimelineEntry, context["lines"]),
        actions=context["actions"],
        verdicts=json_types.as_documents(json_types.IncidentVerdict, context["verdicts"]),
    )


def for_outsiders(incident: Incident, context: dict[str, Any]) -> dict[str, Any]:
    """No ids, no member addresses."""
    return {
        "title": incident.title,
        "severity": incident.severity,
        "status": incident.status,
        "begins_at": incident.begins_at.isoformat(),
        "ends_at": incident.ends_at.isoformat() if incident.ends_at else None,
        "time_zone": incident.time_zone,
        "summary": incident.summary,
        "what_happened": to_builtins(context["what"]),
        "tags": context["head"]["tags"],
        "times": {time.name: time.at.isoformat() if time.at else None for time in context["times"]},
        "roles": [{"name": r.name, "role": r.role} for r in context["roles"]],
        "comparisons": [
            {"title": attached.title, "incident_hour": attached.own or None} for attached in context["comparisons"]
        ],
        "reports": [{"title": attached.title} for attached in context["reports"]],
        "timeline": [
            {"at": line.iso, "group": line.group, "kind": line.kind, "text": line.text, "by": line.by}
            | {"files": line.documents}
            for line in context["lines"]
        ],
        "evidence": [
            {"title": e.title, "place": e.place, "note": e.note, "by": e.by, "then": list(e.then)}
            for e in context["evidence"]
        ],
        "actions": [
            {"text": a.text, "owner": a.owner_name, "due": a.due, "state": a.state, "link": a.address}
            | {"overdue": a.overdue}
            for a in context["actions"]
        ],
        "verdicts": [
            {"title": v.title, "state": v.state, "team": v.team, "why": v.why, "by": v.by_shown, "role": v.role}
            for v in context["verdicts"]
        ],
    }


STATUSES = tuple((status.value, status.label) for status in Status)
SEVERITIES = tuple((severity.value, severity.label) for severity in Severity)
