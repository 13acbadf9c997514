"""Addresses for the reader: a member's, or below a link."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from urllib.parse import quote, urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.comparisons.report_pairs import places_of_pair
from awrdiff.databases.models import Database
from awrdiff.incidents.models import Incident
from awrdiff.notices.notice_sentences import address_of
from awrdiff.reports.models import Report


def comparison(access: AccessContext, subject: Comparison) -> str:
    return _either(access, subject, "comparison", "shared")


def place(comparison: UUID, pair: int = 0, anchor: str = "", baseline: str = "") -> str:
    """For members; `baseline` as in comparisons/anchors.py. The bare page if it opens there, or beyond REVERSE."""
    where = reverse("comparison", args=[comparison])
    if not (pair or anchor or baseline) or pair > REVERSE:
        return where
    members, _, second = baseline.partition("/")
    query = f"?baseline={members}&second={second}" if members else f"?pair={pair}"
    return where + query + (f"#{quote(anchor, safe='/:')}" if anchor else "")


def status(access: AccessContext, subject: Comparison) -> str | None:
    return None if access.link else reverse("comparison-status", args=[subject.pk])


def below(access: AccessContext, subject: Comparison | Report, page: str, *more: str) -> str:
    """`page`: end of an address's name, such as `section`."""
    return _either(access, subject, f"{subject._meta.model_name}-{page}", f"shared-{page}", *more)


def entities(access: AccessContext, subject: Comparison) -> str:
    """Prefix of `Ref.path` (awrdiff/analysis/entities/kinds.py)."""
    return f"{comparison(access, subject)}entities/"


def report(access: AccessContext, subject: Report, opened_from: Comparison | None = None, pair: int = 0) -> str | None:
    """None for guests, and below other links. `opened_from`: comparison to link back to."""
    if access.link and access.link.report_id == subject.pk:
        return shared(access.link.token)
    if not access.can_read:
        return None
    own = {"from": opened_from.pk, **({"pair": pair} if pair else {})} if opened_from else {}
    back = f"?{urlencode(own)}" if own else ""
    return reverse("report", args=[subject.pk]) + back


def reports_of_pair(
    access: AccessContext, opened_from: Comparison, reports: Sequence[Report], pair: int
) -> list[dict[str, str | None]]:
    """Side and address; empty without access to all."""
    if not access.can_read:
        return []
    sides = zip(("First", "Second"), places_of_pair(pair, len(reports)), strict=True)
    return [{"side": side, "url": report(access, reports[place], opened_from, pair)} for side, place in sides]


def of_traces(
    access: AccessContext, of: Comparison | Report, traces: Iterable[Report]
) -> list[tuple[str, str | None, str]]:
    """Name, address, and that which detaches it: "" without permission."""
    detach = "report-trace-detach" if isinstance(of, Report) else "trace-detach"
    return [
        (trace.name, report(access, trace), reverse(detach, args=[of.pk, trace.pk]) if access.can_write else "")
        for trace in traces
    ]


def report_entities(access: AccessContext, subject: Report) -> str | None:
    """Prefix of `Ref.path`."""
    own = report(access, subject)
    return f"{own}entities/" if own else None


_HISTORIES = {"sql": "database-statement", "event": "database-event"}  # by kind of thing


def history(access: AccessContext, database: Database | None, kind: str, key: str) -> str:
    """Over a database's reports; "" without access or history."""
    if database is None or kind not in _HISTORIES or not access.can_read:
        return ""
    return reverse(_HISTORIES[kind], args=[database.uid, key])


def of_merged(request: HttpRequest, database: Database, into: Database) -> str:
    """The same page of `into`."""
    return request.get_full_path().replace(str(database.uid), str(into.uid), 1)


def pins(subject: Comparison) -> str:
    return reverse("pins", args=[subject.pk])


def pins_text(subject: Comparison, ending: str) -> str:
    return reverse("pins-text", args=[subject.pk, ending])


def precedents(access: AccessContext, subject: Comparison) -> str:
    return "" if access.link else reverse("comparison-seen", args=[subject.pk])


def threads(access: AccessContext, subject: Comparison) -> str:
    """ "" for whoever sees none."""
    return _either(access, subject, "threads", "shared-threads") if access.sees_threads else ""


def incident(access: AccessContext, subject: Incident) -> str:
    return _either(access, subject, "incident", "shared")


def channel(incident: Incident) -> str:
    """Takes a channel's messages; "" if none does."""
    token = incident.channel_token
    return address_of(reverse("channel", args=[incident.pk, token])) if token else ""


def incident_threads(access: AccessContext, subject: Incident) -> str:
    """ "" for whoever sees none."""
    return _either(access, subject, "incident-threads", "shared-threads") if access.sees_threads else ""


def attachment(access: AccessContext | None, pk: UUID) -> str:
    if access is not None and access.link:
        return reverse("shared-attachment", args=[access.link.token, pk])
    return reverse("attachment", args=[pk])


def shared(token: str) -> str:
    """Known only when the link is made."""
    return reverse("shared", args=[token])


def shared_page(access: AccessContext) -> str:
    return shared(access.link.token) if access.link else ""


def shared_export(access: AccessContext, ending: str) -> str:
    return reverse("shared-export", args=[access.link.token, ending]) if access.link else ""


def _either(
    access: AccessContext, subject: Comparison | Report | Incident, for_members: str, for_guests: str, *more: str
) -> str:
    if access.link:
        return reverse(for_guests, args=[access.link.token, *more])
    return reverse(for_members, args=[subject.pk, *more])


_ID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# As somebody pasted it into a text, by whatever name of the server.
_OF_MEMBERS = re.compile(
    rf"(https?://[^\s/\"'<>()]+)?/(?:comparisons|reports|incidents)/({_ID})[\w/.~%#?=:+,@-]*", re.IGNORECASE
)


def outward(response: HttpResponse) -> HttpResponse:
    """Pasted links to the team's pages keep only the site."""
    text = response.content.decode()
    if ids := {UUID(match[2]) for match in _OF_MEMBERS.finditer(text)}:
        ours = _ours(ids)
        text = _OF_MEMBERS.sub(lambda match: f"{match[1] or ''}/" if UUID(match[2]) in ours else match[0], text)
        response.content = text.encode()
    return response


def _ours(ids: set[UUID]) -> set[UUID]:
    of_each = [
        model.objects.filter(pk__in=ids).order_by().values_list("pk") for model in (Comparison, Report, Incident)
    ]
    return {pk for (pk,) in of_each[0].union(*of_each[1:])}
