"""A window of a database against another: one comparison."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from awrdiff.comparisons import of_windows
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.of_windows import Window
from awrdiff.databases import queries
from awrdiff.processing.storable import storable_text
from awrdiff.web import links, options
from awrdiff.web.api import comparisons as api
from awrdiff.web.presenters.database.span import moment
from awrdiff.web.sign_in.members import member


@require_POST
def compare(request: HttpRequest, uid: UUID) -> HttpResponse:
    """Fields `from` and `to`; `against`: `normal`, `week`, or `other` with `other_from` and `other_to`; `course`."""
    access = member(request)
    database = queries.database_for(access, uid)
    database = database.merged_into or database
    window = _window(request, "from", "to")
    against = request.POST.get("against", "normal")
    if window is None:
        raise ComparisonRefused("Say from when to when the window is.")
    if against not in ("normal", "week", "other"):
        raise ComparisonRefused("“against” is normal, week or other.")
    comparison = of_windows.compare(
        access,
        database,
        window,
        against,  # type: ignore[arg-type] # one of the three
        other=_window(request, "other_from", "other_to"),
        course=storable_text(request.POST.get("course", ""))[:200],
    )
    query = f"?{options.baseline_query(comparison.view)}" if comparison.view is not None else ""
    page_url = f"{links.comparison(access, comparison.comparison)}{query}"
    return api.created(request, access, comparison.comparison, page=page_url)


def _window(request: HttpRequest, begin: str, end: str) -> Window | None:
    first, last = moment(request.POST.get(begin, "")), moment(request.POST.get(end, ""))
    return Window(first, last) if first is not None and last is not None and first < last else None
