"""Order of work: a message says only that there is work, the rows say which.

- The team with fewest rows in work goes first. With several, one has at most half of the slots, at least one.
- Bulk goes last, and one process more than `settings.WORKERS` runs that no bulk row takes.
- Otherwise the smallest goes first, then the oldest. A row that has waited PATIENCE_S yields to no smaller one.

Locks on the team's row, and one for all bulk, keep the limits. A message without room is dropped: whoever ends a row
sends one for what waits (`pass_on`), as does the sweeper.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from celery import Task
from django.apps import apps
from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from awrdiff.processing import dispatch
from awrdiff.processing.dispatch import wake
from awrdiff.processing.models import State, Work
from awrdiff.processing.work_claims import CLAIMED, Claim, claim, is_over, renewable
from awrdiff.processing.work_kinds import KINDS, WorkKind

PATIENCE_S = 60
_IS_NEW = Q(failures=0, interruptions=0)  # and not given back for a pause
_BULK_LOCK = 0x61777264  # a number of no other lock of this database
_TRIES = 3  # rows of one team: the first may be taken by another worker, or have been tried too often


def claim_next(model: type[Work], pk: Any, stage: str, *, version: int) -> Claim | None:
    """Next row of `model`, or None; `pk`, the message's, also if just given back or outdated."""
    rows = _waiting(next(kind for kind in KINDS if kind.model is model), pk)
    for team, later in _in_turn(rows):
        with transaction.atomic():
            # Locks until the transaction ends.
            if later and connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_BULK_LOCK])
            list(_teams().select_for_update(no_key=True).filter(pk=team).values_list("pk"))
            if not _Running.now().leaves_room(team, later=later):
                continue
            for waiting, *columns in _first_of(rows.filter(team=team, later__in=[later])):
                own = claim(model, waiting, stage, version=version, columns=columns)
                if own is not None:
                    return own
    outdated = model._default_manager.filter(renewable(model, version, timezone.now()), pk=pk)
    return claim(model, pk, stage, version=version) if outdated.exists() else None


def pass_on(before: Mapping[str, int] | None = None) -> None:
    """Announce what may take a freed slot, but nothing just given back: it would go round.

    `before`: `dispatch.sent` of when the slot was taken; of what was announced since, one message is enough.
    """
    now = timezone.now()
    untried = Q(attempt=0) | Q(due_at=None) | Q(due_at__lte=now)
    for kind in KINDS:
        if before is not None and dispatch.sent[kind.task.name] > before.get(kind.task.name, 0):
            continue
        if not kind.model._default_manager.filter(state=State.PENDING).exists():  # asked in a tenth of the time
            continue
        rows = _waiting(kind, None).filter(untried)
        for team, later in _in_turn(rows, look=True)[:1]:
            for pk in rows.filter(team=team, later__in=[later]).values_list("pk", flat=True)[:1]:
                wake(kind.task, pk)


def has_room_for_bulk() -> bool:
    """True where one more bulk row may begin."""
    return _Running.now().in_bulk < settings.WORKERS


def wake_on_commit(task: Task[Any, Any], pks: Iterable[Any], *, in_bulk: bool = False) -> None:
    """`wake` for each; bulk without room is picked up later."""
    rows = list(pks)

    def send() -> None:
        if in_bulk and not has_room_for_bulk():
            return
        for pk in rows:
            wake(task, pk)

    transaction.on_commit(send)


def team_limit() -> int | None:
    """Rows of one team at once; None if only one has people."""
    return None if _teams().filter(copies_of=None).count() < 2 else _half()


def _half() -> int:
    return max(1, settings.WORKERS // 2)


def _in_turn(rows: QuerySet[Any], *, look: bool = False) -> list[tuple[Any, bool]]:
    """Teams with room (False), then bulk (True); a lone team unchecked unless `look`."""
    own = rows.filter(team=OuterRef("pk")).order_by("weight").values("weight")
    # The first entry of an index for each team: `__in`, as SQLite finds no index for `NOT later`.
    teams = _teams().values_list("pk", *(Subquery(own.filter(later__in=[later])[:1]) for later in (False, True)))
    candidates = [
        (team, later, smallest)
        for team, *smallest_of in teams.order_by()
        for later, smallest in zip((False, True), smallest_of, strict=True)
        if smallest is not None
    ]
    if not candidates or (len(candidates) < 2 and not look):
        return [(team, later) for team, later, _ in candidates]
    running = _Running.now()
    open_to = [
        (later, running.against(team, later=later), smallest, team)
        for team, later, smallest in candidates
        if running.leaves_room(team, later=later)
    ]
    return [(team, later) for later, _, _, team in sorted(open_to)]


def _first_of(rows: QuerySet[Any]) -> list[tuple[Any, ...]]:
    """Ids with the columns that `claim` needs."""
    long_ago = timezone.now() - timedelta(seconds=PATIENCE_S)
    for among in (rows.filter(queued_at__lt=long_ago), rows):
        if first := list(among.order_by("weight", "queued_at", "pk").values_list("pk", *CLAIMED)[:_TRIES]):
            return first
    return []


class _Running(NamedTuple):
    rows: Counter[tuple[Any, bool]]

    @classmethod
    def now(cls) -> _Running:
        alive = Q(state=State.RUNNING) & ~is_over(timezone.now())
        first, *rest = (
            kind.model._default_manager.filter(alive)
            .annotate(later=kind.in_bulk)
            .order_by()
            .values_list("team", "later")
            .annotate(Count("pk"))
            for kind in KINDS
        )
        rows: Counter[tuple[Any, bool]] = Counter()
        for team, later, count in first.union(*rest, all=True):
            rows[team, bool(later)] += count
        return cls(rows)

    @property
    def in_bulk(self) -> int:
        return sum(count for (_, later), count in self.rows.items() if later)

    def against(self, team: Any, *, later: bool) -> int:
        """Bulk never counts against the rest."""
        return self.rows[team, False] + (self.rows[team, True] if later else 0)

    def leaves_room(self, team: Any, *, later: bool) -> bool:
        if later and self.in_bulk >= settings.WORKERS:
            return False
        return self.against(team, later=later) < _half() or team_limit() is None


def _waiting(kind: WorkKind, pk: Any) -> QuerySet[Any]:
    """The sweeper returns what a dead worker left."""
    due = _IS_NEW | Q(due_at=None) | Q(due_at__lte=timezone.now()) | Q(pk=pk)
    rows: QuerySet[Any] = kind.waiting().filter(due, state=State.PENDING)
    rows = rows.annotate(later=kind.in_bulk)
    return rows.order_by()


def _teams() -> QuerySet[models.Model]:
    return apps.get_model("accounts", "Team")._default_manager.all()
