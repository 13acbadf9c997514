"""Places of comparisons kept as evidence: with the figures as they were, and beside them what stands there now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis.baseline.against import Chosen
from awrdiff.comparisons import anchors, baseline_anchors
from awrdiff.comparisons.anchors import Anchored, Standing
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import is_awaited
from awrdiff.incidents import fields
from awrdiff.incidents.errors import ChangedMeanwhile, IncidentRefused
from awrdiff.incidents.merging import merge
from awrdiff.incidents.models import Evidence, Incident, IncidentComparison
from awrdiff.incidents.services import locked_incident, note_change
from awrdiff.processing.storable import storable_text

MOST_EVIDENCE, LONGEST_NOTE = 100, 2_000
NOTHING_HERE = "There is nothing here to keep: choose a row, a finding or a section."
GONE = "This is not in the comparison any more: the figures are as they were."
NOTED_MEANWHILE = "Somebody changed this note while you were writing. Nothing of yours is saved yet."
BEING_COMPUTED = "The comparison is not computed at the moment: the figures are as they were."


@dataclass(frozen=True, slots=True)
class Live:
    """`now` is None where nothing stands there now; `missing` says why."""

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
    baseline: Chosen | None = None,
) -> Evidence:
    """What stands at `anchor` of the pair or, where one is given, of the view against the baseline, of a comparison
    that is attached to the incident; twice is once."""
    anchor = storable_text(anchor)
    fits = len(anchor) <= anchors.LONGEST and comparison.is_ready and comparison.team_id == access.team.pk
    standing = baseline_anchors.standing(comparison, anchor, pair, baseline) if fits else None
    if standing is None:
        raise IncidentRefused(NOTHING_HERE)
    with locked_incident(access, incident, comparison=comparison.pk) as found:
        if not IncidentComparison.objects.filter(incident=found, comparison=comparison).exists():
            raise IncidentRefused("Attach the comparison to the incident first.")
        own = Evidence.objects.filter(incident=found)
        view = baseline_anchors.stored_view(baseline)
        same = {"incident": found, "comparison": comparison, "anchor": anchor, "baseline": view}
        same["pair"] = 0 if view else pair
        if own.count() >= MOST_EVIDENCE and not own.filter(**same).exists():
            raise IncidentRefused(f"An incident holds at most {MOST_EVIDENCE} pieces of evidence: remove one first.")
        made, new = Evidence.objects.get_or_create(**same, defaults=_as_now(access, standing))
        if new:
            note_change(access, found)
        return made


def _as_now(access: AccessContext, standing: Standing) -> dict[str, object]:
    return {
        "title": storable_text(standing.title),
        "place": storable_text(standing.place),
        "figures": [[storable_text(label), storable_text(text)] for label, text in standing.figures],
        "added_by": access.user,
    }


def kept_of(comparison: Comparison, incidents: Sequence[Incident]) -> list[Live]:
    """What the incidents keep of it, the oldest first."""
    found = Evidence.objects.filter(incident__in=incidents, comparison=comparison)
    return live(list(found.select_related("comparison"))) if incidents else []


def annotate(access: AccessContext, found: Evidence, text: str, was: str = "") -> Evidence:
    """What somebody says of it, instead of `was`. Raises ChangedMeanwhile where it says something else by now."""
    said = fields.prose(text, LONGEST_NOTE, "The note", empty=True)
    with locked_incident(access, found.incident) as incident:
        now = Evidence.objects.filter(incident=incident, pk=found.pk).first()
        if now is None:
            raise NotFound("This piece of evidence has been removed.")
        merged = merge({"note": storable_text(was).replace("\r\n", "\n").strip()}, {"note": said}, {"note": now.note})
        if merged.conflicts:
            raise ChangedMeanwhile(NOTED_MEANWHILE, merged)
        Evidence.objects.filter(pk=now.pk).update(note=merged.texts["note"])
        note_change(access, incident)
    found.note = merged.texts["note"]
    return found


def remove(access: AccessContext, found: Evidence) -> None:
    """Removing twice is harmless."""
    with locked_incident(access, found.incident) as incident:
        if Evidence.objects.filter(incident=incident, pk=found.pk).delete()[0]:
            note_change(access, incident)


def as_then(found: Evidence) -> Standing:
    return Standing(found.title, found.place, tuple((label, text) for label, text in found.figures))


def live(found: Sequence[Evidence]) -> list[Live]:
    """Each beside what stands there now; all are read at once."""
    whole = _whole(found)
    read = {one.pk: whole.get(one.comparison_id) for one in found}
    places = {
        one.pk: (Anchored(c, one.anchor, one.pair), baseline_anchors.view_of(one.baseline))
        for one in found
        if (c := read[one.pk]) and c.is_ready
    }
    now = dict(zip(places, baseline_anchors.all_standings(list(places.values())), strict=True))
    return [_live(one, read[one.pk], now.get(one.pk)) for one in found]


def _live(one: Evidence, read: Comparison | None, now: Standing | None) -> Live:
    is_computed = now is not None or read is None or (read.is_ready and not is_awaited(read, one.pair))
    why = GONE if is_computed else BEING_COMPUTED
    return Live(one, as_then(one), now, "" if now else why)


def _whole(found: Sequence[Evidence]) -> dict[UUID, Comparison]:
    """Their comparisons with what was computed of them; those that came with all of it are taken as they are."""
    known = {one.comparison_id: one.comparison for one in found if not one.comparison.get_deferred_fields()}
    missing = {one.comparison_id for one in found} - known.keys()
    return known | Comparison.objects.in_bulk(missing) if missing else known
