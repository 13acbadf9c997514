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

from awrdiff.accounts.access import AccessContext, NotFound, require_row
from awrdiff.analysis import ENGINE_VERSION
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.analysis.report_time_windows import length_s, span_word
from awrdiff.comparisons import services
from awrdiff.comparisons.models import Comparison
from awrdiff.incidents import queries
from awrdiff.incidents.bad_hour_selection import OWN, Hours
from awrdiff.incidents.bad_hour_summary import WhatHappened, account_of, settle
from awrdiff.incidents.cached_comparison_answers import ROW_FORMAT, events_of, story_of, story_of_report, version_of
from awrdiff.incidents.field_validation import IncidentRefused
from awrdiff.incidents.models import EventKind, Incident, IncidentComparison, IncidentReport, TimelineEvent
from awrdiff.incidents.services import locked_incident, note, note_change, save, texts_of
from awrdiff.processing.models import State, Work
from awrdiff.processing.row_locks import lock
from awrdiff.reports.models import SEVERAL, Report

MOST_COMPARISONS, MOST_REPORTS = 50, 100
MOST_ASSESSED = 5
REFRESH_EVERY_S, MOST_STALE, MOST_S = 10, 20, 2.0
NO_STORIES: Mapping[UUID, dict[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class Hour:
    """Report window on the incident's clocks."""

    place: int
    title: str
    begin: datetime | None
    end: datetime | None


def holds(reports: Collection[UUID]) -> set[UUID]:
    """Reports attached to an incident outlive their comparison."""
    return set(IncidentReport.objects.filter(report__in=reports).values_list("report_id", flat=True))


def attached() -> Exists:
    return Exists(IncidentReport.objects.filter(report=OuterRef("pk")))


def keeps(report: Report) -> str:
    """Sentence on incidents that need the report, else ""."""
    names = list(Incident.objects.filter(attached_reports__report=report).values_list("title", flat=True)[:3])
    if not names:
        return ""
    listed = " and ".join(f"“{name}”" for name in names)
    return f"“{report.name}” is attached to the incident {listed}: detach it first."


def attach(
    access: AccessContext, incident: Incident, comparison: Comparison, title: str, story: dict[str, Any] | None = None
) -> IncidentComparison:
    """`title`: for the timeline; `story`: if already read. Idempotent."""
    pk = comparison.pk
    with locked_incident(access, incident, comparison=pk) as locked:
        original = Comparison.objects.get(pk=pk)
        own = IncidentComparison.objects.filter(incident=locked)
        if there := own.filter(comparison=original).first():
            return there
        if own.count() >= MOST_COMPARISONS:
            raise IncidentRefused(f"An incident holds at most {MOST_COMPARISONS} comparisons: detach one first.")
        link = IncidentComparison.objects.create(incident=locked, comparison=original, attached_by=access.user)
        note(locked, access, f"Comparison attached: {title}", EventKind.LOG, comparison=pk)
        note_change(access, locked)
    _tell_anew(locked, {pk: story} if story is not None else {})
    link.refresh_from_db()
    return link


def choose(
    access: AccessContext, incident: Incident, comparison: UUID, place: int, hours: Sequence[Hour]
) -> IncidentComparison:
    """Window and title follow, unless typed."""
    with locked_incident(access, incident, comparison=comparison) as locked:
        links = IncidentComparison.objects.filter(incident=locked, comparison=comparison)
        link = require_row(links, "The comparison has been detached.")
        chosen_hour = next((hour for hour in hours if hour.place == place), None)
        if chosen_hour is None:
            raise IncidentRefused("The comparison has no such report: choose one of those it compares.")
        if link.bad != place:
            own = OWN[span_word(length_s((chosen_hour.begin, chosen_hour.end)))].name.capitalize()
            note(locked, access, f"{own}: {chosen_hour.title}", EventKind.LOG)
        if link.bad != place or not link.bad_chosen:
            note_change(access, locked)
        link.bad, link.bad_chosen = place, True
        link.save(update_fields=["bad", "bad_chosen"])
        _follow(access, locked, chosen_hour, [hour for hour in hours if hour.place != place])
    _tell_anew(locked)
    return link


def _follow(access: AccessContext, incident: Incident, own: Hour, former: Sequence[Hour]) -> None:
    window = (incident.begins_at, incident.ends_at)
    before = texts_of(incident)
    if own.begin is not None and own.end is not None and window in [(hour.begin, hour.end) for hour in former]:
        incident.begins_at, incident.ends_at = own.begin, own.end
    if incident.title in [hour.title[:200] for hour in former]:
        incident.title = own.title[:200]
    if before != texts_of(incident):
        save(access, incident, before)


def _tell_anew(incident: Incident, stories: Mapping[UUID, dict[str, Any]] = NO_STORIES) -> None:
    """Another report or bad hour may change every comparison's hour."""
    refresh(queries.comparisons_of(incident), stories)


def detach(access: AccessContext, incident: Incident, comparison: UUID, title: str) -> None:
    """Idempotent; evidence stays."""
    with locked_incident(access, incident) as locked:
        if IncidentComparison.objects.filter(incident=locked, comparison=comparison).delete()[0]:
            note(locked, access, f"Comparison detached: {title}", EventKind.LOG, comparison=comparison)
            note_change(access, locked)


def untitle(comparisons: Collection[UUID]) -> None:
    """Remove titles of deleted comparisons from timelines."""
    title_events = TimelineEvent.objects.filter(comparison__in=comparisons)
    lock(Incident, title_events.values_list("incident", flat=True))
    events = list(title_events)
    for event in events:
        event.text = without_title(event.text)
    TimelineEvent.objects.bulk_update(events, ["text"], batch_size=200)


def without_title(text: str) -> str:
    """Rest of `Comparison attached: PAY, Monday`."""
    return f"{text.partition(':')[0]}, and deleted since"


def attach_report(access: AccessContext, incident: Incident, report: Report) -> IncidentReport:
    """Report or trace. Idempotent."""
    with transaction.atomic():
        if not lock(Report, [report.pk]):
            raise NotFound("The report has been deleted.")
        with locked_incident(access, incident) as locked:
            own = IncidentReport.objects.filter(incident=locked)
            if there := own.filter(report=report).first():
                return there
            if own.count() >= MOST_REPORTS:
                raise IncidentRefused(f"An incident holds at most {MOST_REPORTS} reports: detach one first.")
            note_change(access, locked)
            return IncidentReport.objects.create(incident=locked, report=report, attached_by=access.user)


def detach_report(access: AccessContext, incident: Incident, report: UUID) -> None:
    with locked_incident(access, incident) as locked:
        if IncidentReport.objects.filter(incident=locked, report=report).delete()[0]:
            note_change(access, locked)


def choose_report(access: AccessContext, incident: Incident, report: UUID, *, bad: bool) -> None:
    """Mark its hour as the incident's, or for comparison."""
    with locked_incident(access, incident) as locked:
        if IncidentReport.objects.filter(incident=locked, report=report).exclude(bad=bad).update(bad=bad):
            note_change(access, locked)


def refresh(rows: list[IncidentComparison], stories: Mapping[UUID, dict[str, Any]] = NO_STORIES) -> int:
    """Rows read again. `stories`: known ones by comparison."""
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
        services.compute_both_ways(first)
    return len(stale)


def refresh_stale(most: int = MOST_STALE) -> int:
    """Rows read; stops past `most` rows or 2 s."""
    versions = ("comparison__engine_version", "comparison__attempt")
    of_comparison = Concat(_text(versions[0]), Value("."), _text(versions[1]), Value(f".{ROW_FORMAT}"))
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
    return {f"{name}__state": State.READY, f"{name}__stored_format__in": model.readable_formats}


def _text(name: str) -> Cast:
    return Cast(name, CharField())


def accounts_of(incidents: Sequence[Incident]) -> dict[UUID, WhatHappened]:
    """Accounts as last read, in constant queries. Writes nothing."""
    rows = queries.comparisons_of_each(incidents)
    reports = queries.reports_of(*incidents)
    all_verdicts = queries.verdicts_of(*incidents)
    for attached_rows in rows.values():
        settle(attached_rows)
    verdicts = []
    for incident in incidents:
        compared = {row.comparison_id for row in rows.get(incident.pk, ())}
        verdicts.append([verdict for verdict in all_verdicts if verdict.comparison_id in compared])
    hours = Hours.of_each([(rows.get(of.pk, ()), own, ()) for of, own in zip(incidents, verdicts, strict=True)])
    return {
        incident.pk: account_of(
            rows.get(incident.pk, ()), [r for r in reports if r.incident_id == incident.pk], verdicts[n], hours[n]
        )
        for n, incident in enumerate(incidents)
    }


def refresh_reports(rows: Iterable[IncidentReport]) -> int:
    """Reports read; few per call, as assessing is slow."""
    stale = [(row, version) for row in rows if (version := _version_of(row.report)) and version != row.story_of]
    for row, version in stale[:MOST_ASSESSED]:
        row.story, row.story_of = story_of_report(row.report), version
        IncidentReport.objects.filter(pk=row.pk).update(story=row.story, story_of=version)
    return min(len(stale), MOST_ASSESSED)


def _version_of(report: Report) -> str:
    has_story = report.is_ready and report.kind not in (TRACE, SEVERAL)
    return f"{ENGINE_VERSION}.{report.parser_version}.{report.attempt}" if has_story else ""
