"""Which database a report is of: by its DBID and name, as `same_database` judges them.

A DBID and a name together are a database, so two of one name with different DBIDs are two. What prints only one of
them, or masks its name, is of the one database that has it, and of none where several do: it is then known by its name
alone. What was told of one so far is told anew when a second appears, so that the order in which reports came decides
nothing.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID, uuid4, uuid5

from django.db import transaction
from django.db.models import Exists, Min, OuterRef, Q, QuerySet
from django.utils import timezone

from awrdiff.accounts.services import lock_team
from awrdiff.analysis.model.traces import TRACE
from awrdiff.analysis.report.databases import is_masked, same_database
from awrdiff.databases.models import Database, DatabaseIdentity
from awrdiff.processing.models import State
from awrdiff.reports.models import SEVERAL, Report
from parsers import model as parsed

_NAMES = UUID("5e0c7a3e-6f0f-4b43-9d0a-0f6f5b0f6a51")  # scripts keep what is made of it: never another
BATCH, EVERY_S, _AT_MOST_S = 500, 10, 2.0  # of reports that are taken over
_COLUMNS = ("team_id", "dbid", "db_name", "host_name")

# Called in the transaction that changes which reports are of which database, with the ids of those that it concerns
# and the begin of the earliest window ("" where none is printed). Whoever keeps what follows from it registers here.
WHEN_MOVED: list[Callable[[Iterable[int], str], None]] = []
# The same, with the ids of reports and the database that they are of now.
WHEN_PLACED: list[Callable[[Sequence[UUID], int | None], None]] = []


@dataclass(frozen=True, slots=True)
class Identity:
    """What a report prints of its database; see `DatabaseIdentity`. `printed` is the name as it is spelt."""

    dbid: str
    name: str
    host: str = ""
    printed: str = ""

    @classmethod
    def of(cls, dbid: str, name: str, host: str = "") -> Identity | None:
        """None where it tells nothing: no DBID, and a name that is masked or missing."""
        known = "" if is_masked(name) else name.lower()
        return cls(dbid, known, host.lower(), name) if dbid or known else None

    @property
    def is_whole(self) -> bool:
        return bool(self.dbid and self.name)


def uid_of_name(name: str) -> UUID:
    """By which scripts know the first database of a name, and what has none but a name."""
    return uuid5(_NAMES, name)


def report_settled(pk: UUID) -> None:
    """Place a report that was just read."""
    place(placeable(Report.objects.filter(pk=pk)))


def take_over() -> int:
    """Place what is not: reports of versions that knew no databases, and those whose process died before it was done.

    Batch by batch, each of them by itself, and for a second or two at a time, so that whoever works meanwhile hardly
    waits. It goes on at the sweeper's next round.
    """
    until, done = time.monotonic() + _AT_MOST_S, 0
    waiting = placeable(Report.objects.filter(placed_at=None)).order_by("created_at")
    while time.monotonic() < until and (placed := place(waiting[:BATCH])):
        done += placed
    return done


def forget() -> None:
    """Databases whose last report was deleted: their names, hosts and tags go with it. What may have been of either of
    two is looked at again: one alone may be left."""
    left = Database.objects.filter(merged_into=None).exclude(Exists(Report.objects.filter(database=OuterRef("pk"))))
    for team in list(left.values_list("team", flat=True).distinct()):
        with transaction.atomic():
            lock(team)
            if left.filter(team=team).delete()[0]:
                placeable(Report.objects.filter(team=team, database=None)).update(placed_at=None)


def place(found: QuerySet[Report]) -> int:
    """Give each of these reports its database, where they have one; returns how many were looked at."""
    rows = list(found.values_list("pk", *_COLUMNS))
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
    """They are of that database from now on, or of none."""
    first = reports.exclude(begin_at="").aggregate(first=Min("begin_at"))["first"] or ""
    before = reports.order_by().values_list("database", flat=True).distinct()
    concerned = sorted({pk for pk in (*before, database) if pk is not None})
    placed = list(reports.order_by().values_list("pk", flat=True))
    reports.update(database=database, placed_at=timezone.now())
    for told in WHEN_MOVED:
        told(concerned, first)
    for also in WHEN_PLACED:
        also(placed, database)


def lock(team: int) -> None:
    """Nobody else places, merges or splits until the transaction ends."""
    lock_team(team)


def placeable(found: QuerySet[Report]) -> QuerySet[Report]:
    """Read reports of the team's own. A trace stands beside reports, a file of several is none."""
    own = found.filter(state=State.READY, is_demo=False, copy_of=None)
    return own.exclude(kind__in=(TRACE, SEVERAL))


def database_with(team: int, identity: Identity) -> int | None:
    """The id of the team's database with this identity, made where there is none; None where it may be several. The
    team is locked."""
    if (known := _known(team, identity)) is not None:
        return known
    found = _of_whole(team, identity) if identity.is_whole else _of_part(team, identity)
    if found is not None:
        _named(team, found, replace(identity, host=""))
    return found.pk if found else None


def _known(team: int, identity: Identity) -> int | None:
    rows = DatabaseIdentity.objects.filter(team=team, dbid=identity.dbid, name=identity.name)
    rows = rows.filter(host__in={identity.host, ""}).order_by("-host")
    return rows.values_list("database", flat=True).first()


def _of_part(team: int, identity: Identity) -> Database | None:
    """The only whole one that it fits, or a new one where there is none."""
    near = {row.database for row in _near(team, identity) if row.dbid and row.name}
    if len(near) > 1:
        return None
    return near.pop() if near else make(team, identity)


def _of_whole(team: int, identity: Identity) -> Database:
    """Takes over what was known by half of it, and lets go what may be of either of two from now on."""
    own: list[Database] = []
    for row in _near(team, identity):
        is_taken = row.database.identities.exclude(Q(dbid="") | Q(name="")).exists()
        if not is_taken and row.database not in own:
            own.append(row.database)
        elif is_taken and not row.by_hand:
            let_go(row)
    if not own:
        return make(team, identity)
    first, *others = own
    for other in others:
        fold(other, first)
    first.dbid, first.name = identity.dbid, identity.printed
    first.save(update_fields=["dbid", "name"])
    return first


def _near(team: int, identity: Identity) -> list[DatabaseIdentity]:
    """Of which the two print enough to say that they are one, in the order in which they were made."""
    rows = DatabaseIdentity.objects.filter(team=team, host="").select_related("database").order_by("pk")
    rows = rows.filter(Q(dbid=identity.dbid) & ~Q(dbid="") | Q(name=identity.name) & ~Q(name=""))
    return [row for row in rows if same_database(_printed(row), _printed(identity))]


def _printed(one: DatabaseIdentity | Identity) -> parsed.Database:
    return parsed.Database(name=one.name or None, dbid=one.dbid or None)


def make(team: int, identity: Identity) -> Database:
    """A new one. The first of a name has the id that scripts know the name by."""
    uid = uid_of_name(identity.printed) if identity.printed else uuid4()
    if Database.objects.filter(team=team, uid=uid).exists():
        uid = uuid4()
    return Database.objects.create(team_id=team, uid=uid, dbid=identity.dbid, name=identity.printed)


def _named(team: int, database: Database, identity: Identity) -> None:
    parts = {"dbid": identity.dbid, "name": identity.name, "host": identity.host}
    DatabaseIdentity.objects.create(team_id=team, database=database, **parts)


def move(source: Database, to: Database) -> None:
    """All of one to another: what it is known by, and its reports."""
    source.identities.update(database=to)
    _give(Report.objects.filter(database=source), to.pk)


def fold(source: Database, into: Database) -> None:
    """All of one to another, and its address, and those that led to it, lead there: at most one step from now on."""
    move(source, into)
    Database.objects.filter(Q(pk=source.pk) | Q(merged_into=source)).update(merged_into=into)


def let_go(row: DatabaseIdentity) -> None:
    """Its reports are of no database until one alone fits again, but for those of a host that somebody settled."""
    alike = row.database.identities.filter(dbid=row.dbid, name=row.name).exclude(host="")
    settled = set(alike.values_list("host", flat=True))
    for printed, identity in printed_in(row.database):
        if (identity.dbid, identity.name) == (row.dbid, row.name) and identity.host not in settled:
            _give(with_printed(row.database, printed), None)
    row.delete()


def sort_anew(database: Database) -> None:
    """After what it is known by was changed by hand: its reports, and those of none, where they belong now."""
    forget_halves(database)
    for printed, identity in printed_in(database):
        found = database_with(database.team_id, identity)
        if found != database.pk:
            _give(with_printed(database, printed), found)
    placeable(Report.objects.filter(team=database.team_id, database=None)).update(placed_at=None)


def forget_halves(database: Database) -> None:
    """What was told by an id or a name alone, and not by somebody: it may fit two now, or one alone again."""
    halves = Q(dbid="") | Q(name="")
    if database.identities.exclude(halves).exists():
        database.identities.filter(halves, by_hand=False).delete()


def printed_in(database: Database) -> list[tuple[tuple[str, str, str], Identity]]:
    """What its reports print, each once: DBID, name and host as they are spelt, and what that comes to."""
    rows = Report.objects.filter(database=database).order_by().values_list(*_COLUMNS[1:]).distinct()
    found = [(row, Identity.of(*row)) for row in rows]
    return [(row, identity) for row, identity in found if identity]


def with_printed(database: Database, printed: tuple[str, str, str]) -> QuerySet[Report]:
    return Report.objects.filter(database=database, **dict(zip(_COLUMNS[1:], printed, strict=True)))
