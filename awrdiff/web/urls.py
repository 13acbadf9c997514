"""Every address; docs/reference/http.md lists them. Pages and JSON (Accept: application/json) share them."""

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from allauth.usersessions import views as sessions
from django.conf import settings
from django.urls import path, re_path
from django.views.decorators.http import require_http_methods

from awrdiff.web.api.v1 import openapi
from awrdiff.web.api.v1.endpoint_table import ADDRESSES
from awrdiff.web.sign_in.password_sign_in_switch import of_passwords
from awrdiff.web.sign_in.permission_helpers import View, signed_in
from awrdiff.web.views import (
    attachments,
    audit,
    commit_latency,
    comparison_exports,
    comparisons,
    database,
    database_metrics,
    deleting,
    documentation,
    entities,
    finding_verdicts,
    fleet,
    health,
    home,
    inbound_webhooks,
    incident_parts,
    incident_statistics,
    incidents,
    lgwr_traces,
    notices,
    past_incidents,
    people,
    pins,
    plans,
    postmortem_reviews,
    postmortem_templates,
    postmortems,
    redacted_links,
    report_series,
    reports,
    server_administration,
    sharing,
    signing_in,
    teams,
    threads,
    tokens,
    trend,
)


def form(view: View) -> View:
    """Methods of the form only."""
    return require_http_methods(["GET", "HEAD", "POST"])(view)


def own(view: View) -> View:
    """For one's own account."""
    return form(signed_in(view))


COMPARISON, REPORT, DATABASE = "comparisons/<uuid:pk>/", "reports/<uuid:pk>/", "databases/<uuid:uid>/"
INCIDENT, SHARED, FACTOR = "incidents/<uuid:pk>/", "s/<str:token>/", "account/second-factor/"
THREAD, POSTMORTEM = f"{COMPARISON}threads/<int:thread_pk>/", f"{INCIDENT}postmortem/"
INCIDENT_THREAD = f"{INCIDENT}threads/<int:thread_pk>/"
INCIDENT_COMMENT = f"{INCIDENT_THREAD}comments/<int:comment_pk>/"
OF_REPORT = {"of": "report"}
REPORTS = [
    path("reports/", reports.upload, name="report-upload"),
    path("reports/known/", reports.known_files, name="reports-known"),
    path("reports/progress/", reports.reading_progress, name="reports-progress"),
    path(REPORT, reports.report, name="report"),
    path(REPORT + "retry/", reports.retry, name="report-retry"),
    path(REPORT + "delete/", deleting.report, name="report-delete"),
    path(REPORT + "commit/", commit_latency.commit, OF_REPORT, name="report-commit"),
    path(REPORT + "traces/", lgwr_traces.attach_to_report, name="report-trace-attach"),
    path(REPORT + "traces/<uuid:report_pk>/", lgwr_traces.detach_from_report, name="report-trace-detach"),
    path(REPORT + "search/", comparisons.search, OF_REPORT, name="report-search"),
    path(REPORT + "sections/<slug:section_id>/", comparisons.section, OF_REPORT, name="report-section"),
    path(REPORT + "entities/<slug:kind>/<path:key>/", entities.entity, OF_REPORT, name="report-entity"),
]
DATABASES = [
    path("databases/", fleet.databases, name="databases"),
    path("databases/digest/", fleet.digest, name="databases-digest"),
    path(DATABASE, database.database, name="database"),
    path(DATABASE + "describe/", database.describe, name="database-describe"),
    path(DATABASE + "hosts/", database.hosts, name="database-hosts"),
    path(DATABASE + "compare/", database.compare, name="database-compare"),
    path(DATABASE + "metrics/", database_metrics.metrics, name="database-metrics"),
    path(DATABASE + "metrics.csv", database_metrics.table, name="database-metrics-csv"),
    path(DATABASE + "statements/<path:key>/", database_metrics.statement, name="database-statement"),
    path(DATABASE + "events/<path:key>/", database_metrics.event, name="database-event"),
    path(DATABASE + "merge/", database.merge, name="database-merge"),
    path(DATABASE + "unmerge/", database.unmerge, name="database-unmerge"),
]
COMPARISONS = [
    path("series/", report_series.offer, name="series"),
    path("series/compare/", report_series.compare, name="series-compare"),
    path("comparisons/", comparisons.create, name="comparison-create"),
    path(COMPARISON, comparisons.comparison, name="comparison"),
    path(COMPARISON + "status/", comparisons.status, name="comparison-status"),
    path(COMPARISON + "sections/<slug:section_id>/", comparisons.section, name="comparison-section"),
    path(COMPARISON + "entities/<slug:kind>/<path:key>/", entities.entity, name="comparison-entity"),
    path(COMPARISON + "trend/", trend.trend, name="comparison-trend"),
    path(COMPARISON + "plans/", plans.plans, name="comparison-plans"),
    path(COMPARISON + "commit/", commit_latency.commit, name="comparison-commit"),
    path(COMPARISON + "swap/", comparisons.swap, name="comparison-swap"),
    path(COMPARISON + "aspect/", comparisons.choose, name="comparison-aspect"),
    path(COMPARISON + "without/", comparisons.leave_out, name="comparison-without"),
    path(COMPARISON + "retry/", comparisons.retry, name="comparison-retry"),
    path(COMPARISON + "title/", comparisons.rename, name="comparison-title"),
    path(COMPARISON + "delete/", deleting.comparison, name="comparison-delete"),
    path(COMPARISON + "export.<slug:ending>", comparison_exports.export, name="comparison-export"),
    path(COMPARISON + "pins/", pins.pins, name="pins"),
    path(COMPARISON + "pins.<slug:ending>", pins.text, name="pins-text"),
    path(COMPARISON + "pins/<int:pin_pk>/", pins.remove, name="pin-remove"),
    path(COMPARISON + "traces/", lgwr_traces.attach, name="trace-attach"),
    path(COMPARISON + "traces/<uuid:report_pk>/", lgwr_traces.detach, name="trace-detach"),
    path(COMPARISON + "seen/", past_incidents.of_comparison, name="comparison-seen"),
    path(COMPARISON + "search/", comparisons.search, name="comparison-search"),
]
THREADS = [
    path(COMPARISON + "threads/", threads.threads, name="threads"),
    path(COMPARISON + "threads/live/", threads.live, name="threads-live"),
    path(THREAD, threads.thread, name="thread"),
    path(THREAD + "state/", threads.state, name="thread-state"),
    path(THREAD + "turn/", threads.turn, name="thread-turn"),
    path(THREAD + "comments/<int:comment_pk>/", threads.comment, name="comment"),
    path(THREAD + "comments/<int:comment_pk>/agree/", threads.agree, name="comment-agree"),
]
ATTACHMENTS = [
    path("attachments/<uuid:pk>/", attachments.attachment, name="attachment"),
    path(SHARED + "attachments/<uuid:pk>/", attachments.shared_attachment, name="shared-attachment"),
]
SHARING = [
    path(COMPARISON + "links/", sharing.links_of, name="link-create"),
    path(REPORT + "links/", sharing.links_of, {"shows": "report"}, name="report-link-create"),
    path(INCIDENT + "links/", sharing.links_of, {"shows": "incident"}, name="incident-link-create"),
    path(POSTMORTEM + "links/", sharing.links_of, {"shows": "postmortem"}, name="postmortem-link-create"),
    path(INCIDENT + "redacted/", redacted_links.preview, name="incident-redacted"),
    path(POSTMORTEM + "redacted/", redacted_links.preview, {"shows": "postmortem"}, name="postmortem-redacted"),
    path("links/", sharing.links_page, name="links"),
    path("links/<uuid:pk>/", sharing.revoke, name="link-revoke"),
    path("links/<uuid:pk>/copy/", sharing.make_copy_again, name="link-copy"),
    path(SHARED, sharing.link_page, name="shared"),
    path(SHARED + "password/", sharing.password, name="shared-password"),
    path(SHARED + "sections/<slug:section_id>/", comparisons.section, name="shared-section"),
    path(SHARED + "entities/<slug:kind>/<path:key>/", entities.entity, name="shared-entity"),
    path(SHARED + "export.<slug:ending>", sharing.export, name="shared-export"),
    path(SHARED + "trend/", trend.trend, name="shared-trend"),
    path(SHARED + "plans/", plans.plans, name="shared-plans"),
    path(SHARED + "commit/", commit_latency.commit, name="shared-commit"),
    path(SHARED + "search/", comparisons.search, name="shared-search"),
]
SHARED_THREADS = [
    path(SHARED + "threads/", threads.threads, name="shared-threads"),
    path(SHARED + "threads/live/", threads.live_below, name="shared-threads-live"),
    path(SHARED + "threads/<int:thread_pk>/", threads.thread, name="shared-thread"),
    path(SHARED + "threads/<int:thread_pk>/comments/<int:comment_pk>/", threads.comment, name="shared-comment"),
]
OF_TEAM = {"whose": "team"}
PEOPLE = [
    path("people/", people.people, name="people"),
    path("people/let-in/", people.let_in, name="people-let-in"),
    path("people/invitations/", people.invite, name="invite"),
    path("people/invitations/several/", people.invite_all, name="invite-all"),
    path("people/invitations/<uuid:pk>/", people.revoke, name="invitation-revoke"),
    path("people/<int:pk>/", people.remove, name="person-remove"),
    path("people/<int:pk>/role/", people.change_role, name="person-role"),
    path("server/", server_administration.server, name="server"),
    path("server/teams/<int:pk>/", server_administration.team, name="server-team"),
    path("server/people/<int:pk>/", server_administration.person, name="server-person"),
    path("teams/<int:pk>/", people.look, name="team-look"),
    path("teams/", teams.make, name="team-make"),
    path("team/", teams.team, name="team"),
    path("team/tokens/", tokens.tokens, OF_TEAM, name="team-tokens"),
    path("team/tokens/<uuid:pk>/", tokens.revoke, OF_TEAM, name="team-token-revoke"),
    path("account/name/", signing_in.own_name, name="account_name"),
    path("account/tokens/", tokens.tokens, name="tokens"),
    path("account/tokens/calendar/", tokens.make_calendar, name="calendar-make"),
    path("calendar/<str:token>.ics", tokens.calendar_feed, name="calendar"),
    path("account/tokens/<uuid:pk>/", tokens.revoke, name="token-revoke"),
    path("team/name/", teams.rename, name="team-name"),
    path("team/export.zip", teams.export_zip, name="team-export"),
    path("team/threads/", teams.threads, name="team-threads"),
    path("team/second-factor/", teams.second_factor, name="team-second-factor"),
    path("team/tickets/", teams.tickets, name="team-tickets"),
    path("team/postmortems/", postmortem_templates.template, name="team-postmortems"),
    path("team/old-reports/", teams.old_reports, name="team-old-reports"),
    path("team/new-reports/", teams.new_reports, name="team-new-reports"),
    path("team/tracker/", teams.tracker, name="team-tracker"),
    path("team/webhook/", teams.webhook, name="team-webhook"),
    path("team/webhook/secret/", teams.secret, name="team-webhook-secret"),
    path("team/webhook/test/", teams.test, name="team-webhook-test"),
    path(COMPARISON + "guests/", people.show, name="guest-show"),
    path(COMPARISON + "guests/<int:guest_pk>/", people.hide, name="guest-hide"),
]
INCIDENTS = [
    path("incidents/", incidents.incidents, name="incidents"),
    path("incidents/new/", incidents.new, name="incident-new"),
    path("incidents/week/", incidents.new_address, {"to": "incidents", "week": "1"}, name="incident-week"),
    path("incidents/actions/", incident_parts.all_actions, name="actions"),
    path("incidents/statistics/", incident_statistics.statistics, name="incident-statistics"),
    path(INCIDENT, incidents.incident, name="incident"),
    path(INCIDENT + "edit/", incidents.edit, name="incident-edit"),
    path(INCIDENT + "status/", incidents.status, name="incident-status"),
    path(INCIDENT + "delete/", incidents.delete, name="incident-delete"),
    path(INCIDENT + "roles/", incidents.give_role, name="incident-role-give"),
    path(INCIDENT + "roles/<int:role_pk>/", incidents.take_role, name="incident-role-take"),
    path(INCIDENT + "attach/", incident_parts.candidates, name="incident-attach"),
    path(INCIDENT + "comparisons/", incident_parts.attach, name="incident-comparison-attach"),
    path(INCIDENT + "comparisons/<uuid:comparison_pk>/", incident_parts.detach, name="incident-comparison-detach"),
    path(INCIDENT + "comparisons/<uuid:comparison_pk>/hour/", incident_parts.choose_hour, name="incident-hour"),
    path(INCIDENT + "reports/<uuid:report_pk>/hour/", incident_parts.choose_report_hour, name="incident-report-hour"),
    path(INCIDENT + "reports/", incident_parts.attach_report, name="incident-report-attach"),
    path(INCIDENT + "reports/<uuid:report_pk>/", incident_parts.detach_report, name="incident-report-detach"),
    path(INCIDENT + "channel/", incident_parts.choose_channel, name="incident-channel"),
    path(INCIDENT + "events/", incident_parts.add_event, name="incident-event-add"),
    path(INCIDENT + "events/<int:event_pk>/", incident_parts.event, name="incident-event"),
    path(INCIDENT + "events/<int:event_pk>/remove/", incident_parts.remove_event, name="incident-event-remove"),
    path(INCIDENT + "seen/", past_incidents.of_incident, name="incident-seen"),
    path(INCIDENT + "evidence/", incident_parts.all_evidence, name="incident-evidence"),
    path(INCIDENT + "evidence/<int:evidence_pk>/note/", incident_parts.note_evidence, name="incident-evidence-note"),
    path(INCIDENT + "evidence/<int:evidence_pk>/", incident_parts.remove_evidence, name="incident-evidence-remove"),
    path(INCIDENT + "actions/", incident_parts.add_action, name="incident-action-add"),
    path(INCIDENT + "actions/<int:action_pk>/", incident_parts.action, name="incident-action"),
    path(INCIDENT + "actions/<int:action_pk>/state/", incident_parts.action_state, name="incident-action-state"),
    path(INCIDENT + "actions/<int:action_pk>/ticket/", incident_parts.ask_ticket, name="incident-action-ticket"),
    path(INCIDENT + "actions/<int:action_pk>/remove/", incident_parts.remove_action, name="incident-action-remove"),
    path("actions/", incidents.new_address, {"to": "actions"}, name="actions-moved"),
    path(COMPARISON + "incident/", incidents.of_comparison, name="comparison-incident"),
    path(COMPARISON + "verdicts/", finding_verdicts.verdicts, name="verdicts"),
    path(COMPARISON + "verdicts/<int:verdict_pk>/", finding_verdicts.sign_off, name="verdict-sign-off"),
]
OF_INCIDENT = {"kind": "incident"}
INCIDENT_THREADS = [
    path(INCIDENT + "threads/", threads.threads, OF_INCIDENT, name="incident-threads"),
    path(INCIDENT + "threads/live/", threads.live, OF_INCIDENT, name="incident-threads-live"),
    path(INCIDENT_THREAD, threads.thread, OF_INCIDENT, name="incident-thread"),
    path(INCIDENT_THREAD + "state/", threads.state, OF_INCIDENT, name="incident-thread-state"),
    path(INCIDENT_THREAD + "turn/", threads.turn, OF_INCIDENT, name="incident-thread-turn"),
    path(INCIDENT_COMMENT, threads.comment, OF_INCIDENT, name="incident-comment"),
    path(INCIDENT_COMMENT + "agree/", threads.agree, OF_INCIDENT, name="incident-comment-agree"),
    path(INCIDENT_COMMENT + "suggestion/", postmortems.suggestion, name="incident-comment-suggestion"),
]
POSTMORTEMS = [
    path(POSTMORTEM, postmortems.postmortem, name="postmortem"),
    path(POSTMORTEM + "sections/<slug:section_id>/", postmortems.section, name="postmortem-section"),
    path(POSTMORTEM + "sections/<slug:section_id>/tick/", postmortems.tick, name="postmortem-tick"),
    path(POSTMORTEM + "versions/", postmortems.versions, name="postmortem-versions"),
    path(POSTMORTEM + "versions/<int:number>/", postmortems.version, name="postmortem-version"),
    path(POSTMORTEM + "versions/<int:number>/restore/", postmortems.restore, name="postmortem-restore"),
    path(POSTMORTEM + "review/", postmortems.review, name="postmortem-review"),
    path(POSTMORTEM + "ask/", postmortem_reviews.ask, name="postmortem-ask"),
    path(POSTMORTEM + "ask/<int:review_pk>/withdraw/", postmortem_reviews.withdraw, name="postmortem-ask-withdraw"),
    path(POSTMORTEM + "answer/", postmortem_reviews.answer, name="postmortem-answer"),
    path(POSTMORTEM + "reopen/", postmortems.reopen, name="postmortem-reopen"),
    path(INCIDENT + "postmortem.<slug:ending>", postmortems.export, name="postmortem-export"),
]
AUDIT = [
    path("audit/", audit.audit, name="audit"),
    path("audit/lines.csv", audit.table, name="audit-csv"),
]
HOOKS = [
    path("hooks/tickets/<int:pk>/", inbound_webhooks.ticket_status, name="tracker"),
    path("hooks/timeline/<uuid:pk>/<str:token>/", inbound_webhooks.timeline, name="channel"),
]
NOTICES = [
    path("notices/", notices.notices, name="notices"),
    path("notices/read/", notices.read_all, name="notices-read"),
    path("notices/mail/", notices.choose, name="notices-choice"),
    path("notices/<int:pk>/", notices.open_notice, name="notice-open"),
]
# django-allauth's views, under the names by which it finds them. What is not here is not to be had.
SIGNING_IN = [
    path("login/", signing_in.SignIn.as_view(), name="account_login"),
    path("login/second-factor/", form(signing_in.SecondFactor.as_view()), name="mfa_authenticate"),
    path("login/inactive/", form(account.account_inactive), name="account_inactive"),
    path("login/once/<str:token>/", signing_in.once, name="sign-in-once"),
    path("logout/", signing_in.SignOut.as_view(), name="account_logout"),
    path("join/", signing_in.join, name="account_signup"),
    path("join/<str:token>/", signing_in.invitation, name="join-link"),
    path("password/", form(of_passwords(account.password_reset)), name="account_reset_password"),
    path("password/sent/", form(of_passwords(account.password_reset_done)), name="account_reset_password_done"),
    path(
        "password/done/",
        form(of_passwords(account.password_reset_from_key_done)),
        name="account_reset_password_from_key_done",
    ),
    re_path(
        r"^password/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        form(of_passwords(account.password_reset_from_key)),
        name="account_reset_password_from_key",
    ),
    path("confirm-email/", form(account.email_verification_sent), name="account_email_verification_sent"),
    path("confirm-email/<str:key>/", form(account.confirm_email), name="account_confirm_email"),
]
if settings.AWRDIFF_OIDC:
    from allauth.socialaccount import views as social

    from awrdiff.web.sign_in import sso

    SIGNING_IN += [
        path("login/with/cancelled/", form(social.login_cancelled), name="socialaccount_login_cancelled"),
        path("login/with/error/", form(social.login_error), name="socialaccount_login_error"),
        path("login/with/name/", form(social.signup), name="socialaccount_signup"),
        path("login/with/<slug:provider_id>/", sso.begin, name="openid_connect_login"),
        path("login/with/<slug:provider_id>/back/", sso.back, name="openid_connect_callback"),
    ]
ACCOUNT = [
    path("account/email/", own(account.email), name="account_email"),
    path("account/password/", own(of_passwords(account.password_change)), name="account_change_password"),
    path("account/password/set/", own(of_passwords(account.password_set)), name="account_set_password"),
    path("account/confirm/", own(account.reauthenticate), name="account_reauthenticate"),
    path("account/sessions/", own(sessions.list_usersessions), name="usersessions_list"),
    path(FACTOR, own(mfa.index), name="mfa_index"),
    path(FACTOR + "confirm/", own(mfa.reauthenticate), name="mfa_reauthenticate"),
    path(FACTOR + "app/", own(totp.activate_totp), name="mfa_activate_totp"),
    path(FACTOR + "app/remove/", own(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path(FACTOR + "codes/", own(recovery.view_recovery_codes), name="mfa_view_recovery_codes"),
    path(FACTOR + "codes/new/", own(recovery.generate_recovery_codes), name="mfa_generate_recovery_codes"),
    path(FACTOR + "codes/file/", own(recovery.download_recovery_codes), name="mfa_download_recovery_codes"),
    path(FACTOR + "keys/", own(webauthn.list_webauthn), name="mfa_list_webauthn"),
    path(FACTOR + "keys/add/", own(webauthn.add_webauthn), name="mfa_add_webauthn"),
    path(FACTOR + "keys/confirm/", own(webauthn.reauthenticate_webauthn), name="mfa_reauthenticate_webauthn"),
    path(FACTOR + "keys/<int:pk>/", own(webauthn.edit_webauthn), name="mfa_edit_webauthn"),
    path(FACTOR + "keys/<int:pk>/remove/", own(webauthn.remove_webauthn), name="mfa_remove_webauthn"),
]
ENTRANCE = [
    path("", home.home, name="home"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("docs/", documentation.index, name="documents"),
    path("docs/<path:name>/", documentation.page, name="document"),
    path("awrdiff_reports.sql", documentation.script, name="script"),
]
API = [
    path("api/v1/openapi.json", openapi.served, name="api-openapi"),
    *(address.pattern() for address in ADDRESSES),
]
urlpatterns = [
    *ENTRANCE,
    *API,
    *REPORTS,
    *DATABASES,
    *COMPARISONS,
    *THREADS,
    *ATTACHMENTS,
    *SHARING,
    *SHARED_THREADS,
    *PEOPLE,
    *INCIDENTS,
    *INCIDENT_THREADS,
    *POSTMORTEMS,
    *AUDIT,
    *NOTICES,
    *HOOKS,
    *SIGNING_IN,
    *ACCOUNT,
]
handler400 = "awrdiff.web.views.errors.bad_request"
handler403 = "awrdiff.web.views.errors.forbidden"
handler404 = "awrdiff.web.views.errors.not_found"
handler500 = "awrdiff.web.views.errors.server_error"
