"""A comparison or report as somebody looks at it, by its id or below a share link."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django.http import HttpRequest

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.comparisons import queries
from awrdiff.comparisons.models import Comparison
from awrdiff.reports.models import Report
from awrdiff.reports.queries import report_for
from awrdiff.sharing.access import PAGE, SECTION, SEVERAL, shared
from awrdiff.sharing.models import Shows
from awrdiff.web import links, query_options
from awrdiff.web.content_negotiation import wants_json
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.sign_in.share_link_cookies import proof


@dataclass(frozen=True)
class _Reader:
    request: HttpRequest
    access: AccessContext

    @property
    def in_panel(self) -> bool:
        """Asked for by htmx, as part of a page."""
        return bool(getattr(self.request, "htmx", False))


@dataclass(frozen=True)
class ReportVisit(_Reader):
    report: Report

    @cached_property
    def url(self) -> str | None:
        return links.report(self.access, self.report)

    def below(self, page: str, *more: str) -> str:
        return links.below(self.access, self.report, page, *more)


@dataclass(frozen=True)
class Visit(_Reader):
    """A pair, or Second against a baseline."""

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


NOTHING = "There is nothing at this address."


def visit_of(
    request: HttpRequest, cost: int = PAGE, *, pk: UUID | None = None, token: str = "", of: str = Shows.COMPARISON
) -> Visit | ReportVisit:
    """By the arguments of its address; `cost`: below a link. Raises as `member` or `shared`, and NotFound."""
    access = shared(token, cost, proof(request, token)) if token else member(request)
    if (link := access.link) is not None:
        of, pk = link.shows, link.report_id if link.shows == Shows.REPORT else link.comparison_id
        query_options.begin_with(request, link.pair)
    if pk is None:
        raise NotFound(NOTHING)
    if of == Shows.REPORT:
        return ReportVisit(request, access, report_for(access, pk))
    return Visit(request, access, queries.comparison_for(access, pk))


def comparison_visit(request: HttpRequest, cost: int = PAGE, **place: Any) -> Visit:
    """As `visit_of`; nothing below a report's link."""
    visit = visit_of(request, cost, **place)
    if not isinstance(visit, Visit):
        raise NotFound(NOTHING)
    return visit


def part_cost(request: HttpRequest) -> int:
    return (PAGE if wants_json(request) else SECTION) * reports_read(request)


def reports_read(request: HttpRequest) -> int:
    """1, or as many as each report by itself costs."""
    return SEVERAL if "baseline" in request.GET or request.GET.get("columns") == "each" else 1
