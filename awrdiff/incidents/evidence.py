"""Evidence: places of comparisons, with figures then and now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from awrdiff.accounts.access import AccessContext, require_row
from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.comparisons.anchors import Anchored, Standing, columns_at, pair_or_view, standings
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import is_awaited
from awrdiff.incidents import field_validation
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import Evidence, Incident, IncidentComparison
from awrdiff.incidents.services import ChangedMeanwhile, locked_incident, merge, note_change
from awrdiff.processing.storable_values import storable_text

MOST_EVIDENCE, LONGEST_NOTE = 100, 2_000
NOTHING_HERE = "There is nothing here to keep: choose a row, a finding or a section."
GONE = "This is not in the comparison any more: the figures are as they were."
NOTED_MEANWHILE = "Somebody changed this note while you were writing. Nothing of yours is saved yet."
BEING_COMPUTED = "The comparison is not computed at the moment: the figures are as they were."


@dataclass(frozen=True, slots=True)
class Live:
    """`now` is None if gone; `missing` says why."""

    evidence: Evidence
    then: Standing
    now: Standing | None
    missing: str = ""

    @property
    def differs(self) -> bool:
        return self.now is not None and self.now.figures != self.then.figures


def keep(
    access: AccessContext,
    incident: Incident,
    comparison: Comparison,
    anchor: str,
    *,
    pair: int = 0,
    baseline: BaselineSelection | None = None,
) -> Evidence:
    """Idempotent; of an attached comparison's pair or baseline view."""
    is_own = comparison.team_id == access.team.pk
    if not is_own or (columns := columns_at(comparison, anchor, pair, baseline)) is None:
        raise IncidentRefused(NOTHING_HERE)
    place, standing = columns
    with locked_incident(access, incident, comparison=comparison.pk) as locked:
        if not IncidentComparison.objects.filter(incident=locked, comparison=comparison).exists():
            raise IncidentRefused("Attach the comparison to the incident first.")
        own = Evidence.objects.filter(incident=locked)
        same = {"incident": locked, "comparison": comparison, **place}
        if own.count() >= MOST_EVIDENCE and not own.filter(**same).exists():
            raise IncidentRefused(f"An incident holds at most {MOST_EVIDENCE} pieces of evidence: remove one first.")
        evidence, new = Evidence.objects.get_or_create(**same, defaults={**standing, "added_by": access.user})
        if new:
            note_change(access, locked)
        return evidence


def kept_of(comparison: Comparison, incidents: Sequence[Incident]) -> list[Live]:
    """Oldest first."""
    evidence = Evidence.objects.filter(incident__in=incidents, comparison=comparison)
    return live(list(evidence.select_related("comparison"))) if incidents else []


def annotate(access: AccessContext, evidence: Evidence, text: str, was: str = "") -> Evidence:
    """Replace note `was`. Raises ChangedMeanwhile."""
    note_text = field_validation.prose(text, LONGEST_NOTE, "The note", empty=True)
    with locked_incident(access, evidence.incident) as incident:
        rows = Evidence.objects.filter(incident=incident, pk=evidence.pk)
        now = require_row(rows, "This piece of evidence has been removed.")
        merged = merge(
            {"note": storable_text(was).replace("\r\n", "\n").strip()}, {"note": note_text}, {"note": now.note}
        )
        if merged.conflicts:
            raise ChangedMeanwhile(NOTED_MEANWHILE, merged)
        Evidence.objects.filter(pk=now.pk).update(note=merged.texts["note"])
        note_change(access, incident)
    evidence.note = merged.texts["note"]
    return evidence


def remove(access: AccessContext, evidence: Evidence) -> None:
    """Idempotent."""
    with locked_incident(access, evidence.incident) as incident:
        if Evidence.objects.filter(incident=incident, pk=evidence.pk).delete()[0]:
            note_change(access, incident)


def live(evidence: Sequence[Evidence]) -> list[Live]:
    """Current state of each, in one read."""
    whole = _whole(evidence)
    read = {entry.pk: whole.get(entry.comparison_id) for entry in evidence}
    places = {
        entry.pk: Anchored(c, entry.anchor, *pair_or_view(entry.pair, entry.baseline))
        for entry in evidence
        if (c := read[entry.pk]) and c.is_ready
    }
    now = dict(zip(places, standings(list(places.values())), strict=True))
    return [_live(entry, read[entry.pk], now.get(entry.pk)) for entry in evidence]


def _live(evidence: Evidence, read: Comparison | None, now: Standing | None) -> Live:
    is_computed = now is not None or read is None or (read.is_ready and not is_awaited(read, evidence.pair))
    why = GONE if is_computed else BEING_COMPUTED
    return Live(evidence, Standing.then(evidence), now, "" if now else why)


def _whole(evidence: Sequence[Evidence]) -> dict[UUID, Comparison]:
    loaded = {entry.comparison_id: entry.comparison for entry in evidence if not entry.comparison.get_deferred_fields()}
    missing = {entry.comparison_id for entry in evidence} - loaded.keys()
    return loaded | Comparison.objects.in_bulk(missing) if missing else loaded
