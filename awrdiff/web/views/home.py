"""Home page: upload, own work, demos."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.comparisons import comparisons_by_database, demo, search_index
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import comparisons_for
from awrdiff.comparisons.report_places_and_titles import PlacedReport, placed_reports_in
from awrdiff.incidents.queries import Wanted, list_incidents
from awrdiff.reports.models import Report
from awrdiff.reports.queries import report_for, reports_for
from awrdiff.threads.queries import your_turn
from awrdiff.web import links, query_options
from awrdiff.web.presenters.incident import lists
from awrdiff.web.presenters.page import home as shown
from awrdiff.web.presenters.page import titles
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.uploads import uploading
from awrdiff.whole_number_input import whole_number

DATABASES, COMPARISONS_EACH, REPORTS_EACH = 5, 5, 5  # of an overview
COMPARISONS, REPORTS, INCIDENTS = 25, 50, 10  # of a database, found, or recent
RECENT = {"view": "recent"}  # in the address: all in one list, newest first


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    access = member(request)
    return page(request, access)


def page(
    request: HttpRequest, access: AccessContext, refusals: Sequence[dict[str, str]] = (), status: int = 200
) -> HttpResponse:
    """`refusals`: files refused from a form without scripts."""
    text, partner_choice = query_options.filter_text(request), _chosen_report(request, access)
    recent = request.GET.get("view") == RECENT["view"] and partner_choice is None
    parameters = {"with": str(partner_choice.pk)} if partner_choice else RECENT if recent else {}
    if text:
        work = _pages(
            request,
            access,
            comparisons_by_database.matching(access, text),
            comparisons_by_database.Group(f"Found for “{text}”"),
            {**parameters, "q": text},
        )
        work |= {} if partner_choice else _incidents(access, text)
    elif "db" in request.GET:
        work = _database(request, access, request.GET["db"].replace("\x00", "")[:128], parameters)
    elif recent:
        work = _recent(request, access)
    else:
        work = _overview(request, access, parameters)
    context = {
        "access": access,
        **uploading(),
        "refusals": refusals,
        "text": text,
        "recent": recent,
        "views": [
            {"name": "By database", "url": reverse("home"), "current": not recent},
            {"name": "Recent", "url": f"{reverse('home')}?{urlencode(RECENT)}", "current": recent},
        ],
        "back": request.GET.urlencode(),
        "chosen": partner_choice,
        "chosen_title": titles.report_title(partner_choice) if partner_choice else "",
        "chosen_url": links.report(access, partner_choice) if partner_choice else "",
        "your_turn": your_turn(access).count(),
        **work,
    }
    return render(request, "web/home.html", context, status=status)


def _overview(request: HttpRequest, access: AccessContext, parameters: dict[str, str]) -> dict[str, Any]:
    some = _page(comparisons_by_database.databases(access), DATABASES, request.GET, "page")
    databases, newest = comparisons_by_database.with_totals(access, some, each=COMPARISONS_EACH)
    every = comparisons_for(access).order_by()
    wanted = every.filter(pk__in={pk for pks in newest.values() for pk in pks})
    comparisons = {c.pk: c for c in wanted.union(every.filter(is_demo=True), all=True)}  # of OR no index would be asked
    placed_reports = placed_reports_in(comparisons.values())
    reports = comparisons_by_database.latest_reports(access, list(newest), each=shown.MOST_WINDOWS)
    verdicts = search_index.lines_of(list(comparisons))
    groups = []
    for database in databases:
        own = [comparisons[pk] for pk in newest[database.group] if pk in comparisons]
        latest = reports[database.group]
        work = shown.Work(database, own, latest[:REPORTS_EACH], verdicts, latest=latest)
        groups.append(shown.group(access, work, placed_reports, parameters))
    return {
        "groups": groups,
        "demos": _demos(access, comparisons.values(), placed_reports),
        "pagers": [shown.pager(some, parameters, "page", "database")],
    }


def _recent(request: HttpRequest, access: AccessContext) -> dict[str, Any]:
    comparisons_page = _page(comparisons_by_database.own_comparisons(access), COMPARISONS, request.GET, "page")
    counts = comparisons_by_database.Database(
        comparisons_by_database.Group("Recent"), 0, comparisons_page.paginator.count, timezone.now()
    )
    verdicts = search_index.lines_of([comparison.pk for comparison in comparisons_page])
    work = shown.Work(counts, list(comparisons_page), [], verdicts, is_one=False)
    group = shown.group(access, work, placed_reports_in(comparisons_page.object_list), RECENT, leads_on=False)
    pagers = [shown.pager(comparisons_page, RECENT, "page", "comparison")]
    return {"groups": [group] if comparisons_page.paginator.count else [], "pagers": pagers}


def _demos(
    access: AccessContext, comparisons: Any, placed_reports: dict[UUID, list[PlacedReport]]
) -> list[tuple[Comparison, str, str]]:
    """With address and title."""
    order = demo.places()
    shown_ones = (c for c in comparisons if c.is_demo and c.pk in placed_reports)
    demos = sorted(shown_ones, key=lambda c: (order.get(c.demo_slug, len(order)), c.demo_slug))
    return [(c, links.comparison(access, c), titles.comparison_title(c, placed_reports[c.pk])) for c in demos]


def _database(request: HttpRequest, access: AccessContext, name: str, parameters: dict[str, str]) -> dict[str, Any]:
    group = comparisons_by_database.group_named(access, name)
    query = {**parameters, "db": group.address}
    return _pages(request, access, comparisons_by_database.of_group(access, group), group, query)


def _pages(
    request: HttpRequest,
    access: AccessContext,
    matches: tuple[QuerySet[Comparison], QuerySet[Any]],
    group: comparisons_by_database.Group,
    query: dict[str, str],
) -> dict[str, Any]:
    lists = ((matches[0], COMPARISONS, "page", "comparison"), (matches[1], REPORTS, "reports", "report"))
    # Ids are asked once, for their number and their page: it takes longer than all that is read of them.
    most = [_most(size, request.GET.get(name, "1")) if "q" in query else None for _, size, name, _ in lists]
    known_ids = [each.values_list("pk", flat=True)[: n and n + 1] for (each, *_), n in zip(lists, most, strict=True)]
    pages = [
        _page(list(pks), size, request.GET, name) for pks, (_, size, name, _) in zip(known_ids, lists, strict=True)
    ]
    of_comparisons, of_reports = pages
    there = {comparison.pk: comparison for comparison in comparisons_for(access).filter(pk__in=list(of_comparisons))}
    listed = [there[pk] for pk in of_comparisons if pk in there]
    reports = {report.pk: report for report in reports_for(access).filter(pk__in=list(of_reports))}
    placed_reports = placed_reports_in(listed)
    counts = comparisons_by_database.Database(
        group, of_reports.paginator.count, of_comparisons.paginator.count, timezone.now()
    )
    verdicts = search_index.lines_of(list(there))
    own = [reports[pk] for pk in of_reports if pk in reports]
    page_counts = [(page, name, of, n) for page, (_, _, name, of), n in zip(pages, lists, most, strict=True)]
    summary = ", ".join(shown.count_text(page.paginator.count, of, n) for page, _, of, n in page_counts if n and page)
    work = shown.Work(counts, listed, own, verdicts, is_one="db" in query, counts=summary)
    pagers = [shown.pager(page, query, name, of, n) for page, name, of, n in page_counts]
    parameters = {name: value for name, value in query.items() if name in ("with", "view")}
    all_url = f"?{urlencode(parameters)}" if parameters else reverse("home")
    return {
        "groups": [shown.group(access, work, placed_reports, parameters)],
        "pagers": pagers,
        "alone": True,
        "all_url": all_url,
    }


def _most(size: int, number: str) -> int:
    return max(shown.MOST_COUNTED, size * (whole_number(number, 9_999) or 0))


def _incidents(access: AccessContext, text: str) -> dict[str, Any]:
    wanted = list_incidents(access, Wanted(text=text))
    incident_ids = list(wanted.values_list("pk", flat=True))  # asked once, as above
    total = len(incident_ids)
    listed = list(list_incidents(access, Wanted()).filter(pk__in=incident_ids[:INCIDENTS])) if incident_ids else []
    url = f"{reverse('incidents')}?{urlencode({'q': text})}" if total > INCIDENTS else ""
    return {
        "incidents": lists.matching_lines(access, listed, text),
        "incidents_total": total,
        "incidents_url": url,
    }


def _page(rows: Any, size: int, parameters: QueryDict, name: str) -> Page[Any]:
    return Paginator(rows, size).get_page(parameters.get(name, "1")[:6])


def _chosen_report(request: HttpRequest, access: AccessContext) -> Report | None:
    try:
        return report_for(access, UUID(request.GET["with"])) if "with" in request.GET else None
    except (ValueError, NotFound):
        return None
