"""A report that arrives is held against those of its hour, and somebody is told where it lies outside them.

Where a team has asked for it (`ArrivalRule`), a new report of an interval becomes an ordinary comparison with those of
the same weekday and hour, of the same database and instance, before it. What its median says is known when it is
computed (tasks.py): where the report lies outside, the team's chosen people have a notice in the transaction that
stores the result; else the comparison goes, unless somebody has opened it.

`Arrival` says that a report was looked at. It is made with the comparison in one transaction, and what was missed
because a process died is found by the sweeper, so that each report is looked at once.
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
from awrdiff.analysis.baseline.members import same_hour
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.windows import moment
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


def told_of(team: Team) -> list[User]:
    """Whom the team has chosen; nobody where it has no rule."""
    return list(User.objects.filter(arrival_rules__team=team).order_by("username"))


def who_may(team: Team) -> list[User]:
    """Those who can be chosen: whoever reads all of the team's."""
    members = Membership.objects.filter(team=team).exclude(role=Role.GUEST)
    return [one.user for one in members.select_related("user").order_by("user__username")]


def choose(access: AccessContext, names: Collection[str]) -> None:
    """Who is told from now on, by their names; without any, no report is held against others."""
    if not access.can_administer:
        raise PermissionDenied("Only an owner of the team says who is told of new reports.")
    members = Membership.objects.filter(team=access.team, user__username__in=names)
    people = [one.user_id for one in members.exclude(role=Role.GUEST)]
    with transaction.atomic():
        if people:
            rule, _ = ArrivalRule.objects.get_or_create(team=access.team)
            rule.people.set(people)
        else:
            ArrivalRule.objects.filter(team=access.team).delete()
        note(access, "changed", "team", access.team.pk)


def report_settled(pk: UUID) -> None:
    """Hold a report that was just read against its hour, unless that was done or nobody wants it."""
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
    """Those whose process died between reading and looking."""
    missed = list(_new().filter(arrival=None).order_by("created_at").values_list("pk", flat=True)[:_BATCH])
    for pk in missed:
        report_settled(pk)
    return len(missed)


def _new() -> QuerySet[Report]:
    """Those that came since their team has a rule. What comes in bulk is history: nobody is told of a year at once."""
    found = Report.objects.filter(created_at__gte=F("team__arrival_rule__since"), state=State.READY)
    found = found.filter(is_demo=False, in_bulk=False, copy_of=None, kind__in=OF_AN_INTERVAL)
    return found.filter(created_at__gte=timezone.now() - _MISSED)


def _of_its_hour(report: Report) -> list[Report]:
    """The latest before it, in order of time, each window once. That they are alike in all else is seen when they are
    compared."""
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
    found: dict[str, UUID] = {}
    for pk, begun in earlier.values_list("pk", "begin_at").iterator(chunk_size=_BATCH):
        if same_hour(moment(begun), begin):
            found.setdefault(begun, pk)
        if len(found) == MOST_HELD:
            break
    rows = {row.pk: row for row in Report.objects.filter(pk__in=found.values()).defer("head")}
    return [rows[pk] for pk in reversed(found.values()) if pk in rows and rows[pk].is_ready]
