"""What is found belongs to a comparison, or to an incident; and who looks finds by nothing that they may not read."""

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
    """The ids of comparisons that say the term, and of those of which it is said."""
    itself = holding(term).filter(comparison__isnull=False).values_list("comparison")
    return itself, _said(access, term).annotate(whose=_COMPARISON).exclude(whose=None).values_list("whose")


def in_incidents(access: AccessContext, *terms: str) -> QuerySet[Any]:
    """What of incidents holds one of the terms, with `whose` it is. Whether those may be seen is asked of them."""
    return _said(access, *terms).annotate(whose=_INCIDENT)


def judged_in_incidents(access: AccessContext, *terms: str) -> QuerySet[Any]:
    """A verdict is on a comparison: it is of every incident that has it."""
    found = _said(access, *terms).filter(verdict__isnull=False)
    return found.annotate(whose=F("verdict__comparison__incidents__incident_id"))


def _said(access: AccessContext, *terms: str) -> QuerySet[Indexed]:
    """By people. What the team says is the team's; guests read the threads that are for them too."""
    found = holding(*terms).filter(comparison=None)
    return found.none() if access.is_shared else found if access.can_read else found.filter(_FOR_GUESTS)
