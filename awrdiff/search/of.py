"""What is found belongs to a comparison, or to an incident; and who looks finds by nothing that they may not read."""

from __future__ import annotations

from typing import Any

from django.db.models import F, Q, QuerySet, UUIDField
from django.db.models.functions import Coalesce

from awrdiff.accounts.access import AccessContext
from awrdiff.search.models import Indexed
from awrdiff.search.words import holding

_COMPARISON = Coalesce(
    "comparison_id",
    "verdict__comparison_id",
    "evidence__comparison_id",
    "comment__thread__comparison_id",
    output_field=UUIDField(),
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
# What the team says is the team's; guests read the threads that are for them too.
_FOR_GUESTS = Q(comparison__isnull=False) | Q(comment__thread__for_guests=True)


def in_comparisons(access: AccessContext, term: str) -> QuerySet[Any]:
    """What of comparisons holds the term, with `whose` it is. Whether those may be seen is asked of them."""
    return _readable(access, term).annotate(whose=_COMPARISON)


def in_incidents(access: AccessContext, term: str) -> QuerySet[Any]:
    """The same of incidents."""
    return _readable(access, term).annotate(whose=_INCIDENT)


def judged_in_incidents(access: AccessContext, term: str) -> QuerySet[Any]:
    """A verdict is on a comparison: it is of every incident that has it."""
    found = _readable(access, term).filter(verdict__isnull=False)
    return found.annotate(whose=F("verdict__comparison__incidents__incident_id"))


def _readable(access: AccessContext, term: str) -> QuerySet[Indexed]:
    found = holding(term)
    return found.none() if access.is_shared else found if access.can_read else found.filter(_FOR_GUESTS)
