"""The document as its page and its JSON have it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from awrdiff.accounts.names import shown_name
from awrdiff.incidents.models import Incident
from awrdiff.postmortems.live import Cell, LiveTable
from awrdiff.postmortems.markdown import as_html
from awrdiff.postmortems.models import Postmortem, PostmortemSection
from awrdiff.web.options import view_query

Address = Callable[[str], str]  # makes an address of a path


@dataclass(frozen=True, slots=True)
class ShownCell:
    text: str
    url: str = ""
    elsewhere: bool = False  # it leads to another site

    @property
    def html(self) -> SafeString:
        """Without white space around it, which the file to be sent would show."""
        if not self.url:
            return format_html("{}", self.text)
        rel = mark_safe(' rel="nofollow noopener noreferrer"') if self.elsewhere else ""
        return format_html('<a href="{}"{}>{}</a>', self.url, rel, self.text)


@dataclass(frozen=True, slots=True)
class ShownTable:
    caption: ShownCell
    head: tuple[str, ...]
    rows: tuple[tuple[ShownCell, ...], ...]
    note: str


@dataclass(frozen=True, slots=True)
class SectionView:
    """`behind`: the incident gives another draft now than the one it was made of. `hint`: what the template asks
    for, of sections that only people write."""

    key: str
    title: str
    hint: SafeString
    text: str
    html: SafeString
    tables: tuple[ShownTable, ...]
    number: int
    by_hand: bool = False
    behind: bool = False
    edit_url: str = ""


def section_views(
    postmortem: Postmortem,
    sections: Iterable[PostmortemSection],
    live: Mapping[str, Sequence[LiveTable]],
    drafts: Mapping[str, str],
    address: Address = str,
) -> list[SectionView]:
    """`drafts`: what would be drafted now, by section; empty once reviewed."""
    kinds = {one.key: one for one in postmortem.kinds}
    return [
        SectionView(
            key=one.key,
            title=kinds[one.key].title,
            hint=html("" if kinds[one.key].live else kinds[one.key].hint),
            text=one.text,
            html=html(one.text),
            tables=tuple(table(found, address) for found in live.get(one.key, ())),
            number=one.number,
            by_hand=one.by_hand,
            behind=bool(drafts) and drafts.get(one.key, "") != one.drafted,
            edit_url=reverse("postmortem-section", args=[postmortem.incident_id, one.key]),
        )
        for one in sections
    ]


def address(incident: Incident) -> str:
    return reverse("postmortem", args=[incident.pk])


def style(css: str) -> SafeString:
    """A style sheet of this project, inside a page."""
    return mark_safe(css)  # noqa: S308 - no text of others is in it


def html(text: str) -> SafeString:
    return mark_safe(as_html(text))  # noqa: S308 - nh3 has cleaned it


def table(found: LiveTable, address: Address = str) -> ShownTable:
    rows = tuple(tuple(cell(one, address) for one in row) for row in found.rows)
    return ShownTable(cell(found.caption, address), found.head, rows, found.note)


def cell(found: Cell, address: Address = str) -> ShownCell:
    if found.comparison:
        path = reverse("comparison", args=[found.comparison])
        query, anchor = view_query(found.baseline, found.pair), f"#{quote(found.anchor, safe='/:')}"
        return ShownCell(found.text, address(f"{path}{query}{anchor if found.anchor else ''}"))
    if found.address.lower().startswith(("http://", "https://")):
        return ShownCell(found.text, found.address, elsewhere=True)
    return ShownCell(found.text)


def document(
    incident: Incident,
    postmortem: Postmortem,
    sections: Sequence[SectionView],
    reviewed: str,
    reviews: Mapping[str, Any],
) -> dict[str, Any]:
    """For scripts. `reviews`: its publishing state, and what second reviewers said."""
    return {
        "incident": str(incident.pk),
        "title": incident.title,
        "version": postmortem.version,
        "state": "reviewed" if postmortem.is_frozen else "draft",
        "reviewed": reviewed or None,
        **reviews,
        "sections": [
            {
                "id": one.key,
                "title": one.title,
                "text": one.text,
                "number": one.number,
                "by_hand": one.by_hand,
                "behind": one.behind,
                "tables": [_table_document(found) for found in one.tables],
            }
            for one in sections
        ],
    }


def document_for_outsiders(
    incident: Incident,
    postmortem: Postmortem,
    sections: Sequence[SectionView],
    reviewed: str,
    reviews: Mapping[str, Any],
) -> dict[str, Any]:
    """For scripts below a share link: no address of members, no id, no version."""
    return {
        "title": incident.title,
        "state": "reviewed" if postmortem.is_frozen else "draft",
        "reviewed": reviewed or None,
        **reviews,
        "sections": [
            {
                "id": one.key,
                "title": one.title,
                "text": one.text,
                "tables": [_table_document(found) for found in one.tables],
            }
            for one in sections
        ],
    }


def _table_document(found: ShownTable) -> dict[str, Any]:
    return {
        "title": found.caption.text,
        "url": found.caption.url or None,
        "note": found.note,
        "head": list(found.head),
        "rows": [[one.text for one in row] for row in found.rows],
    }


def reviewed_line(postmortem: Postmortem) -> str:
    """`Reviewed on 11 Jan 2018 by olivia`; "" while it is a draft."""
    at = postmortem.reviewed_at
    if at is None:
        return ""
    by = f" by {shown_name(postmortem.reviewed_by)}" if postmortem.reviewed_by else ""
    return f"Reviewed on {day(at)}{by}"


def day(moment: datetime) -> str:
    return f"{moment.day} {moment:%b %Y %H:%M} UTC"
