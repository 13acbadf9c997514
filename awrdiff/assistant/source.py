"""Where reports and comparisons come from: a folder, or a server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Page:
    """Part of a list; `more` is the cursor of the next part. `unread`: files that there was no time for."""

    items: list[Document]
    more: str | None = None
    unread: int = 0


class Source(Protocol):
    """Documents are those of `/api/v1`. Everything raises Refused, with a sentence."""

    def databases(self, limit: int, cursor: str) -> Page: ...

    def reports(self, database: str, limit: int, cursor: str) -> Page: ...

    def comparisons(self, limit: int, cursor: str) -> Page: ...

    def compare(self, reports: list[str]) -> str:
        """The id of the comparison."""

    def overview(self, comparison: str, pair: int) -> Document:
        """Everything but rows; `sections` are ids with counts. Has `state` alone while it is not computed."""

    def section(self, comparison: str, section: str, pair: int) -> Document: ...

    def entity(self, comparison: str, kind: str, key: str, pair: int) -> Document: ...
