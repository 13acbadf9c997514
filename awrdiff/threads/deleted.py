"""Titles of deleted comparisons in timeline threads."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from awrdiff.incidents.attached import without_title
from awrdiff.incidents.models import Incident, IncidentComparison, TimelineEvent
from awrdiff.processing.rows import lock
from awrdiff.threads.models import Thread


def untitle(comparisons: Collection[UUID]) -> None:
    """Remove the title from threads as from the line they quote."""
    of_comparisons = {"comparison__in": comparisons}
    noted = TimelineEvent.objects.filter(**of_comparisons).values_list("incident", "pk")
    link_rows = IncidentComparison.objects.filter(**of_comparisons).values_list("incident", "pk")
    lines = {(incident, f"event-{pk}") for incident, pk in noted} | {
        (incident, f"made-{pk}") for incident, pk in link_rows
    }
    incidents = lock(Incident, {pk for pk, _ in lines})
    incident_threads = Thread.objects.filter(incident__in=incidents, anchor__in={anchor for _, anchor in lines})
    threads = [thread for thread in incident_threads if (thread.incident_id, thread.anchor) in lines]
    for thread in threads:
        thread.title = without_title(thread.title)
    Thread.objects.bulk_update(threads, ["title"], batch_size=200)
