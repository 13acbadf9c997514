"""Incidents found by what is said in and about them, and where it stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.days import Term
from awrdiff.comparisons.library import on_day, terms
from awrdiff.incidents.models import IncidentTag
from awrdiff.search.models import Indexed
from awrdiff.search.of import in_incidents, judged_in_incidents

MOST_PLACES = 400  # that are looked through for those of a page
_WHO = ("event__user", "action__owner", "evidence__added_by", "verdict__user", "comment__thread", "section")


def saying(access: AccessContext, text: str) -> Q:
    """Of an incident: every word of `text` is in its title, summary or a tag, in its timeline, threads, evidence,
    action items or post-mortem, or in a verdict on one of its comparisons; a day is the one that it began on (UTC)."""
    wanted = Q()
    for term in terms(text):
        wanted &= _holds(access, term)
    return wanted


def _holds(access: AccessContext, term: Term) -> Q:
    tagged = Exists(IncidentTag.objects.filter(incident=OuterRef("pk"), name__icontains=term.text))
    named = Q(title__icontains=term.text) | Q(summary__icontains=term.text) | tagged | on_day(term, "begins_at")
    own, judged = (found(access, term.text).values("whose") for found in (in_incidents, judged_in_incidents))
    return named | Q(pk__in=own) | Q(pk__in=judged)


def places(access: AccessContext, text: str, incidents: Collection[UUID], *, each: int) -> dict[UUID, list[Indexed]]:
    """By incident, some of what holds a word of the text, first what holds most of them. Its title is none."""
    hits: dict[tuple[UUID, int], int] = defaultdict(int)
    rows: dict[int, Indexed] = {}
    for term in terms(text):
        for found in (in_incidents, judged_in_incidents):
            known = found(access, term.text).filter(whose__in=incidents, incident=None)
            for row in known.select_related(*_WHO).order_by("pk")[:MOST_PLACES]:
                rows[row.pk] = row
                hits[row.whose, row.pk] += 1
    best: dict[UUID, list[Indexed]] = defaultdict(list)
    for (whose, pk), _ in sorted(hits.items(), key=_most_first):
        if len(best[whose]) < each:
            best[whose].append(rows[pk])
    return best


def _most_first(hit: tuple[tuple[UUID, int], int]) -> tuple[int, int]:
    (_, pk), number = hit
    return -number, pk
