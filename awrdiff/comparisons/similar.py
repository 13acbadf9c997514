"""Comparisons whose change is made of the same parts as another's, of those that the reader may read."""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.likeness import Likeness, Made, likeness
from awrdiff.comparisons.library import own_comparisons
from awrdiff.comparisons.models import Comparison
from awrdiff.search.models import Indexed

MOST_HELD, MOST = 2_000, 5  # the newest are held against it; and shown, the likest first


@dataclass(frozen=True, slots=True)
class Similar:
    comparison: Comparison
    likeness: Likeness


def similar_to(access: AccessContext, comparison: Comparison) -> list[Similar]:
    original = comparison.mirror_of_id or comparison.pk
    stored = Indexed.objects.filter(comparison=original).values_list("parts", flat=True).first()
    if not stored or comparison.is_demo or access.is_shared:
        return []
    made = Made(*stored) if comparison.mirror_of_id is None else Made(*stored).turned()
    others = own_comparisons(access).exclude(pk=original).order_by().values("pk")
    known = Indexed.objects.filter(comparison__in=others, parts__isnull=False).order_by("-comparison__created_at")
    held = known.values_list("comparison", "parts")[:MOST_HELD]
    found = {pk: alike for pk, parts in held if (alike := likeness(made, Made(*parts))) is not None}
    best = sorted(found, key=lambda pk: -found[pk].overlap)[:MOST]
    shown = {one.pk: one for one in own_comparisons(access).filter(pk__in=best)} if best else {}
    return [Similar(shown[pk], found[pk]) for pk in best if pk in shown]
