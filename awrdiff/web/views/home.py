"""The first page: upload, the team's own work, demos."""

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
from awrdiff.comparisons import demo, indexed, library
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.placed_reports import PlacedReport, placed_reports_in
from awrdiff.comparisons.queries import comparisons_for
from awrdiff.incidents.queries import Wanted, list_incidents
from awrdiff.numbers import whole_number
from awrdiff.reports.models import Report
from awrdiff.reports.queries import report_for, reports_for
from awrdiff.web import links, options
from awrdiff.web.presenters.incident import found as found_incidents
from awrdiff.web.presenters.page import library as shown
from awrdiff.web.presenters.page import load_line, titles
from awrdiff.web.sign_in.members import member
from awrdiff.web.uploads import uploading
from awrdiff.web.views.threads import your_turns

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
    """The first page; `refusals` are files a form without scripts sent in vain."""
    text, chosen = options.filter_text(request), _chosen_report(request, access)
    recent = request.GET.get("view") == RECENT["view"] and chosen is None
    kept = {"with": str(chosen.pk)} if chosen else RECENT if recent else {}
    if text:
        work = _pages(
            request, access, library.matching(access, text), library.Group(f"Found for “{text}”"), {**kept, "q": text}
        )
        work |= {} if chosen else _incidents(access, text)
    elif "db" in request.GET:
        work = _database(request, access, request.GET["db"].replace("\x00", "")[:128], kept)
    elif recent:
        work = _recent(request, access)
    else:
        work = _overview(request, access, kept)
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
        "chosen": chosen,
        "chosen_title": titles.report_title(chosen) if chosen else "",
        "chosen_url": links.report(access, chosen) if chosen else "",
        "turns": your_turns(access),
        **work,
    }
    return render(request, "web/home.html", context, status=status)


def _overview(request: HttpRequest, access: AccessContext, kept: dict[str, str]) -> dict[str, Any]:
    """Some databases with the latest work on each, and the demos."""
    some = _page(library.databases(access), DATABASES, request.GET, "page")
    databases, newest = library.counted(access, some, each=COMPARISONS_EACH)
    every = comparisons_for(access).order_by()
    wanted = every.filter(pk__in={pk for pks in newest.values() for pk in pks})
    comparisons = {c.pk: c for c in wanted.union(every.filter(is_demo=True), all=True)}  # of OR no index would be asked
    seen = placed_reports_in(comparisons.values())
    reports = library.latest_reports(access, list(newest), each=load_line.MOST)
    verdicts = indexed.lines_of(list(comparisons))
    groups = []
    for one in databases:
        own = [comparisons[pk] for pk in newest[one.group] if pk in comparisons]
        latest = reports[one.group]
        work = shown.Work(one, own, latest[:REPORTS_EACH], verdicts, latest=latest)
        groups.append(shown.group(access, work, seen, kept))
    return {
        "groups": groups,
        "demos": _demos(access, comparisons.values(), seen),
        "pagers": [shown.pager(some, kept, "page", "database")],
    }


def _recent(request: HttpRequest, access: AccessContext) -> dict[str, Any]:
    """Of whatever database, newest first."""
    found = _page(library.own_comparisons(access), COMPARISONS, request.GET, "page")
    counts = library.Database(library.Group("Recent"), 0, found.paginator.count, timezone.now())
    verdicts = indexed.lines_of([one.pk for one in found])
    work = shown.Work(counts, list(found), [], verdicts, is_one=False)
    group = shown.group(access, work, placed_reports_in(found.object_list), RECENT, leads_on=False)
    pagers = [shown.pager(found, RECENT, "page", "comparison")]
    return {"groups": [group] if found.paginator.count else [], "pagers": pagers}


def _demos(access: AccessContext, comparisons: Any, seen: dict[UUID, list[PlacedReport]]) -> list[titles.ListLine]:
    order = demo.places()
    shown_ones = (c for c in comparisons if c.is_demo and c.pk in seen)
    found = sorted(shown_ones, key=lambda c: (order.get(c.demo_slug, len(order)), c.demo_slug))
    return [titles.list_line(c, seen[c.pk], links.comparison(access, c)) for c in found]


def _database(request: HttpRequest, access: AccessContext, name: str, kept: dict[str, str]) -> dict[str, Any]:
    """All there is of one database."""
    group = library.group_named(access, name)
    query = {**kept, "db": group.address}
    return _pages(request, access, library.of_group(access, group), group, query)


def _pages(
    request: HttpRequest,
    access: AccessContext,
    found: tuple[QuerySet[Comparison], QuerySet[Any]],
    group: library.Group,
    query: dict[str, str],
) -> dict[str, Any]:
    lists = ((found[0], COMPARISONS, "page", "comparison"), (found[1], REPORTS, "reports", "report"))
    # Ids are asked once, for their number and their page: it takes longer than all that is read of them.
    most = [_most(size, request.GET.get(name, "1")) if "q" in query else None for _, size, name, _ in lists]
    known = [each.values_list("pk", flat=True)[: n and n + 1] for (each, *_), n in zip(lists, most, strict=True)]
    pages = [_page(list(pks), size, request.GET, name) for pks, (_, size, name, _) in zip(known, lists, strict=True)]
    of_comparisons, of_reports = pages
    there = {one.pk: one for one in comparisons_for(access).filter(pk__in=list(of_comparisons))}
    listed = [there[pk] for pk in of_comparisons if pk in there]
    reports = {one.pk: one for one in reports_for(access).filter(pk__in=list(of_reports))}
    seen = placed_reports_in(listed)
    counts = library.Database(group, of_reports.paginator.count, of_comparisons.paginator.count, timezone.now())
    verdicts = indexed.lines_of(list(there))
    own = [reports[pk] for pk in of_reports if pk in reports]
    counted = [(page, name, of, n) for page, (_, _, name, of), n in zip(pages, lists, most, strict=True)]
    said = ", ".join(shown.counted(page.paginator.count, of, n) for page, _, of, n in counted if n and page)
    work = shown.Work(counts, listed, own, verdicts, is_one="db" in query, counts=said)
    pagers = [shown.pager(page, query, name, of, n) for page, name, of, n in counted]
    kept = {name: value for name, value in query.items() if name in ("with", "view")}
    all_url = f"?{urlencode(kept)}" if kept else reverse("home")
    return {"groups": [shown.group(access, work, seen, kept)], "pagers": pagers, "alone": True, "all_url": all_url}


def _most(size: int, number: str) -> int:
    """How many are counted for that page, of whatever number."""
    return max(shown.COUNTED, size * (whole_number(number, 9_999) or 0))


def _incidents(access: AccessContext, text: str) -> dict[str, Any]:
    """Those found too; guests find none."""
    wanted = list_incidents(access, Wanted(text=text))
    known = list(wanted.values_list("pk", flat=True))  # asked once, as above
    total = len(known)
    listed = list(list_incidents(access, Wanted()).filter(pk__in=known[:INCIDENTS])) if known else []
    url = f"{reverse('incidents')}?{urlencode({'q': text})}" if total > INCIDENTS else ""
    return {
        "incidents": found_incidents.lines(access, listed, text),
        "incidents_total": total,
        "incidents_url": url,
    }


def _page(found: Any, size: int, given: QueryDict, name: str) -> Page[Any]:
    return Paginator(found, size).get_page(given.get(name, "1")[:6])


def _chosen_report(request: HttpRequest, access: AccessContext) -> Report | None:
    """The report that another is chosen for."""
    try:
        return report_for(access, UUID(request.GET["with"])) if "with" in request.GET else None
    except (ValueError, NotFound):
        return None
