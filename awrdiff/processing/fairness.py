"""Which row is worked on next. A message only says that there is work; the rows say what, so that no team waits for
another's files.

- A team with fewer rows being worked on comes before one with more. Where there are several teams, one has at most half
  of the workers' slots, at least one.
- What came in bulk (an import, a folder, a large archive) goes last, and workers have one process more than slots
  (`settings.WORKERS`), which no such row takes: somebody's two files in the browser wait for none of 3,000.
- Of what is left, the smallest goes first, and the oldest of the same size. What has waited for PATIENCE_S waits for no
  smaller one any more.

The limits are kept by a lock on the team's row, and one for what came in bulk, of whichever team; on SQLite a
transaction that writes is alone anyway. A message that
finds no room is dropped, and none is sent while enough wait (`dispatch.wake`), nor for bulk that has no room: whoever
ends a row sends one for what waits (`pass_on`), and the sweeper sends again what is due.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, NamedTuple

from celery import Task
from django.apps import apps
from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from awrdiff.processing.claims import Claim, claim, is_over, renewable
from awrdiff.processing.dispatch import wake
from awrdiff.processing.kinds import KINDS, WorkKind
from awrdiff.processing.models import State, Work

PATIENCE_S = 60
_IS_NEW = Q(failures=0, interruptions=0)  # and not given back for a pause
_BULK_LOCK = 0x61777264  # a number of no other lock of this database
_TRIES = 3  # rows of one team: the first may be taken by another worker, or have been tried too often


def claim_next(model: type[Work], pk: Any, stage: str, *, version: int) -> Claim | None:
    """Take the row of `model` whose turn it is; None where there is none. `version` signs the outcome.

    `pk` is the row the message was sent for: it may be taken though it was given back a moment ago, and where nothing
    new waits it may be one to renew.
    """
    rows = _waiting(_kind_of(model), pk)
    for team, later in _in_turn(rows):
        with transaction.atomic():
            if not _has_room(team, later=later):
                continue
            for waiting in _first_of(rows.filter(team=team, later__in=[later])):
                held = claim(model, waiting, stage, version=version)
                if held is not None:
                    return held
    outdated = model._default_manager.filter(renewable(model, version, timezone.now()), pk=pk)
    return claim(model, pk, stage, version=version) if outdated.exists() else None


def pass_on() -> None:
    """A place has become free: send word of what may take it, since what waits may have no message of its own.

    Not of what was given back a moment ago, or rows would go round while the storage is away.
    """
    now = timezone.now()
    untried = Q(attempt=0) | Q(due_at=None) | Q(due_at__lte=now)
    for kind in KINDS:
        if not kind.model._default_manager.filter(state=State.PENDING).exists():  # asked in a tenth of the time
            continue
        rows = _waiting(kind, None).filter(untried)
        for team, later in _in_turn(rows, look=True)[:1]:
            for pk in rows.filter(team=team, later__in=[later]).values_list("pk", flat=True)[:1]:
                wake(kind.task, pk)


def has_room_for_bulk() -> bool:
    """Whether one more of what nobody waits for may be begun."""
    return _Running.now().in_bulk < settings.WORKERS


def wake_on_commit(task: Task[Any, Any], pks: Iterable[Any], *, in_bulk: bool = False) -> None:
    """`wake` for each row once the surrounding transaction is committed. Not for what came in bulk while there is no
    room for it: whoever makes room finds the rows."""
    rows = list(pks)

    def send() -> None:
        if in_bulk and not has_room_for_bulk():
            return
        for pk in rows:
            wake(task, pk)

    transaction.on_commit(send)


def team_limit() -> int | None:
    """How many rows of one team are worked on at once; None where there is but one team with people."""
    return None if _teams().filter(copies_of=None).count() < 2 else _half()


def _half() -> int:
    return max(1, settings.WORKERS // 2)


def _has_room(team: Any, *, later: bool) -> bool:
    """Whether the team may begin one more; until the transaction ends no other worker begins one of it, nor, where
    it came in bulk, any other that did."""
    if later and connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_BULK_LOCK])
    list(_teams().select_for_update(no_key=True).filter(pk=team).values_list("pk"))
    return _Running.now().leaves_room(team, later=later)


def _in_turn(rows: QuerySet[Any], *, look: bool = False) -> list[tuple[Any, bool]]:
    """The teams of these rows that have room for one more, in the order in which they are served: what somebody waits
    for, then what came in bulk (True). Of one alone nobody looks without `look`: whoever claims its row does."""
    own = rows.filter(team=OuterRef("pk")).order_by("weight").values("weight")
    # Of each team the first entry of an index, however many wait: `__in`, as SQLite finds no index for `NOT later`.
    teams = _teams().values_list("pk", *(Subquery(own.filter(later__in=[later])[:1]) for later in (False, True)))
    found = [
        (team, later, smallest)
        for team, *smallest_of in teams.order_by()
        for later, smallest in zip((False, True), smallest_of, strict=True)
        if smallest is not None
    ]
    if len(found) < 2 and not look:
        return [(team, later) for team, later, _ in found]
    running = _Running.now()
    open_to = [
        (later, running.against(team, later=later), smallest, team)
        for team, later, smallest in found
        if running.leaves_room(team, later=later)
    ]
    return [(team, later) for later, _, _, team in sorted(open_to)]


def _first_of(rows: QuerySet[Any]) -> list[Any]:
    """Of one team: those that have waited for long, or else those that are next."""
    long_ago = timezone.now() - timedelta(seconds=PATIENCE_S)
    for among in (rows.filter(queued_at__lt=long_ago), rows):
        if found := list(among.order_by("weight", "queued_at", "pk").values_list("pk", flat=True)[:_TRIES]):
            return found
    return []


class _Running(NamedTuple):
    """Rows of all kinds that are being worked on, by team and by whether they came in bulk."""

    rows: Counter[tuple[Any, bool]]

    @classmethod
    def now(cls) -> _Running:
        alive = Q(state=State.RUNNING) & ~is_over(timezone.now())
        first, *others = (
            kind.model._default_manager.filter(alive)
            .annotate(later=kind.in_bulk)
            .order_by()
            .values_list("team", "later")
            .annotate(Count("pk"))
            for kind in KINDS
        )
        found: Counter[tuple[Any, bool]] = Counter()
        for team, later, count in first.union(*others, all=True):
            found[team, bool(later)] += count
        return cls(found)

    @property
    def in_bulk(self) -> int:
        return sum(count for (_, later), count in self.rows.items() if later)

    def against(self, team: Any, *, later: bool) -> int:
        """Rows that count against one more of the team: its bulk against none that somebody waits for."""
        return self.rows[team, False] + (self.rows[team, True] if later else 0)

    def leaves_room(self, team: Any, *, later: bool) -> bool:
        if later and self.in_bulk >= settings.WORKERS:
            return False
        return self.against(team, later=later) < _half() or team_limit() is None


def _waiting(kind: WorkKind, pk: Any) -> QuerySet[Any]:
    """Rows that may be taken; what a dead worker left behind is made one by the sweeper."""
    due = _IS_NEW | Q(due_at=None) | Q(due_at__lte=timezone.now()) | Q(pk=pk)
    rows: QuerySet[Any] = kind.waiting().filter(due, state=State.PENDING)
    rows = rows.annotate(later=kind.in_bulk)
    return rows.order_by()


def _kind_of(model: type[Work]) -> WorkKind:
    return next(kind for kind in KINDS if kind.model is model)


def _teams() -> QuerySet[models.Model]:
    return apps.get_model("accounts", "Team")._default_manager.all()
