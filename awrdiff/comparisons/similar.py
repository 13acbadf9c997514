"""Readable comparisons with a similar composition of change, without the same hours."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.change_similarity import Change, Likeness, likeness
from awrdiff.comparisons.comparisons_by_database import own_comparisons
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


def similar_to_any(access: AccessContext, directions: Mapping[UUID, bool], but: Collection[UUID]) -> list[Similar]:
    """`directions`: whether each is read reversed; the more similar counts."""
    stored = Indexed.objects.filter(comparison__in=directions, parts__isnull=False).values_list("comparison", "parts")
    own_changes = [Change(*parts).reversed() if directions[pk] else Change(*parts) for pk, parts in stored if parts]
    if not own_changes or access.is_shared:
        return []
    # Same bytes, or same window of the database and instance.
    own = ComparisonReport.objects.filter(comparison__in=directions)
    condition = Q(report__sha256__in=own.values("report__sha256"))
    windows = own.exclude(report__begin_at="").values_list(*_WINDOW).distinct()
    for window in windows[:MOST_WINDOWS]:
        same_window = Q()
        for name, value in zip(_WINDOW, window, strict=True):
            same_window &= Q((f"{name}__isnull", True)) if value is None else Q((name, value))
        condition |= same_window
    another = ComparisonReport.objects.filter(comparison=OuterRef("pk")).exclude(condition)
    candidates = own_comparisons(access).filter(Exists(another)).exclude(pk__in=but).order_by().values("pk")
    with_parts = Indexed.objects.filter(comparison__in=candidates, parts__isnull=False).order_by(
        "-comparison__created_at"
    )
    recent = with_parts.values_list("comparison", "parts")[:MOST_HELD]
    pairs = ((pk, likeness(own_parts, Change(*parts))) for pk, parts in recent for own_parts in own_changes)
    best_likeness: dict[UUID, Likeness] = {}
    for pk, alike in pairs:
        if alike is not None and (pk not in best_likeness or alike.overlap > best_likeness[pk].overlap):
            best_likeness[pk] = alike
    best = sorted(best_likeness, key=lambda pk: -best_likeness[pk].overlap)[:MOST]
    comparisons = (
        {comparison.pk: comparison for comparison in own_comparisons(access).filter(pk__in=best)} if best else {}
    )
    return [Similar(comparisons[pk], best_likeness[pk]) for pk in best if pk in comparisons]
