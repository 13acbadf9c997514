"""What a team has, one of each: what the tests of the addresses ask about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import uuid4

from django.test import Client

from awrdiff.accounts import api_tokens, members_and_invitations
from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import ApiToken, Invitation, Membership, User
from awrdiff.accounts.services import join
from awrdiff.comparisons import guest_access, services
from awrdiff.comparisons.anchors import Standing, of_finding
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import overview
from awrdiff.comparisons.tasks import compute_now
from awrdiff.databases.models import Database, DatabaseIdentity
from awrdiff.incidents import action_items as incident_actions
from awrdiff.incidents import comparisons_and_reports as incident_attached
from awrdiff.incidents import evidence as incident_evidence
from awrdiff.incidents import finding_verdicts, timeline
from awrdiff.incidents import services as incidents
from awrdiff.incidents.models import (
    ActionItem,
    Evidence,
    Incident,
    IncidentRole,
    TimelineEvent,
    Verdict,
)
from awrdiff.pins import services as pins
from awrdiff.pins.models import Pin
from awrdiff.postmortems import second_reviews
from awrdiff.postmortems import services as postmortems
from awrdiff.postmortems.models import Postmortem, SecondReview
from awrdiff.reports import lgwr_traces as report_traces
from awrdiff.reports.models import Report
from awrdiff.sharing.models import ShareLink
from awrdiff.threads import attachments
from awrdiff.threads import services as threads
from awrdiff.threads.models import Attachment, Comment
from parsers import parse_report
from tests.harness.pictures import picture
from tests.unit.analysis.traces import Slow, trace_text
from tests.web.conftest import store_parsed, store_report
from tests.web.share import create_link

JSON = {"Accept": "application/json"}


@dataclass(frozen=True)
class Talk:
    """A link to comment by, a comment that was written there, and the cookie of the browser that wrote it."""

    link: ShareLink
    token: str
    comment: Comment
    cookies: dict[str, str]
    attachment: Attachment  # of an answer of the team


@dataclass(frozen=True)
class Incidents:
    """An incident with one of each, and a thread on it with an answer of another person; `verdict` is on a finding of
    the comparison."""

    incident: Incident
    report: Report
    event: TimelineEvent
    evidence: Evidence
    action: ActionItem
    role: IncidentRole
    verdict: Verdict
    comment: Comment
    answer: Comment


@dataclass(frozen=True)
class Cast:
    """What a team has: a ready comparison of two reports with a trace, a report and a trace beside it, a link; a
    thread with a comment and a person's answer, that person, a guest and somebody who is invited."""

    access: AccessContext
    comparison: Comparison
    report: Report
    attached: Report
    loose: Report
    beside: Report  # a trace attached to the report alone
    link: ShareLink
    token: str
    pin: Pin
    comment: Comment
    answer: Comment
    person: Membership
    guest: Membership
    invitation: Invitation
    invited: str
    incident: Incidents
    postmortem: Postmortem
    review: SecondReview  # that is asked of a colleague
    talk: Talk
    tokens: tuple[ApiToken, ApiToken]  # of whoever made all this, and of a service
    databases: tuple[Database, Database, Database]  # the last was merged into the first
    attachment: Attachment  # of the incident's event


def stored_trace(access: AccessContext, name: str, elapsed_ms: int) -> Report:
    text = trace_text([Slow("2024-01-01 10:30:00", elapsed_ms)], instance="pay1", host="db01", unique="pay")
    return store_parsed(access, parse_report(text.encode(), name=name))


def databases_of(access: AccessContext) -> tuple[Database, Database, Database]:
    pay, crm = (
        Database.objects.create(team=access.team, name=name, dbid=dbid) for name, dbid in (("PAY", "1"), ("CRM", "2"))
    )
    old = Database.objects.create(team=access.team, name="OLD", dbid="3", merged_into=pay)
    for database, dbid, name, came_from in ((pay, "1", "pay", None), (crm, "2", "crm", None), (pay, "3", "old", old)):
        values = {"dbid": dbid, "name": name, "host": "", "came_from": came_from}
        DatabaseIdentity.objects.create(team=access.team, database=database, **values)
    return pay, crm, old


def cast_of(access: AccessContext) -> Cast:
    reports = [store_report(access, f"{n}.html", begin=f"2024-01-01T1{n}:00:00", waits=100.0 + n) for n in (0, 1)]
    attached, loose = stored_trace(access, "a.trc", 1500), stored_trace(access, "b.trc", 1600)
    beside = stored_trace(access, "c.trc", 1700)
    made = services.create_comparison(access, [*reports, attached], order_by_time=False)
    compute_now(made.pk)
    link, path = create_link(access, made, days=1)
    made.refresh_from_db()
    assert made.is_ready, made.error
    pin = pins.pin(access, made, "init_parameters")
    comment = threads.start(access, made, "init_parameters", "Who changed these?", uuid4(), for_guests=True).comment
    person, guest = (
        join(User.objects.create(username=name), access.team.name, role)
        for name, role in (("percy", "member"), ("greta", "guest"))
    )
    guest_access.show(access, made, guest.pk)
    percy = AccessContext(access.team, person.user, role="member", membership=person.pk)
    answered = threads.reply(percy, comment.thread, "I did.", uuid4()).comment
    invitation, invited = members_and_invitations.invite(
        replace(access, role="owner"), "ivan@example.com", "member", by_mail=False
    )
    alone, token = store_report(access, "alone.html"), path.split("/")[2]
    report_traces.attach(access, alone, beside)
    hung = incident_of(access, percy, made, stored_trace(access, "d.trc", 1800))
    return Cast(
        access,
        made,
        alone,
        attached,
        loose,
        beside,
        link,
        token,
        pin,
        comment,
        answered,
        person,
        guest,
        invitation,
        invited,
        hung,
        written := drafted(access),
        asked(access, written),
        talk_of(access, *create_link(access, made, days=1, may_comment=True)),
        tokens_of(access),
        databases_of(access),
        attached_to(access, hung.event),
    )


def attached_to(access: AccessContext, to: Comment | TimelineEvent, name: str = "waits.png") -> Attachment:
    """A small picture."""
    with attachments.storing(access, [attachments.ReceivedFile(name, picture())]) as files:
        attachments.attach(access, files, to)
    return to.attachments.get(name=name)


def tokens_of(access: AccessContext) -> tuple[ApiToken, ApiToken]:
    owner = replace(access, role="owner", is_local=False)
    make = (api_tokens.make_own, api_tokens.make_of_team)
    own, service = (one(owner, "script", ["read"], 1)[0] for one in make)
    return own, service


def talk_of(access: AccessContext, link: ShareLink, path: str) -> Talk:
    """Somebody outside begins a thread by the link, and the team answers with a picture."""
    client = Client()
    data = {"anchor": "foreground_wait_events", "body": "Is this normal?", "name": "Gerd"}
    answer = client.post(f"{path}threads/", data, headers=JSON)
    assert answer.status_code == 201, answer.content
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}
    comment = Comment.objects.get(pk=answer.json()["comment"])
    shown = attached_to(access, threads.reply(access, comment.thread, "Like this.", uuid4()).comment)
    return Talk(link, path.split("/")[2], comment, cookies, shown)


def drafted(access: AccessContext) -> Postmortem:
    typed = incidents.Typed("Slow", begins_at="2024-01-01T10:00", ends_at="2024-01-01T12:00")
    made = postmortems.draft(access, incidents.make(access, typed))
    postmortems.save(access, made, "impact", "Nobody noticed.", base=2)
    return made


def asked(access: AccessContext, postmortem: Postmortem) -> SecondReview:
    return second_reviews.ask(
        access, postmortem, str(join(User.objects.create(username="rob"), access.team.name).user_id)
    )


def _of_who_left(verdict: Verdict) -> Verdict:
    """Nobody signs off their own."""
    Verdict.objects.filter(pk=verdict.pk).update(user=None)
    return verdict


def incident_of(access: AccessContext, other: AccessContext, comparison: Comparison, report: Report) -> Incidents:
    found = incidents.make(access, incidents.Typed("Slow Monday", begins_at="2024-01-01T11:05"))
    incident_attached.attach(access, found, comparison, "PAY")
    incident_attached.attach_report(access, found, report)
    anchor = of_finding(overview(comparison).findings[0])
    stands = Standing("The incident begins", "Timeline")
    asked = threads.start_on_incident(access, found, stands, "Is this right?", uuid4(), anchor="begins").comment
    return Incidents(
        found,
        report,
        timeline.add(access, found, timeline.TypedEvent("2024-01-01T11:30", "failover")),
        incident_evidence.keep(access, found, comparison, "foreground_wait_events"),
        incident_actions.add(access, found, incident_actions.TypedAction("ask the storage team")),
        incidents.give_role(access, found, str(access.user.pk if access.user else ""), "lead"),
        _of_who_left(finding_verdicts.give(access, comparison, finding_verdicts.TypedVerdict(anchor, "confirmed"))),
        asked,
        threads.reply(other, asked.thread, "It is.", uuid4()).comment,
    )
