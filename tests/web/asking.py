"""A request to any address, whose doings are taken back, and whether it changed anything of the team's."""

from __future__ import annotations

import re
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.db import connection, transaction
from django.db.models import QuerySet
from django.test import Client
from django.urls import reverse

from awrdiff.accounts.models import ApiToken, Invitation, Membership, Team, User
from awrdiff.comparisons.models import ArrivalRule, Comparison, ComparisonReport, ShownComparison
from awrdiff.databases.models import Database, DatabaseIdentity
from awrdiff.fleet.models import Digest, Thinning
from awrdiff.incidents.models import (
    ActionItem,
    Evidence,
    Incident,
    IncidentComparison,
    IncidentReport,
    IncidentRole,
    SignOff,
    TimelineEvent,
    Verdict,
)
from awrdiff.notices.models import TeamNotices
from awrdiff.pins.models import Pin
from awrdiff.postmortems.models import PostmortemVersion, SecondReview, Template
from awrdiff.reports.models import Report, ReportTrace
from awrdiff.sharing.models import ShareLink
from awrdiff.threads.models import Agreement, Attachment, Comment, Thread, Turn
from tests.web.addresses import ROWS
from tests.web.cast import JSON, Cast
from tests.web.pages import body

# All that a write could change: by model, its columns; none are all.
WATCHED: dict[Any, tuple[str, ...]] = {
    Comparison: ("pk", "state", "attempt", "queued_at", "title", "both_ways"),
    Report: ("pk", "state", "queued_at"),
    ComparisonReport: ("comparison", "position", "report_id", "aspect"),
    ShareLink: ("pk", "revoked_at"),
    ReportTrace: ("report", "trace"),
    Pin: ("pk", "anchor"),
    Thread: ("pk", "resolved_at", "for_guests"),
    Comment: ("pk", "body", "deleted_at"),
    Agreement: ("pk", "user"),
    Attachment: ("pk", "file"),
    Turn: ("pk", "user", "why"),
    Membership: ("pk", "role"),
    PostmortemVersion: ("postmortem", "number"),
    SecondReview: (),
    Template: (),
    Invitation: ("pk", "revoked_at", "used_at"),
    ShownComparison: ("pk", "membership"),
    User: ("pk", "username", "email", "password"),
    EmailAddress: ("pk", "email", "verified"),
    ApiToken: ("pk", "revoked_at"),
    Team: ("pk", "name", "threads_for_guests", "ticket_pattern", "second_factor_required"),
    TeamNotices: ("team", "url"),
    ArrivalRule: ("team",),
    Database: (),
    DatabaseIdentity: (),
    Digest: (),
    Thinning: (),
    Authenticator: ("pk", "type"),
    Incident: tuple(f.attname for f in Incident._meta.concrete_fields if f.attname != "changed_at"),  # by looking too
    TimelineEvent: (),
    Evidence: (),
    ActionItem: (),
    IncidentRole: (),
    Verdict: (),
    SignOff: (),
    IncidentComparison: (),
    IncidentReport: (),
}
_READS = re.compile(r"\s*(SELECT|SAVEPOINT|RELEASE|ROLLBACK)\b")


class Written:
    """Which of the watched models were written to."""

    def __init__(self) -> None:
        self.models: set[Any] = set()

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if not _READS.match(sql):
            self.models |= {model for model in WATCHED if f'"{model._meta.db_table}"' in sql}
        return execute(sql, params, many, context)


def ask(client: Client, name: str, method: str, cast: Cast) -> Any:
    """The answer, all of it read (`whole`), and whether it `changed` anything. The next address finds all as it was."""
    row, written = ROWS[name], Written()
    address = reverse(name, kwargs=row.place(cast))
    data = row.data(cast) if method == "POST" else None
    if row.kind == "talk":
        client.cookies.load(cast.talk.cookies)
    with transaction.atomic():
        with connection.execute_wrapper(written):
            sent = {"content_type": "application/json"} if row.as_json and data is not None else {}
            answer = getattr(client, method.lower())(address, data, headers=JSON, **sent)
            answer.whole = body(answer)
        after = [_rows(model) for model in written.models]
        transaction.set_rollback(True)
    answer.changed = after != [_rows(model) for model in written.models]
    return answer


def _rows(model: Any) -> list[Any]:
    found: QuerySet[Any] = model.objects.order_by("pk")
    return list(found.values_list(*WATCHED[model]))
