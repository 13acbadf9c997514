"""Comparisons whose change is made of the same parts as another's, of those that the reader may read.

The same hours compared once more, from other files or the other way round, are no other hour.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.likeness import Likeness, Made, likeness
from awrdiff.comparisons.library import own_comparisons
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.search.models import Indexed

# Columns that tell an hour of an instance.
_WINDOW = tuple(f"report__{name}" for name in ("dbid", "db_name", "instance_number", "begin_at", "end_at"))
MOST_WINDOWS = 100  # of what is asked about
MOST_HELD, MOST = 2_000, 5  # the newest are held against it; and shown, the likest first


@dataclass(frozen=True, slots=True)
class Similar:
    comparison: Comparison
    likeness: Likeness


def similar_to(access: AccessContext, comparison: Comparison, *, is_turned: bool = False) -> list[Similar]:
    return [] if comparison.is_demo else similar_to_any(access, {comparison.pk: is_turned}, [comparison.pk])


def similar_to_any(access: AccessContext, asked: Mapping[UUID, bool], but: Collection[UUID]) -> list[Similar]:
    """`asked`: whether each is read the other way round; of two it is alike to the liker one counts."""
    stored = Indexed.objects.filter(comparison__in=asked, parts__isnull=False).values_list("comparison", "parts")
    made = [Made(*parts).turned() if asked[pk] else Made(*parts) for pk, parts in stored if parts]
    if not made or access.is_shared:
        return []
    another = ComparisonReport.objects.filter(comparison=OuterRef("pk")).exclude(_is_an_hour_of(asked))
    others = own_comparisons(access).filter(Exists(another)).exclude(pk__in=but).order_by().values("pk")
    known = Indexed.objects.filter(comparison__in=others, parts__isnull=False).order_by("-comparison__created_at")
    held = known.values_list("comparison", "parts")[:MOST_HELD]
    pairs = ((pk, likeness(one, Made(*parts))) for pk, parts in held for one in made)
    found: dict[UUID, Likeness] = {}
    for pk, alike in pairs:
        if alike is not None and (pk not in found or alike.overlap > found[pk].overlap):
            found[pk] = alike
    best = sorted(found, key=lambda pk: -found[pk].overlap)[:MOST]
    shown = {one.pk: one for one in own_comparisons(access).filter(pk__in=best)} if best else {}
    return [Similar(shown[pk], found[pk]) for pk in best if pk in shown]


def _is_an_hour_of(asked: Collection[UUID]) -> Q:
    """Of places: the same bytes, or the same window of the same database and instance read from another file."""
    own = ComparisonReport.objects.filter(comparison__in=asked)
    found = Q(report__sha256__in=own.values("report__sha256"))
    windows = own.exclude(report__begin_at="").values_list(*_WINDOW).distinct()
    for window in windows[:MOST_WINDOWS]:
        one = Q()
        for name, value in zip(_WINDOW, window, strict=True):
            one &= Q((f"{name}__isnull", True)) if value is None else Q((name, value))
        found |= one
    return found
