"""Comparisons and reports of an incident."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db import transaction

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import comparison_events
from awrdiff.incidents.errors import IncidentRefused
from awrdiff.incidents.models import EventKind, Incident, IncidentComparison, IncidentReport, TimelineEvent
from awrdiff.incidents.services import locked_incident, note, note_change
from awrdiff.processing.rows import lock
from awrdiff.reports.models import Report

MOST_COMPARISONS, MOST_REPORTS = 50, 100


def holds(reports: Collection[UUID]) -> set[UUID]:
    """Those that are attached to an incident: they stay when their comparison goes."""
    return set(IncidentReport.objects.filter(report__in=reports).values_list("report_id", flat=True))


def keeps(report: Report) -> str:
    """Why a report must stay: the incidents it is attached to, in a sentence; "" where there is none."""
    names = list(Incident.objects.filter(attached_reports__report=report).values_list("title", flat=True)[:3])
    if not names:
        return ""
    listed = " and ".join(f"“{name}”" for name in names)
    return f"“{report.name}” is attached to the incident {listed}: detach it first."


def attach(access: AccessContext, incident: Incident, comparison: Comparison, called: str) -> IncidentComparison:
    """The comparison, or the one whose swap it is; `called` is its title, for the timeline. Twice is once."""
    pk = comparison.mirror_of_id or comparison.pk
    with locked_incident(access, incident, comparison=pk) as found:
        original = Comparison.objects.get(pk=pk)
        own = IncidentComparison.objects.filter(incident=found)
        if there := own.filter(comparison=original).first():
            return there
        if own.count() >= MOST_COMPARISONS:
            raise IncidentRefused(f"An incident holds at most {MOST_COMPARISONS} comparisons: detach one first.")
        made = IncidentComparison.objects.create(incident=found, comparison=original, attached_by=access.user)
        note(found, access, f"Comparison attached: {called}", EventKind.STATUS, comparison=pk)
        note_change(access, found)
    refresh([made])
    return made


def detach(access: AccessContext, incident: Incident, comparison: UUID, called: str) -> None:
    """Its evidence stays with the incident. Twice is harmless."""
    with locked_incident(access, incident) as found:
        if IncidentComparison.objects.filter(incident=found, comparison=comparison).delete()[0]:
            note(found, access, f"Comparison detached: {called}", EventKind.STATUS, comparison=comparison)
            note_change(access, found)


def untitle(comparisons: Collection[UUID]) -> None:
    """They are being deleted: timelines keep that they were there, and not what they were called."""
    named = TimelineEvent.objects.filter(comparison__in=comparisons)
    lock(Incident, named.values_list("incident", flat=True))
    events = list(named)
    for event in events:
        event.text = without_title(event.text)
    TimelineEvent.objects.bulk_update(events, ["text"], batch_size=200)


def without_title(text: str) -> str:
    """What is left of `Comparison attached: PAY, Monday`."""
    return f"{text.partition(':')[0]}, and deleted since"


def attach_report(access: AccessContext, incident: Incident, report: Report) -> IncidentReport:
    """A report or a trace. Twice is once."""
    with transaction.atomic():
        if not lock(Report, [report.pk]):
            raise NotFound("The report has been deleted.")
        return _attach_report(access, incident, report)


def _attach_report(access: AccessContext, incident: Incident, report: Report) -> IncidentReport:
    with locked_incident(access, incident) as found:
        own = IncidentReport.objects.filter(incident=found)
        if there := own.filter(report=report).first():
            return there
        if own.count() >= MOST_REPORTS:
            raise IncidentRefused(f"An incident holds at most {MOST_REPORTS} reports: detach one first.")
        note_change(access, found)
        return IncidentReport.objects.create(incident=found, report=report, attached_by=access.user)


def detach_report(access: AccessContext, incident: Incident, report: UUID) -> None:
    with locked_incident(access, incident) as found:
        if IncidentReport.objects.filter(incident=found, report=report).delete()[0]:
            note_change(access, found)


def refresh(found: list[IncidentComparison]) -> None:
    """Reads again what the comparisons tell that were computed since it was read last."""
    for one in found:
        version = comparison_events.version_of(one.comparison)
        if version and version != one.told_of:
            one.told, one.told_of = comparison_events.events_of(one.comparison), version
            IncidentComparison.objects.filter(pk=one.pk).update(told=one.told, told_of=version)
