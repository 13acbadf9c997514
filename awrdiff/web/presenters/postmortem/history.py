"""Versions of a post-mortem, and differences."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal

from django.urls import reverse
from msgspec import Struct, field

from awrdiff.accounts.names import shown_name, sign_in_name
from awrdiff.postmortems.models import Change, Postmortem, PostmortemVersion
from awrdiff.postmortems.queries import AsOf
from awrdiff.postmortems.sections import SectionKind, as_lines
from awrdiff.web.clock import moment

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
            text_lines += _lines(tag, before, after, (i1, i2), (j1, j2))
        last_shown = group[-1][2]
    return text_lines + (_skipped_lines(len(before) - last_shown) if text_lines else [])


def _lines(
    tag: str, before: list[str], after: list[str], first: tuple[int, int], second: tuple[int, int]
) -> Iterator[DiffRow]:
    if tag == "equal":
        for i, j in zip(range(*first), range(*second), strict=True):
            yield _row("same", i + 1, j + 1, before[i])
        return
    yield from (_row("gone", i + 1, None, before[i]) for i in range(*first))
    yield from (_row("new", None, j + 1, after[j]) for j in range(*second))


def _skipped_lines(count: int) -> list[DiffRow]:
    text = f"{count} {'line' if count == 1 else 'lines'} the same"
    return [_row("skipped", None, None, text)] if count > 0 else []


def _row(kind: Literal["same", "gone", "new", "skipped"], before: int | None, after: int | None, text: str) -> DiffRow:
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


def line(postmortem: Postmortem, version: PostmortemVersion, *, can_restore: bool) -> VersionLine:
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
        rows = [*differences(*texts), *_of_tables(first, second, kind.key)]
        if rows:
            diffs.append(SectionDiff(kind.key, kind.title, rows))
    return diffs


def of_texts(kind: SectionKind, before: str, after: str) -> SectionDiff:
    return SectionDiff(kind.key, kind.title, differences(before, after))


def _of_tables(first: AsOf, second: AsOf, key: str) -> list[DiffRow]:
    """Before a review both sides use the incident's tables."""
    if key not in first.live or key not in second.live:
        return []
    return differences(as_lines(first.live[key]), as_lines(second.live[key]))
