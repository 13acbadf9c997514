"""Versions of a post-mortem and their differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from django.urls import reverse

from awrdiff.accounts.names import shown_name, sign_in_name
from awrdiff.postmortems.models import Change, Postmortem, PostmortemVersion
from awrdiff.postmortems.queries import AsOf
from awrdiff.postmortems.sections import SectionKind, as_lines
from awrdiff.web.clock import moment

AROUND = 3  # lines that did not change, before and after those that did


@dataclass(frozen=True, slots=True)
class TextLine:
    """Line numbers `before` and `after` from 1, None where absent. `skipped`: count of equal lines."""

    kind: Literal["same", "gone", "new", "skipped"]
    before: int | None
    after: int | None
    text: str
    count: int = 0


def differences(first: str, second: str) -> list[TextLine]:
    """Changed lines with context; empty for equal texts."""
    before, after = first.split("\n") if first else [], second.split("\n") if second else []
    text_lines: list[TextLine] = []
    last_shown = 0
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(AROUND):
        text_lines += _skipped_lines(group[0][1] - last_shown)
        for tag, i1, i2, j1, j2 in group:
            text_lines += _lines(tag, before, after, (i1, i2), (j1, j2))
        last_shown = group[-1][2]
    return text_lines + (_skipped_lines(len(before) - last_shown) if text_lines else [])


def _lines(
    tag: str, before: list[str], after: list[str], first: tuple[int, int], second: tuple[int, int]
) -> Iterator[TextLine]:
    if tag == "equal":
        for i, j in zip(range(*first), range(*second), strict=True):
            yield TextLine("same", i + 1, j + 1, before[i])
        return
    yield from (TextLine("gone", i + 1, None, before[i]) for i in range(*first))
    yield from (TextLine("new", None, j + 1, after[j]) for j in range(*second))


def _skipped_lines(count: int) -> list[TextLine]:
    return [TextLine("skipped", None, None, "", count)] if count > 0 else []


SIGNS = {"same": "", "gone": "−", "new": "+", "skipped": "…"}


@dataclass(frozen=True, slots=True)
class VersionLine:
    number: int
    at: str
    by: str
    by_shown: str
    what: str
    reason: str
    url: str
    restore_url: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class DiffRow:
    said: str
    sign: str
    before: int | None
    after: int | None
    text: str


@dataclass(frozen=True, slots=True)
class SectionDiff:
    key: str
    title: str
    rows: tuple[DiffRow, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"id": self.key, "title": self.title, "lines": [asdict(row) for row in self.rows]}


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
    """Differing sections, in document order."""
    diffs = []
    for kind in postmortem.kinds:
        texts = (side.texts.get(kind.key, "") for side in (first, second))
        rows = [*differences(*texts), *_of_tables(first, second, kind.key)]
        if rows:
            diffs.append(SectionDiff(kind.key, kind.title, tuple(map(_row, rows))))
    return diffs


def of_texts(kind: SectionKind, before: str, after: str) -> SectionDiff:
    return SectionDiff(kind.key, kind.title, tuple(map(_row, differences(before, after))))


def _of_tables(first: AsOf, second: AsOf, key: str) -> list[TextLine]:
    """Tables as reviewed; before a review both sides use the incident's."""
    if key not in first.live or key not in second.live:
        return []
    return differences(as_lines(first.live[key]), as_lines(second.live[key]))


def _row(text_line: TextLine) -> DiffRow:
    text = (
        f"{text_line.count} {'line' if text_line.count == 1 else 'lines'} the same"
        if text_line.kind == "skipped"
        else text_line.text
    )
    return DiffRow(text_line.kind, SIGNS[text_line.kind], text_line.before, text_line.after, text)
