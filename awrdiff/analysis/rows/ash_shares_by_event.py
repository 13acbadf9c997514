"""Sample shares of statements and their events; samples beyond the lists belong to none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection
from parsers.model import Value

SECTION = "top_sql_with_top_events"


class Share(Struct):
    """Percent of all samples, of one side's statement."""

    plans: dict[str, Value] = field(default_factory=dict)
    events: dict[str, Value] = field(default_factory=dict)

    @property
    def whole(self) -> float:
        return max(sum(v.number for v in self.plans.values()), self._printed_events)

    @property
    def unnamed(self) -> float:
        """Rest; 0 within the printed resolution."""
        remainder = self.whole - self._printed_events
        return remainder if remainder > sum(v.half for v in (*self.plans.values(), *self.events.values())) else 0.0

    @property
    def _printed_events(self) -> float:
        return sum(v.number for v in self.events.values())


class StatementShares(Struct, frozen=True):
    """`sides`: None where not listed; `row`: one of its rows."""

    sql_id: str
    row: ComparedRow
    sides: tuple[Share | None, Share | None]


def statements_by_event(section: ComparedSection) -> tuple[StatementShares, ...]:
    shares_by_statement: dict[str, tuple[ComparedRow, tuple[Share, Share]]] = {}
    for row in section.rows:
        if sql_id := row.key.get("sql_id"):
            _, sides = shares_by_statement.setdefault(sql_id, (row, (Share(), Share())))
            for at, side in enumerate(sides):
                for column, value in _printed(row, at):
                    if column == "pct_activity":
                        side.plans.setdefault(row.key.get("plan_hash", ""), value)
                    elif event := row.key.get("event"):
                        share = side.events.get(event)
                        side.events[event] = (
                            value if share is None else Value(share.number + value.number, share.half + value.half)
                        )
    return tuple(
        StatementShares(sql_id, row, (first if first.plans else None, second if second.plans else None))
        for sql_id, (row, (first, second)) in shares_by_statement.items()
    )


def outside_the_list(statements: Iterable[StatementShares], side: int) -> float:
    """Percent of the samples in no listed statement."""
    return max(100.0 - sum(share.whole for s in statements if (share := s.sides[side]) is not None), 0.0)


def _printed(row: ComparedRow, at: int) -> Iterator[tuple[str, Value]]:
    for column in ("pct_activity", "pct_event"):
        delta = row.values.get(column)
        if delta is not None and isinstance(value := delta[at], Value):
            yield column, value
