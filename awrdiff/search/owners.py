"""Owners of search results the viewer may read: comparisons or incidents."""

from __future__ import annotations

from typing import Any

from django.db.models import F, Q, QuerySet, UUIDField
from django.db.models.functions import Coalesce

from awrdiff.accounts.access import AccessContext
from awrdiff.search.models import Indexed
from awrdiff.search.words import holding

_COMPARISON = Coalesce(
    "verdict__comparison_id", "evidence__comparison_id", "comment__thread__comparison_id", output_field=UUIDField()
)
_INCIDENT = Coalesce(
    "incident_id",
    "event__incident_id",
    "action__incident_id",
    "evidence__incident_id",
    "comment__thread__incident_id",
    "section__postmortem__incident_id",
    output_field=UUIDField(),
)
_FOR_GUESTS = Q(comment__thread__for_guests=True)


def ids_with(access: AccessContext, term: str) -> tuple[QuerySet[Any, Any], QuerySet[Any, Any]]:
    """Comparisons by own text, and by people's."""
    itself = holding(term).filter(comparison__isnull=False).values_list("comparison")
    return itself, _by_people(access, term).annotate(whose=_COMPARISON).exclude(whose=None).values_list("whose")


def in_incidents(access: AccessContext, *terms: str) -> QuerySet[Any]:
    """With `whose`; the caller checks access to those."""
    return _by_people(access, *terms).annotate(whose=_INCIDENT)


def judged_in_incidents(access: AccessContext, *terms: str) -> QuerySet[Any]:
    """Verdicts belong to each incident with their comparison."""
    matches = _by_people(access, *terms).filter(verdict__isnull=False)
    return matches.annotate(whose=F("verdict__comparison__incidents__incident_id"))


def _by_people(access: AccessContext, *terms: str) -> QuerySet[Indexed]:
    """Guests get open threads only."""
    matches = holding(*terms).filter(comparison=None)
    return matches.none() if access.is_shared else matches if access.can_read else matches.filter(_FOR_GUESTS)
