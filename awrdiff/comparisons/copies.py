"""A comparison without its names, for outsiders: rows of its own, made by the workers of copies of its reports.

All pages, exports and searches of a redacted link are those of its copy, so none of them has to leave anything out. The
copies of a team belong to a team that nobody is on: no list, search or page of a member finds them.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import uuid4

from django.db import transaction

from awrdiff.accounts.models import Team
from awrdiff.analysis.model.traces import split_traces
from awrdiff.comparisons.errors import GONE, ComparisonRefused
from awrdiff.comparisons.files import place
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.processing.claims import enqueue_values
from awrdiff.processing.dispatch import send_on_commit
from awrdiff.processing.rows import lock
from awrdiff.redaction.rule import Redaction
from awrdiff.reports.models import Report
from awrdiff.reports.tasks import read_report

NOT_READY = "The comparison is not finished yet: a redacted link can be made once it is."


def make(comparison: Comparison, rule: Redaction) -> Comparison:
    """A pending copy, in the transaction of whoever asks for it. Traces, title and file names do not go along.

    Raises ComparisonRefused.
    """
    if not lock(Comparison, [comparison.pk]):
        raise ComparisonRefused(GONE)
    comparison.refresh_from_db(fields=["state", "stored_format"])
    if not comparison.is_ready:
        raise ComparisonRefused(NOT_READY)
    places, _ = split_traces(comparison.places.select_related("report").order_by("position"))
    sources = {p.report_id: p.report for p in places}
    lock(Report, sources)
    team = _team_of_copies(comparison.team)
    copies = {pk: _copy(source, number, team, rule) for number, (pk, source) in enumerate(sources.items(), 1)}
    Report.objects.bulk_create(copies.values())
    made = Comparison.objects.create(team=team, copy_of=comparison, **enqueue_values())
    place(made, [copies[p.report_id] for p in places], [p.aspect for p in places])
    for report in copies.values():
        send_on_commit(read_report, report.pk)
    return made


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


def _team_of_copies(team: Team) -> Team:
    found: Team = Team.objects.get_or_create(copies_of=team, defaults={"name": f"Copies {uuid4().hex}"})[0]
    return found


def remove(comparisons: Iterable[Comparison]) -> None:
    """Delete copies with their reports, which no other comparison has."""
    with transaction.atomic():
        found = lock(Comparison, [c.pk for c in comparisons if c.copy_of_id])
        standing = ComparisonReport.objects.filter(comparison__in=found).values_list("report", flat=True)
        reports = lock(Report, standing)
        Comparison.objects.filter(pk__in=[c.pk for c in found]).delete()
        Report.objects.filter(pk__in=[r.pk for r in reports if r.copy_of_id]).delete()
