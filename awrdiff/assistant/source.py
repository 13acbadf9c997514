"""Where reports and comparisons come from: a folder, or a server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from awrdiff.cli.refusal import Refused
from awrdiff.numbers import whole_number

Document = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list; `more` is the cursor of the next part. `unread`: files that there was no time for."""

    items: list[Document]
    more: str | None = None
    unread: int = 0


def part(found: Sequence[T], limit: int, cursor: str) -> tuple[list[T], str | None]:
    """Those from the cursor on, and the cursor of what follows."""
    if (start := whole_number(cursor or "0", 10**9 - 1)) is None:
        raise Refused("That cursor is none: take it from “more” of the answer before.")
    return list(found[start : start + limit]), str(start + limit) if len(found) > start + limit else None


class Source(Protocol):
    """Documents are those of `/api/v1`. Everything raises Refused, with a sentence."""

    def databases(self, limit: int, cursor: str) -> Page: ...

    def reports(self, database: str, limit: int, cursor: str) -> Page: ...

    def comparisons(self, limit: int, cursor: str) -> Page: ...

    def compare(self, reports: list[str]) -> Document:
        """The overview of its first pair."""

    def overview(self, comparison: str, pair: int) -> Document:
        """What is said of a pair, with its `headers` and, for each of `sections`, counts; once `state` is “ready”."""

    def section(self, comparison: str, section: str, pair: int) -> Document: ...

    def entity(self, comparison: str, kind: str, key: str, pair: int) -> Document: ...
