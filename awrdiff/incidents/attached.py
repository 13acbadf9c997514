"""Comparisons and reports of an incident."""

from __future__ import annotations

from uuid import UUID

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import told
from awrdiff.incidents.errors import IncidentRefused
from awrdiff.incidents.models import EventKind, Incident, IncidentComparison, IncidentReport
from awrdiff.incidents.services import held, note
from awrdiff.reports.models import Report

MOST_COMPARISONS, MOST_REPORTS = 50, 100


def attach(access: AccessContext, incident: Incident, comparison: Comparison, called: str) -> IncidentComparison:
    """The comparison, or the one whose swap it is; `called` is its title, for the timeline. Twice is once."""
    original = comparison.mirror_of or comparison
    with held(access, incident, comparison=original.pk) as found:
        own = IncidentComparison.objects.filter(incident=found)
        if there := own.filter(comparison=original).first():
            return there
        if own.count() >= MOST_COMPARISONS:
            raise IncidentRefused(f"At most {MOST_COMPARISONS} comparisons are attached to an incident.")
        made = IncidentComparison.objects.create(incident=found, comparison=original, attached_by=access.user)
        note(found, access, f"Comparison attached: {called}", EventKind.STATUS)
    refresh([made])
    return made


def detach(access: AccessContext, incident: Incident, comparison: UUID, called: str) -> None:
    """Its evidence stays with the incident. Twice is harmless."""
    with held(access, incident) as found:
        if IncidentComparison.objects.filter(incident=found, comparison=comparison).delete()[0]:
            note(found, access, f"Comparison detached: {called}", EventKind.STATUS)


def attach_report(access: AccessContext, incident: Incident, report: Report) -> IncidentReport:
    """A report or a trace. Twice is once."""
    with held(access, incident) as found:
        own = IncidentReport.objects.filter(incident=found)
        if there := own.filter(report=report).first():
            return there
        if own.count() >= MOST_REPORTS:
            raise IncidentRefused(f"At most {MOST_REPORTS} reports are attached to an incident.")
        return IncidentReport.objects.create(incident=found, report=report, attached_by=access.user)


def detach_report(access: AccessContext, incident: Incident, report: UUID) -> None:
    with held(access, incident) as found:
        IncidentReport.objects.filter(incident=found, report=report).delete()


def refresh(found: list[IncidentComparison]) -> None:
    """Reads again what the comparisons tell that were computed since it was read last."""
    for one in found:
        version = told.version_of(one.comparison)
        if version and version != one.told_of:
            one.told, one.told_of = told.told_by(one.comparison), version
            IncidentComparison.objects.filter(pk=one.pk).update(told=one.told, told_of=version)
