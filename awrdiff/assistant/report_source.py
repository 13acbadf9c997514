"""Sources of reports and comparisons: folder or server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from awrdiff.cli.exit_statuses import Refused
from awrdiff.whole_number_input import whole_number

Document = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list; `more`: next cursor, `unread`: files not reached in time."""

    items: list[Document]
    more: str | None = None
    unread: int = 0


def part(elements: Sequence[T], limit: int, cursor: str) -> tuple[list[T], str | None]:
    """Elements from the cursor, and the next cursor. Raises Refused."""
    if (start := whole_number(cursor or "0", 10**9 - 1)) is None:
        raise Refused("That cursor is none: take it from “more” of the answer before.")
    return list(elements[start : start + limit]), str(start + limit) if len(elements) > start + limit else None


class Source(Protocol):
    """Documents as of `/api/v1`. Every method raises Refused."""

    def databases(self, limit: int, cursor: str) -> Page: ...

    def reports(self, database: str, limit: int, cursor: str) -> Page: ...

    def comparisons(self, limit: int, cursor: str) -> Page: ...

    def compare(self, reports: list[str]) -> Document:
        """Overview of its first pair."""

    def overview(self, comparison: str, pair: int) -> Document:
        """With `headers` and counts per section once “ready”."""

    def section(self, comparison: str, section: str, pair: int) -> Document: ...

    def entity(self, comparison: str, kind: str, key: str, pair: int) -> Document: ...
