"""A post-mortem as page, file and JSON; its versions and what differs between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from math import isfinite
from typing import Any, Literal
from urllib.parse import quote

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from msgspec import Struct, field
from msgspec.structs import replace

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.display_names import shown_name, sign_in_name
from awrdiff.accounts.models import User
from awrdiff.analysis.export.html import chart
from awrdiff.analysis.export.markdown import escape
from awrdiff.analysis.verdict.db_time_bars import REST, Bar, BarPart, Bars
from awrdiff.incidents.models import Incident
from awrdiff.postmortems import second_reviews
from awrdiff.postmortems.markdown import Task, as_html, as_markdown, lines_of, without_lists
from awrdiff.postmortems.models import Answer, Change, Postmortem, PostmortemSection, PostmortemVersion
from awrdiff.postmortems.queries import AsOf
from awrdiff.postmortems.second_reviews import Stage
from awrdiff.postmortems.sections import BY_CLASS, Cell, LiveTable, SectionKind, as_lines
from awrdiff.web.presenters.incident import json_types
from awrdiff.web.presenters.incident.json_types import ChecklistLine
from awrdiff.web.query_options import view_query
from awrdiff.web.value_formatting import moment

MOST_ROWS, MOST_SESSIONS = 30, 1e9


def chart_of(table: LiveTable) -> SafeString:
    """Bars of `BY_CLASS`; the last row is their sum. "" for other tables; imported non-figures are skipped."""
    head, rows = table.head, table.rows
    if not head or head[0] != BY_CLASS or not 2 <= len(rows) <= MOST_ROWS:
        return SafeString()
    bars = []
    for at, name in enumerate(head[1:], 1):
        sizes = [(row[0].text, size) for row in rows[:-1] if len(row) > at and (size := _size(row[at].text))]
        parts = tuple(BarPart(part, "" if part == REST else part, size) for part, size in sizes)
        bars.append(Bar(name, sum(part.sessions for part in parts), parts))
    chart_bars = Bars(tuple(bars))
    return mark_safe("".join(chart(chart_bars))) if chart_bars.bars and chart_bars.scale else SafeString()  # noqa: S308 - it escapes


def _size(text: str) -> float:
    try:
        size = float(text.replace(",", ""))
    except ValueError:
        return 0.0
    return size if isfinite(size) and 0 <= size <= MOST_SESSIONS else 0.0


Address = Callable[[str], str]  # makes an address of a path


@dataclass(frozen=True, slots=True)
class SectionView:
    """`behind`: the draft has changed since. `hint`: template's question. `checks`: checklist lines."""

    key: str
    title: str
    hint: SafeString
    text: str
    html: SafeString
    tables: tuple[LiveTable, ...]
    number: int
    by_hand: bool = False
    behind: bool = False
    checks: tuple[ChecklistLine, ...] = ()
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
    """`drafts`: current; empty once reviewed. `may_tick`: buttons."""
    kinds, sections = {kind.key: kind for kind in postmortem.kinds}, list(sections)
    checks = _checks(sections)
    return [
        SectionView(
            key=section.key,
            title=kinds[section.key].title,
            hint=html("" if kinds[section.key].live else without_lists(kinds[section.key].hint)),
            text=section.text,
            html=html(section.text, checks[section.key], f"ticks-{section.key}" if may_tick else ""),
            tables=tuple(with_addresses(table, address) for table in live.get(section.key, ())),
            number=section.number,
            by_hand=section.by_hand,
            behind=bool(drafts) and drafts.get(section.key, "") != section.drafted,
            checks=checks[section.key],
            tick_url=reverse("postmortem-tick", args=[postmortem.incident_id, section.key]) if may_tick else "",
        )
        for section in sections
    ]


def address(incident: Incident) -> str:
    return reverse("postmortem", args=[incident.pk])


def _checks(sections: Sequence[PostmortemSection]) -> dict[str, tuple[ChecklistLine, ...]]:
    lines = {section.key: lines_of(section.text) for section in sections}
    ticks: dict[str, dict[str, Any]] = {section.key: section.ticks or {} for section in sections}
    people = {tick["by"] for each in ticks.values() for tick in each.values()}
    users = User.objects.in_bulk(people) if people else {}

    def check(key: str, line: Task) -> ChecklistLine:
        tick = ticks[key].get(line.text) if line.is_ticked else None
        if tick is None:
            return ChecklistLine(line.text, line.is_ticked, "", "", "")
        who = users.get(tick["by"])
        return ChecklistLine(
            line.text, line.is_ticked, sign_in_name(who), shown_name(who), moment(datetime.fromisoformat(tick["at"]))
        )

    return {key: tuple(check(key, line) for line in each) for key, each in lines.items()}


def ticked_line(sections: Iterable[SectionView]) -> str:
    """`3 of 7 lines ticked`; "" without a checklist."""
    lines = [line for section in sections for line in section.checks]
    return f"{sum(line.ticked for line in lines)} of {len(lines)} ticked" if lines else ""


def html(text: str, checks: Sequence[ChecklistLine] = (), form: str = "") -> SafeString:
    """`form`: id of the form that ticks `checks`."""

    def button(number: int) -> str:
        check = checks[number]
        state = ("untick", "true", "☑") if check.ticked else ("tick", "false", "☐")
        return format_html(
            '<button class="tick" form="{}" value="{}" aria-label="{}" name="{}" role="checkbox" aria-checked="{}">{}'
            "</button>",
            *(form, check.text, check.text, *state),
        )

    def note(number: int) -> str:
        return format_html(' <small class="dim">{}</small>', checks[number].note) if checks[number].note else ""

    markup = as_html(text, button if form else None, note if checks else None)
    return mark_safe(markup)  # noqa: S308 - nh3 has cleaned it


def with_addresses(table: LiveTable, address: Address = str) -> LiveTable:
    """`address` of each cell as the reader follows it, or ""."""

    def linked(cell: Cell) -> Cell:
        if cell.comparison:
            path = reverse("comparison", args=[cell.comparison])
            anchor = f"#{quote(cell.anchor, safe='/:')}" if cell.anchor else ""
            return replace(cell, address=address(f"{path}{view_query(cell.baseline, cell.pair)}{anchor}"))
        return cell if cell.address.lower().startswith(("http://", "https://")) else replace(cell, address="")

    return table.with_cells(linked)


@dataclass(frozen=True, slots=True)
class Reviews:
    """`pending`: the reader's pending request, and its sender."""

    stage: Stage
    lines: Sequence[json_types.SecondReview]
    digest: str
    pending: json_types.SecondReview | None

    @property
    def signed(self) -> list[str]:
        """Sign-offs, for anybody."""
        return [line.text for line in self.lines if line.answer == Answer.SIGNED]

    @property
    def waiting(self) -> list[str]:
        """Sentences about pending reviews."""
        return [line.text for line in self.lines if line.holds is None]


def reviews_of(postmortem: Postmortem, digest: str, access: AccessContext) -> Reviews:
    lines, own = [], None
    for review in second_reviews.current(postmortem):
        who, answered_at = shown_name(review.reviewer), review.answered_at
        if answered_at is None:
            text = f"{who} was asked to review it on {moment(review.asked_at)}, and has not answered"
        else:
            did = f"Signed off by {who}" if review.answer == Answer.SIGNED else f"{who} asked for changes"
            text = f"{did} on {moment(answered_at)}{'' if review.digest == digest else ', before the last change'}"
        line = json_types.SecondReview(
            id=review.pk,
            reviewer=sign_in_name(review.reviewer),
            reviewer_shown=shown_name(review.reviewer),
            asked_by=sign_in_name(review.asked_by),
            asked_by_shown=shown_name(review.asked_by),
            answer=review.answer,
            at=moment(answered_at or review.asked_at),
            why=review.why,
            holds=None if answered_at is None else review.digest == digest,
            version=review.number,
            text=text,
        )
        lines.append(line)
        if review.reviewer and review.reviewer == access.user and access.can_write and not postmortem.is_frozen:
            own = line
    return Reviews(second_reviews.stage_of(postmortem, lines), lines, digest, own)


def document(
    incident: Incident, postmortem: Postmortem, sections: Sequence[SectionView], reviewed: str, reviews: Reviews
) -> json_types.Postmortem:
    return json_types.Postmortem(
        incident=incident.pk,
        version=postmortem.version,
        title=incident.title,
        state="reviewed" if postmortem.is_frozen else "draft",
        reviewed=reviewed or None,
        publishing=reviews.stage.value,
        digest=reviews.digest,
        second_reviews=list(reviews.lines),
        sections=[
            json_types.PostmortemSection(
                id=section.key,
                title=section.title,
                text=section.text,
                tables=[_table_document(table) for table in section.tables],
                number=section.number,
                by_hand=section.by_hand,
                behind=section.behind,
                checklist=list(section.checks),
            )
            for section in sections
        ],
    )


def document_for_outsiders(
    incident: Incident, postmortem: Postmortem, sections: Sequence[SectionView], reviewed: str, reviews: Reviews
) -> dict[str, Any]:
    """No member addresses, ids or versions."""
    return {
        "title": incident.title,
        "state": "reviewed" if postmortem.is_frozen else "draft",
        "reviewed": reviewed or None,
        "publishing": reviews.stage.value,
        "signed_off": reviews.signed,
        "sections": [
            {
                "id": section.key,
                "title": section.title,
                "text": section.text,
                "tables": [_table_document(table) for table in section.tables],
                "checklist": [{"text": line.text, "ticked": line.ticked, "said": line.note} for line in section.checks],
            }
            for section in sections
        ],
    }


def _table_document(table: LiveTable) -> json_types.PostmortemTable:
    rows = [[cell.text for cell in row] for row in table.rows]
    return json_types.PostmortemTable(
        table.caption.text, table.caption.address or None, table.note, list(table.head), rows
    )


def reviewed_line(postmortem: Postmortem) -> str:
    """`Reviewed on 11 Jan 2018 by olivia`; "" for a draft."""
    at = postmortem.reviewed_at
    if at is None:
        return ""
    by = f" by {shown_name(postmortem.reviewed_by)}" if postmortem.reviewed_by else ""
    return f"Reviewed on {moment(at)}{by}"


NOTHING = "None."
FILES = "Pictures and files of the timeline"


def markdown(
    title: str, review_text: str, url: str, sections: Sequence[SectionView], files: Sequence[tuple[str, str]] = ()
) -> Iterator[str]:
    """`url`: of the page, or ""; `files`: names, addresses if known."""
    yield f"# Post-mortem: {escape(title)}\n\n{escape(review_text)}{f' <{url}>' if url else ''}\n\n"
    for section in sections:
        yield f"## {escape(section.title)}\n\n"
        if section.text:
            yield from (f"{line}\n" for line in as_markdown(section.text, [check.note for check in section.checks]))
            yield "\n"
        for table in section.tables:
            yield from _table(table, section.title)
        if not section.text and not section.tables:
            yield f"{NOTHING}\n\n"
    if files:
        yield f"## {FILES}\n\n"
        yield from (f"- {escape(name)}{f' <{address}>' if address else ''}\n" for name, address in files)


def _table(table: LiveTable, below: str) -> Iterator[str]:
    if table.caption.text != below:
        address = f" <{table.caption.address}>" if table.caption.address else ""
        yield f"**{escape(table.caption.text)}**{address}\n\n"
    if table.note:
        yield f"{escape(table.note)}\n\n"
    if table.rows:
        rows = [list(map(escape, table.head)), ["---"] * len(table.head), *(map(_cell, row) for row in table.rows)]
        yield from (f"| {' | '.join(cells)} |\n" for cells in rows)
        yield "\n"


def _cell(cell: Cell) -> str:
    if not cell.address:
        return escape(cell.text)
    link = f"<{cell.address.replace('|', '%7C').replace('<', '%3C').replace('>', '%3E').replace(' ', '%20')}>"
    return link if cell.text == cell.address else f"{escape(cell.text)} {link}"


AROUND = 3  # lines that did not change, before and after those that did


SIGNS = {"same": "", "gone": "−", "new": "+", "skipped": "…"}


class DiffRow(Struct):
    """Line numbers `before` and `after` from 1, None where absent. `skipped`: equal lines, told by their number."""

    kind: Literal["same", "gone", "new", "skipped"] = field(name="said")
    sign: str
    before: int | None
    after: int | None
    text: str


def differences(first: str, second: str) -> list[DiffRow]:
    """With context; empty for equal texts."""
    before, after = first.split("\n") if first else [], second.split("\n") if second else []
    text_lines: list[DiffRow] = []
    last_shown = 0
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(AROUND):
        text_lines += _skipped_lines(group[0][1] - last_shown)
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                text_lines += [_diff_row("same", i + 1, i + 1 + j1 - i1, before[i]) for i in range(i1, i2)]
            else:
                text_lines += [_diff_row("gone", i + 1, None, before[i]) for i in range(i1, i2)]
                text_lines += [_diff_row("new", None, j + 1, after[j]) for j in range(j1, j2)]
        last_shown = group[-1][2]
    return text_lines + (_skipped_lines(len(before) - last_shown) if text_lines else [])


def _skipped_lines(count: int) -> list[DiffRow]:
    text = f"{count} {'line' if count == 1 else 'lines'} the same"
    return [_diff_row("skipped", None, None, text)] if count > 0 else []


def _diff_row(
    kind: Literal["same", "gone", "new", "skipped"], before: int | None, after: int | None, text: str
) -> DiffRow:
    return DiffRow(kind, SIGNS[kind], before, after, text)


class VersionLine(Struct):
    number: int
    at: str
    by: str
    by_shown: str
    what: str
    reason: str
    url: str
    restore_url: str


class SectionDiff(Struct):
    id: str
    title: str
    lines: list[DiffRow]


def version_line(postmortem: Postmortem, version: PostmortemVersion, *, can_restore: bool) -> VersionLine:
    """Only section texts can be restored."""
    restorable = can_restore and version.section != ""
    return VersionLine(
        number=version.number,
        at=moment(version.at),
        by=sign_in_name(version.user),
        by_shown=shown_name(version.user),
        what=_what(postmortem, version),
        reason=version.reason,
        url=reverse("postmortem-version", args=[postmortem.incident_id, version.number]),
        restore_url=reverse("postmortem-restore", args=[postmortem.incident_id, version.number]) if restorable else "",
    )


def _what(postmortem: Postmortem, version: PostmortemVersion) -> str:
    kind = Change(version.kind).label.lower()
    if version.section:
        of = f" from version {version.of}" if version.of else ""
        return f"{postmortem.kind_of(version.section).title}: {kind}{of}"
    return kind.capitalize()


def section_diffs(postmortem: Postmortem, first: AsOf, second: AsOf) -> list[SectionDiff]:
    """In document order."""
    diffs = []
    for kind in postmortem.kinds:
        texts = (side.texts.get(kind.key, "") for side in (first, second))
        rows = [*differences(*texts), *_diffs_of_tables(first, second, kind.key)]
        if rows:
            diffs.append(SectionDiff(kind.key, kind.title, rows))
    return diffs


def diff_of_texts(kind: SectionKind, before: str, after: str) -> SectionDiff:
    return SectionDiff(kind.key, kind.title, differences(before, after))


def _diffs_of_tables(first: AsOf, second: AsOf, key: str) -> list[DiffRow]:
    """Before a review both sides use the incident's tables."""
    if key not in first.live or key not in second.live:
        return []
    return differences(as_lines(first.live[key]), as_lines(second.live[key]))
