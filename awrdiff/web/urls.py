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
    shared_threads,
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


REPORTS = [
    path("reports/", reports.upload, name="report-upload"),
    path("reports/known/", reports.known, name="reports-known"),
    path("reports/progress/", reports.reading_progress, name="reports-progress"),
    path("reports/<uuid:pk>/", reports.report, name="report"),
    path("reports/<uuid:pk>/retry/", reports.retry, name="report-retry"),
    path("reports/<uuid:pk>/delete/", deleting.report, name="report-delete"),
    path("reports/<uuid:pk>/commit/", commit_latency.report, name="report-commit"),
    path("reports/<uuid:pk>/traces/", lgwr_traces.attach_to_report, name="report-trace-attach"),
    path("reports/<uuid:pk>/traces/<uuid:report_pk>/", lgwr_traces.detach_from_report, name="report-trace-detach"),
    path("reports/<uuid:pk>/search/", reports.search, name="report-search"),
    path("reports/<uuid:pk>/sections/<slug:section_id>/", reports.section, name="report-section"),
    path("reports/<uuid:pk>/entities/<slug:kind>/<path:key>/", entities.report, name="report-entity"),
]
DATABASES = [
    path("databases/", fleet.databases, name="databases"),
    path("databases/digest/", fleet.digest, name="databases-digest"),
    path("databases/<uuid:uid>/", database.database, name="database"),
    path("databases/<uuid:uid>/describe/", database.describe, name="database-describe"),
    path("databases/<uuid:uid>/hosts/", database.hosts, name="database-hosts"),
    path("databases/<uuid:uid>/compare/", database.compare, name="database-compare"),
    path("databases/<uuid:uid>/metrics/", database_metrics.metrics, name="database-metrics"),
    path("databases/<uuid:uid>/metrics.csv", database_metrics.table, name="database-metrics-csv"),
    path("databases/<uuid:uid>/statements/<path:key>/", database_metrics.statement, name="database-statement"),
    path("databases/<uuid:uid>/events/<path:key>/", database_metrics.event, name="database-event"),
    path("databases/<uuid:uid>/merge/", database.merge, name="database-merge"),
    path("databases/<uuid:uid>/unmerge/", database.unmerge, name="database-unmerge"),
]
COMPARISONS = [
    path("series/", report_series.offer, name="series"),
    path("series/compare/", report_series.compare, name="series-compare"),
    path("comparisons/", comparisons.create, name="comparison-create"),
    path("comparisons/<uuid:pk>/", comparisons.comparison, name="comparison"),
    path("comparisons/<uuid:pk>/status/", comparisons.status, name="comparison-status"),
    path("comparisons/<uuid:pk>/sections/<slug:section_id>/", comparisons.section, name="comparison-section"),
    path("comparisons/<uuid:pk>/entities/<slug:kind>/<path:key>/", entities.comparison, name="comparison-entity"),
    path("comparisons/<uuid:pk>/trend/", trend.comparison, name="comparison-trend"),
    path("comparisons/<uuid:pk>/plans/", plans.comparison, name="comparison-plans"),
    path("comparisons/<uuid:pk>/commit/", commit_latency.comparison, name="comparison-commit"),
    path("comparisons/<uuid:pk>/swap/", comparisons.swap, name="comparison-swap"),
    path("comparisons/<uuid:pk>/aspect/", comparisons.choose, name="comparison-aspect"),
    path("comparisons/<uuid:pk>/without/", comparisons.leave_out, name="comparison-without"),
    path("comparisons/<uuid:pk>/retry/", comparisons.retry, name="comparison-retry"),
    path("comparisons/<uuid:pk>/title/", comparisons.rename, name="comparison-title"),
    path("comparisons/<uuid:pk>/delete/", deleting.comparison, name="comparison-delete"),
    path("comparisons/<uuid:pk>/export.<slug:ending>", comparison_exports.export, name="comparison-export"),
    path("comparisons/<uuid:pk>/pins/", pins.pins, name="pins"),
    path("comparisons/<uuid:pk>/pins.<slug:ending>", pins.text, name="pins-text"),
    path("comparisons/<uuid:pk>/pins/<int:pin_pk>/", pins.remove, name="pin-remove"),
    path("comparisons/<uuid:pk>/traces/", lgwr_traces.attach, name="trace-attach"),
    path("comparisons/<uuid:pk>/traces/<uuid:report_pk>/", lgwr_traces.detach, name="trace-detach"),
    path("comparisons/<uuid:pk>/seen/", past_incidents.of_comparison, name="comparison-seen"),
    path("comparisons/<uuid:pk>/search/", comparisons.search, name="comparison-search"),
]
THREADS = [
    path("comparisons/<uuid:pk>/threads/", threads.threads, name="threads"),
    path("comparisons/<uuid:pk>/threads/live/", threads.live, name="threads-live"),
    path("comparisons/<uuid:pk>/threads/<int:thread_pk>/", threads.thread, name="thread"),
    path("comparisons/<uuid:pk>/threads/<int:thread_pk>/state/", threads.state, name="thread-state"),
    path("comparisons/<uuid:pk>/threads/<int:thread_pk>/turn/", threads.turn, name="thread-turn"),
    path("comparisons/<uuid:pk>/threads/<int:thread_pk>/comments/<int:comment_pk>/", threads.comment, name="comment"),
    path(
        "comparisons/<uuid:pk>/threads/<int:thread_pk>/comments/<int:comment_pk>/agree/",
        threads.agree,
        name="comment-agree",
    ),
]
ATTACHMENTS = [
    path("attachments/<uuid:pk>/", attachments.attachment, name="attachment"),
    path("s/<str:token>/attachments/<uuid:pk>/", attachments.shared_attachment, name="shared-attachment"),
]
SHARING = [
    path("comparisons/<uuid:pk>/links/", sharing.of_comparison, name="link-create"),
    path("reports/<uuid:pk>/links/", sharing.of_report, name="report-link-create"),
    path("incidents/<uuid:pk>/links/", sharing.of_incident, name="incident-link-create"),
    path("incidents/<uuid:pk>/postmortem/links/", sharing.of_postmortem, name="postmortem-link-create"),
    path("incidents/<uuid:pk>/redacted/", redacted_links.of_incident, name="incident-redacted"),
    path("incidents/<uuid:pk>/postmortem/redacted/", redacted_links.of_postmortem, name="postmortem-redacted"),
    path("links/", sharing.links_page, name="links"),
    path("links/<uuid:pk>/", sharing.revoke, name="link-revoke"),
    path("links/<uuid:pk>/copy/", sharing.make_copy_again, name="link-copy"),
    path("s/<str:token>/", sharing.shown, name="shared"),
    path("s/<str:token>/password/", sharing.password, name="shared-password"),
    path("s/<str:token>/sections/<slug:section_id>/", sharing.section, name="shared-section"),
    path("s/<str:token>/entities/<slug:kind>/<path:key>/", sharing.entity, name="shared-entity"),
    path("s/<str:token>/export.<slug:ending>", sharing.export, name="shared-export"),
    path("s/<str:token>/trend/", sharing.trend, name="shared-trend"),
    path("s/<str:token>/plans/", sharing.plans, name="shared-plans"),
    path("s/<str:token>/commit/", sharing.commit, name="shared-commit"),
    path("s/<str:token>/search/", sharing.search, name="shared-search"),
]
SHARED_THREADS = [
    path("s/<str:token>/threads/", shared_threads.threads, name="shared-threads"),
    path("s/<str:token>/threads/live/", shared_threads.live, name="shared-threads-live"),
    path("s/<str:token>/threads/<int:thread_pk>/", shared_threads.thread, name="shared-thread"),
    path(
        "s/<str:token>/threads/<int:thread_pk>/comments/<int:comment_pk>/",
        shared_threads.comment,
        name="shared-comment",
    ),
]
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
    path("team/tokens/", tokens.of_team, name="team-tokens"),
    path("team/tokens/<uuid:pk>/", tokens.revoke_of_team, name="team-token-revoke"),
    path("account/name/", signing_in.own_name, name="account_name"),
    path("account/tokens/", tokens.own, name="tokens"),
    path("account/tokens/calendar/", tokens.make_calendar, name="calendar-make"),
    path("calendar/<str:token>.ics", tokens.calendar_feed, name="calendar"),
    path("account/tokens/<uuid:pk>/", tokens.revoke_own, name="token-revoke"),
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
    path("comparisons/<uuid:pk>/guests/", people.show, name="guest-show"),
    path("comparisons/<uuid:pk>/guests/<int:guest_pk>/", people.hide, name="guest-hide"),
]
INCIDENTS = [
    path("incidents/", incidents.incidents, name="incidents"),
    path("incidents/new/", incidents.new, name="incident-new"),
    path("incidents/week/", incidents.moved, {"to": "incidents", "week": "1"}, name="incident-week"),
    path("incidents/actions/", incident_parts.all_actions, name="actions"),
    path("incidents/statistics/", incident_statistics.statistics, name="incident-statistics"),
    path("incidents/<uuid:pk>/", incidents.incident, name="incident"),
    path("incidents/<uuid:pk>/edit/", incidents.edit, name="incident-edit"),
    path("incidents/<uuid:pk>/status/", incidents.status, name="incident-status"),
    path("incidents/<uuid:pk>/delete/", incidents.delete, name="incident-delete"),
    path("incidents/<uuid:pk>/roles/", incidents.give_role, name="incident-role-give"),
    path("incidents/<uuid:pk>/roles/<int:role_pk>/", incidents.take_role, name="incident-role-take"),
    path("incidents/<uuid:pk>/attach/", incident_parts.candidates, name="incident-attach"),
    path("incidents/<uuid:pk>/comparisons/", incident_parts.attach, name="incident-comparison-attach"),
    path(
        "incidents/<uuid:pk>/comparisons/<uuid:comparison_pk>/",
        incident_parts.detach,
        name="incident-comparison-detach",
    ),
    path(
        "incidents/<uuid:pk>/comparisons/<uuid:comparison_pk>/hour/", incident_parts.choose_hour, name="incident-hour"
    ),
    path(
        "incidents/<uuid:pk>/reports/<uuid:report_pk>/hour/",
        incident_parts.choose_report_hour,
        name="incident-report-hour",
    ),
    path("incidents/<uuid:pk>/reports/", incident_parts.attach_report, name="incident-report-attach"),
    path("incidents/<uuid:pk>/reports/<uuid:report_pk>/", incident_parts.detach_report, name="incident-report-detach"),
    path("incidents/<uuid:pk>/channel/", incident_parts.choose_channel, name="incident-channel"),
    path("incidents/<uuid:pk>/events/", incident_parts.add_event, name="incident-event-add"),
    path("incidents/<uuid:pk>/events/<int:event_pk>/", incident_parts.event, name="incident-event"),
    path(
        "incidents/<uuid:pk>/events/<int:event_pk>/remove/", incident_parts.remove_event, name="incident-event-remove"
    ),
    path("incidents/<uuid:pk>/seen/", past_incidents.of_incident, name="incident-seen"),
    path("incidents/<uuid:pk>/evidence/", incident_parts.all_evidence, name="incident-evidence"),
    path(
        "incidents/<uuid:pk>/evidence/<int:evidence_pk>/note/",
        incident_parts.note_evidence,
        name="incident-evidence-note",
    ),
    path(
        "incidents/<uuid:pk>/evidence/<int:evidence_pk>/",
        incident_parts.remove_evidence,
        name="incident-evidence-remove",
    ),
    path("incidents/<uuid:pk>/actions/", incident_parts.add_action, name="incident-action-add"),
    path("incidents/<uuid:pk>/actions/<int:action_pk>/", incident_parts.action, name="incident-action"),
    path(
        "incidents/<uuid:pk>/actions/<int:action_pk>/state/",
        incident_parts.action_state,
        name="incident-action-state",
    ),
    path(
        "incidents/<uuid:pk>/actions/<int:action_pk>/ticket/",
        incident_parts.ask_ticket,
        name="incident-action-ticket",
    ),
    path(
        "incidents/<uuid:pk>/actions/<int:action_pk>/remove/",
        incident_parts.remove_action,
        name="incident-action-remove",
    ),
    path("actions/", incidents.moved, {"to": "actions"}, name="actions-moved"),
    path("comparisons/<uuid:pk>/incident/", incidents.of_comparison, name="comparison-incident"),
    path("comparisons/<uuid:pk>/verdicts/", finding_verdicts.verdicts, name="verdicts"),
    path("comparisons/<uuid:pk>/verdicts/<int:verdict_pk>/", finding_verdicts.sign_off, name="verdict-sign-off"),
]
OF_INCIDENT = {"kind": "incident"}
INCIDENT_THREADS = [
    path("incidents/<uuid:pk>/threads/", threads.threads, OF_INCIDENT, name="incident-threads"),
    path("incidents/<uuid:pk>/threads/live/", threads.live, OF_INCIDENT, name="incident-threads-live"),
    path("incidents/<uuid:pk>/threads/<int:thread_pk>/", threads.thread, OF_INCIDENT, name="incident-thread"),
    path(
        "incidents/<uuid:pk>/threads/<int:thread_pk>/state/",
        threads.state,
        OF_INCIDENT,
        name="incident-thread-state",
    ),
    path(
        "incidents/<uuid:pk>/threads/<int:thread_pk>/turn/",
        threads.turn,
        OF_INCIDENT,
        name="incident-thread-turn",
    ),
    path(
        "incidents/<uuid:pk>/threads/<int:thread_pk>/comments/<int:comment_pk>/",
        threads.comment,
        OF_INCIDENT,
        name="incident-comment",
    ),
    path(
        "incidents/<uuid:pk>/threads/<int:thread_pk>/comments/<int:comment_pk>/agree/",
        threads.agree,
        OF_INCIDENT,
        name="incident-comment-agree",
    ),
    path(
        "incidents/<uuid:pk>/threads/<int:thread_pk>/comments/<int:comment_pk>/suggestion/",
        postmortems.suggestion,
        name="incident-comment-suggestion",
    ),
]
POSTMORTEMS = [
    path("incidents/<uuid:pk>/postmortem/", postmortems.postmortem, name="postmortem"),
    path("incidents/<uuid:pk>/postmortem/sections/<slug:section_id>/", postmortems.section, name="postmortem-section"),
    path("incidents/<uuid:pk>/postmortem/sections/<slug:section_id>/tick/", postmortems.tick, name="postmortem-tick"),
    path("incidents/<uuid:pk>/postmortem/versions/", postmortems.versions, name="postmortem-versions"),
    path("incidents/<uuid:pk>/postmortem/versions/<int:number>/", postmortems.version, name="postmortem-version"),
    path(
        "incidents/<uuid:pk>/postmortem/versions/<int:number>/restore/", postmortems.restore, name="postmortem-restore"
    ),
    path("incidents/<uuid:pk>/postmortem/review/", postmortems.review, name="postmortem-review"),
    path("incidents/<uuid:pk>/postmortem/ask/", postmortem_reviews.ask, name="postmortem-ask"),
    path(
        "incidents/<uuid:pk>/postmortem/ask/<int:review_pk>/withdraw/",
        postmortem_reviews.withdraw,
        name="postmortem-ask-withdraw",
    ),
    path("incidents/<uuid:pk>/postmortem/answer/", postmortem_reviews.answer, name="postmortem-answer"),
    path("incidents/<uuid:pk>/postmortem/reopen/", postmortems.reopen, name="postmortem-reopen"),
    path("incidents/<uuid:pk>/postmortem.<slug:ending>", postmortems.export, name="postmortem-export"),
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
    path("account/second-factor/", own(mfa.index), name="mfa_index"),
    path("account/second-factor/confirm/", own(mfa.reauthenticate), name="mfa_reauthenticate"),
    path("account/second-factor/app/", own(totp.activate_totp), name="mfa_activate_totp"),
    path("account/second-factor/app/remove/", own(totp.deactivate_totp), name="mfa_deactivate_totp"),
    path("account/second-factor/codes/", own(recovery.view_recovery_codes), name="mfa_view_recovery_codes"),
    path(
        "account/second-factor/codes/new/",
        own(recovery.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path(
        "account/second-factor/codes/file/",
        own(recovery.download_recovery_codes),
        name="mfa_download_recovery_codes",
    ),
    path("account/second-factor/keys/", own(webauthn.list_webauthn), name="mfa_list_webauthn"),
    path("account/second-factor/keys/add/", own(webauthn.add_webauthn), name="mfa_add_webauthn"),
    path(
        "account/second-factor/keys/confirm/",
        own(webauthn.reauthenticate_webauthn),
        name="mfa_reauthenticate_webauthn",
    ),
    path("account/second-factor/keys/<int:pk>/", own(webauthn.edit_webauthn), name="mfa_edit_webauthn"),
    path("account/second-factor/keys/<int:pk>/remove/", own(webauthn.remove_webauthn), name="mfa_remove_webauthn"),
]
OTHERS = [
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
    *OTHERS,
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
