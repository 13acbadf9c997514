"""Subject of threads: comparison or incident."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, cast
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from awrdiff.accounts.access import Can, roles_that
from awrdiff.accounts.models import Membership, User
from awrdiff.comparisons.models import Comparison, ShownComparison
from awrdiff.incidents.comparisons_and_reports import without_title
from awrdiff.incidents.models import Incident, IncidentComparison, TimelineEvent
from awrdiff.processing.row_locks import lock
from awrdiff.threads.models import Thread


@dataclass(frozen=True, slots=True)
class Subject:
    kind: Literal["comparison", "incident"]
    pk: UUID

    @property
    def where(self) -> dict[str, Any]:
        return {f"{self.kind}_id": self.pk}

    def locked(self) -> bool:
        """False if gone."""
        return bool(lock(Comparison if self.kind == "comparison" else Incident, [self.pk]))


def of_thread(thread: Thread) -> Subject:
    if thread.incident_id is not None:
        return Subject("incident", thread.incident_id)
    return Subject("comparison", cast("UUID", thread.comparison_id))


def people_of(subject: Subject, *, guests: bool = True) -> QuerySet[User]:
    """Team readers, and `guests` shown the comparison, by name."""
    of_team = Q(role__in=roles_that(Can.READ))
    if subject.kind == "incident":
        teams = Incident.objects.filter(pk=subject.pk).values_list("team")
        may = Membership.objects.filter(of_team, team__in=teams)
    else:
        is_shown = ShownComparison.objects.filter(comparison=subject.pk, membership=OuterRef("pk"))
        of_its_team = Membership.objects.filter(team__in=Comparison.objects.filter(pk=subject.pk).values("team"))
        may = of_its_team.filter(of_team | Q(Exists(is_shown)) if guests else of_team)
    return User.objects.filter(pk__in=may.values("user")).order_by("username")


def readers_of(thread: Thread) -> QuerySet[User]:
    """Guests only if the thread is open."""
    return people_of(of_thread(thread), guests=thread.for_guests)


def answerers_of(thread: Thread) -> QuerySet[User]:
    """Readers who may write in it."""
    may = Membership.objects.filter(team=thread.team_id, role__in=roles_that(Can.COMMENT))
    return readers_of(thread).filter(pk__in=may.values("user"))


def untitle(comparisons: Collection[UUID]) -> None:
    """Remove deleted comparisons' titles from threads that quote them."""
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
