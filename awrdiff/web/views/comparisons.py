"""Pages of a comparison."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from awrdiff.accounts.access import NotFound
from awrdiff.accounts.display_names import both_names, shown_name
from awrdiff.analysis.export.baseline import median_parts
from awrdiff.analysis.export.comparison_json import section_parts
from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.analysis.model.lgwr_traces import split_traces
from awrdiff.analysis.report.activity_over_time_slots import SLOTS
from awrdiff.analysis.rows.ash_shares_by_event import SECTION as BY_EVENT
from awrdiff.comparisons import guest_access, queries, services
from awrdiff.comparisons.baseline_reports import held_against
from awrdiff.comparisons.errors import ComparisonRefused
from awrdiff.comparisons.median_comparison import ComparedView, against_median
from awrdiff.comparisons.models import REVERSE, Comparison
from awrdiff.comparisons.queries import StoredPair
from awrdiff.comparisons.report_pairs import other_way
from awrdiff.comparisons.report_places_and_titles import PlacedReport, placed_reports_of
from awrdiff.incidents.finding_verdicts import current
from awrdiff.incidents.models import Incident, Verdict
from awrdiff.incidents.past_incident_knowledge import judged_before
from awrdiff.incidents.queries import incidents_around, judged_at
from awrdiff.reports.models import Report
from awrdiff.reports.section_pages import every_part
from awrdiff.sharing.models import Shows
from awrdiff.sharing.queries import links_of, links_version
from awrdiff.web import links, query_options
from awrdiff.web.api import comparisons as api
from awrdiff.web.api.reports import sent_fields
from awrdiff.web.api.v1.request_and_response_types import Sent
from awrdiff.web.charts.frame import Chart
from awrdiff.web.comparison_dependents import is_bare
from awrdiff.web.content_negotiation import cached_response, conditional, form_fields, json_response, wants_json
from awrdiff.web.presenters.incident.finding_verdicts import verdicts_of
from awrdiff.web.presenters.page import overview, progress, sampled_activity, share_links, titles
from awrdiff.web.presenters.section import compared_section as sections
from awrdiff.web.presenters.section import histogram
from awrdiff.web.presenters.section.as_csv import section_csv
from awrdiff.web.presenters.section.columns_and_cells import BASES, Basis
from awrdiff.web.presenters.section.layouts import SQL
from awrdiff.web.sign_in.permission_helpers import member
from awrdiff.web.streamed_downloads import EXPORTS, download, json_stream, one_of_few
from awrdiff.web.uploads import uploading
from awrdiff.web.views import baselines, reports
from awrdiff.web.views.comparison_page_cache import Sheet, sheet_of
from awrdiff.web.views.visit import ReportVisit, Visit, part_cost, visit_of
from awrdiff.whole_number_input import whole_number

SQL_TEXT = "sql_text"
MOST_STATEMENTS = 5_000  # looked through for the texts of those a table lists


@require_POST
def create(request: HttpRequest) -> HttpResponse:
    """Field `report`, repeated, first to last: 201 `{"id", "state", "url"}`; the same reports in the same order give
    the same comparison. `order=time`, `title`; `provisional=yes`, `instead_of`, `replaces`: for the upload page.
    """
    access = member(request)
    return api.created(request, access, api.create_from(request, access))


@require_safe
def comparison(request: HttpRequest, pk: UUID) -> HttpResponse:
    """`{"id", "state": "pending|running|ready|failed", "stage", "error", "reports", "traces", …}`, once ready also
    `sections`.
    """
    access = member(request)
    return page(Visit(request, access, api.opened(access, pk)))


def page(visit: Visit) -> HttpResponse:
    """The result or its progress, also below share links."""
    request, access, opened = visit.request, visit.access, visit.comparison
    if wants_json(request):
        return api.comparison_json(request, access, opened)
    if not visit.is_ready:
        return pending(visit)
    places = placed_reports_of(opened)
    compared = split_traces(places)[0]
    if visit.view is not None:
        if to := baselines.leads_to(visit, visit.view):
            return redirect(to)
    elif "pair" not in request.GET and len(compared) > 2:
        return redirect(baselines.opens_on(visit, compared))
    report_facts = [(s.report.pk, s.name, s.aspect, s.begin_at) for s in places]
    shared = list(links_of(access, opened))
    guests = list(guest_access.guests(access, opened)) if access.can_share and not access.is_local else []
    team_verdicts = _verdicts(visit)
    made_of = query_options.view_version(visit.view)
    may_read = [(guest.pk, guest.sees, both_names(guest.user)) for guest in guests]
    beside = (links_version(shared), may_read, query_options.step(request), team_verdicts.version, made_of)
    version = (visit.version, report_facts, *beside)
    dialog = {"links": shared, "guests": guests, "team_verdicts": team_verdicts}
    return cached_response(request, version, lambda: _ready_page(visit, places, dialog))


def pending(visit: Visit) -> HttpResponse:
    """Reloads the requested page once ready."""
    places = placed_reports_of(visit.comparison)
    reports = [s.report for s in places]
    context = {
        "access": visit.access,
        "title": titles.comparison_title(visit.comparison, places),
        "work": progress.comparison_work(visit.access, visit.comparison, reports, visit.pair),
    }
    return render(visit.request, "web/pending.html", context)


@dataclass(frozen=True, slots=True)
class TeamVerdicts:
    """Verdicts, and incidents with the comparison or open to it."""

    verdicts: list[Verdict]
    before: dict[str, Verdict]
    incidents: list[Incident]
    open_to: list[Incident]

    @property
    def version(self) -> object:
        verdicts = [
            (v.pk, v.state, shown_name(v.user), [shown_name(s.user) for s in v.sign_offs.all()]) for v in self.verdicts
        ]
        titles = [[(incident.pk, incident.title) for incident in group] for group in (self.incidents, self.open_to)]
        return (
            verdicts,
            [(anchor, verdict.pk, shown_name(verdict.user)) for anchor, verdict in self.before.items()],
            titles,
        )


def _verdicts(visit: Visit) -> TeamVerdicts:
    access, opened = visit.access, visit.comparison
    if not access.can_read:
        return TeamVerdicts([], {}, [], [])
    own, other_incidents = incidents_around(access, opened)
    return TeamVerdicts(current(access, opened, visit.pair), judged_before(access, opened), own, other_incidents)


def _ready_page(visit: Visit, places: list[PlacedReport], dialog: dict[str, Any]) -> HttpResponse:
    request, access, opened, pair = visit.request, visit.access, visit.comparison, visit.pair
    compared, traces = split_traces(places)
    reports = [s.report for s in compared]
    pair_query = query_options.same_pair(request)
    part_of_both, side_parts = overview.parts_of_sides(compared, pair, may_choose=access.can_write)
    context = {
        **visit.addresses(),
        "title": titles.comparison_title(opened, compared, pair),
        "renewal": queries.renewal_note(access, opened),
        **query_options.material_choice(query_options.step(request)),
        "bases": BASES,
        "changed_only": query_options.changed_only(request),
        "exports": [
            (visit.below("export", ending) + (pair_query if export.for_people else ""), export.label, export.hint)
            for ending, export in EXPORTS.items()
        ],
        "search_url": visit.below("search"),
        "threads_url": links.threads(access, opened),
        "seen_url": links.precedents(access, opened),
        "part_of_both": part_of_both,
        "parts": side_parts,
        "pairs": titles.pairs(compared, queries.opening_pair(opened) + 1) if len(compared) > 2 else [],
        **(baselines.of_pair(visit, compared) if visit.view is None and len(compared) > 2 else {}),
        "traces": links.of_traces(access, opened, [t.report for t in traces]),
        "commit_url": visit.below("commit") + pair_query,
        "plans_url": visit.below("plans") + pair_query,
        **(_for_writers(request, opened, reports, pair) if access.can_write else {}),
        "report_links": links.reports_of_pair(access, opened, reports, pair),
        **dialog,
        **(baselines.of_median(visit, visit.view) if visit.view is not None else {}),
    }
    result_sheet = _sheet(visit, context)
    context |= result_sheet.facts
    context["basis"] = query_options.chosen_basis(request) or result_sheet.facts["default_basis"]
    context["sheet"], context["sections"] = result_sheet.html(request)
    return render(request, "comparisons/page.html", context)


def _sheet(visit: Visit, page: dict[str, Any]) -> Sheet:
    request, access, opened, view = visit.request, visit.access, visit.comparison, visit.view
    team_verdicts: TeamVerdicts = page["team_verdicts"]
    verdicts: dict[str, dict[str, Any]] = {}
    before: dict[str, dict[str, Any]] = {}
    if view is None and (team_verdicts.verdicts or team_verdicts.before):
        verdicts, before = verdicts_of(access, opened, team_verdicts.verdicts, team_verdicts.before, pair=visit.pair)
    reader = {
        "step": query_options.step(request),
        "changed_only": query_options.changed_only(request),
        "ranges": view is not None,
        "is_shared": access.is_shared,
        "can_write": access.can_write,
        "verdicts": verdicts,
        "before": before,
    }
    pair_or_selection = view[1] if view is not None else visit.pair
    version = (queries.result_version(opened), pair_or_selection, query_options.view_version(view))
    return sheet_of(_looked_at(visit), version, page, reader)


def _for_writers(request: HttpRequest, opened: Comparison, reports: list[Report], pair: int) -> dict[str, Any]:
    here = query_options.same_pair(request)
    return {
        "swap_url": "" if other_way(pair) is None else reverse("comparison-swap", args=[opened.pk]) + here,
        "attach_url": reverse("trace-attach", args=[opened.pk]),
        "share": share_links.dialog(request.get_host(), Shows.COMPARISON, opened.pk, here),
        "pins_url": links.pins(opened),
        "parts_url": reverse("comparison-aspect", args=[opened.pk]) + here,
        "own_title": opened.title,
        "own_reports": [(place, report.name) for place, report in enumerate(reports)],
        "leave_out_url": reverse("comparison-without", args=[opened.pk]),
        "comparison_pk": opened.pk,
        "rename_url": reverse("comparison-title", args=[opened.pk]) + here,
        "delete_url": reverse("comparison-delete", args=[opened.pk]),
        "compared_with": " ".join(str(report.pk) for report in reports),
        **uploading(),
        "verdicts_url": reverse("verdicts", args=[opened.pk]),
        "judged_at": judged_at(opened.pk),
        "incident_url": reverse("comparison-incident", args=[opened.pk]),
        "incident_key": str(uuid4()),
    }


@require_safe
def status(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The same without sections."""
    access = member(request)
    state = api.state_of(access, queries.comparison_for(access, pk), query_options.pair(request))
    return conditional(request, json_response(state))


@require_safe
def section(request: HttpRequest, section_id: str, **place: Any) -> HttpResponseBase:
    """A section with all its rows: compared, by `pair`, or `baseline` and `second`; of a report as `python -m parsers`
    prints it. `format=csv`: the page's rows and columns, by its `basis`, `all`, `q`, `sort`, `columns` and `material`.
    """
    visit = visit_of(request, part_cost(request), **place)
    make = (
        partial(reports.section_of, visit, section_id)
        if isinstance(visit, ReportVisit)
        else partial(section_of, visit, section_id)
    )
    if visit.access.link and wants_json(request):  # with all its rows
        return one_of_few(visit.access.link, make)
    return make()


def section_of(visit: Visit, section_id: str) -> HttpResponseBase:
    """All rows, streamed; the htmx part; or its own page."""
    request, view = visit.request, visit.view
    if wants_json(request):
        if view is not None:
            against, _ = held_against(*view, section_id)
            return json_stream(request, median_parts(against, view[1]))
        return json_stream(request, section_parts(queries.open_section(visit.comparison, section_id, visit.pair)))
    if not visit.comparison.is_ready:
        return _section_page(visit, section_id)
    if request.GET.get("columns") == "each":
        return baselines.each_of(visit, section_id)
    if request.GET.get("format") == "csv":
        return _section_csv(visit, section_id)
    version = (visit.version, query_options.step(request), query_options.view_version(view))
    return cached_response(request, version, lambda: _section_page(visit, section_id))


def _section_csv(visit: Visit, section_id: str) -> HttpResponseBase:
    viewed = _looked_at(visit)
    loaded = viewed.section(section_id)
    view_options = query_options.section_options(visit.request, _basis(visit.request, viewed))
    parts = every_part(partial(viewed.part, section_id))
    csv_lines = partial(section_csv, loaded, parts, view_options, _statements(viewed, loaded))
    return download(visit.request, f"{section_id} {_title(visit)}", "csv", csv_lines)


def _basis(request: HttpRequest, viewed: ComparedView) -> Basis:
    return query_options.chosen_basis(request) or ("s" if viewed.elapsed_differs else "total")


def _section_page(visit: Visit, section_id: str) -> HttpResponse:
    request, baseline_view, viewed = visit.request, visit.view, _looked_at(visit)
    loaded, part = viewed.part(section_id, query_options.part(request))
    basis = _basis(request, viewed)
    view, template = _presented(request, loaded, basis, _statements(viewed, loaded))
    if baseline_view is not None and isinstance(view, sections.SectionView):
        view = baselines.with_lies(*baseline_view, view, query_options.section_options(request, basis))
    addresses = visit.addresses()
    sampled = viewed.overview.activity if section_id == SLOTS else None
    context: dict[str, Any] = {
        **addresses,
        "v": view,
        "activity": sampled_activity.activity_chart(sampled) if sampled is not None else None,
        "by_event": _by_event(viewed, loaded, addresses["entities_url"], visit.query) if part.count == 1 else None,
        "part": part,
        "template": template,
        "filter": query_options.filter_text(request),
        "section_url": visit.below("section", section_id),
        "keep": query_options.kept_options(request),
        "each": queries.compared_count(visit.comparison),
        "trend_url": visit.below("trend") if baseline_view is not None else "",
        "asked": query_options.baseline_query(baseline_view[1]) if baseline_view is not None else "",
        "unlike": baselines.unlike(*baseline_view) if baseline_view is not None else (),
    }
    if visit.in_panel:
        chart = (
            query_options.chart_only(request) and isinstance(view, histogram.HistogramView) and view.chart is not None
        )
        return render(request, "sections/_histogram_drawn.html" if chart else template, context)
    context |= {
        "title": _title(visit),
        **query_options.material_choice(query_options.step(request)),
        "back": f"{visit.url}{visit.query}#{section_id}",
        "bases": BASES,
        "basis": basis,
        "changed_only": query_options.changed_only(request),
    }
    return render(request, "comparisons/section.html", context)


def _by_event(viewed: ComparedView, loaded: ComparedSection, entities: str, pair: str) -> Chart | None:
    if loaded.id != BY_EVENT or viewed.overview.median is not None:
        return None
    sessions = [side.active_sessions for side in viewed.overview.identity]
    return sampled_activity.events_chart(loaded, sessions, lambda path: f"{entities}{path}{pair}")


def _looked_at(visit: Visit) -> ComparedView:
    return against_median(*visit.view) if visit.view is not None else StoredPair(visit.comparison, visit.pair)


def _title(visit: Visit) -> str:
    if visit.view is not None:
        return baselines.title_of_view(visit.view)
    return titles.comparison_title(visit.comparison, placed_reports_of(visit.comparison), visit.pair)


def _statements(viewed: ComparedView, loaded: ComparedSection) -> dict[str, str]:
    if not SQL.match(loaded.id):
        return {}
    try:
        texts = viewed.section(SQL_TEXT)
    except NotFound:
        return {}
    return sections.statements(islice(texts.rows, MOST_STATEMENTS), {r.key.get("sql_id", "") for r in loaded.rows})


def _presented(
    request: HttpRequest, loaded: ComparedSection, basis: Basis, texts: dict[str, str]
) -> tuple[sections.SectionView | histogram.HistogramView, str]:
    view_options = query_options.section_options(request, basis)
    if histogram.is_histogram(loaded):
        return histogram.present(loaded, view_options), "sections/_histogram.html"
    return sections.present(loaded, view_options, texts), "sections/_table.html"


@require_POST
def swap(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Swaps first and second: 201 with the address, `?pair=100` of this comparison."""
    access = member(request)
    own_comparison = queries.comparison_for(access, pk)
    return api.created(
        request, access, own_comparison, services.swap(access, own_comparison, query_options.pair(request))
    )


@require_POST
def choose(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Fields `place` (0 is the first, or `all`) and `aspect` (`instance:2`, `first`, `second`; empty: the whole): 201
    with the address of a view of that part.
    """
    access = member(request)
    own_comparison = queries.comparison_for(access, pk)
    place = None if form_fields(request).get("place") == "all" else _place(request)
    of_part = services.choose_part(access, own_comparison, place, form_fields(request).get("aspect", ""))
    is_turned = query_options.pair(request) == REVERSE
    if is_turned:
        services.compute_both_ways([of_part.pk])
        of_part.refresh_from_db()
    page_url = links.comparison(access, of_part) + query_options.same_pair(request)
    return api.created(request, access, of_part, REVERSE if is_turned else None, page_url)


def _place(request: HttpRequest) -> int:
    if (place := whole_number(form_fields(request).get("place"), 99)) is None:
        raise ComparisonRefused("“place” must be the number of a report in the comparison; 0 is the first.")
    return place


@require_POST
def leave_out(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `place`: 201 with a comparison of the other reports; 200 with the remaining report if there were two. The
    former comparison is deleted unless worked on.
    """
    access = member(request)
    own_comparison = queries.comparison_for(access, pk)
    remaining = services.leave_out(access, own_comparison, _place(request))
    services.retire(access, own_comparison, partial(is_bare, access))
    if isinstance(remaining, Comparison):
        return api.created(request, access, remaining)
    if wants_json(request):
        return json_response(Sent(**sent_fields(access, remaining)))
    return redirect(links.report(access, remaining) or "home")


@require_POST
def retry(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Computes a failed one again."""
    access = member(request)
    return redirect(links.comparison(access, services.retry(access, queries.comparison_for(access, pk))))


@require_POST
def rename(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `title`: its own title; empty: one made from its reports."""
    access = member(request)
    renamed = services.rename(access, queries.comparison_for(access, pk), form_fields(request).get("title", ""))
    if wants_json(request):
        return api.comparison_json(request, access, renamed)
    if form_fields(request).get("to") == "comparison":
        return redirect(links.comparison(access, renamed) + query_options.same_pair(request))
    return redirect(
        f"{reverse('home')}?{QueryDict(form_fields(request).get('back', '')).urlencode()}".removesuffix("?")
    )


@require_safe
def search(request: HttpRequest, **place: Any) -> HttpResponse:
    """`q`, `pair`: number of matching rows by section, unopened ones too; `found=1` adds findings, entities and first
    rows.
    """
    visit = visit_of(request, **place)
    return reports.search_of(request, visit.report) if isinstance(visit, ReportVisit) else api.search_json(visit)
