"""Writes of the sharing app."""

from __future__ import annotations

from datetime import timedelta

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.tokens import hashed, new_token
from awrdiff.audit.services import note
from awrdiff.comparisons import copies
from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.models import Comparison
from awrdiff.processing.rows import lock
from awrdiff.redaction.rule import Redaction
from awrdiff.sharing.models import ShareLink
from awrdiff.sharing.passwords import hashed_password
from awrdiff.sharing.queries import ended

LONGEST_DAYS = 3650


def create_link(
    access: AccessContext,
    comparison: Comparison,
    *,
    days: int | None,
    password: str = "",
    redaction: Redaction | None = None,
) -> tuple[ShareLink, str]:
    """A link that works for `days` (None: until revoked), and its token, which cannot be had again.

    With a `redaction` it shows a copy without names, which the workers begin to make. Raises BadPassword,
    ComparisonRefused.
    """
    if not access.can_write or comparison.team_id != access.team.pk:
        raise PermissionDenied
    token = new_token()
    kept_password = hashed_password(password)
    with transaction.atomic():
        if not lock(Comparison, [comparison.pk]):
            raise NotFound("The comparison has been deleted.")
        link = ShareLink.objects.create(
            team=access.team,
            comparison=comparison,
            token_hash=hashed(token),
            created_by=access.user,
            expires_at=None if days is None else timezone.now() + timedelta(days=days),
            password=kept_password,
            redacted=redaction is not None,
            copy=copies.make(comparison, redaction) if redaction is not None else None,
        )
        note(access, "shared", "link", link.pk)
    return link, token


def revoke(access: AccessContext, link: ShareLink) -> None:
    """The link answers 404 from now on, and its copy is gone. Revoking twice is harmless."""
    if not access.can_write or link.team_id != access.team.pk:
        raise PermissionDenied
    with transaction.atomic():
        if ShareLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now()):
            note(access, "revoked", "link", link.pk)
    _remove_copies([link])


def make_copy_again(access: AccessContext, link: ShareLink) -> None:
    """What a redacted link shows, where making it has failed; where it has not nothing is done."""
    if not access.can_write or link.team_id != access.team.pk:
        raise PermissionDenied
    if link.is_live and link.copy is not None and link.copy.is_failed:
        comparisons.restart(link.copy)
        note(access, "changed", "link", link.pk)


def remove_ended() -> int:
    """Copies of links that expired or were revoked are deleted; returns how many."""
    found = list(ended()[:20])
    _remove_copies(found)
    return len(found)


def _remove_copies(links: list[ShareLink]) -> None:
    copies.remove([link.copy for link in links if link.copy is not None])
