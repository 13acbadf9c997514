"""Reads of databases, within the team."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from awrdiff.accounts.access import AccessContext, require_row
from awrdiff.accounts.models import Team
from awrdiff.databases.models import Database, DatabaseIdentity
from awrdiff.databases.report_assignment import Identity
from awrdiff.reports.models import Report

MOST_LOOKED_AT = 2_000  # reports that a page reads facts from, the latest windows
_OF_A_WINDOW = ("database_id", "team_id", "instance_name", "begin_at", "end_at", "db_time_s", "elapsed_s")
_PRINTED = ("instance_number", "instance_name", "host_name", "release", "dbid", "db_name", "begin_at")


@dataclass(slots=True)
class Instance:
    number: int | None
    name: str
    hosts: list[str] = field(default_factory=list)  # in the order in which they appeared


@dataclass(frozen=True, slots=True)
class Release:
    release: str
    since: str  # the begin of the first window with it; "" where it is not printed


@dataclass(frozen=True, slots=True)
class HostChange:
    """Instance on another host: the same database, or a copy?"""

    identity: Identity
    instance: str
    before: str
    since: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts printed by `looked_at` of its reports."""

    instances: list[Instance]
    releases: list[Release]
    host_changes: list[HostChange]
    looked_at: int


def has_word_on_databases(team: Team) -> bool:
    """True if anybody tagged, zoned, merged or split one."""
    by_hand = DatabaseIdentity.objects.filter(team=team, by_hand=True)
    return by_hand.exists() or Database.objects.filter(team=team).exclude(tags=[], zone="").exists()


def databases_for(access: AccessContext) -> QuerySet[Any]:
    """Listed ones by name, with `latest` window's begin."""
    if not access.can_read:
        return Database.objects.none()
    own = Report.objects.filter(database=OuterRef("pk"))
    latest = own.order_by("-begin_at", "-created_at").values("begin_at")[:1]
    databases = Database.objects.filter(Exists(own), team=access.team, merged_into=None)
    return databases.annotate(latest=Subquery(latest)).order_by("name", "dbid", "pk")


def reports_of_each(databases: Iterable[Database]) -> dict[int, int]:
    """By database id."""
    own = Report.objects.filter(database__in=[database.pk for database in databases]).order_by()
    return dict(own.values_list("database").annotate(n=Count("*")))


def latest_of_each(databases: Iterable[Database], most: int) -> dict[int, list[Report]]:
    """By database id. Begins first: else PostgreSQL reads all."""
    pks = [database.pk for database in databases]
    latest = Report.objects.filter(database=OuterRef("pk")).order_by("-begin_at", "-created_at")
    begins = Database.objects.filter(pk__in=pks).annotate(begin=Subquery(latest.values("begin_at")[most - 1 : most]))
    wanted = Q(pk__in=[])
    for pk, begin in begins.values_list("pk", "begin"):
        wanted |= Q(database=pk) if begin is None else Q(database=pk, begin_at__gte=begin)
    reports = list(Report.objects.filter(wanted).order_by("-begin_at", "-created_at").only(*_OF_A_WINDOW))
    return {pk: [report for report in reports if report.database_id == pk][:most] for pk in pks}


def database_for(access: AccessContext, uid: UUID) -> Database:
    """Also finds merged ones. Raises NotFound."""
    databases = Database.objects.filter(team=access.team, uid=uid).select_related("merged_into")
    return require_row(databases, "There is no such database.", may=access.can_read)


def alike(database: Database) -> list[Database]:
    """Others with its DBID, except copies known by host."""
    if not database.dbid:
        return []
    names = database.identities.filter(dbid=database.dbid).values("name")
    distinct_copies = DatabaseIdentity.objects.filter(database=OuterRef("pk"), dbid=database.dbid, name__in=names)
    reports = Report.objects.filter(database=OuterRef("pk"))
    own = Database.objects.filter(team=database.team_id, merged_into=None, dbid=database.dbid).exclude(pk=database.pk)
    return list(own.filter(Exists(reports), ~Exists(distinct_copies)).order_by("name", "pk"))


def facts_of(database: Database) -> Facts:
    latest = Report.objects.filter(database=database).order_by("-begin_at", "-created_at")
    rows = list(latest.values_list(*_PRINTED)[:MOST_LOOKED_AT])[::-1]
    instances: dict[tuple[int | None, str], Instance] = {}
    releases: dict[str, Release] = {}
    for number, name, host, release, *_, begin in rows:
        if number is not None or name:
            own = instances.setdefault((number, name.lower()), Instance(number, name))
            if host and host.lower() not in map(str.lower, own.hosts):
                own.hosts.append(host)
        if release:
            releases.setdefault(release, Release(release, begin))
    order = sorted(instances, key=lambda key: (key[0] is None, key[0] or 0, key[1]))
    return Facts([instances[key] for key in order], list(releases.values()), _host_changes(database, rows), len(rows))


def _host_changes(database: Database, rows: Iterable[tuple[Any, ...]]) -> list[HostChange]:
    """Hosts after an instance's first, while undecided."""
    decided = set(DatabaseIdentity.objects.filter(team=database.team_id).values_list("dbid", "name", "host"))
    first: dict[Any, str] = {}
    changes: dict[Identity, HostChange] = {}
    for number, name, host, _, dbid, db_name, begin in rows:
        identity = Identity.of(dbid, db_name, host)
        if number is None or not host or identity is None or not identity.dbid:
            continue
        before = first.setdefault((identity.dbid, identity.name, number), host)
        if before.lower() != identity.host and (identity.dbid, identity.name, identity.host) not in decided:
            changes.setdefault(identity, HostChange(identity, name or str(number), before, begin))
    return list(changes.values())
