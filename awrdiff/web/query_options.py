"""The reader's choices; unreadable ones are ignored."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import HttpRequest

from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.rows.materiality import DEFAULT, STEPS
from awrdiff.comparisons import baseline_reports
from awrdiff.comparisons.anchors import view_of
from awrdiff.comparisons.models import REVERSE, Comparison, ComparisonReport
from awrdiff.reports.section_pages import Wanted
from awrdiff.web.content_negotiation import form_fields
from awrdiff.web.presenters.section.columns_and_cells import BASES, Basis
from awrdiff.web.presenters.section.compared_section import Options
from awrdiff.web.sign_in.cookies import of_server
from awrdiff.whole_number_input import small_number, whole_number

LONGEST_FILTER = 200
RequestedView = tuple[list[ComparisonReport], BaselineSelection]  # a comparison's places, and those chosen
REMEMBERED = "awrdiff_material"  # the cookie that page.js keeps, by the name `material_choice` tells it


class Choice(NamedTuple):
    """`value`: of a form field, or an address."""

    value: str
    label: str
    current: bool = False


def row_number(request: HttpRequest, name: str) -> int | None:
    """Within the database's range."""
    return whole_number(request.GET.get(name))


def page_of(request: HttpRequest, rows: Any, size: int) -> Page[Any]:
    return Paginator(rows, size).get_page(request.GET.get("page", "1")[:6])


def chosen_basis(request: HttpRequest) -> Basis | None:
    basis_text = request.GET.get("basis")
    return next((key for key, _ in BASES if key == basis_text), None)


def changed_only(request: HttpRequest) -> bool:
    return request.GET.get("all") != "1"


def step(request: HttpRequest) -> float:
    """In percent of DB time: address, else cookie."""
    for text in (request.GET.get("material"), request.COOKIES.get(of_server(REMEMBERED))):
        with suppress(ValueError):
            if (percent := float(text or "nan")) in STEPS:
                return percent
    return DEFAULT


def material_choice(step: float) -> dict[str, Any]:
    """Current threshold, default and all choices."""
    texts = [(f"{percent:g}", f"{percent:g} % of DB time" if percent else "any change") for percent in STEPS]
    context = {"step": f"{step:g}", "step_text": f"{step:g}", "default_step": f"{DEFAULT:g}", "steps": texts}
    return {**context, "material_cookie": of_server(REMEMBERED)}


def filter_text(request: HttpRequest) -> str:
    return " ".join(request.GET.get("q", "").replace("\x00", " ").split())[:LONGEST_FILTER]


def pair(request: HttpRequest) -> int:
    return small_number(request.GET.get("pair"))


def sent_pair(request: HttpRequest) -> int:
    """From the address, else the form."""
    return small_number(request.GET.get("pair", form_fields(request).get("pair")))


def begin_with(request: HttpRequest, pair: int) -> None:
    """For requests without a pair."""
    if pair and not {"pair", "baseline"} & request.GET.keys():
        parameters = request.GET.copy()
        parameters["pair"] = str(pair)
        request.GET = parameters  # type: ignore[assignment]


def same_pair(request: HttpRequest) -> str:
    """Pair of the address, if any."""
    return f"?pair={pair(request)}" if "pair" in request.GET else ""


def pair_query(pair: int, reports: int) -> str:
    """ "" for two reports."""
    return f"?pair={pair}" if pair or reports > 2 else ""


def chosen_baseline(request: HttpRequest, reports: int) -> BaselineSelection | None:
    """`baseline=0,1,2` (or repeated) and `second=3`: places; None unless two differ."""
    second = request.GET.get("second", "")
    texts = {text for parameter in request.GET.getlist("baseline") for text in parameter[:LONGEST_FILTER].split(",")}
    places = [small_number(text) for text in (second, *sorted(texts)) if text.strip().isdecimal()]
    if not second.isdecimal() or not places or max(places) >= reports:
        return None
    members = tuple(sorted(set(places[1:]) - {places[0]}))
    return BaselineSelection(members, places[0]) if members else None


def requested_places(request: HttpRequest, comparison: Comparison) -> RequestedView | None:
    """None if the address has no baseline."""
    if "baseline" not in request.GET:
        return None
    places = baseline_reports.compared_places(comparison)
    selection = chosen_baseline(request, len(places))
    return (places, selection) if selection is not None else None


def view_version(asked_for: RequestedView | None) -> object:
    """Inputs beside the comparison, for an ETag."""
    return baseline_reports.version_of(asked_for[0]) if asked_for is not None else None


def baseline_query(selection: BaselineSelection) -> str:
    return f"baseline={','.join(map(str, selection.members))}&second={selection.second}"


def view_query(baseline: str, pair: int) -> str:
    """Baseline view, or pair; "" beyond REVERSE."""
    if (selection := view_of(baseline)) is not None:
        return f"?{baseline_query(selection)}"
    return f"?pair={pair}" if pair <= REVERSE else ""


def part(request: HttpRequest) -> Wanted:
    """Part of a too large section, or text in it."""
    wanted = small_number(request.GET.get("part"))
    return Wanted(wanted or None, row=request.GET.get("row", "")[:64], text=filter_text(request))


def chart_only(request: HttpRequest) -> bool:
    """True for a histogram row's chart alone."""
    return request.GET.get("only") == "chart"


def section_options(request: HttpRequest, basis: Basis) -> Options:
    return Options(
        basis=basis,
        changed_only=changed_only(request),
        text=filter_text(request),
        start=small_number(request.GET.get("from")),
        everything=request.GET.get("columns") == "all",
        row=request.GET.get("row", "")[:64],
        sort=request.GET.get("sort", "")[:4],
        step=step(request),
        unpriced=request.GET.get("unpriced") == "1",
    )


def kept_options(request: HttpRequest) -> str:
    """Ends in "&" unless empty."""
    names = ("basis", "all", "unpriced", "material", "q", "pair", "baseline", "second", "part")
    query = urlencode({name: request.GET[name] for name in names if request.GET.get(name)})
    return f"{query}&" if query else ""
