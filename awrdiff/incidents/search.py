"""Incident search and places of the matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.days import Term
from awrdiff.comparisons.library import on_day, terms
from awrdiff.incidents.models import IncidentTag
from awrdiff.search.models import Indexed
from awrdiff.search.owners import in_incidents, judged_in_incidents

MOST_PLACES = 400  # that are looked through for those of a page
_WHO = ("event__user", "action__owner", "evidence__added_by", "verdict__user", "comment__thread", "section__postmortem")


def saying(access: AccessContext, text: str) -> Q:
    """Condition: every word of `text` is in the incident's texts, or a verdict on its comparisons; a day is its begin
    (UTC).
    """
    wanted = Q()
    for term in terms(text):
        wanted &= _holds(access, term)
    return wanted


def _holds(access: AccessContext, term: Term) -> Q:
    tagged = Exists(IncidentTag.objects.filter(incident=OuterRef("pk"), name__icontains=term.text))
    by_fields = Q(title__icontains=term.text) | Q(summary__icontains=term.text) | tagged | on_day(term, "begins_at")
    own, judged_ids = (search(access, term.text).values("whose") for search in (in_incidents, judged_in_incidents))
    return by_fields | Q(pk__in=own) | Q(pk__in=judged_ids)


def places(access: AccessContext, words: Sequence[str], incidents: Collection[UUID]) -> dict[UUID, list[Indexed]]:
    """By incident, places with one of the words, oldest first, titles excluded."""
    there: dict[UUID, list[Indexed]] = defaultdict(list)
    for search in (in_incidents, judged_in_incidents):
        matches = search(access, *words).filter(whose__in=incidents, incident=None)
        for row in matches.select_related(*_WHO).order_by("pk")[:MOST_PLACES]:
            there[row.whose].append(row)
    return there
