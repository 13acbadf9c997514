"""Every address with the kind of it, what it answers, and where it stands (places.py)."""

from __future__ import annotations

from django.core.files.uploadedfile import SimpleUploadedFile

from awrdiff.sharing.models import Shows
from tests.web import incident_addresses
from tests.web.places import (
    DELETE,
    FINE,
    READ,
    TAKE_AWAY,
    WRITE,
    Row,
    also,
    of_action,
    of_comparison,
    of_event,
    of_evidence,
    of_incident,
    of_incidents_thread,
    of_person,
    of_postmortem,
    of_report,
    of_talk,
    of_talks_thread,
    of_thread,
    of_token,
    sent,
)

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
SECTION = {"section_id": "foreground_wait_events"}
ENTITY = {"kind": "event", "key": "log file sync"}
ROWS = {
    "home": Row("member", READ),
    "report-upload": Row(
        "member", WRITE, data=lambda _: {"file": SimpleUploadedFile("a.html", b"<html>an AWR report")}
    ),
    "reports-known": Row("member", WRITE, data=lambda _: {"sha256": "0" * 64}),
    "reports-progress": Row("member", READ),
    "report": Row("object", READ, of_report),
    "report-retry": Row("object", WRITE, of_report),
    "report-delete": Row("object", READ | TAKE_AWAY, of_report),
    "report-commit": Row("object", READ, lambda c: {"pk": c.comparison.places.get(position=0).report_id}),
    "report-search": Row("object", READ, of_report),
    "report-trace-attach": Row("object", WRITE, of_report, lambda c: {"report": str(c.loose.pk)}),
    "report-trace-detach": Row("object", TAKE_AWAY, lambda c: {"pk": c.report.pk, "report_pk": c.beside.pk}),
    "report-section": Row("object", READ, also(of_report, **SECTION)),
    "report-entity": Row("object", READ, also(of_report, **ENTITY)),
    "comparison-create": Row(
        "member",
        WRITE,
        data=lambda c: {
            "report": [c.report.pk, *c.comparison.places.filter(position=0).values_list("report", flat=True)]
        },
    ),
    "series": Row("member", WRITE, data=lambda c: {"report": [c.report.pk]}),
    "series-compare": Row(
        "member",
        WRITE,
        data=lambda c: {"report": [c.report.pk, *c.comparison.places.values_list("report", flat=True)]},
    ),
    "comparison": Row("object", READ, of_comparison),
    "comparison-status": Row("object", READ, of_comparison),
    "comparison-section": Row("object", READ, also(of_comparison, **SECTION)),
    "comparison-entity": Row("object", READ, also(of_comparison, **ENTITY)),
    "comparison-trend": Row("object", READ, of_comparison),
    "comparison-plans": Row("object", READ, of_comparison),
    "comparison-commit": Row("object", READ, of_comparison),
    "comparison-swap": Row("object", WRITE, of_comparison),
    "comparison-without": Row("object", WRITE, of_comparison, lambda _: {"place": "9"}, frozenset({400})),
    "comparison-aspect": Row("object", WRITE, of_comparison, lambda _: {"place": "0", "aspect": ""}, frozenset({400})),
    "comparison-retry": Row("object", WRITE, of_comparison),
    "comparison-title": Row("object", WRITE, of_comparison, lambda _: {"title": "Slow Monday"}),
    "comparison-delete": Row("object", READ | TAKE_AWAY, of_comparison),
    "comparison-export": Row("object", READ, also(of_comparison, ending="json")),
    "pins": Row("object", READ | WRITE, of_comparison, lambda _: {"anchor": "foreground_wait_events"}),
    "pins-text": Row("object", READ, also(of_comparison, ending="md")),
    # Everybody has their own: a colleague's is not there.
    "pin-remove": Row(
        "object", TAKE_AWAY, lambda c: {"pk": c.comparison.pk, "pin_pk": c.pin.pk}, fine=frozenset({204, 404})
    ),
    "threads": Row(
        "object", READ | WRITE, of_comparison, lambda _: {"anchor": "foreground_wait_events", "body": "Why?"}
    ),
    "threads-live": Row("object", READ, of_comparison),
    "thread": Row("object", READ | WRITE, of_thread, lambda _: {"body": "Because."}),
    "thread-state": Row("object", WRITE, of_thread, lambda _: {"state": "resolved"}),
    "thread-turn": Row("object", WRITE, of_thread, lambda _: {"person": "percy"}),
    # Who wrote it changes it, and an owner deletes it.
    "comment": Row(
        "object",
        READ | TAKE_AWAY,
        lambda c: {**of_thread(c), "comment_pk": c.comment.pk},
        lambda _: {"body": "Why ever?"},
        fine=FINE | {403},
    ),
    "comment-agree": Row("object", TAKE_AWAY, lambda c: {**of_thread(c), "comment_pk": c.answer.pk}),
    "trace-attach": Row("object", WRITE, of_comparison, lambda c: {"report": str(c.loose.pk)}),
    "trace-detach": Row("object", TAKE_AWAY, lambda c: {"pk": c.comparison.pk, "report_pk": c.attached.pk}),
    "comparison-search": Row("object", READ, of_comparison),
    "comparison-seen": Row("object", READ, of_comparison),
    "link-create": Row("object", READ | WRITE, of_comparison),
    "report-link-create": Row("object", READ | WRITE, of_report),
    "incident-link-create": Row("object", READ | WRITE, of_incident),
    "postmortem-link-create": Row("object", READ | WRITE, of_postmortem),
    "incident-redacted": Row("object", READ | WRITE, of_incident),
    "postmortem-redacted": Row("object", READ | WRITE, of_postmortem),
    "links": Row("member", READ),
    "link-revoke": Row("object", TAKE_AWAY, lambda c: {"pk": c.link.pk}),
    "link-copy": Row("object", WRITE, lambda c: {"pk": c.link.pk}),
    "shared": Row("link", READ, of_token),
    "shared-password": Row("link", WRITE, of_token, lambda _: {"password": "of another link"}),
    "shared-section": Row("link", READ, also(of_token, **SECTION)),
    "shared-entity": Row("link", READ, also(of_token, **ENTITY)),
    "shared-export": Row("link", READ, also(of_token, ending="md")),
    "shared-trend": Row("link", READ, of_token),
    "shared-plans": Row("link", READ, of_token),
    "shared-commit": Row("link", READ, of_token),
    "shared-threads": Row(
        "talk", READ | WRITE, of_talk, lambda _: {"anchor": "init_parameters", "body": "And these?", "name": "Gerd"}
    ),
    "shared-threads-live": Row("talk", READ, of_talk),
    "shared-thread": Row("talk", READ | WRITE, of_talks_thread, lambda _: {"body": "Hello?"}),
    "shared-comment": Row(
        "talk",
        READ | TAKE_AWAY,
        lambda c: {**of_talks_thread(c), "comment_pk": c.talk.comment.pk},
        lambda _: {"body": "Is it?"},
    ),
    "attachment": Row("object", READ | TAKE_AWAY, lambda c: {"pk": c.attachment.pk}),
    "shared-attachment": Row("talk", READ, lambda c: {**of_talk(c), "pk": c.talk.attachment.pk}),
    "shared-search": Row("link", READ, of_token),
    "people": Row("member", READ),
    "people-let-in": Row("member", WRITE, fine=frozenset({302, 400})),
    "server": Row("server", READ),
    "server-team": Row("server", WRITE, lambda c: {"pk": c.access.team.pk}),
    "server-person": Row("server", WRITE, lambda c: {"pk": c.person.user.pk}, lambda _: {"active": "no"}),
    "invite-all": Row(
        "member",
        WRITE,
        data=lambda _: {"emails": "new@example.com", "role": "reader"},
        fine=frozenset({200, 400}),  # as of one
        owners=True,
    ),
    "invite": Row(
        "member",
        WRITE,
        data=lambda _: {"email": "new@example.com", "role": "reader"},
        fine=frozenset({201, 400}),  # without accounts nobody is invited yet
        owners=True,
    ),
    "invitation-revoke": Row("object", TAKE_AWAY, lambda c: {"pk": c.invitation.pk}, owners=True),
    "person-remove": Row("object", TAKE_AWAY, of_person, owners=True),
    "person-role": Row("object", WRITE, of_person, lambda _: {"role": "reader"}, owners=True),
    "team-make": Row("member", WRITE, data=lambda _: {"name": "Ledger"}, fine=frozenset({201, 403})),
    "team": Row("member", READ, owners=True),
    "team-export": Row("member", READ, owners=True),
    "databases": Row("member", READ),
    "databases-digest": Row("member", WRITE, data=lambda _: {"hour": "7", "zone": "UTC"}, owners=True),
    "database": Row("object", READ, lambda c: {"uid": c.databases[0].uid}),
    "database-describe": Row("object", WRITE, lambda c: {"uid": c.databases[0].uid}, lambda _: {"tags": "prod"}),
    "database-hosts": Row(
        "object",
        WRITE,
        lambda c: {"uid": c.databases[0].uid},
        lambda _: {"dbid": "1", "name": "PAY", "host": "db01", "is": "same"},
    ),
    "database-compare": Row(
        "object",
        WRITE,
        lambda c: {"uid": c.databases[0].uid},
        lambda _: {"from": "2024-01-01T10:00", "to": "2024-01-01T11:00"},
        fine=frozenset({400}),  # none of its reports is there
    ),
    "database-metrics": Row("object", READ, lambda c: {"uid": c.databases[0].uid}),
    "database-metrics-csv": Row("object", READ, lambda c: {"uid": c.databases[0].uid}),
    "database-statement": Row("object", READ, lambda c: {"uid": c.databases[0].uid, "key": "0sql000000001"}),
    "database-event": Row("object", READ, lambda c: {"uid": c.databases[0].uid, "key": "log file sync"}),
    "database-merge": Row(
        "object", WRITE, lambda c: {"uid": c.databases[1].uid}, lambda c: {"into": str(c.databases[0].uid)}
    ),
    "database-unmerge": Row("object", WRITE, lambda c: {"uid": c.databases[2].uid}),
    "team-name": Row("member", WRITE, data=lambda _: {"name": "Ledger"}, owners=True),
    "team-threads": Row("member", WRITE, data=lambda _: {"for_guests": "1"}, owners=True),
    "team-second-factor": Row("member", WRITE, owners=True),
    "team-tickets": Row("member", WRITE, data=lambda _: {"pattern": "https://tickets.example.com/{}"}, owners=True),
    "team-postmortems": Row(
        "member",
        READ | WRITE,
        data=lambda _: {"id": "impact", "title": "Impact", "prompt": "Who?", "place": "1", "seen": "0"},
        owners=True,
    ),
    "team-old-reports": Row("member", READ | WRITE, data=lambda _: {"days": "90", "hours": "3"}, owners=True),
    "team-new-reports": Row("member", WRITE, data=lambda c: {"person": c.access.user.username}, owners=True),
    "team-tracker": Row("member", WRITE, data=lambda _: {"tracker": "on"}, owners=True),
    "incident-channel": Row("object", WRITE, of_incident, lambda _: {"channel": "on"}),
    "channel": Row("public", WRITE, lambda c: {**of_incident(c), "token": "of-nobody"}, fine=frozenset({404})),
    "tracker": Row("public", WRITE, lambda c: {"pk": c.access.team.pk}, fine=frozenset({401})),
    "team-webhook": Row("member", WRITE, data=lambda _: {"url": "https://hooks.example.com/x"}, owners=True),
    "team-webhook-secret": Row("member", WRITE, owners=True),
    "team-webhook-test": Row("member", WRITE, fine=frozenset({400}), owners=True),
    "tokens": Row(
        "member",
        READ | WRITE,
        data=lambda _: {"name": "nightly", "scope": "read"},
        fine=FINE | {403},  # where nobody signs in nobody has one
    ),
    "calendar-make": Row("member", WRITE, fine=FINE | {403}),
    "calendar": Row("public", READ, lambda _: {"token": "of-nobody"}, fine=frozenset({404})),
    "token-revoke": Row("object", TAKE_AWAY, lambda c: {"pk": c.tokens[0].pk}, fine=FINE | {404}),  # one's own
    "team-tokens": Row("member", READ | WRITE, data=lambda _: {"name": "nightly", "scope": "read"}, owners=True),
    "team-token-revoke": Row("object", TAKE_AWAY, lambda c: {"pk": c.tokens[1].pk}, owners=True),
    "team-look": Row("object", WRITE, lambda c: {"pk": c.access.team.pk}),
    "guest-show": Row("object", WRITE, of_comparison, lambda c: {"guest": str(c.guest.pk)}),
    "guest-hide": Row("object", TAKE_AWAY, lambda c: {"pk": c.comparison.pk, "guest_pk": c.guest.pk}),
    "incident-threads": Row("object", READ | WRITE, of_incident, lambda _: {"anchor": "begins", "body": "When?"}),
    "incident-threads-live": Row("object", READ, of_incident),
    "incident-thread": Row("object", READ | WRITE, of_incidents_thread, lambda _: {"body": "Because."}),
    "incident-thread-state": Row("object", WRITE, of_incidents_thread, lambda _: {"state": "resolved"}),
    "incident-thread-turn": Row("object", WRITE, of_incidents_thread, lambda _: {"person": "percy"}),
    "incident-comment": Row(
        "object",
        READ | TAKE_AWAY,
        lambda c: {**of_incidents_thread(c), "comment_pk": c.incident.comment.pk},
        lambda _: {"body": "Why ever?"},
        fine=FINE | {403},
    ),
    "incident-comment-agree": Row(
        "object", TAKE_AWAY, lambda c: {**of_incidents_thread(c), "comment_pk": c.incident.answer.pk}
    ),
    "incident-comment-suggestion": Row(  # of the timeline: it suggests nothing
        "object",
        WRITE,
        lambda c: {**of_incidents_thread(c), "comment_pk": c.incident.comment.pk},
        fine=frozenset({400}),
    ),
    **incident_addresses.ROWS,
    "postmortem": Row("object", READ | WRITE, of_postmortem),
    "postmortem-tick": Row(
        "object",
        WRITE,
        lambda c: {**of_postmortem(c), "section_id": "went-well"},
        lambda _: {"tick": "nothing"},
        fine=frozenset({409}),  # no line says it
    ),
    "postmortem-section": Row(
        "object",
        READ | WRITE,
        lambda c: {**of_postmortem(c), "section_id": "went-well"},
        lambda _: {"text": "The failover.", "seen": "6"},
    ),
    "postmortem-versions": Row("object", READ, of_postmortem),
    "postmortem-version": Row("object", READ, lambda c: {**of_postmortem(c), "number": 2}),
    "postmortem-restore": Row("object", WRITE, lambda c: {**of_postmortem(c), "number": 2}, lambda _: {"seen": "9"}),
    "postmortem-review": Row("object", WRITE, of_postmortem, lambda _: {"seen": "9"}),
    "postmortem-ask": Row("object", WRITE, of_postmortem, lambda c: {"person": str(c.person.user_id)}),
    "postmortem-ask-withdraw": Row("object", WRITE, lambda c: {**of_postmortem(c), "review_pk": c.review.pk}),
    # Of whoever was asked: of nobody else here.
    "postmortem-answer": Row(
        "object", WRITE, of_postmortem, lambda _: {"answer": "changes", "why": "More.", "seen": ""}, frozenset({404})
    ),
    "postmortem-reopen": Row("object", WRITE, of_postmortem, lambda _: {"reason": "A slip"}),
    "postmortem-export": Row("object", READ, lambda c: {**of_postmortem(c), "ending": "md"}),
    "audit": Row("member", READ, owners=True),
    "audit-csv": Row("member", READ, owners=True),
    "notices": Row("member", READ),
    "notices-read": Row("member", WRITE),
    "api-openapi": Row("public", READ),
    "api-reports": Row(
        "member", READ | WRITE, data=lambda _: {"file": SimpleUploadedFile("a.html", b"<html>an AWR report")}
    ),
    "api-report": Row("object", READ | DELETE, of_report),
    "api-report-retry": sent(WRITE, of_report),
    "api-comparisons": Row(
        "member",
        READ | WRITE,
        data=lambda c: {
            "reports": [
                str(pk)
                for pk in (c.report.pk, *c.comparison.places.filter(position=0).values_list("report", flat=True))
            ],
        },
        as_json=True,
    ),
    "api-comparison": Row("object", READ | DELETE, of_comparison),
    "api-databases": Row("member", READ),
    "api-database-metrics": Row("object", READ, lambda c: {"uid": c.databases[0].uid}),
    "api-database-statement": Row("object", READ, lambda c: {"uid": c.databases[0].uid, "key": "0sql000000001"}),
    "api-database-event": Row("object", READ, lambda c: {"uid": c.databases[0].uid, "key": "log file sync"}),
    "api-fleet": Row("member", READ),
    "api-report-section": Row("object", READ, also(of_report, **SECTION)),
    "api-report-entity": Row("object", READ, also(of_report, **ENTITY)),
    "api-report-commit": Row("object", READ, of_report),
    "api-comparison-section": Row("object", READ, also(of_comparison, **SECTION)),
    "api-comparison-entity": Row("object", READ, also(of_comparison, **ENTITY)),
    "api-comparison-trend": Row("object", READ, of_comparison),
    "api-comparison-commit": Row("object", READ, of_comparison),
    "api-comparison-export": Row("object", READ, of_comparison),
    "api-comparison-threads": sent(
        READ | WRITE, of_comparison, lambda _: {"anchor": "foreground_wait_events", "body": "Why?"}
    ),
    "api-comparison-thread": sent(READ | WRITE, of_thread, lambda _: {"body": "Because."}),
    "api-comparison-thread-state": sent(WRITE, of_thread, lambda _: {"state": "resolved"}),
    "api-comparison-comment": sent(
        TAKE_AWAY,
        lambda c: {**of_thread(c), "comment_pk": c.comment.pk},
        lambda _: {"body": "Why ever?"},
        FINE | {403},  # who wrote it changes it
    ),
    "api-comparison-title": sent(WRITE, of_comparison, lambda _: {"title": "Slow Monday"}),
    "api-comparison-pins": sent(READ | WRITE, of_comparison, lambda _: {"anchor": "foreground_wait_events"}),
    "api-comparison-pin": Row(
        "object", DELETE, lambda c: {"pk": c.comparison.pk, "pin_pk": c.pin.pk}, fine=frozenset({204, 404})
    ),
    "api-comparison-links": sent(READ | WRITE, of_comparison),
    "api-comparison-verdicts": sent(
        READ | WRITE,
        of_comparison,
        lambda c: {"anchor": c.incident.verdict.anchor, "state": "rejected", "why": "a batch job"},
    ),
    "api-links": Row("member", READ),
    "api-link": Row("object", DELETE, lambda c: {"pk": c.link.pk}),
    "api-people": Row("member", READ),
    "api-audit": Row("member", READ, owners=True),
    "api-actions": Row("member", READ),
    "api-incidents": Row(
        "member", READ | WRITE, data=lambda _: {"title": "Slow", "begins_at": "2024-01-01T11:05:00Z"}, as_json=True
    ),
    "api-incident": sent(READ | TAKE_AWAY, of_incident, lambda _: {"version": 1, "summary": "slow"}),
    "api-incident-status": sent(WRITE, of_incident, lambda _: {"status": "mitigated"}),
    "api-incident-comparisons": sent(WRITE, of_incident, lambda c: {"comparison": str(c.comparison.pk)}),
    "api-incident-comparison": Row("object", DELETE, lambda c: {**of_incident(c), "comparison_pk": c.comparison.pk}),
    "api-incident-reports": sent(WRITE, of_incident, lambda c: {"report": str(c.loose.pk)}),
    "api-incident-report": Row("object", DELETE, lambda c: {**of_incident(c), "report_pk": c.incident.report.pk}),
    "api-incident-events": sent(WRITE, of_incident, lambda _: {"at": "2024-01-01T11:30:00Z", "text": "failover"}),
    "api-incident-event": sent(TAKE_AWAY, of_event, lambda _: {"version": 1, "text": "restart"}),
    "api-incident-evidence": sent(
        READ | WRITE, of_incident, lambda c: {"comparison": str(c.comparison.pk), "anchor": "init_parameters"}
    ),
    "api-incident-evidence-one": sent(TAKE_AWAY, of_evidence, lambda _: {"note": "the array"}),
    "api-incident-actions": sent(WRITE, of_incident, lambda _: {"text": "larger redo logs"}),
    "api-incident-action": sent(TAKE_AWAY, of_action, lambda _: {"version": 1, "text": "ask"}),
    "api-incident-links": sent(READ | WRITE, of_incident),
    "api-incident-threads": sent(READ | WRITE, of_incident, lambda _: {"anchor": "begins", "body": "When?"}),
    "api-incident-thread": sent(READ | WRITE, of_incidents_thread, lambda _: {"body": "Because."}),
    "api-incident-thread-state": sent(WRITE, of_incidents_thread, lambda _: {"state": "resolved"}),
    "api-postmortem": sent(READ | WRITE, of_postmortem),
    "api-postmortem-section": sent(
        WRITE,
        lambda c: {**of_postmortem(c), "section_id": "went-well"},
        lambda _: {"text": "The failover.", "seen": 6},
    ),
    "api-postmortem-review": sent(WRITE, of_postmortem, lambda _: {"seen": 9}),
    "api-postmortem-reopen": sent(WRITE, of_postmortem, lambda _: {"reason": "A slip"}),
    "api-postmortem-ask": sent(WRITE, of_postmortem, lambda c: {"person": c.person.user.username}),
    "api-postmortem-answer": sent(  # of whoever was asked: of nobody else here
        WRITE, of_postmortem, lambda _: {"answer": "changes", "why": "More.", "seen": ""}, frozenset({404})
    ),
    "notices-choice": Row("member", WRITE, data=lambda _: {"mail": "none"}),
    "notice-open": Row("object", WRITE, lambda _: {"pk": 1}, fine=frozenset({204, 404})),  # everybody has their own
    "account_login": Row("public", READ | WRITE),
    "sign-in-once": Row("public", READ | WRITE, lambda _: {"token": "1-abc-def"}),
    "account_logout": Row("public", WRITE),
    "account_signup": Row("public", READ | WRITE),
    "join-link": Row("public", READ, lambda c: {"token": c.invited}),
    "mfa_authenticate": Row("public", READ | WRITE),
    "account_inactive": Row("public", READ),
    "account_reset_password": Row("public", READ | WRITE),
    "account_reset_password_done": Row("public", READ),
    "account_reset_password_from_key_done": Row("public", READ),
    "account_reset_password_from_key": Row("public", READ | WRITE, lambda _: {"uidb36": "1", "key": "abc-def"}),
    "account_email_verification_sent": Row("public", READ),
    "account_confirm_email": Row("public", READ | WRITE, lambda _: {"key": "MQ:abc:def"}),
    **{
        name: Row("account", READ | WRITE, fine=frozenset({200, 302, 404}))
        for name in (
            "account_name",
            "account_email",
            "account_change_password",
            "account_set_password",
            "account_reauthenticate",
            "usersessions_list",
            "mfa_reauthenticate",
            "mfa_activate_totp",
            "mfa_deactivate_totp",
            "mfa_generate_recovery_codes",
            "mfa_download_recovery_codes",
            "mfa_add_webauthn",
            "mfa_reauthenticate_webauthn",
        )
    },
    "mfa_index": Row("account", READ),
    "mfa_view_recovery_codes": Row("account", READ, fine=frozenset({404})),  # there are none
    "mfa_list_webauthn": Row("account", READ),
    "mfa_edit_webauthn": Row("account", READ | WRITE, lambda _: {"pk": 1}, fine=frozenset({302, 404})),
    "mfa_remove_webauthn": Row("account", READ | WRITE, lambda _: {"pk": 1}, fine=frozenset({302, 404})),
    "healthz": Row("public", READ),
    "readyz": Row("public", READ),
    "metrics": Row("public", READ, fine=frozenset({404})),  # where no token is set
    "documents": Row("public", READ),
    "document": Row("public", READ, lambda _: {"name": "glossary"}),
    "script": Row("public", READ),
}
# Below a link to something else than a comparison this is there, and nothing else.
LINKS_OPEN = {
    Shows.REPORT: {"shared", "shared-section", "shared-entity", "shared-commit", "shared-search"},
    Shows.INCIDENT: {"shared"},
    Shows.POSTMORTEM: {"shared", "shared-export"},
}
# Of what a team has, a guest opens this, where it was shown to them, and nothing else.
GUESTS_READ = {
    "comparison",
    "comparison-status",
    "comparison-section",
    "comparison-entity",
    "comparison-trend",
    "comparison-plans",
    "comparison-commit",
    "comparison-export",
    "comparison-search",
    "comparison-seen",
    "pins",  # which are none
    "pins-text",
    "threads",
    "threads-live",
    "thread",
    "comment",
    "api-comparisons",
    "api-comparison",
    "api-comparison-section",
    "api-comparison-entity",
    "api-comparison-trend",
    "api-comparison-commit",
    "api-comparison-export",
    "api-comparison-threads",
    "api-comparison-thread",
    "api-comparison-pins",  # which are none
}
# Pages that ask what is to be written: for nobody who only reads.
WRITERS_ASK = {
    "report-delete",
    "comparison-delete",
    "incident-new",
    "incident-edit",
    "incident-delete",
    "incident-attach",
    "incident-event",
    "incident-action",
}
# Where a guest may also write.
GUESTS_WRITE = {"threads", "thread", "comment-agree", "api-comparison-threads", "api-comparison-thread"}
ALSO_ANSWERED = {"account_logout": {"OPTIONS"}}  # Django's own view says what may be asked
