"""What threads on a timeline say of a comparison that is being deleted."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from awrdiff.incidents.attached import without_title
from awrdiff.incidents.models import Incident, IncidentComparison, TimelineEvent
from awrdiff.processing.rows import lock
from awrdiff.threads.models import Thread


def untitle(comparisons: Collection[UUID]) -> None:
    """A thread quotes the line it is on: it does without the title, as the line does."""
    named = {"comparison__in": comparisons}
    noted = TimelineEvent.objects.filter(**named).values_list("incident", "pk")
    made = IncidentComparison.objects.filter(**named).values_list("incident", "pk")
    lines = {(incident, f"event-{pk}") for incident, pk in noted} | {(incident, f"made-{pk}") for incident, pk in made}
    incidents = lock(Incident, {pk for pk, _ in lines})
    found = Thread.objects.filter(incident__in=incidents, anchor__in={anchor for _, anchor in lines})
    threads = [one for one in found if (one.incident_id, one.anchor) in lines]
    for thread in threads:
        thread.title = without_title(thread.title)
    Thread.objects.bulk_update(threads, ["title"], batch_size=200)
