"""Pins in the tray of a comparison's page, and as a sheet to paste."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import quote

from django.urls import reverse

from awrdiff.accounts.access import AccessContext
from awrdiff.comparisons.models import Comparison
from awrdiff.pins.queries import Pinned
from awrdiff.pins.texts import Sheet, WrittenPin
from awrdiff.web import links


@dataclass(frozen=True, slots=True)
class PinLine:
    id: int
    anchor: str
    pair: int
    title: str
    place: str
    figures: Sequence[tuple[str, str]]
    gone: bool
    note: str
    url: str
    remove_url: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def line(access: AccessContext, comparison: Comparison, found: Pinned) -> PinLine:
    pin, standing = found.pin, found.standing
    return PinLine(
        id=pin.pk,
        anchor=pin.anchor,
        pair=pin.pair,
        title=standing.title,
        place=standing.place,
        figures=standing.figures,
        gone=found.gone,
        note=_note(found, comparison),
        url=_address(access, comparison, pin.anchor, pin.pair),
        remove_url=reverse("pin-remove", args=[comparison.pk, pin.pk]),
    )


def sheet(title: str, verdict: str, url: str, lines: Iterable[PinLine], absolute: Callable[[str], str]) -> Sheet:
    pins = [WrittenPin(one.title, one.place, one.figures, absolute(one.url), one.note) for one in lines]
    return Sheet(title, absolute(url), verdict, pins)


def _note(found: Pinned, comparison: Comparison) -> str:
    if not found.gone:
        return ""
    if not comparison.is_ready:
        return f"as pinned on {found.pin.created_at:%d %b %Y}: the comparison is being computed"
    turned = ", First and Second the other way round" if found.pin.swapped != bool(comparison.mirror_of_id) else ""
    return f"as pinned on {found.pin.created_at:%d %b %Y}{turned}: it is not in this comparison any more"


def _address(access: AccessContext, comparison: Comparison, anchor: str, pair: int) -> str:
    """Of the page on which it stands; a finding's anchor is in the address as it is, and sections.js goes there."""
    return f"{links.comparison(access, comparison)}{f'?pair={pair}' if pair else ''}#{quote(anchor, safe='/:')}"
