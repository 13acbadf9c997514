"""What samples say of statements: the share of each, and of each event in it, as both sides print them.

A list ends somewhere: what it leaves out is of nobody, and so is what a statement has beyond the events printed of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection
from parsers.model import Value

SECTION = "top_sql_with_top_events"


class Share(Struct):
    """Percent of all samples, of one statement of one side: of its plans, whose rows all print it, and by event."""

    plans: dict[str, Value] = field(default_factory=dict)
    events: dict[str, Value] = field(default_factory=dict)

    @property
    def whole(self) -> float:
        return max(sum(v.number for v in self.plans.values()), self._named)

    @property
    def unnamed(self) -> float:
        """0 where it is no more than the digits printed leave open."""
        left = self.whole - self._named
        return left if left > sum(v.half for v in (*self.plans.values(), *self.events.values())) else 0.0

    @property
    def _named(self) -> float:
        return sum(v.number for v in self.events.values())


class StatementShares(Struct, frozen=True):
    """`sides`: First and Second; None where that list does not have it. `row`: one of its rows."""

    sql_id: str
    row: ComparedRow
    sides: tuple[Share | None, Share | None]


def statements_by_event(section: ComparedSection) -> tuple[StatementShares, ...]:
    found: dict[str, tuple[ComparedRow, tuple[Share, Share]]] = {}
    for row in section.rows:
        if sql_id := row.key.get("sql_id"):
            _, sides = found.setdefault(sql_id, (row, (Share(), Share())))
            for at, side in enumerate(sides):
                _add(side, row, at)
    return tuple(
        StatementShares(sql_id, row, (first if first.plans else None, second if second.plans else None))
        for sql_id, (row, (first, second)) in found.items()
    )


def outside_the_list(statements: Iterable[StatementShares], side: int) -> float:
    """Percent of the samples that no statement listed has."""
    return max(100.0 - sum(share.whole for s in statements if (share := s.sides[side]) is not None), 0.0)


def _add(side: Share, row: ComparedRow, at: int) -> None:
    for column, value in _printed(row, at):
        if column == "pct_activity":
            side.plans.setdefault(row.key.get("plan_hash", ""), value)
        elif event := row.key.get("event"):
            held = side.events.get(event)
            side.events[event] = value if held is None else Value(held.number + value.number, held.half + value.half)


def _printed(row: ComparedRow, at: int) -> Iterator[tuple[str, Value]]:
    for column in ("pct_activity", "pct_event"):
        delta = row.values.get(column)
        if delta is not None and isinstance(value := delta[at], Value):
            yield column, value
