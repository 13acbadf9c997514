"""Comparisons and reports of an incident."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import CharField, Exists, OuterRef, Value
from django.db.models.functions import Cast, Concat

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.analysis import ENGINE_VERSION
from awrdiff.analysis.model.traces import TRACE
from awrdiff.comparisons import both_ways
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import queries
from awrdiff.incidents.account import WhatHappened, account_of, settle
from awrdiff.incidents.comparison_events import KEPT, events_of, version_of
from awrdiff.incidents.errors import IncidentRefused
from awrdiff.incidents.hours import Hours
from awrdiff.incidents.models import EventKind, Incident, IncidentComparison, IncidentReport, TimelineEvent
from awrdiff.incidents.services import locked_incident, note, note_change, save, texts_of
from awrdiff.incidents.story import story_of, story_of_report
from awrdiff.processing.models import State, Work
from awrdiff.processing.rows import lock
from awrdiff.reports.models import SEVERAL, Report

MOST_COMPARISONS, MOST_REPORTS = 50, 100
MOST_ASSESSED = 5
REFRESH_EVERY_S, MOST_STALE, MOST_S = 10, 20, 2.0
NO_STORIES: Mapping[UUID, dict[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class Hour:
    """The window of a report of a comparison, as the incident's clocks have it: `title` is the report's."""

    place: int
    title: str
    begin: datetime | None
    end: datetime | None


def holds(reports: Collection[UUID]) -> set[UUID]:
    """Those that are attached to an incident: they stay when their comparison goes."""
    return set(IncidentReport.objects.filter(report__in=reports).values_list("report_id", flat=True))


def attached() -> Exists:
    """Of a query of reports: those that are attached to an incident."""
    return Exists(IncidentReport.objects.filter(report=OuterRef("pk")))


def keeps(report: Report) -> str:
    """Why a report must stay: the incidents it is attached to, in a sentence; "" where there is none."""
    names = list(Incident.objects.filter(attached_reports__report=report).values_list("title", flat=True)[:3])
    if not names:
        return ""
    listed = " and ".join(f"“{name}”" for name in names)
    return f"“{report.name}” is attached to the incident {listed}: detach it first."


def attach(
    access: AccessContext, incident: Incident, comparison: Comparison, called: str, story: dict[str, Any] | None = None
) -> IncidentComparison:
    """`called` is its title, for the timeline; `story` the comparison's, where that was read already. Twice is once."""
    pk = comparison.pk
    with locked_incident(access, incident, comparison=pk) as found:
        original = Comparison.objects.get(pk=pk)
        own = IncidentComparison.objects.filter(incident=found)
        if there := own.filter(comparison=original).first():
            return there
        if own.count() >= MOST_COMPARISONS:
            raise IncidentRefused(f"An incident holds at most {MOST_COMPARISONS} comparisons: detach one first.")
        made = IncidentComparison.objects.create(incident=found, comparison=original, attached_by=access.user)
        note(found, access, f"Comparison attached: {called}", EventKind.LOG, comparison=pk)
        note_change(access, found)
    _tell_anew(found, {pk: story} if story is not None else {})
    made.refresh_from_db()
    return made


def choose(
    access: AccessContext, incident: Incident, comparison: UUID, place: int, known: Sequence[Hour]
) -> IncidentComparison:
    """A person says that the incident's hour is that of the report at `place`; `known` are all of them.

    An incident that still has the window or the title of another of these reports gets those of its own; what people
    typed instead stays.
    """
    with locked_incident(access, incident, comparison=comparison) as found:
        one = IncidentComparison.objects.filter(incident=found, comparison=comparison).first()
        if one is None:
            raise NotFound("The comparison has been detached.")
        chosen = next((hour for hour in known if hour.place == place), None)
        if chosen is None:
            raise IncidentRefused("The comparison has no such report: choose one of those it compares.")
        if one.bad != place:
            note(found, access, f"The incident's hour: {chosen.title}", EventKind.LOG)
        if one.bad != place or not one.bad_chosen:
            note_change(access, found)
        one.bad, one.bad_chosen = place, True
        one.save(update_fields=["bad", "bad_chosen"])
        _follow(access, found, chosen, [hour for hour in known if hour.place != place])
    _tell_anew(found)
    return one


def _follow(access: AccessContext, incident: Incident, own: Hour, others: Sequence[Hour]) -> None:
    window = (incident.begins_at, incident.ends_at)
    before = texts_of(incident)
    if own.begin is not None and own.end is not None and window in [(one.begin, one.end) for one in others]:
        incident.begins_at, incident.ends_at = own.begin, own.end
    if incident.title in [one.title[:200] for one in others]:
        incident.title = own.title[:200]
    if before != texts_of(incident):
        save(access, incident, before)


def _tell_anew(incident: Incident, stories: Mapping[UUID, dict[str, Any]] = NO_STORIES) -> None:
    """A report more, or another bad hour, may make another hour the incident's in each of its comparisons."""
    refresh(queries.comparisons_of(incident), stories)


def detach(access: AccessContext, incident: Incident, comparison: UUID, called: str) -> None:
    """Its evidence stays with the incident. Twice is harmless."""
    with locked_incident(access, incident) as found:
        if IncidentComparison.objects.filter(incident=found, comparison=comparison).delete()[0]:
            note(found, access, f"Comparison detached: {called}", EventKind.LOG, comparison=comparison)
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


def choose_report(access: AccessContext, incident: Incident, report: UUID, *, bad: bool) -> None:
    """Whether the hour of an attached report is the incident's, or there for comparison."""
    with locked_incident(access, incident) as found:
        if IncidentReport.objects.filter(incident=found, report=report).exclude(bad=bad).update(bad=bad):
            note_change(access, found)


def refresh(rows: list[IncidentComparison], stories: Mapping[UUID, dict[str, Any]] = NO_STORIES) -> int:
    """Reads again what the comparisons tell that were computed since, and which hour is the bad one: of all rows of an
    incident. Says how many were read. `stories`: those that are known, by comparison."""
    stale = [(row, version_of(row.comparison)) for row in rows]
    stale = [(row, version) for row, version in stale if version and version != row.told_of]
    for row, version in stale:
        row.told, row.told_of = events_of(row.comparison), version
        row.story = stories.get(row.comparison_id) or story_of(row.comparison)
        own = IncidentComparison.objects.filter(pk=row.pk)
        own.update(told=row.told, told_of=version, story=row.story)
    for row in settle(rows):
        IncidentComparison.objects.filter(pk=row.pk, bad_chosen=False).update(bad=row.bad)
    # Where First is the incident's hour, only the other way round is there a sentence for what happened in it.
    if first := [row.comparison_id for row in rows if row.bad == 0 and not row.comparison.both_ways]:
        both_ways.need(first)
    return len(stale)


def refresh_stale(most: int = MOST_STALE) -> int:
    """The same of incidents that nobody looks at, and of a few reports; says how many were read. It ends after the
    incident that takes it past `most` rows or 2 s: the sweeper has other chores."""
    versions = ("comparison__engine_version", "comparison__attempt")
    of_comparison = Concat(_text(versions[0]), Value("."), _text(versions[1]), Value(f".{KEPT}"))
    compared = IncidentComparison.objects.filter(**_ready("comparison", Comparison)).exclude(told_of=of_comparison)
    done, until = 0, monotonic() + MOST_S
    for incident in Incident.objects.filter(pk__in=list(compared.values_list("incident", flat=True)[:most])):
        done += refresh(queries.comparisons_of(incident))
        if done >= most or monotonic() >= until:
            break
    of_report = Concat(
        Value(f"{ENGINE_VERSION}."), _text("report__parser_version"), Value("."), _text("report__attempt")
    )
    alone = IncidentReport.objects.filter(**_ready("report", Report)).exclude(report__kind__in=(TRACE, SEVERAL))
    return done + refresh_reports(alone.exclude(story_of=of_report).select_related("report")[:MOST_ASSESSED])


def _ready(name: str, model: type[Work]) -> dict[str, Any]:
    """As `is_ready` of a row has it."""
    return {f"{name}__state": State.READY, f"{name}__stored_format__in": model.readable_formats}


def _text(name: str) -> Cast:
    return Cast(name, CharField())


def accounts_of(incidents: Sequence[Incident]) -> dict[UUID, WhatHappened]:
    """Of each of several incidents as they were read last, with as few queries as of one. Writes nothing."""
    rows = queries.comparisons_of_each(incidents)
    reports = queries.reports_of(*incidents)
    judged = queries.verdicts_of(*incidents)
    for attached_rows in rows.values():
        settle(attached_rows)
    verdicts = []
    for incident in incidents:
        compared = {row.comparison_id for row in rows.get(incident.pk, ())}
        verdicts.append([verdict for verdict in judged if verdict.comparison_id in compared])
    hours = Hours.of_each([(rows.get(of.pk, ()), own, ()) for of, own in zip(incidents, verdicts, strict=True)])
    return {
        incident.pk: account_of(
            rows.get(incident.pk, ()), [r for r in reports if r.incident_id == incident.pk], verdicts[n], hours[n]
        )
        for n, incident in enumerate(incidents)
    }


def refresh_reports(rows: Iterable[IncidentReport]) -> int:
    """The same of reports by themselves, a few at a look: a large one has to be assessed first."""
    stale = [(row, version) for row in rows if (version := _version_of(row.report)) and version != row.story_of]
    for row, version in stale[:MOST_ASSESSED]:
        row.story, row.story_of = story_of_report(row.report), version
        IncidentReport.objects.filter(pk=row.pk).update(story=row.story, story_of=version)
    return min(len(stale), MOST_ASSESSED)


def _version_of(report: Report) -> str:
    is_told = report.is_ready and report.kind not in (TRACE, SEVERAL)
    return f"{ENGINE_VERSION}.{report.parser_version}.{report.attempt}" if is_told else ""
