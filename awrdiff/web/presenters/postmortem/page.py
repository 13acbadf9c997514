"""The document as its page and its JSON have it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from awrdiff.accounts.models import User
from awrdiff.accounts.names import shown_name, sign_in_name
from awrdiff.incidents.models import Incident
from awrdiff.postmortems.checklists import Task, lines_of, without_lists
from awrdiff.postmortems.live import Cell, LiveTable
from awrdiff.postmortems.markdown import as_html
from awrdiff.postmortems.models import Postmortem, PostmortemSection
from awrdiff.web.clock import moment
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
class CheckLine:
    """A line of a checklist; `by` and `at` of one that is ticked."""

    text: str
    ticked: bool
    by: str = ""
    by_shown: str = ""
    at: str = ""

    @property
    def said(self) -> str:
        return f"{self.by_shown}, {self.at}" if self.at else ""


@dataclass(frozen=True, slots=True)
class SectionView:
    """`behind`: the incident gives another draft now than the one it was made of. `hint`: what the template asks
    for, of sections that only people write. `checks`: the lines of its checklist."""

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
    checks: tuple[CheckLine, ...] = ()
    tick_url: str = ""

    @property
    def only_checks(self) -> bool:
        return sum(bool(row.strip()) for row in self.text.split("\n")) == len(self.checks)


def section_views(
    postmortem: Postmortem,
    sections: Iterable[PostmortemSection],
    live: Mapping[str, Sequence[LiveTable]],
    drafts: Mapping[str, str],
    address: Address = str,
    *,
    may_tick: bool = False,
) -> list[SectionView]:
    """`drafts`: what would be drafted now, by section; empty once reviewed. `may_tick`: their boxes are buttons."""
    kinds, sections = {one.key: one for one in postmortem.kinds}, list(sections)
    checks = _checks(sections)
    return [
        SectionView(
            key=one.key,
            title=kinds[one.key].title,
            hint=html("" if kinds[one.key].live else without_lists(kinds[one.key].hint)),
            text=one.text,
            html=html(one.text, checks[one.key], f"ticks-{one.key}" if may_tick else ""),
            tables=tuple(table(found, address) for found in live.get(one.key, ())),
            number=one.number,
            by_hand=one.by_hand,
            behind=bool(drafts) and drafts.get(one.key, "") != one.drafted,
            edit_url=reverse("postmortem-section", args=[postmortem.incident_id, one.key]),
            checks=checks[one.key],
            tick_url=reverse("postmortem-tick", args=[postmortem.incident_id, one.key]) if may_tick else "",
        )
        for one in sections
    ]


def address(incident: Incident) -> str:
    return reverse("postmortem", args=[incident.pk])


def style(css: str) -> SafeString:
    """A style sheet of this project, inside a page."""
    return mark_safe(css)  # noqa: S308 - no text of others is in it


def _checks(sections: Sequence[PostmortemSection]) -> dict[str, tuple[CheckLine, ...]]:
    """By section."""
    lines = {one.key: lines_of(one.text) for one in sections}
    ticks: dict[str, dict[str, Any]] = {one.key: one.ticks or {} for one in sections}
    people = {tick["by"] for each in ticks.values() for tick in each.values()}
    users = User.objects.in_bulk(people) if people else {}

    def check(key: str, line: Task) -> CheckLine:
        tick = ticks[key].get(line.text) if line.is_ticked else None
        if tick is None:
            return CheckLine(line.text, line.is_ticked)
        who = users.get(tick["by"])
        return CheckLine(
            line.text, line.is_ticked, sign_in_name(who), shown_name(who), moment(datetime.fromisoformat(tick["at"]))
        )

    return {key: tuple(check(key, line) for line in each) for key, each in lines.items()}


def ticked_line(sections: Iterable[SectionView]) -> str:
    """`3 of 7 lines ticked`; "" where there is no checklist."""
    lines = [line for one in sections for line in one.checks]
    return f"{sum(line.ticked for line in lines)} of {len(lines)} ticked" if lines else ""


def html(text: str, checks: Sequence[CheckLine] = (), form: str = "") -> SafeString:
    """`checks`: the lines of its checklist, with who ticked them; `form`: the id of that which ticks them."""

    def button(number: int) -> str:
        one = checks[number]
        state = ("untick", "true", "☑") if one.ticked else ("tick", "false", "☐")
        return format_html(
            '<button class="tick" form="{}" value="{}" aria-label="{}" name="{}" role="checkbox" aria-checked="{}">{}'
            "</button>",
            *(form, one.text, one.text, *state),
        )

    def said(number: int) -> str:
        return format_html(' <small class="dim">{}</small>', checks[number].said) if checks[number].said else ""

    made = as_html(text, button if form else None, said if checks else None)
    return mark_safe(made)  # noqa: S308 - nh3 has cleaned it


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
                "checklist": [asdict(line) for line in one.checks],
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
                "checklist": [
                    {name: getattr(line, name) for name in ("text", "ticked", "said")} for line in one.checks
                ],
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
    return f"Reviewed on {moment(at)}{by}"
