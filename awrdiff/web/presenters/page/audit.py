"""Audit log as texts; existing objects have names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import NoReverseMatch, reverse
from msgspec import Struct
from msgspec.structs import astuple

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.display_names import GONE, both_names
from awrdiff.accounts.members_and_invitations import people_of
from awrdiff.analysis.export.csv import csv_line
from awrdiff.audit.models import AuditLine
from awrdiff.audit.queries import ACTIONS, LINKS, LineFilter, each, people_in
from awrdiff.sharing.models import ShareLink
from awrdiff.web.query_options import Choice

# By kind, the page of what has one; a post-mortem is known by its incident.
_WITH_A_PAGE = {
    "comparison": "comparison",
    "report": "report",
    "incident": "incident",
    "post-mortem": "postmortem",
    "database": "database",
}
THINNED_OUT = "thinned out"
_OF_ONESELF = ("signed in", "left")
_SERVER_SIDE = {"local": "whoever runs the server", "server": "the server"}
_THE = (
    "audit log",
    "team",
    "webhook",
    "tracker",
    "post-mortem template",
)  # of what there is one in a team; all else is one of many
# By action and kind, where the action's word with the thing is no English.
_ACTION_TEXTS = {
    ("compared", "comparison"): "made",
    ("invited", "invitation"): "sent",
    ("joined", "invitation"): "joined by",
}


class AuditRecord(Struct):
    """A line as JSON and CSV. `who` and `thing` are ids, `name` belongs to `who`."""

    id: int
    at_utc: str
    who: str
    name: str
    action: str
    kind: str
    thing: str


def audit_entries(lines: Sequence[AuditLine]) -> list[dict[str, Any]]:
    names = {who: both_names(user) for who, user in people_in(lines).items()} | _links_in(lines)
    return [
        {
            "at": f"{line.at:%d %b %Y, %H:%M:%S}",
            "iso": line.at.isoformat(timespec="seconds"),
            "who": who_text(line.who, names),
            "who_url": f"?{urlencode({'who': line.who})}",
            "action_text": _ACTION_TEXTS.get((line.action, line.kind)) or ACTIONS.get(line.action, line.action),
            "what": _what(line, names),
            "line": line,
            "url": _page(line) if line.action != "deleted" else "",  # the thing may be gone
            "thing_url": f"?{urlencode({'kind': line.kind, 'thing': line.thing})}",
        }
        for line in lines
    ]


def _links_in(lines: Sequence[AuditLine]) -> dict[str, str]:
    keys = {line.who for line in lines} | {f"link {line.thing}" for line in lines if line.kind == "link"}
    links = [key.removeprefix("link ") for key in keys if key.startswith("link ")]
    if not links:
        return {}
    noted = ShareLink.objects.filter(pk__in=links).exclude(for_whom="").values_list("pk", "for_whom")
    return {f"link {pk}": f"link for {whom}" for pk, whom in noted}


def _page(line: AuditLine) -> str:
    """Empty without page, or if its id had another kind when logged."""
    name = _WITH_A_PAGE.get(line.kind)
    try:
        return reverse(name, args=[line.thing]) if name else ""
    except NoReverseMatch:
        return ""


def _what(line: AuditLine, names: dict[str, str]) -> str:
    if line.action in _OF_ONESELF:
        return ""
    if line.action == THINNED_OUT:  # how many there were
        return line.thing
    if line.kind == "person":
        return names.get(f"user {line.thing}", GONE)
    if line.kind == "link" and (recipient := names.get(f"link {line.thing}")):
        return f"a {recipient}"
    return f"the {line.kind}" if line.kind in _THE else f"{'an' if line.kind[:1] in 'aeiou' else 'a'} {line.kind}"


def who_text(who: str, names: dict[str, str]) -> str:
    return names.get(who) or _SERVER_SIDE.get(who) or who


def people(access: AccessContext, wanted: LineFilter) -> list[Choice]:
    """Members, links, and the chosen actor if removed."""
    choices = [("", "everybody"), *((f"user {m.user_id}", both_names(m.user)) for m in people_of(access))]
    choices += [(LINKS, "share links"), *_SERVER_SIDE.items()]
    if wanted.who not in dict(choices):
        choices.append((wanted.who, wanted.who))
    return [Choice(value, text, value == wanted.who) for value, text in choices]


def actions(wanted: LineFilter) -> list[Choice]:
    return [Choice(value, text, value == wanted.action) for value, text in [("", "anything"), *ACTIONS.items()]]


def csv_pieces(lines: QuerySet[AuditLine]) -> Iterator[str]:
    """Newest first."""
    yield csv_line(AuditRecord.__struct_fields__)
    for batch in each(lines):
        yield from (csv_line(astuple(record)) for record in records(batch))


def records(lines: Sequence[AuditLine]) -> list[AuditRecord]:
    names = {who: user.get_username() for who, user in people_in(lines).items()} | _links_in(lines)
    return [
        AuditRecord(
            line.pk,
            line.at.isoformat(timespec="seconds"),
            line.who,
            names.get(line.who, ""),
            line.action,
            line.kind,
            line.thing,
        )
        for line in lines
    ]
