"""Assigning reports to databases by DBID and name, as `same_database` compares them.

DBID and name together make a database. Half of it, or a masked name, belongs to the only database that fits, or to
none; a second candidate redoes this, so the order of uploads decides nothing.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID, uuid4, uuid5

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.services import lock_team
from awrdiff.analysis.model.lgwr_traces import TRACE
from awrdiff.analysis.report.same_database_check import is_masked, same_database
from awrdiff.databases.models import Database, DatabaseIdentity
from awrdiff.processing.models import State
from awrdiff.reports.models import SEVERAL, Report
from parsers import model as parsed

_NAMES = UUID("5e0c7a3e-6f0f-4b43-9d0a-0f6f5b0f6a51")  # scripts keep what is made of it: never another
BATCH, EVERY_S, _AT_MOST_S = 500, 10, 2.0  # of reports that are taken over
_COLUMNS = ("team_id", "dbid", "db_name", "host_name")

# Called in the transaction that moves reports, with the ids of the databases concerned and the begin of the earliest
# window ("" where none is printed).
WHEN_MOVED: list[Callable[[Iterable[int], str], None]] = []
# The same, with the ids of reports and the database that they are of now.
WHEN_PLACED: list[Callable[[Sequence[UUID], int | None], None]] = []


@dataclass(frozen=True, slots=True)
class Identity:
    """Database as printed by a report; `printed`: name as spelt."""

    dbid: str
    name: str
    host: str = ""
    printed: str = ""

    @classmethod
    def of(cls, dbid: str, name: str, host: str = "") -> Identity | None:
        """None without DBID and unmasked name."""
        plain_name = "" if is_masked(name) else name.lower()
        return cls(dbid, plain_name, host.lower(), name) if dbid or plain_name else None

    @property
    def is_whole(self) -> bool:
        return bool(self.dbid and self.name)


def uid_of_name(name: str) -> UUID:
    """Id of a name's first or DBID-less database."""
    return uuid5(_NAMES, name)


def report_settled(pk: UUID) -> None:
    """Place a newly parsed report."""
    place(placeable(Report.objects.filter(pk=pk)))


def take_over() -> int:
    """Place reports of older versions or dead processes, for seconds; the sweeper continues."""
    until, done = time.monotonic() + _AT_MOST_S, 0
    waiting = placeable(Report.objects.filter(placed_at=None)).order_by("created_at")
    while time.monotonic() < until and (count := place(waiting[:BATCH])):
        done += count
    return done


def forget() -> None:
    """Delete databases without reports; reconsider ambiguous reports."""
    empty = Database.objects.filter(merged_into=None).exclude(Exists(Report.objects.filter(database=OuterRef("pk"))))
    for team in list(empty.values_list("team", flat=True).distinct()):
        with transaction.atomic():
            lock(team)
            if empty.filter(team=team).delete()[0]:
                placeable(Report.objects.filter(team=team, database=None)).update(placed_at=None)


def place(reports: QuerySet[Report]) -> int:
    """Number considered."""
    rows = list(reports.values_list("pk", *_COLUMNS))
    alike: defaultdict[tuple[int, Identity | None], list[UUID]] = defaultdict(list)
    for pk, team, dbid, name, host in rows:
        alike[team, Identity.of(dbid, name, host)].append(pk)
    for (team, identity), pks in alike.items():
        with transaction.atomic():
            lock(team)  # what fits one database alone does so until its reports are of it
            database = None if identity is None else database_with(team, identity)
            _give(Report.objects.filter(pk__in=pks), database)
    return len(rows)


def _give(reports: QuerySet[Report], database: int | None) -> None:
    rows = list(reports.order_by().values_list("pk", "database", "begin_at"))
    pks = [pk for pk, _, _ in rows]
    first = min((begin for _, _, begin in rows if begin), default="")
    concerned = sorted({pk for pk in (*(before for _, before, _ in rows), database) if pk is not None})
    reports.update(database=database, placed_at=timezone.now())
    for on_move in WHEN_MOVED:
        on_move(concerned, first)
    for on_place in WHEN_PLACED:
        on_place(pks, database)


def lock(team: int) -> None:
    """Excludes other placing, merging, splitting in this transaction."""
    lock_team(team)


def placeable(reports: QuerySet[Report]) -> QuerySet[Report]:
    """Own parsed reports, without traces and multi-report files."""
    own = reports.filter(state=State.READY, is_demo=False, copy_of=None)
    return own.exclude(kind__in=(TRACE, SEVERAL))


def database_with(team: int, identity: Identity) -> int | None:
    """Id, made if missing; None if ambiguous. Caller locks."""
    rows = DatabaseIdentity.objects.filter(team=team, dbid=identity.dbid, name=identity.name)
    rows = rows.filter(host__in={identity.host, ""}).order_by("-host")
    if (pk := rows.values_list("database", flat=True).first()) is not None:
        return pk
    database = _of_whole(team, identity) if identity.is_whole else _of_part(team, identity)
    if database is not None:
        _add_identity(team, database, replace(identity, host=""))
    return database.pk if database else None


def _of_part(team: int, identity: Identity) -> Database | None:
    """None where several whole databases fit."""
    near = {row.database for row in _near(team, identity) if row.dbid and row.name}
    if len(near) > 1:
        return None
    return near.pop() if near else make(team, identity)


def _of_whole(team: int, identity: Identity) -> Database:
    """Absorbs half-known databases; releases reports that may now belong to either."""
    own: list[Database] = []
    for row in _near(team, identity):
        is_taken = row.database.identities.exclude(Q(dbid="") | Q(name="")).exists()
        if not is_taken and row.database not in own:
            own.append(row.database)
        elif is_taken and not row.by_hand:
            let_go(row)
    if not own:
        return make(team, identity)
    first, *rest = own
    for other in rest:
        fold(other, first)
    first.dbid, first.name = identity.dbid, identity.printed
    first.save(update_fields=["dbid", "name"])
    return first


def _near(team: int, identity: Identity) -> list[DatabaseIdentity]:
    """Oldest first."""
    rows = DatabaseIdentity.objects.filter(team=team, host="").select_related("database").order_by("pk")
    rows = rows.filter(Q(dbid=identity.dbid) & ~Q(dbid="") | Q(name=identity.name) & ~Q(name=""))
    return [row for row in rows if same_database(_printed(row), _printed(identity))]


def _printed(identity: DatabaseIdentity | Identity) -> parsed.Database:
    return parsed.Database(name=identity.name or None, dbid=identity.dbid or None)


def make(team: int, identity: Identity) -> Database:
    """The first of a name gets the name's id."""
    uid = uid_of_name(identity.printed) if identity.printed else uuid4()
    if Database.objects.filter(team=team, uid=uid).exists():
        uid = uuid4()
    return Database.objects.create(team_id=team, uid=uid, dbid=identity.dbid, name=identity.printed)


def _add_identity(team: int, database: Database, identity: Identity) -> None:
    parts = {"dbid": identity.dbid, "name": identity.name, "host": identity.host}
    DatabaseIdentity.objects.create(team_id=team, database=database, **parts)


def move(source: Database, to: Database) -> None:
    """Move identities and reports."""
    source.identities.update(database=to)
    _give(Report.objects.filter(database=source), to.pk)


def fold(source: Database, into: Database) -> None:
    """Move everything and redirect, in at most one step."""
    move(source, into)
    Database.objects.filter(Q(pk=source.pk) | Q(merged_into=source)).update(merged_into=into)


def let_go(row: DatabaseIdentity) -> None:
    """Release its reports, except hosts decided by hand."""
    alike = row.database.identities.filter(dbid=row.dbid, name=row.name).exclude(host="")
    decided = set(alike.values_list("host", flat=True))
    for printed, identity in printed_in(row.database):
        if (identity.dbid, identity.name) == (row.dbid, row.name) and identity.host not in decided:
            _give(with_printed(row.database, printed), None)
    row.delete()


def sort_anew(database: Database) -> None:
    """Reassign its and unplaced reports, after manual changes."""
    forget_halves(database)
    for printed, identity in printed_in(database):
        target = database_with(database.team_id, identity)
        if target != database.pk:
            _give(with_printed(database, printed), target)
    placeable(Report.objects.filter(team=database.team_id, database=None)).update(placed_at=None)


def forget_halves(database: Database) -> None:
    """Delete unconfirmed identities by id or name alone."""
    halves = Q(dbid="") | Q(name="")
    if database.identities.exclude(halves).exists():
        database.identities.filter(halves, by_hand=False).delete()


def printed_in(database: Database) -> list[tuple[tuple[str, str, str], Identity]]:
    """Distinct DBID, name, host as spelt, with identities."""
    rows = Report.objects.filter(database=database).order_by().values_list(*_COLUMNS[1:]).distinct()
    identities = [(row, Identity.of(*row)) for row in rows]
    return [(row, identity) for row, identity in identities if identity]


def with_printed(database: Database, printed: tuple[str, str, str]) -> QuerySet[Report]:
    return Report.objects.filter(database=database, **dict(zip(_COLUMNS[1:], printed, strict=True)))
