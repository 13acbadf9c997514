"""Redacted copies of reports: rows without a file, of a team without members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID, uuid4

from django.db import transaction

from awrdiff.accounts.models import Team
from awrdiff.processing.fair_scheduling import wake_on_commit
from awrdiff.processing.row_locks import lock
from awrdiff.processing.work_claims import enqueue_values
from awrdiff.redaction.link_options import Redaction
from awrdiff.reports.models import Report
from awrdiff.reports.tasks import read_report


def make(team: Team, sources: Mapping[UUID, Report], rule: Redaction) -> dict[UUID, Report]:
    """Pending copies by report id, without traces and file names. Needs a transaction: locks `sources`."""
    lock(Report, sources)
    kept_by = team_of_copies(team)
    copies = {pk: _copy(source, number, kept_by, rule) for number, (pk, source) in enumerate(sources.items(), 1)}
    Report.objects.bulk_create(copies.values())
    wake_on_commit(read_report, [report.pk for report in copies.values()])
    return copies


def _copy(source: Report, number: int, team: Team, rule: Redaction) -> Report:
    return Report(
        team=team,
        name=f"report-{number}.{'html' if source.format == 'html' else 'txt'}",
        size=source.size,
        sha256=uuid4().hex * 2,  # of no file: the digest of the real one would tell which it is
        file="",
        copy_of=source,
        redaction=rule.as_dict(),
        **enqueue_values(),
    )


def team_of_copies(team: Team) -> Team:
    team_row: Team = Team.objects.get_or_create(copies_of=team, defaults={"name": f"Copies {uuid4().hex}"})[0]
    return team_row


def remove(pks: Iterable[UUID]) -> None:
    """Delete those of these reports that are copies."""
    with transaction.atomic():
        locked = lock(Report, pks)
        Report.objects.filter(pk__in=[r.pk for r in locked if r.copy_of_id]).delete()
