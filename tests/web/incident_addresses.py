"""Addresses of incidents, their parts and verdicts, as tests/web/addresses.py has all."""

from __future__ import annotations

from tests.web.places import (
    FINE,
    READ,
    TAKE_AWAY,
    WRITE,
    Row,
    of_action,
    of_comparison,
    of_event,
    of_evidence,
    of_incident,
)

ROWS = {
    "incidents": Row("member", READ | WRITE, data=lambda _: {"title": "Slow", "begins_at": "2024-01-01T11:05"}),
    "incident-statistics": Row("member", READ),
    "incident-week": Row("member", READ, fine=FINE | {301}),
    "incident-new": Row("member", READ),
    "incident": Row("object", READ, of_incident),
    "incident-seen": Row("object", READ, of_incident),
    "incident-edit": Row("object", READ | WRITE, of_incident, lambda _: {"version": "1", "summary": "slow"}),
    "incident-status": Row("object", WRITE, of_incident, lambda _: {"status": "mitigated"}),
    "incident-delete": Row("object", READ | TAKE_AWAY, of_incident),
    "incident-role-give": Row("object", WRITE, of_incident, lambda c: {"user": c.person.user_id, "role": "dba"}),
    "incident-role-take": Row("object", TAKE_AWAY, lambda c: {**of_incident(c), "role_pk": c.incident.role.pk}),
    "incident-attach": Row("object", READ, of_incident),
    "incident-comparison-attach": Row("object", WRITE, of_incident, lambda c: {"comparison": c.comparison.pk}),
    "incident-comparison-detach": Row(
        "object", TAKE_AWAY, lambda c: {**of_incident(c), "comparison_pk": c.comparison.pk}
    ),
    "incident-hour": Row(
        "object", WRITE, lambda c: {**of_incident(c), "comparison_pk": c.comparison.pk}, lambda _: {"place": "1"}
    ),
    "incident-report-hour": Row(
        "object", WRITE, lambda c: {**of_incident(c), "report_pk": c.incident.report.pk}, lambda _: {"place": "1"}
    ),
    "incident-report-attach": Row("object", WRITE, of_incident, lambda c: {"report": c.loose.pk}),
    "incident-report-detach": Row("object", TAKE_AWAY, lambda c: {**of_incident(c), "report_pk": c.incident.report.pk}),
    "incident-event-add": Row("object", WRITE, of_incident, lambda _: {"at": "2024-01-01T11:30", "text": "failover"}),
    "incident-event": Row("object", READ | WRITE, of_event, lambda _: {"version": "1", "text": "restart"}),
    "incident-event-remove": Row("object", TAKE_AWAY, of_event),
    "incident-evidence": Row(
        "object", READ | WRITE, of_incident, lambda c: {"comparison": c.comparison.pk, "anchor": "init_parameters"}
    ),
    "incident-evidence-note": Row("object", WRITE, of_evidence, lambda _: {"note": "the array"}),
    "incident-evidence-remove": Row("object", TAKE_AWAY, of_evidence),
    "incident-action-add": Row("object", WRITE, of_incident, lambda _: {"text": "larger redo logs"}),
    "incident-action": Row("object", READ | WRITE, of_action, lambda _: {"version": "1", "text": "ask"}),
    "incident-action-state": Row("object", WRITE, of_action, lambda _: {"state": "done"}),
    "incident-action-ticket": Row("object", WRITE, of_action, fine=frozenset({400})),  # nobody makes any
    "incident-action-remove": Row("object", TAKE_AWAY, of_action),
    "actions": Row("member", READ),
    "actions-moved": Row("member", READ, fine=FINE | {301}),
    "comparison-incident": Row("object", WRITE, of_comparison),
    "verdicts": Row(
        "object",
        READ | WRITE,
        of_comparison,
        lambda c: {"anchor": c.incident.verdict.anchor, "state": "rejected", "why": "a batch job"},
    ),
    "verdict-sign-off": Row(
        "object",
        WRITE,
        lambda c: {"pk": c.comparison.pk, "verdict_pk": c.incident.verdict.pk},
        lambda _: {"role": "dba"},
    ),
}
