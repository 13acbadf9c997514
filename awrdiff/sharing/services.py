"""Writes of share links."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, Can, NotFound
from awrdiff.accounts.models import Team, User
from awrdiff.accounts.offboarding import hold
from awrdiff.accounts.token_hashing import hash_token, new_token
from awrdiff.audit.services import note, note_chore
from awrdiff.comparisons import redacted_copies
from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.processing.row_locks import lock
from awrdiff.processing.storable_values import storable_text
from awrdiff.redaction.link_options import Redaction
from awrdiff.reports import redacted_copies as report_copies
from awrdiff.reports import services as reports
from awrdiff.reports.models import SEVERAL, Report
from awrdiff.sharing.access import hashed_password
from awrdiff.sharing.errors import LinkRefused, MadeBefore
from awrdiff.sharing.models import COMMENTED, HELD_IN, ShareLink, Shows
from awrdiff.sharing.queries import About, ended_links

LONGEST_DAYS = 3650
LONGEST_FOR_WHOM = 200


def create_link(
    access: AccessContext,
    about: About,
    *,
    days: int | None,
    password: str = "",
    redaction: Redaction | None = None,
    may_comment: bool = False,
    shows: Shows = Shows.COMPARISON,
    for_whom: str = "",
    document: dict[str, Any] | None = None,
    client_key: UUID | None = None,
    pair: int = 0,
) -> tuple[ShareLink, str]:
    """Link and its token, shown once. `days` None: until revoked.

    `about`: for a post-mortem the incident. A `redaction` shows a nameless copy, or the reviewed `document`.
    `for_whom`: for the team alone. `pair`: REVERSE opens that way round. Raises LinkRefused, ComparisonRefused,
    MadeBefore.
    """
    access.check(Can.SHARE, about)
    if may_comment and not access.can_comment:
        raise PermissionDenied("Whoever may not comment makes no link to comment by: this takes the scope “write” too.")
    if isinstance(about, Report) and about.kind == SEVERAL:
        raise LinkRefused("This file holds several reports: share one of them.")
    if may_comment and document is not None:
        raise LinkRefused(
            "Under pseudonyms an incident can be read alone: comments would stand on lines that it has not."
        )
    if may_comment and shows not in COMMENTED:
        raise LinkRefused("Only comparisons and incidents are commented by a link: this one can be read alone.")
    token = new_token()
    by = [access.user.get_username(), access.user.shown_name] if access.user else []
    name = about.name if isinstance(about, Report) else about.title
    password_hash = hashed_password(password, [*by, access.team.name, name])
    with transaction.atomic():
        hold(access.user, access.team)
        if not lock(type(about), [about.pk]):
            raise NotFound(f"The {HELD_IN[shows]} has been deleted.")
        if client_key and ShareLink.objects.filter(team=access.team, client_key=client_key).exists():
            raise MadeBefore
        if isinstance(about, Comparison) and pair == REVERSE:
            comparisons.compute_both_ways([about.pk])
        link = ShareLink.objects.create(
            team=access.team,
            shows=shows,
            **{HELD_IN[shows]: about},
            token_hash=hash_token(token),
            created_by=access.user,
            expires_at=None if days is None else timezone.now() + timedelta(days=days),
            password=password_hash,
            client_key=client_key,
            pair=pair if pair == REVERSE else 0,
            for_whom=" ".join(storable_text(for_whom).split())[:LONGEST_FOR_WHOM],
            redacted=redaction is not None,
            may_comment=may_comment,
            document=document,
            **_copy(about, redaction, document),
        )
        note(access, "shared", "link", link.pk)
    return link, token


def _copy(about: About, redaction: Redaction | None, document: dict[str, Any] | None) -> dict[str, Comparison | Report]:
    if redaction is None:
        return {}
    if document is not None:
        report_copies.team_of_copies(about.team)  # whose visitors are, of whom nothing is in reach
        return {}
    if isinstance(about, Comparison):
        return {"copy": redacted_copies.make(about, redaction)}
    if not isinstance(about, Report):
        raise LinkRefused("Somebody has to look at what becomes of the names first, on the page that Share leads to.")
    about.refresh_from_db(fields=["state", "stored_format"])
    if not about.is_ready:
        raise LinkRefused("The report is not read yet: a redacted link can be made once it is.")
    return {"report_copy": report_copies.make(about.team, {about.pk: about}, redaction)[about.pk]}


def revoke(access: AccessContext, link: ShareLink) -> None:
    """Idempotent; deletes its copy."""
    access.check(Can.SHARE, link)
    with transaction.atomic():
        if ShareLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now(), document=None):
            note(access, "revoked", "link", link.pk)
    _remove_copies([link])


def end_links(team: Team, links: list[ShareLink], by: User | None) -> None:
    """The sweeper removes their copies. `by` None: the server."""
    pks = [link.pk for link in links]
    note_chore(team.pk, "revoked", "link", pks, by)
    ShareLink.objects.filter(pk__in=pks).update(revoked_at=timezone.now(), document=None)


def hand_over_links(team: Team, links: list[ShareLink], heir: User, by: User | None) -> None:
    """`heir` is notified of comments from now on."""
    pks = [link.pk for link in links]
    note_chore(team.pk, "handed over", "link", pks, by)
    ShareLink.objects.filter(pk__in=pks).update(created_by=heir)


def link_label(link: ShareLink) -> str:
    for_whom = f" for {link.for_whom}" if link.for_whom else ""
    what = f"{'an' if link.shows == Shows.INCIDENT else 'a'} {Shows(link.shows).label.lower()}"
    return f"link to {what}{for_whom}, of {link.created_at:%d %b %Y}"


def make_copy_again(access: AccessContext, link: ShareLink) -> None:
    """Retry a failed copy of a redacted link."""
    access.check(Can.SHARE, link)
    redacted_copy = link.nameless
    if redacted_copy is None or not link.is_live or not redacted_copy.is_failed:
        return
    if isinstance(redacted_copy, Report):
        reports.restart([redacted_copy])
    else:
        comparisons.restart(redacted_copy)
    note(access, "changed", "link", link.pk)


def remove_ended() -> int:
    """Number of ended links whose copies were deleted."""
    links = list(ended_links()[:20])
    ShareLink.objects.filter(pk__in=[link.pk for link in links]).update(document=None)
    _remove_copies(links)
    return len(links)


def _remove_copies(links: list[ShareLink]) -> None:
    redacted_copies.remove([link.copy for link in links if link.copy is not None])
    report_copies.remove([link.report_copy_id for link in links if link.report_copy_id])
