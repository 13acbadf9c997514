"""Reads of share links."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import DatabaseError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.access import AccessContext, NotFound, require_row
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents.models import Incident
from awrdiff.reports.models import Report
from awrdiff.reports.queries import HEAVY, HEAVY_OF_REPORT
from awrdiff.sharing.models import HELD_IN, ShareLink, Shows

logger = logging.getLogger(__name__)
USE_NOTED_EVERY = timedelta(minutes=1)
MOST_LISTED = 500
About = Comparison | Report | Incident
_COPIES = ("copy", "report_copy")
_LISTED = ("created_by", "comparison", "report", "incident", *_COPIES)
_HEAVY_COPIES = ("copy__overview", *(f"report_copy__{name}" for name in HEAVY))
_HEAVY = ("document", "comparison__overview", *HEAVY_OF_REPORT, *_HEAVY_COPIES)


def is_live(pk: UUID) -> bool:
    """False once revoked or expired."""
    return live_links().filter(pk=pk).exists()


def live_links() -> QuerySet[ShareLink]:
    return ShareLink.objects.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)


def shown_by_link() -> Exists:
    """Reports under a live link; never deleted automatically."""
    return Exists(live_links().filter(report=OuterRef("pk")))


def document_of(pk: UUID) -> dict[str, Any]:
    """Contents of a redacted incident or post-mortem. Raises NotFound."""
    document = ShareLink.objects.filter(pk=pk).values_list("document", flat=True).first()
    if not document:
        raise NotFound("There is nothing at this address.")
    return dict(document)


def note_use(link: ShareLink) -> None:
    """After the password, if any."""
    now = timezone.now()
    if link.last_used_at is None or link.last_used_at < now - USE_NOTED_EVERY:
        _note(link.pk, last_used_at=now)


def count_use(pk: UUID) -> None:
    """Count an opening of its page."""
    _note(pk, uses=F("uses") + 1)


def _note(pk: UUID, **values: Any) -> None:
    """A failing write does not stop the reading."""
    try:
        with transaction.atomic():
            ShareLink.objects.filter(pk=pk).update(**values)
    except DatabaseError as error:
        logger.warning("The use of link %s is not noted: %s", pk, error)


def links_of(access: AccessContext, about: About, shows: Shows = Shows.COMPARISON) -> QuerySet[ShareLink]:
    """Unrevoked, newest first."""
    rows = ShareLink.objects.filter(team=access.team, shows=shows, revoked_at=None, **{HELD_IN[shows]: about})
    if not access.can_read or not rows.exists():  # most have none, which is asked in a tenth of the time
        return ShareLink.objects.none()
    return rows.order_by("-created_at").select_related(*_COPIES).defer("document", *_HEAVY_COPIES)


def links_version(links: Iterable[ShareLink]) -> list[tuple[object, ...]]:
    """Everything that a list of them shows."""
    return [
        (link.pk, link.is_live, link.is_empty, link.uses, link.last_used_at, link.expires_at, link.for_whom)
        for link in links
    ]


def ending_with(access: AccessContext, about: About, *shows: Shows) -> int:
    """Number of live links, to warn on deletion."""
    return sum(link.is_live for what in shows for link in links_of(access, about, what))


def links_for(access: AccessContext) -> QuerySet[ShareLink]:
    """Unrevoked, newest first, with subject and maker."""
    if not access.can_read:
        raise NotFound("There is nothing at this address.")
    return with_subjects(ShareLink.objects.filter(team=access.team, revoked_at=None)).order_by("-created_at")


def with_subjects(rows: QuerySet[ShareLink]) -> QuerySet[ShareLink]:
    return rows.select_related(*_LISTED).defer(*_HEAVY)


def link_for(access: AccessContext, pk: UUID) -> ShareLink:
    return require_row(ShareLink.objects.filter(team=access.team, pk=pk), "There is no such link.", may=access.can_read)


def ended_links() -> QuerySet[ShareLink]:
    """Ended links that still have a copy or document."""
    over = Q(expires_at__lte=timezone.now()) | ~Q(revoked_at=None)
    links = ShareLink.objects.filter(over).exclude(copy=None, report_copy=None, document__isnull=True)
    return links.select_related(*_COPIES).defer("document", *_HEAVY_COPIES)
