"""A comparison as somebody looks at it: a pair, or Second against a baseline."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import HttpRequest

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons import queries
from awrdiff.comparisons.models import Comparison
from awrdiff.web import links, query_options


@dataclass(frozen=True)
class Visit:
    request: HttpRequest
    access: AccessContext
    comparison: Comparison

    @cached_property
    def view(self) -> query_options.RequestedView | None:
        """None: a pair."""
        asked_for = query_options.requested_places(self.request, self.comparison)
        return asked_for if asked_for is not None and self.comparison.is_ready else None

    @property
    def pair(self) -> int:
        return query_options.pair(self.request)

    @property
    def query(self) -> str:
        """Begins with "?" unless empty."""
        return f"?{query_options.baseline_query(self.view[1])}" if self.view else query_options.same_pair(self.request)

    @property
    def is_ready(self) -> bool:
        return self.comparison.is_ready and not queries.is_awaited(self.comparison, self.pair)

    @property
    def version(self) -> object:
        """For an ETag."""
        return queries.version_of(self.access, self.comparison)

    @property
    def in_panel(self) -> bool:
        """Asked for by htmx, as part of a page."""
        return bool(getattr(self.request, "htmx", False))

    @cached_property
    def url(self) -> str:
        return links.comparison(self.access, self.comparison)

    def below(self, page: str, *more: str) -> str:
        return links.below(self.access, self.comparison, page, *more)

    def addresses(self) -> dict[str, Any]:
        """For pages with rows and entities."""
        return {
            "access": self.access,
            "page_url": self.url,
            "entities_url": links.entities(self.access, self.comparison),
            "sections_url": f"{self.url}sections/",
            "pair": self.pair,
            "pair_query": self.query,
        }
