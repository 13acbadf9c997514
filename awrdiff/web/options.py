"""What the reader chose, as the address says it. Anything unreadable counts as not chosen."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest

from awrdiff.analysis.baseline.against import Chosen
from awrdiff.analysis.rows.material import DEFAULT, STEPS, nearest
from awrdiff.comparisons.baseline_anchors import view_of
from awrdiff.comparisons.pairs import TURNED
from awrdiff.numbers import whole_number
from awrdiff.reports.parts import Wanted
from awrdiff.web.presenters.section.compared import Options
from awrdiff.web.presenters.section.figures import BASES, Basis
from awrdiff.web.sign_in.cookies import of_server

LONGEST_FILTER = 200
REMEMBERED = "awrdiff_material"  # the cookie that page.js keeps, by the name `material_choice` tells it


def row_number(request: HttpRequest, name: str) -> int | None:
    """A row's number, as far as a database may have one."""
    return whole_number(request.GET.get(name))


def chosen_basis(request: HttpRequest) -> Basis | None:
    given = request.GET.get("basis")
    return next((key for key, _ in BASES if key == given), None)


def changed_only(request: HttpRequest) -> bool:
    return request.GET.get("all") != "1"


def step(request: HttpRequest) -> float:
    """From how many percent of DB time on a change counts: as the address says, else as the browser remembers."""
    for said in (request.GET.get("material"), request.COOKIES.get(of_server(REMEMBERED))):
        if (chosen := nearest(said)) is not None:
            return chosen
    return DEFAULT


def material_choice(step: float) -> dict[str, Any]:
    """From which share of DB time on a change counts: chosen, by default, and what may be chosen."""
    texts = [(f"{one:g}", f"{one:g} % of DB time" if one else "any change") for one in STEPS]
    chosen = {"step": f"{step:g}", "step_text": f"{step:g}", "default_step": f"{DEFAULT:g}", "steps": texts}
    return {**chosen, "material_cookie": of_server(REMEMBERED)}


def filter_text(request: HttpRequest) -> str:
    return " ".join(request.GET.get("q", "").replace("\x00", " ").split())[:LONGEST_FILTER]


def pair(request: HttpRequest) -> int:
    return number(request.GET.get("pair"))


def form_pair(request: HttpRequest) -> int:
    """Of what is sent: as the address says it, which may have led here from another; else as the form does."""
    return number(request.GET.get("pair", request.POST.get("pair")))


def begin_with(request: HttpRequest, pair: int) -> None:
    """What is asked of no pair is asked of this one."""
    if pair and not {"pair", "baseline"} & request.GET.keys():
        asked = request.GET.copy()
        asked["pair"] = str(pair)
        request.GET = asked  # type: ignore[assignment]


def same_pair(request: HttpRequest) -> str:
    """What the addresses in a page say of the pair: the same as its own, which names it where there are several."""
    return f"?pair={pair(request)}" if "pair" in request.GET else ""


def pair_query(pair: int, reports: int) -> str:
    """What an address says of the pair: nothing in a comparison of two reports, which is one pair."""
    return f"?pair={pair}" if pair or reports > 2 else ""


def chosen_baseline(request: HttpRequest, reports: int) -> Chosen | None:
    """`baseline=0,1,2` (or repeated) and `second=3`: places of reports; None where that is not two different ones."""
    second = request.GET.get("second", "")
    texts = {text for one in request.GET.getlist("baseline") for text in one[:LONGEST_FILTER].split(",")}
    places = [number(text) for text in (second, *sorted(texts)) if text.strip().isdecimal()]
    if not second.isdecimal() or not places or max(places) >= reports:
        return None
    members = tuple(sorted(set(places[1:]) - {places[0]}))
    return Chosen(members, places[0]) if members else None


def baseline_query(chosen: Chosen) -> str:
    """The part of an address that names it."""
    return f"baseline={','.join(map(str, chosen.members))}&second={chosen.second}"


def view_query(baseline: str, pair: int) -> str:
    """Of a place that was kept: the query of the view against a baseline (baseline_anchors.py), or else of the pair,
    whatever the page opens on; none of a pair beyond TURNED."""
    if (chosen := view_of(baseline)) is not None:
        return f"?{baseline_query(chosen)}"
    return f"?pair={pair}" if pair <= TURNED else ""


def part(request: HttpRequest) -> Wanted:
    """Of a section too large for one page: the part asked for, or what it has to hold."""
    wanted = number(request.GET.get("part"))
    return Wanted(wanted or None, row=request.GET.get("row", "")[:64], text=filter_text(request))


def chart_only(request: HttpRequest) -> bool:
    """Of a section of histograms what is drawn of one row alone, without the table."""
    return request.GET.get("only") == "chart"


def section_options(request: HttpRequest, basis: Basis) -> Options:
    return Options(
        basis=basis,
        changed_only=changed_only(request),
        text=filter_text(request),
        start=number(request.GET.get("from")),
        everything=request.GET.get("columns") == "all",
        row=request.GET.get("row", "")[:64],
        sort=request.GET.get("sort", "")[:4],
        step=step(request),
        unpriced=request.GET.get("unpriced") == "1",
    )


def kept_options(request: HttpRequest) -> str:
    """What of the address the links of a section carry on, ending in "&" where there is anything."""
    names = ("basis", "all", "unpriced", "material", "q", "pair", "baseline", "second", "part")
    chosen = urlencode({name: request.GET[name] for name in names if request.GET.get(name)})
    return f"{chosen}&" if chosen else ""


def number(text: str | None) -> int:
    """A small one; 0 for anything else."""
    return whole_number(text, 999_999) or 0
