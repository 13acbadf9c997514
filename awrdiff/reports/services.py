"""Writes of the reports app."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q, QuerySet

from awrdiff.accounts import limits
from awrdiff.accounts.access import AccessContext
from awrdiff.audit.services import note_all
from awrdiff.processing.claims import enqueue_values, outdated_rows
from awrdiff.processing.fairness import wake_on_commit
from awrdiff.processing.models import State
from awrdiff.processing.rows import lock
from awrdiff.reports import files, tasks, versions
from awrdiff.reports.errors import ReportInUse, UploadRefused
from awrdiff.reports.incoming import Incoming, clean_name, row_of
from awrdiff.reports.models import Report, ReportTrace
from awrdiff.reports.sniff import refuse_foreign
from awrdiff.reports.uploads import ReceivedFile

# Asked before a report is deleted: the sentence why it must stay, or "". Whoever uses reports registers here.
KEPT_BY: list[Callable[[Report], str]] = []
HELD_BY: list[Callable[[Collection[UUID]], set[UUID]]] = []  # of these, what stays when their comparison goes


def check_may_upload(access: AccessContext) -> None:
    """Before an upload is looked at: raises PermissionDenied, TooMuch. Whoever runs the server for themselves is
    not counted. Each file of an archive counts, but none stops the archive that it came in."""
    if not access.can_upload:
        raise PermissionDenied
    if not access.is_local:
        most, own = settings.AWRDIFF_UPLOAD_RATE, Report.objects.filter(team=access.team, uploaded_by=access.user)
        limits.check_stored(most, f"You have uploaded {most} files", (own, "created_at"))


def store_upload(access: AccessContext, file: ReceivedFile, name: str, *, is_demo: bool = False) -> Report:
    """Keep the bytes and a pending row, and send it to the workers. Raises UploadRefused. Closes `file`."""
    with closing(file):
        name = clean_name(name)
        if not file.size:
            raise UploadRefused(f"“{name}” is empty: copy it again, or have the report written again.")
        refuse_foreign(file, name)
        return store_uploads(access, [Incoming(file, name)], is_demo=is_demo)[0]


def store_uploads(access: AccessContext, incoming: Sequence[Incoming], *, is_demo: bool = False) -> list[Report]:
    """The same for all files of an upload: their rows are made together or not at all. Leaves the files open."""
    if not access.can_upload:
        raise PermissionDenied
    stored = [files.store(access.team.pk, one.file) for one in incoming]
    rows = [
        row_of(access, one, file, is_demo=is_demo, archive=one.archive)
        for one, file in zip(incoming, stored, strict=True)
    ]
    with files.naming_files(*stored):
        Report.objects.bulk_create(rows)
        note_all(access, "uploaded", "report", [row.pk for row in rows])
        wake_on_commit(tasks.read_report, [row.pk for row in rows], in_bulk=all(row.in_bulk for row in rows))
    return rows


def wait_for(reports: Iterable[Report]) -> None:
    """Somebody waits for these now, which are locked: what came in bulk is read in its turn. What is read stays what it
    was, history of which nobody is told."""
    found = Report.objects.filter(pk__in=[r.pk for r in reports], in_bulk=True)
    found.exclude(state__in=[State.READY, State.FAILED]).update(in_bulk=False)


def retry(access: AccessContext, report: Report) -> Report:
    """Read a failed report again from the start, or renew one again that an older version read."""
    if not access.can_write or report.team_id != access.team.pk:
        raise PermissionDenied
    restart([report])
    report.refresh_from_db()
    return report


def restart(reports: list[Report]) -> None:
    """Put failed reports back to the start; one that is being worked on is left alone, and so is a result."""
    for report in reports:
        Report.objects.filter(pk=report.pk, state=State.READY).update(renewal_tried=0, renewal_error="")
        _start(Report.objects.filter(pk=report.pk, state=State.FAILED))


def restart_stale(limit: int) -> int:
    """Read again what is stored in a format of older versions that cannot be shown any more. Returns how many."""
    unreadable = outdated_rows(Report, versions.PARSER_VERSION) & Q(state=State.READY)
    found = Report.objects.filter(unreadable).exclude(stored_format__in=Report.readable_formats)
    pks = list(found.values_list("pk", flat=True)[:limit])
    return sum(_start(Report.objects.filter(pk=pk, state=State.READY)) for pk in pks)


def _start(row: QuerySet[Report]) -> int:
    with transaction.atomic():
        pk = row.values_list("pk", flat=True).first()
        started = row.update(**enqueue_values())
        if started:
            wake_on_commit(tasks.read_report, [pk])
    return started


def delete_report(access: AccessContext, report: Report) -> None:
    """Delete one that stands in no comparison. Raises ReportInUse."""
    if not access.can_write or report.team_id != access.team.pk:
        raise PermissionDenied
    with transaction.atomic():
        lock(Report, with_traces([report.pk]))
        if kept := kept_by(report):
            raise ReportInUse(kept)
        delete(access, [report])


def kept_by(report: Report) -> str:
    """Why a report cannot be deleted, in a sentence; "" where it can."""
    return next(filter(None, (keeps(report) for keeps in KEPT_BY)), "")


def reports_to_keep(pks: Collection[UUID]) -> set[UUID]:
    """Those of these reports that somebody wants to keep, whatever comparison goes."""
    return set[UUID]().union(*(holds(pks) for holds in HELD_BY))


def with_traces(pks: Iterable[UUID]) -> set[UUID]:
    """These reports and the traces attached to them: what is locked together before any of them is deleted."""
    reports = set(pks)
    return reports | set(ReportTrace.objects.filter(report__in=reports).values_list("trace_id", flat=True))


def delete(access: AccessContext, reports: list[Report]) -> None:
    """Delete rows, and the files that no other row stands on. The rows are locked before what hangs on them.

    With a report go its copies without names, and its traces that nothing else has; a trace that another report has
    stays.
    """
    wanted = {r.pk for r in reports}
    with transaction.atomic():
        locked = lock(Report, with_traces(wanted))
        elsewhere = ReportTrace.objects.filter(trace__in=locked).exclude(report__in=wanted)
        attached = set(elsewhere.values_list("trace_id", flat=True))
        asked = [r for r in locked if r.pk in wanted and r.pk not in attached]
        ReportTrace.objects.filter(report__in=asked).delete()
        rows = asked + [r for r in locked if r.pk not in wanted and not kept_by(r)]
        lock(Report, Report.objects.filter(copy_of__in=rows).values_list("pk", flat=True))  # after what they are of
        files.loosen({r.file for r in rows if r.file})
        note_all(access, "deleted", "report", [r.pk for r in rows])
        Report.objects.filter(pk__in=[r.pk for r in rows]).delete()
