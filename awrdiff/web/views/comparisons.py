"""Pages of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from msgspec.structs import replace

from awrdiff.accounts.access import AccessContext, NotFound
from awrdiff.accounts.names import both_names, shown_name
from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.analysis.model.traces import split_traces
from awrdiff.analysis.report.slots import SLOTS
from awrdiff.analysis.rows.by_event import SECTION as BY_EVENT
from awrdiff.analysis.rows.material import DEFAULT
from awrdiff.audit.services import note
from awrdiff.comparisons import queries, services, showing
from awrdiff.comparisons.looked_at import Looked, StoredPair
from awrdiff.comparisons.medians import against_median
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.pairs import TURNED, of_first, other_way
from awrdiff.comparisons.placed_reports import PlacedReport, placed_reports_of
from awrdiff.comparisons.stored import stored_pairs
from awrdiff.incidents.models import Incident, Verdict
from awrdiff.incidents.queries import incidents_around, judged_at
from awrdiff.incidents.remembered import judged_before
from awrdiff.incidents.verdicts import current
from awrdiff.reports.models import Report
from awrdiff.reports.parts import every_part
from awrdiff.sharing.models import Shows
from awrdiff.sharing.queries import links_of, links_version
from awrdiff.web import links, options
from awrdiff.web.api import comparisons as api
from awrdiff.web.downloads import download
from awrdiff.web.negotiate import cached_response, wants_json
from awrdiff.web.presenters.incident.findings import judged_in, verdicts_of
from awrdiff.web.presenters.page import (
    activity,
    exports,
    share_links,
    titles,
    trace_events,
    work,
)
from awrdiff.web.presenters.page import aspects as parts
from awrdiff.web.presenters.section import by_event, histogram
from awrdiff.web.presenters.section import compared as sections
from awrdiff.web.presenters.section.as_csv import section_csv
from awrdiff.web.presenters.section.figures import BASES, Basis
from awrdiff.web.presenters.section.layouts import SQL
from awrdiff.web.sheets import Sheet
from awrdiff.web.sign_in.members import member
from awrdiff.web.uploads import uploading
from awrdiff.web.views import baselines
from awrdiff.web.views.comparison_sheet import sheet_of
from awrdiff.web.views.errors import answer

SQL_TEXT = "sql_text"
MOST_STATEMENTS = 5_000  # looked through for the texts of those a table lists


@require_POST
def create(request: HttpRequest) -> HttpResponse:
    """Field `report`, repeated, first to last: 201 `{"id", "state", "url"}`; the same in the same order are one
    comparison. `order=time`, `title`; `provisional=yes`, `instead_of`, `replaces`: for the page that uploads.
    """
    access = member(request)
    if wants_json(request):
        return api.create(request, access)
    return redirect(links.comparison(access, api.create_from(request, access)))


@require_safe
def comparison(request: HttpRequest, pk: UUID) -> HttpResponse:
    """`{"id", "state": "pending|running|ready|failed", "stage", "error", "reports", "traces", …}`, once ready also
    `sections`.
    """
    access = member(request)
    found = api.opened(access, pk)
    if wants_json(request):
        return api.comparison_json(request, access, found)
    return page(request, access, found)


def page(request: HttpRequest, access: AccessContext, found: Comparison) -> HttpResponse:
    """The page for a member or under a share link: the result, or how far it has come."""
    if not found.is_ready or queries.is_awaited(found, options.pair(request)):
        return pending(request, access, found)
    places = placed_reports_of(found)
    compared = split_traces(places)[0]
    if (asked := baselines.asked_places(request, found)) is not None:
        if to := baselines.leads_to(request, access, found, asked):
            return redirect(to)
    elif "pair" not in request.GET and len(compared) > 2:
        return redirect(baselines.opens_on(request, access, found, compared))
    known = [(s.report.pk, s.name, s.aspect, s.begin_at) for s in places]
    shared = list(links_of(access, found))
    guests = [] if access.is_local else list(showing.guests(access, found))
    judged = _verdicts(request, access, found)
    made_of = baselines.version_of(asked)
    may_read = [(one.pk, one.sees, both_names(one.user)) for one in guests]
    beside = (links_version(shared), may_read, options.step(request), judged.version, made_of)
    version = (queries.version_of(access, found), known, *beside)
    dialog = {"links": shared, "guests": guests, "judged": judged}
    return cached_response(request, version, lambda: _ready_page(request, access, found, places, dialog, asked=asked))


def pending(request: HttpRequest, access: AccessContext, found: Comparison) -> HttpResponse:
    """How far it has come: the page that was asked for is loaded once it is ready."""
    places = placed_reports_of(found)
    context = {
        "access": access,
        "title": titles.comparison_title(found, split_traces(places)[0]),
        "work": work.comparison_work(access, found, [s.report for s in places], options.pair(request)),
    }
    return render(request, "web/pending.html", context)


@dataclass(frozen=True, slots=True)
class Judged:
    """What the team makes of the comparison, for its members: verdicts, and the incidents it is in or may be put in."""

    verdicts: list[Verdict]
    before: dict[str, Verdict]
    incidents: list[Incident]
    others: list[Incident]

    @property
    def version(self) -> object:
        verdicts = [
            (v.pk, v.state, shown_name(v.user), [shown_name(s.user) for s in v.sign_offs.all()]) for v in self.verdicts
        ]
        shown = [[(one.pk, one.title) for one in found] for found in (self.incidents, self.others)]
        return verdicts, [(anchor, one.pk, shown_name(one.user)) for anchor, one in self.before.items()], shown


def _verdicts(request: HttpRequest, access: AccessContext, found: Comparison) -> Judged:
    if not access.can_read:
        return Judged([], {}, [], [])
    own, others = incidents_around(access, found)
    return Judged(current(access, found, options.pair(request)), judged_before(access, found), own, others)


def _ready_page(
    request: HttpRequest,
    access: AccessContext,
    found: Comparison,
    places: list[PlacedReport],
    dialog: dict[str, Any],
    *,
    asked: baselines.Asked | None,
) -> HttpResponse:
    compared, traces = split_traces(places)
    reports = [s.report for s in compared]
    pair = options.pair(request)
    chosen = options.same_pair(request)
    page_url = links.comparison(access, found)
    step = options.step(request)
    context = {
        "access": access,
        "title": titles.comparison_title(found, compared, pair),
        "renewal": queries.renewal_note(access, found),
        **options.material_choice(step),
        "bases": BASES,
        "changed_only": options.changed_only(request),
        "pair": pair,
        "exports": exports.menu(lambda ending: links.export(access, found, ending), chosen),
        "page_url": page_url,
        "entities_url": links.entities(access, found),
        "pair_query": chosen,
        "sections_url": f"{page_url}sections/",
        "search_url": links.search(access, found),
        "threads_url": links.threads(access, found),
        "seen_url": links.seen(access, found),
        "parts": parts.of_sides(compared, pair, may_choose=access.can_write),
        "pairs": titles.pairs(compared, queries.opening_pair(found) + 1) if len(compared) > 2 else [],
        **(baselines.of_pair(request, access, found, compared, pair) if asked is None else {}),
        "traces": trace_events.files(access, found, [t.report for t in traces]),
        "commit_url": f"{links.commit(access, found)}{chosen}",
        "plans_url": f"{links.plans(access, found)}{chosen}",
        **(_for_writers(request, found, reports, pair) if access.can_write else share_links.seen_until(access)),
        "report_links": links.reports_of_pair(access, found, reports, pair),
        **dialog,
        **(baselines.of_median(request, access, found, asked) if asked is not None else {}),
    }
    made = _sheet(request, access, found, context, asked)
    context |= made.facts
    context["basis"] = options.chosen_basis(request) or made.facts["default_basis"]
    context["sheet"], context["sections"] = made.html(request)
    return render(request, "comparisons/page.html", context)


def _sheet(
    request: HttpRequest, access: AccessContext, found: Comparison, page: dict[str, Any], asked: baselines.Asked | None
) -> Sheet:
    """What of the page is made of the result: `page` is the context of the rest."""
    judged: Judged = page["judged"]
    pair = options.pair(request)
    given, before = ({}, {}) if asked else verdicts_of(access, found, judged.verdicts, judged.before, pair=pair)
    reader = {
        "step": options.step(request),
        "changed_only": options.changed_only(request),
        "ranges": asked is not None,
        "is_shared": access.is_shared,
        "can_write": access.can_write,
        "verdicts": given,
        "before": before,
    }
    chosen = asked[1] if asked is not None else options.pair(request)
    version = (queries.result_version(found), chosen, baselines.version_of(asked))
    return sheet_of(_looked_at(request, found, asked), version, page, reader)


def _for_writers(request: HttpRequest, found: Comparison, reports: list[Report], pair: int) -> dict[str, Any]:
    here = options.same_pair(request)
    return {
        "swap_url": "" if other_way(pair) is None else reverse("comparison-swap", args=[found.pk]) + here,
        "attach_url": reverse("trace-attach", args=[found.pk]),
        "share": share_links.dialog(request.get_host(), Shows.COMPARISON, found.pk, here),
        "pins_url": links.pins(found),
        "parts_url": reverse("comparison-aspect", args=[found.pk]) + here,
        "own_title": found.title,
        "own_reports": [(place, report.name) for place, report in enumerate(reports)],
        "leave_out_url": reverse("comparison-without", args=[found.pk]),
        "comparison_pk": found.pk,
        "rename_url": reverse("comparison-title", args=[found.pk]) + here,
        "delete_url": reverse("comparison-delete", args=[found.pk]),
        "compared_with": " ".join(str(report.pk) for report in reports),
        **uploading(),
        "verdicts_url": reverse("verdicts", args=[found.pk]),
        "judged_at": judged_at(found.pk),
        "incident_url": reverse("comparison-incident", args=[found.pk]),
        "incident_key": str(uuid4()),
    }


@require_safe
def status(request: HttpRequest, pk: UUID) -> HttpResponse:
    """The same without sections."""
    access = member(request)
    return api.status_json(request, access, queries.comparison_for(access, pk))


@require_safe
def section(request: HttpRequest, pk: UUID, section_id: str) -> HttpResponseBase:
    """A compared section with all its rows; `pair`, or `baseline` and `second`. `format=csv`: what the page shows, with
    its `basis`, `all`, `q`, `sort`, `columns` and `material`.
    """
    access = member(request)
    return section_of(request, access, queries.comparison_for(access, pk), section_id)


def section_of(request: HttpRequest, access: AccessContext, found: Comparison, section_id: str) -> HttpResponseBase:
    """One section: the part htmx asks for, or a page of its own."""
    asked = baselines.asked_places(request, found) if found.is_ready else None
    if wants_json(request):
        return api.section_json(request, found, section_id, options.pair(request), asked)
    if not found.is_ready:
        return _section_page(request, access, found, section_id)
    if request.GET.get("columns") == "each":
        return baselines.each_of(request, access, found, section_id, asked[1] if asked is not None else None)
    if request.GET.get("format") == "csv":
        return _section_csv(request, found, section_id, asked)
    version = (queries.version_of(access, found), options.step(request), baselines.version_of(asked))
    return cached_response(request, version, lambda: _section_page(request, access, found, section_id, asked))


def _section_csv(
    request: HttpRequest, found: Comparison, section_id: str, asked: baselines.Asked | None
) -> HttpResponseBase:
    """`?format=csv`: the rows and columns that the page shows, as a file."""
    looked = _looked_at(request, found, asked)
    loaded = looked.section(section_id)
    chosen = options.section_options(request, _basis(request, looked))
    parts = every_part(partial(looked.part, section_id))
    written = partial(section_csv, loaded, parts, chosen, _statements(looked, loaded))
    return download(request, f"{section_id} {_title(found, options.pair(request), asked)}", "csv", written)


def _basis(request: HttpRequest, looked: Looked) -> Basis:
    return options.chosen_basis(request) or ("s" if looked.elapsed_differs else "total")


def _section_page(
    request: HttpRequest,
    access: AccessContext,
    found: Comparison,
    section_id: str,
    asked: baselines.Asked | None = None,
) -> HttpResponse:
    pair, looked = options.pair(request), _looked_at(request, found, asked)
    loaded, part = looked.part(section_id, options.part(request))
    basis = _basis(request, looked)
    view, template = _presented(request, loaded, basis, _statements(looked, loaded))
    if asked is not None and isinstance(view, sections.SectionView):
        view = baselines.with_lies(*asked, view, options.section_options(request, basis))
    chosen = f"?{options.baseline_query(asked[1])}" if asked is not None else options.same_pair(request)
    context: dict[str, Any] = {
        "access": access,
        "v": view,
        "activity": activity.present(looked.overview.activity) if section_id == SLOTS else None,
        "by_event": _by_event(looked, loaded, links.entities(access, found), chosen) if part.count == 1 else None,
        "part": part,
        "template": template,
        "filter": options.filter_text(request),
        "section_url": links.section(access, found, section_id),
        "entities_url": links.entities(access, found),
        "pair_query": chosen,
        "keep": options.kept_options(request),
        "each": queries.compared_count(found),
        "trend_url": links.trend(access, found) if asked is not None else "",
        "asked": options.baseline_query(asked[1]) if asked is not None else "",
        "unlike": baselines.unlike(*asked) if asked is not None else (),
    }
    if getattr(request, "htmx", False):
        chart = options.chart_only(request) and isinstance(view, histogram.HistogramView) and view.drawn is not None
        return render(request, "sections/_histogram_drawn.html" if chart else template, context)
    context |= {
        "title": _title(found, pair, asked),
        **options.material_choice(options.step(request)),
        "back": f"{links.comparison(access, found)}{chosen}#{section_id}",
        "page_url": links.comparison(access, found),
        "bases": BASES,
        "basis": basis,
        "changed_only": options.changed_only(request),
        "pair": pair,
    }
    return render(request, "comparisons/section.html", context)


def _by_event(looked: Looked, loaded: ComparedSection, entities: str, pair: str) -> by_event.ByEventView | None:
    if loaded.id != BY_EVENT or looked.overview.median is not None:
        return None
    sessions = [side.active_sessions for side in looked.overview.identity]
    return by_event.present(loaded, sessions, lambda path: f"{entities}{path}{pair}")


def _looked_at(request: HttpRequest, found: Comparison, asked: baselines.Asked | None) -> Looked:
    return against_median(*asked) if asked is not None else StoredPair(found, options.pair(request))


def _title(found: Comparison, pair: int, asked: baselines.Asked | None) -> str:
    if asked is not None:
        return baselines.title_of_view(asked)
    return titles.comparison_title(found, split_traces(placed_reports_of(found))[0], pair)


def _statements(looked: Looked, loaded: ComparedSection) -> dict[str, str]:
    """Whole statements by SQL id, where the section lists statements and another prints them whole."""
    if not SQL.match(loaded.id):
        return {}
    try:
        texts = looked.section(SQL_TEXT)
    except NotFound:
        return {}
    return sections.statements(islice(texts.rows, MOST_STATEMENTS), {r.key.get("sql_id", "") for r in loaded.rows})


def _presented(
    request: HttpRequest, loaded: ComparedSection, basis: Basis, texts: dict[str, str]
) -> tuple[sections.SectionView | histogram.HistogramView, str]:
    chosen = options.section_options(request, basis)
    if histogram.is_histogram(loaded):
        return histogram.present(loaded, chosen), "sections/_histogram.html"
    return sections.present(loaded, chosen, texts), "sections/_table.html"


@require_safe
def export(request: HttpRequest, pk: UUID, ending: str) -> HttpResponseBase:
    """`txt` (for a ticket), `json`, `md`, `html`, `csv`. `part=summary`: without sections; `material`; `pair`, or
    `baseline` and `second`.
    """
    access = member(request)
    found = queries.comparison_for(access, pk)
    given = current(access, found, pair=None)
    return note_download(
        request, access, found, export_of(request, found, ending, links.comparison(access, found), given)
    )


def note_download(
    request: HttpRequest, access: AccessContext, found: Comparison, response: HttpResponseBase
) -> HttpResponseBase:
    """The audit log says who took the comparison away."""
    if request.method == "GET" and response.status_code == 200:
        note(access, "exported", "comparison", found.pk)
    return response


def export_of(
    request: HttpRequest, found: Comparison, ending: str, page_url: str = "", given: Sequence[Verdict] = ()
) -> HttpResponseBase:
    """The whole comparison, First against each, as a file; `?part=summary` leaves the sections out, and for people
    `?pair=2` stands at the top.

    `page_url`: what Markdown says of where it is from; "" for a guest, whose address is the link itself. `given`: the
    verdicts that stand beside the findings.
    """
    chosen = exports.EXPORTS.get(ending)
    if chosen is None:
        raise NotFound(f"There is no such export: a comparison comes as {exports.ENDINGS}.")
    if not found.is_ready or queries.is_awaited(found, options.pair(request)):
        return answer(request, 409, "The comparison is not finished yet: export it once it is.")
    if (asked := baselines.asked_places(request, found)) is not None:
        return baselines.export(request, asked, ending, page_url)
    compared, _ = split_traces(placed_reports_of(found))
    leading = options.pair(request) if chosen.for_people and "pair" in request.GET else None
    straight = [TURNED] if len(compared) == 2 and options.pair(request) == TURNED else of_first(len(compared))
    written_pairs = list(dict.fromkeys([*([] if leading is None else [leading]), *straight]))
    sections = chosen.tells_sections and request.GET.get("part") != "summary"
    step = options.step(request)

    def address(pair: int) -> str:
        said = {"pair": pair} if pair or len(compared) > 2 else {}
        query = urlencode({**said, **({"material": f"{step:g}"} if step != DEFAULT else {})})
        return request.build_absolute_uri(f"{page_url}?{query}".removesuffix("?")) if page_url else ""

    def written() -> Iterator[str]:
        pairs = list(zip(written_pairs, stored_pairs(found, written_pairs, sections=sections), strict=True))
        made = [replace(one, step=step, address=address(pair)) for pair, one in pairs]
        judged = [judged_in(one, given, pair) for one, (pair, _) in zip(made, pairs, strict=True)] if given else made
        return chosen.written(judged, sections=sections)

    return download(request, titles.comparison_title(found, compared, leading), ending, written)


@require_POST
def swap(request: HttpRequest, pk: UUID) -> HttpResponse:
    """First and second exchanged: 201 with the address, `?pair=100` of this comparison."""
    access = member(request)
    found = queries.comparison_for(access, pk)
    if wants_json(request):
        return api.swap(request, access, found)
    turned = services.swap(access, found, options.pair(request))
    return redirect(links.comparison(access, found) + options.pair_query(turned, queries.compared_count(found)))


@require_POST
def choose(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Fields `place` (0 is the first, or `all`) and `aspect` (`instance:2`, `first`, `second`; empty: the whole): 201
    with the address of a view of that part.
    """
    access = member(request)
    found = queries.comparison_for(access, pk)
    if wants_json(request):
        return api.choose(request, access, found)
    return redirect(links.comparison(access, api.choose_from(request, access, found)) + options.same_pair(request))


@require_POST
def leave_out(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `place`: 201, the comparison of the others; of two 200, the report that is left."""
    access = member(request)
    found = queries.comparison_for(access, pk)
    if wants_json(request):
        return api.leave_out(request, access, found)
    left = api.leave_out_from(request, access, found)
    url = links.comparison(access, left) if isinstance(left, Comparison) else links.report(access, left)
    return redirect(url or "home")


@require_POST
def retry(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Computes a failed one again."""
    access = member(request)
    return redirect(links.comparison(access, services.retry(access, queries.comparison_for(access, pk))))


@require_POST
def rename(request: HttpRequest, pk: UUID) -> HttpResponse:
    """Field `title`: one of its own; empty: it is called by what it compares."""
    access = member(request)
    found = services.rename(access, queries.comparison_for(access, pk), request.POST.get("title", ""))
    if wants_json(request):
        return api.comparison_json(request, access, found)
    if request.POST.get("to") == "comparison":
        return redirect(links.comparison(access, found) + options.same_pair(request))
    return redirect(f"{reverse('home')}?{QueryDict(request.POST.get('back', '')).urlencode()}".removesuffix("?"))


@require_safe
def search(request: HttpRequest, pk: UUID) -> HttpResponse:
    """`q`, `pair`: the number of rows of each section that hold every word; `found=1` adds findings, things and first
    rows.
    """
    access = member(request)
    found = queries.comparison_for(access, pk)
    return api.search_json(request, access, found, baselines.asked_places(request, found))
