"""An incident as JSON, of what its page shows."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from awrdiff.incidents.models import Incident
from awrdiff.web.presenters.incident.page import AttachedLine, HeadView


def for_members(incident: Incident, context: dict[str, Any]) -> dict[str, Any]:
    """GET /incidents/<id>/ as JSON."""
    shown: HeadView = context["head"]
    return {
        "id": shown.id,
        **_of_incident(incident, context),
        "times": to_builtins(context["times"]),
        "ticket": {"text": incident.ticket, "url": shown.ticket.url} if incident.ticket else None,
        "version": incident.version,
        "url": shown.url,
        "roles": [
            {"id": r["id"], "name": r["sign_in"], "name_shown": r["name"], "role": r["role"]} for r in context["roles"]
        ],
        "comparisons": [{"title": one.title, "url": one.url, **_hours(one)} for one in context["comparisons"]],
        "reports": [{"title": one.title, "url": one.url, **_hours(one)} for one in context["reports"]],
        "timeline": [one.as_dict() for one in context["lines"]],
        "actions": [one.as_dict() for one in context["actions"]],
        "verdicts": [
            {
                "id": v.id,
                "title": v.title,
                "state": v.state,
                "team": v.team,
                "why": v.why,
                "by": v.by_name,
                "by_shown": v.by_shown,
                "role": v.role,
                "url": v.url,
            }
            for v in context["verdicts"]
        ],
    }


def for_outsiders(incident: Incident, context: dict[str, Any]) -> dict[str, Any]:
    """The same below a share link: no id, no address of members."""
    action = ("text", "owner", "due", "state", "link", "overdue")
    return {
        **_of_incident(incident, context),
        "times": {time.name: time.at.isoformat() if time.at else None for time in context["times"]},
        "roles": [{"name": r["name"], "role": r["role"]} for r in context["roles"]],
        "comparisons": [{"title": one.title, "incident_hour": one.own or None} for one in context["comparisons"]],
        "reports": [{"title": one.title} for one in context["reports"]],
        "timeline": [
            {"at": one.at.isoformat(), "group": one.group, "kind": one.kind, "text": one.text, "by": one.by}
            | {"files": [file.as_dict() for file in one.files]}
            for one in context["lines"]
        ],
        "evidence": [
            {"title": e.title, "place": e.place, "note": e.note, "by": e.by, "then": list(e.then)}
            for e in context["evidence"]
        ],
        "actions": [{name: one.as_dict()[name] for name in action} for one in context["actions"]],
        "verdicts": [
            {"title": v.title, "state": v.state, "team": v.team, "why": v.why, "by": v.by_shown, "role": v.role}
            for v in context["verdicts"]
        ],
    }


def _of_incident(incident: Incident, context: dict[str, Any]) -> dict[str, Any]:
    """Facts for everybody who may open it."""
    shown: HeadView = context["head"]
    return {
        "title": shown.title,
        "severity": shown.severity,
        "status": shown.status,
        "begins_at": incident.begins_at.isoformat(),
        "ends_at": incident.ends_at.isoformat() if incident.ends_at else None,
        "time_zone": incident.time_zone,
        "summary": incident.summary,
        "what_happened": to_builtins(context["what"]),
        "tags": list(shown.tags),
    }


def _hours(one: AttachedLine) -> dict[str, Any]:
    """`asked`: somebody has to say which is the incident's."""
    listed = [{"place": hour.place, "window": hour.window, "is_incident": hour.is_own} for hour in one.hours]
    return {"hours": listed, "suggested": one.is_suggested, "asked": bool(one.doubt)}
