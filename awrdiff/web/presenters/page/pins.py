"""Pins in the tray of a comparison's page, and as a sheet to paste."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated
from urllib.parse import quote

from django.urls import reverse
from msgspec import Meta, Struct
from msgspec.structs import replace

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.baseline.against import Chosen
from awrdiff.comparisons.anchors import Standing
from awrdiff.comparisons.baseline_anchors import view_of
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import is_awaited
from awrdiff.incidents.evidence import Live
from awrdiff.incidents.models import Evidence
from awrdiff.pins.models import Pin
from awrdiff.pins.queries import Pinned
from awrdiff.pins.texts import Sheet, WrittenPin
from awrdiff.web import links
from awrdiff.web.options import baseline_query, pair_query


class BaselinePlaces(Struct):
    """Places of the baseline's reports, and of Second."""

    reports: list[int]
    second: int


class PinLine(Struct):
    """A pin or a piece of evidence. `figures`: labels and texts; `note`: what became of it."""

    id: int
    anchor: str
    pair: int
    baseline: Annotated[BaselinePlaces | None, Meta(description="null of a pair")]
    title: str
    place: str
    figures: list[tuple[str, str]]
    url: str
    gone: bool = False
    note: str = ""
    remove_url: str = ""


def line(access: AccessContext, comparison: Comparison, found: Pinned, reports: int) -> PinLine:
    """`reports`: how many are compared."""
    remove_url = reverse("pin-remove", args=[comparison.pk, found.pin.pk])
    shown = _line(access, comparison, found.pin, found.standing, reports)
    return replace(shown, gone=found.gone, note=_note(found, comparison), remove_url=remove_url)


def evidence_line(access: AccessContext, comparison: Comparison, found: Live, reports: int) -> PinLine:
    one = found.evidence
    remove_url = reverse("incident-evidence-remove", args=[one.incident_id, one.pk])
    shown = _line(access, comparison, one, found.now or found.then, reports)
    return replace(shown, gone=found.now is None, note=found.missing, remove_url=remove_url)


def _line(
    access: AccessContext, comparison: Comparison, kept: Pin | Evidence, standing: Standing, reports: int
) -> PinLine:
    view = view_of(kept.baseline)
    return PinLine(
        id=kept.pk,
        anchor=kept.anchor,
        pair=kept.pair,
        baseline=BaselinePlaces(list(view.members), view.second) if view else None,
        title=standing.title,
        place=standing.place,
        figures=list(standing.figures),
        url=f"{links.comparison(access, comparison)}{_place(kept, view, reports)}",
    )


def sheet(title: str, verdict: str, url: str, lines: Iterable[PinLine], absolute: Callable[[str], str]) -> Sheet:
    pins = [WrittenPin(one.title, one.place, one.figures, absolute(one.url), one.note) for one in lines]
    return Sheet(title, absolute(url), verdict, pins)


def _note(found: Pinned, comparison: Comparison) -> str:
    if not found.gone:
        return ""
    if not comparison.is_ready or is_awaited(comparison, found.pin.pair):
        return f"as pinned on {found.pin.created_at:%d %b %Y}: the comparison is being computed"
    return f"as pinned on {found.pin.created_at:%d %b %Y}: it is not in this comparison any more"


def _place(pin: Pin | Evidence, view: Chosen | None, reports: int) -> str:
    """On the page: a finding's anchor is in the address as it is, and sections.js goes there."""
    asked = f"?{baseline_query(view)}" if view else pair_query(pin.pair, reports)
    return f"{asked}#{quote(pin.anchor, safe='/:')}"
