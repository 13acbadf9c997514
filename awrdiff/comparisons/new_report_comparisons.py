"""Comparison of each new report with those of its hour, for teams with an `ArrivalRule`, and notices where it lies
outside. Unless its median is outside (tasks.py) or somebody opened it, the comparison is removed.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.models import Membership, Role, Team, User
from awrdiff.analysis.baseline.member_selection import same_hour
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.report_time_windows import moment
from awrdiff.audit.services import note
from awrdiff.comparisons import services
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.models import Arrival, ArrivalRule
from awrdiff.processing.models import State
from awrdiff.reports.models import Report

MOST_HELD = 12  # the latest of that hour: a quarter of a year
EVERY_S = 60
_MISSED = timedelta(days=1)  # what was not looked at by then, because no server ran, is no news
_BATCH = 20


def recipients_of(team: Team) -> list[User]:
    """Chosen recipients; none without a rule."""
    return list(User.objects.filter(arrival_rules__team=team).order_by("username"))


def who_may(team: Team) -> list[User]:
    members = Membership.objects.filter(team=team).exclude(role=Role.GUEST)
    return [membership.user for membership in members.select_related("user").order_by("user__username")]


def choose(access: AccessContext, names: Collection[str]) -> None:
    """Set the recipients by name; none ends the rule."""
    if not access.can_administer:
        raise PermissionDenied("Only an owner of the team says who is told of new reports.")
    members = Membership.objects.filter(team=access.team, user__username__in=names)
    people = [membership.user_id for membership in members.exclude(role=Role.GUEST)]
    with transaction.atomic():
        if people:
            rule, _ = ArrivalRule.objects.get_or_create(team=access.team)
            rule.people.set(people)
        else:
            ArrivalRule.objects.filter(team=access.team).delete()
        note(access, "changed", "team", access.team.pk)


def report_settled(pk: UUID) -> None:
    """Compare a new report with its hour, once."""
    report = _new().filter(pk=pk).select_related("team", "uploaded_by").defer("head").first()
    if report is None:
        return
    try:
        _hold_against_its_hour(report)
    except ComparisonRefused:  # one of those before it was deleted meanwhile: it is looked at once more
        return


def _hold_against_its_hour(report: Report) -> None:
    with transaction.atomic():
        arrival, is_new = Arrival.objects.get_or_create(report=report)
        before = _of_its_hour(report) if is_new and report.uploaded_by else []
        if len(before) < 2:  # of one there is no range
            return
        access = AccessContext(report.team, report.uploaded_by, role=Role.MEMBER)
        arrival.comparison = services.create_comparison(
            access, [*before, report], order_by_time=False, only_if_meant=True
        )
        arrival.save(update_fields=["comparison"])


def look_for_missed() -> int:
    """Reports whose process died before looking."""
    missed = list(_new().filter(arrival=None).order_by("created_at").values_list("pk", flat=True)[:_BATCH])
    for pk in missed:
        report_settled(pk)
    return len(missed)


def _new() -> QuerySet[Report]:
    """Reports since the team's rule; bulk imports are history."""
    reports = Report.objects.filter(created_at__gte=F("team__arrival_rule__since"), state=State.READY)
    reports = reports.filter(is_demo=False, in_bulk=False, copy_of=None, kind__in=OF_AN_INTERVAL)
    return reports.filter(created_at__gte=timezone.now() - _MISSED)


def _of_its_hour(report: Report) -> list[Report]:
    """Latest before it, each window once; likeness shows in the comparison."""
    begin = moment(report.begin_at)
    if begin is None or not (report.db_name or report.dbid):
        return []
    same = Report.objects.filter(team=report.team_id, state=State.READY, kind=report.kind, is_demo=False, copy_of=None)
    same = same.filter(instance_number=report.instance_number, thinned_at=None)
    alike = Q(database=None, db_name__iexact=report.db_name, dbid=report.dbid)
    if report.database_id is not None:
        alike = Q(database=report.database_id) | alike & Q(placed_at=None)  # until it is taken over
    same = same.filter(alike)
    earlier = same.filter(begin_at__lt=report.begin_at).exclude(begin_at="").order_by("-begin_at", "created_at")
    by_window: dict[str, UUID] = {}
    for pk, begun in earlier.values_list("pk", "begin_at").iterator(chunk_size=_BATCH):
        if same_hour(moment(begun), begin):
            by_window.setdefault(begun, pk)
        if len(by_window) == MOST_HELD:
            break
    rows = {row.pk: row for row in Report.objects.filter(pk__in=by_window.values()).defer("head")}
    return [rows[pk] for pk in reversed(by_window.values()) if pk in rows and rows[pk].is_ready]
