from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import closing
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Exists, Q, QuerySet, Sum

from awrdiff import logs
from awrdiff.accounts import quotas, rate_limits
from awrdiff.accounts.access import AccessContext, Can
from awrdiff.accounts.models import Team
from awrdiff.accounts.services import lock_team
from awrdiff.audit.services import note_all
from awrdiff.processing import metric_counters
from awrdiff.processing.fair_scheduling import wake_on_commit
from awrdiff.processing.models import State
from awrdiff.processing.row_locks import lock
from awrdiff.processing.work_claims import enqueue_values, outdated_rows
from awrdiff.reports import files, parser_version, tasks
from awrdiff.reports.errors import ReportInUse, TeamFull, UploadRefused
from awrdiff.reports.foreign_files import refuse_foreign
from awrdiff.reports.models import Report, ReportTrace
from awrdiff.reports.received_files import ReceivedFile
from awrdiff.reports.uploaded_report_rows import Incoming, clean_name, row_of

# Asked before a report is deleted: the sentence why it must stay, or "". Whoever uses reports registers here.
KEPT_BY: list[Callable[[Report], str]] = []
# Told in the transaction that deletes reports: of which databases, and when the earliest of them began.
WHEN_DELETED: list[Callable[[Iterable[int], str], None]] = []
HELD_BY: list[Callable[[Collection[UUID]], set[UUID]]] = []  # of these, what stays when their comparison goes
# Why a report stays when old ones are thinned out, in a few words, and of which this is so: a condition on the report
# of the query around it. What KEPT_BY holds is held here too; this may hold more.
HOLDS: dict[str, Callable[[], Exists]] = {}


def check_may_upload(access: AccessContext) -> None:
    """Raises PermissionDenied, TooMuch. No limit on a personal server, nor halfway through an archive."""
    access.check(Can.UPLOAD)
    if not access.is_local:
        most, own = settings.AWRDIFF_UPLOAD_RATE, Report.objects.filter(team=access.team, uploaded_by=access.user)
        rate_limits.check_stored(most, f"You have uploaded {most} files", (own, "created_at"))


def store_upload(access: AccessContext, file: ReceivedFile, name: str, *, is_demo: bool = False) -> Report:
    """Queues its pending row, closes `file`. Raises UploadRefused."""
    with closing(file):
        name = clean_name(name)
        if not file.size:
            raise UploadRefused(f"“{name}” is empty: copy it again, or have the report written again.")
        refuse_foreign(file, name)
        return store_uploads(access, [Incoming(file, name)], is_demo=is_demo)[0]


def store_uploads(access: AccessContext, incoming: Sequence[Incoming], *, is_demo: bool = False) -> list[Report]:
    """Store all or none. Leaves files open."""
    access.check(Can.UPLOAD)
    sizes = [upload.file.size or 0 for upload in incoming]
    if (access.team.most_reports, access.team.most_bytes) != (None, None):  # before anything is written
        with transaction.atomic():
            check_room(access.team.pk, sizes)
    stored = [files.store(access.team.pk, upload.file) for upload in incoming]
    rows = [
        row_of(access, upload, file, is_demo=is_demo, archive=upload.archive)
        for upload, file in zip(incoming, stored, strict=True)
    ]
    with files.naming_files(*stored):
        check_room(access.team.pk, sizes)  # others may have come first
        Report.objects.bulk_create(rows)
        note_all(access, "uploaded", "report", [row.pk for row in rows])
        wake_on_commit(tasks.read_report, [row.pk for row in rows], in_bulk=all(row.in_bulk for row in rows))
    for row in rows:
        logs.tell("uploaded", report_id=str(row.pk), bytes=row.size)
        metric_counters.add("uploads")
        metric_counters.add("upload_bytes", amount=row.size)
    return rows


def check_room(team_id: int, sizes: Sequence[int]) -> None:
    """Quota check in the storing transaction. Raises TeamFull."""
    most = Team.objects.values_list("most_reports", "most_bytes").get(pk=team_id)
    if most == (None, None):
        return
    team = lock_team(team_id)
    if team.most_reports is not None:
        has = stored_totals([team_id]).get(team_id, (0, 0))[0]
        if has + len(sizes) > team.most_reports:
            raise _full(f"{has:,} reports and may have {team.most_reports:,}")
    check_bytes(team_id, sum(sizes))


def check_bytes(team_id: int, more: int) -> None:
    """Bytes quota with attachments, in the storing transaction. Raises TeamFull."""
    if Team.objects.values_list("most_bytes", flat=True).get(pk=team_id) is None:
        return
    most = lock_team(team_id).most_bytes
    has = quotas.bytes_of(team_id)
    if most is not None and has + more > most:
        raise _full(f"{has >> 20:,} MiB of files and may have {most >> 20:,}")


def _full(has: str) -> TeamFull:
    return TeamFull(
        f"The team has {has}: delete some, or ask whoever administers the server. Nothing of this upload was kept."
    )


def stored_totals(teams: Collection[int] | None = None) -> dict[int, tuple[int, int]]:
    """Files and bytes by team; copies excluded."""
    rows = Report.objects.filter(copy_of=None, parent=None).order_by()
    rows = rows if teams is None else rows.filter(team__in=teams)
    totals = rows.values_list("team").annotate(files=Count("pk"), size=Sum("size"))
    return {team: (files, size) for team, files, size in totals}


def wait_for(reports: Iterable[Report]) -> None:
    """Give locked bulk reports their normal turn."""
    bulk_reports = Report.objects.filter(pk__in=[r.pk for r in reports], in_bulk=True)
    bulk_reports.exclude(state__in=[State.READY, State.FAILED]).update(in_bulk=False)


def hasten(reports: Iterable[Report]) -> None:
    """Normal turn for bulk reports sent again by hand."""
    pks = [r.pk for r in reports if r.in_bulk]
    if not pks:
        return
    with transaction.atomic():
        own = Report.objects.filter(Q(pk__in=pks) | Q(parent__in=pks), in_bulk=True, state=State.PENDING)
        waiting = list(own.select_for_update(no_key=True).order_by("pk"))
        wait_for(waiting)
        wake_on_commit(tasks.read_report, [r.pk for r in waiting])


def retry(access: AccessContext, report: Report) -> Report:
    """Reread a failed report, or renew an outdated one."""
    access.check(Can.WRITE, report)
    restart([report])
    report.refresh_from_db()
    return report


def restart(reports: list[Report]) -> None:
    """Failed ones are pending again; failed renewals may be retried."""
    for report in reports:
        Report.objects.filter(pk=report.pk, state=State.READY).update(renewal_tried=0, renewal_error="")
        _start(Report.objects.filter(pk=report.pk, state=State.FAILED))


def restart_stale(limit: int) -> int:
    """Reset those in unreadable formats; number reset."""
    unreadable = outdated_rows(Report, parser_version.PARSER_VERSION) & Q(state=State.READY)
    stale = Report.objects.filter(unreadable).exclude(stored_format__in=Report.readable_formats)
    pks = list(stale.values_list("pk", flat=True)[:limit])
    return sum(_start(Report.objects.filter(pk=pk, state=State.READY)) for pk in pks)


def _start(row: QuerySet[Report]) -> int:
    with transaction.atomic():
        pk = row.values_list("pk", flat=True).first()
        started = row.update(**enqueue_values())
        if started:
            wake_on_commit(tasks.read_report, [pk])
    return started


def delete_report(access: AccessContext, report: Report) -> None:
    """Raises ReportInUse if in a comparison."""
    access.check(Can.WRITE, report)
    with transaction.atomic():
        lock(Report, with_traces([report.pk]))
        if reason := kept_by(report):
            raise ReportInUse(reason)
        delete(access, [report])


def kept_by(report: Report) -> str:
    """Sentence on what needs it, else ""."""
    return next(filter(None, (keeps(report) for keeps in KEPT_BY)), "")


def reports_to_keep(pks: Collection[UUID]) -> set[UUID]:
    """Reports kept whatever comparison goes."""
    return set[UUID]().union(*(holds(pks) for holds in HELD_BY))


def with_traces(pks: Iterable[UUID]) -> set[UUID]:
    """Ids of reports and their traces, to be locked together before deletion."""
    reports = set(pks)
    return reports | set(ReportTrace.objects.filter(report__in=reports).values_list("trace_id", flat=True))


def delete(access: AccessContext, reports: list[Report]) -> None:
    """Dependent results are recomputed."""
    with transaction.atomic():
        rows = remove({r.pk for r in reports})
        note_all(access, "deleted", "report", [r.pk for r in rows])
        databases = sorted({r.database_id for r in rows if r.database_id is not None and r.begin_at})
        first = min((r.begin_at for r in rows if r.database_id is not None and r.begin_at), default="")
        for observer in WHEN_DELETED if databases else ():
            observer(databases, first)


def remove(wanted: Collection[UUID]) -> list[Report]:
    """Deleted rows; files too that nothing else needs. Locks first.

    Redacted copies and unshared traces go too.
    """
    with transaction.atomic():
        locked = lock(Report, with_traces(wanted))
        elsewhere = ReportTrace.objects.filter(trace__in=locked).exclude(report__in=wanted)
        attached = set(elsewhere.values_list("trace_id", flat=True))
        reports_first = [r for r in locked if r.pk in wanted and r.pk not in attached]
        ReportTrace.objects.filter(report__in=reports_first).delete()
        rows = reports_first + [r for r in locked if r.pk not in wanted and not kept_by(r)]
        lock(Report, Report.objects.filter(copy_of__in=rows).values_list("pk", flat=True))  # after what they are of
        files.loosen({r.file for r in rows if r.file})
        Report.objects.filter(pk__in=[r.pk for r in rows]).delete()
    return rows
