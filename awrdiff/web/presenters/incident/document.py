"""An incident as JSON."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from awrdiff.incidents.models import Incident
from awrdiff.web.presenters.incident import kinds
from awrdiff.web.presenters.incident.page import HeadView


def for_members(incident: Incident, context: dict[str, Any]) -> kinds.Incident:
    head: HeadView = context["head"]
    return kinds.Incident(
        id=incident.pk,
        title=incident.title,
        severity=incident.severity,
        status=incident.status,
        begins_at=incident.begins_at.isoformat(),
        ends_at=incident.ends_at.isoformat() if incident.ends_at else None,
        time_zone=incident.time_zone,
        summary=incident.summary,
        what_happened=context["what"],
        tags=list(head.tags),
        times=context["times"],
        ticket=kinds.IncidentTicket(incident.ticket, head.ticket.url) if incident.ticket else None,
        version=incident.version,
        url=head.url,
        roles=context["roles"],
        comparisons=kinds.as_documents(kinds.IncidentSource, context["comparisons"]),
        reports=kinds.as_documents(kinds.IncidentSource, context["reports"]),
        timeline=kinds.as_documents(kinds.TimelineEntry, context["lines"]),
        actions=kinds.as_documents(kinds.ActionItem, context["actions"]),
        verdicts=kinds.as_documents(kinds.IncidentVerdict, context["verdicts"]),
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
        "tags": list(context["head"].tags),
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
