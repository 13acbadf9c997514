"""Evidence in the tray, and as a sheet to paste."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape as in_html
from typing import Annotated, Any, Literal
from urllib.parse import quote

from django.urls import reverse
from msgspec import Meta, Struct
from msgspec.structs import replace

from awrdiff.accounts.access import AccessContext
from awrdiff.analysis.export.markdown import escape as in_markdown
from awrdiff.comparisons.anchors import Standing, view_of
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.queries import is_awaited
from awrdiff.incidents.evidence import Live
from awrdiff.incidents.models import Evidence
from awrdiff.pins.models import Pin
from awrdiff.pins.queries import Pinned
from awrdiff.web import links
from awrdiff.web.query_options import baseline_query, pair_query


class BaselinePlaces(Struct):
    """Places of the baseline's reports, and of Second."""

    reports: list[int]
    second: int


class PinLine(Struct):
    """Evidence, one's own or an incident's. `figures`: labels and texts; `note`: later changes."""

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
    whose: Literal["mine", "incident"] = "mine"


def line(access: AccessContext, comparison: Comparison, pinned: Pinned, reports: int) -> PinLine:
    """`reports`: number compared."""
    own = {"gone": pinned.gone, "note": _note(pinned, comparison)}
    remove_url = reverse("pin-remove", args=[comparison.pk, pinned.pin.pk])
    return _line(access, comparison, pinned.pin, pinned.standing, reports, remove_url=remove_url, **own)


def evidence_line(access: AccessContext, comparison: Comparison, live_evidence: Live, reports: int) -> PinLine:
    evidence = live_evidence.evidence
    own = {"gone": live_evidence.now is None, "note": live_evidence.missing, "whose": "incident"}
    remove_url = reverse("incident-evidence-remove", args=[evidence.incident_id, evidence.pk])
    standing = live_evidence.now or live_evidence.then
    return _line(access, comparison, evidence, standing, reports, remove_url=remove_url, **own)


def _line(
    access: AccessContext, comparison: Comparison, pin: Pin | Evidence, standing: Standing, reports: int, **own: Any
) -> PinLine:
    view = view_of(pin.baseline)
    query = f"?{baseline_query(view)}" if view else pair_query(pin.pair, reports)
    return PinLine(
        id=pin.pk,
        anchor=pin.anchor,
        pair=pin.pair,
        baseline=BaselinePlaces(list(view.members), view.second) if view else None,
        title=standing.title,
        place=standing.place,
        figures=list(standing.figures),
        url=f"{links.comparison(access, comparison)}{query}#{quote(pin.anchor, safe='/:')}",
        **own,
    )


def sheet(title: str, verdict: str, url: str, lines: Iterable[PinLine], absolute: Callable[[str], str]) -> Sheet:
    return Sheet(title, absolute(url), verdict, [replace(pin_line, url=absolute(pin_line.url)) for pin_line in lines])


def _note(pinned: Pinned, comparison: Comparison) -> str:
    if not pinned.gone:
        return ""
    if not comparison.is_ready or is_awaited(comparison, pinned.pin.pair):
        return f"as kept on {pinned.pin.created_at:%d %b %Y}: the comparison is being computed"
    return f"as kept on {pinned.pin.created_at:%d %b %Y}: it is not in this comparison any more"


@dataclass(frozen=True, slots=True)
class Sheet:
    """Text to paste. Only the server's own addresses are links; report text is inert."""

    title: str
    url: str
    verdict: str
    pins: Sequence[PinLine]


def markdown(sheet: Sheet) -> Iterator[str]:
    yield f"**{in_markdown(sheet.title)}**\n\n{in_markdown(sheet.verdict)}\n\n"
    for pin in sheet.pins:
        yield f"- **{in_markdown(pin.title)}**{_rest(pin, in_markdown)} <{pin.url}>\n"
    yield f"\n<{sheet.url}>\n"


def plain(sheet: Sheet) -> Iterator[str]:
    yield f"{sheet.title}\n\n{sheet.verdict}\n\n"
    for pin in sheet.pins:
        yield f"- {pin.title}{_rest(pin, str)}\n  {pin.url}\n"
    yield f"\n{sheet.url}\n"


def html(sheet: Sheet) -> Iterator[str]:
    """For a mail or wiki."""
    yield f"<p><strong>{_link(sheet.url, sheet.title)}</strong></p>\n<p>{in_html(sheet.verdict)}</p>\n<ul>\n"
    for pin in sheet.pins:
        yield f"<li>{_link(pin.url, pin.title)}{_rest(pin, in_html)}</li>\n"
    yield "</ul>\n"


def _link(url: str, text: str) -> str:
    return f'<a href="{in_html(url)}">{in_html(text)}</a>'


def _rest(pin: PinLine, inert: Callable[[str], str]) -> str:
    beside = "".join(f" ({inert(text)})" for text in (pin.place, pin.note) if text)
    figures = "; ".join(f"{label} {text}" if label else text for label, text in pin.figures)
    return f"{beside}: {inert(figures)}" if figures else beside


FORMATS: dict[str, tuple[Callable[[Sheet], Iterator[str]], str]] = {
    "md": (markdown, "text/markdown; charset=utf-8"),
    "txt": (plain, "text/plain; charset=utf-8"),
    "html": (html, "text/html; charset=utf-8"),
}
