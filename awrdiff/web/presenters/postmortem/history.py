"""The versions of a post-mortem, and what changed between two of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from django.urls import reverse

from awrdiff.accounts.names import shown_name, sign_in_name
from awrdiff.postmortems.differences import TextLine, differences
from awrdiff.postmortems.live import as_lines
from awrdiff.postmortems.models import Change, Postmortem, PostmortemVersion
from awrdiff.postmortems.queries import AsOf
from awrdiff.postmortems.sections import SectionKind
from awrdiff.web.clock import moment

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
        return {"id": self.key, "title": self.title, "lines": [asdict(one) for one in self.rows]}


def line(postmortem: Postmortem, found: PostmortemVersion, *, can_restore: bool) -> VersionLine:
    """What a section said can be restored, what concerns the whole document cannot."""
    restorable = can_restore and found.section != ""
    return VersionLine(
        number=found.number,
        at=moment(found.at),
        by=sign_in_name(found.user),
        by_shown=shown_name(found.user),
        what=_what(postmortem, found),
        reason=found.reason,
        url=reverse("postmortem-version", args=[postmortem.incident_id, found.number]),
        restore_url=reverse("postmortem-restore", args=[postmortem.incident_id, found.number]) if restorable else "",
    )


def _what(postmortem: Postmortem, found: PostmortemVersion) -> str:
    kind = Change(found.kind).label.lower()
    if found.section:
        of = f" from version {found.of}" if found.of else ""
        return f"{postmortem.kind_of(found.section).title}: {kind}{of}"
    return kind.capitalize()


def section_diffs(postmortem: Postmortem, first: AsOf, second: AsOf) -> list[SectionDiff]:
    """The sections that differ, in the order of the document."""
    made = []
    for one in postmortem.kinds:
        texts = (side.texts.get(one.key, "") for side in (first, second))
        rows = [*differences(*texts), *_of_tables(first, second, one.key)]
        if rows:
            made.append(SectionDiff(one.key, one.title, tuple(map(_row, rows))))
    return made


def of_texts(kind: SectionKind, before: str, after: str) -> SectionDiff:
    return SectionDiff(kind.key, kind.title, tuple(map(_row, differences(before, after))))


def _of_tables(first: AsOf, second: AsOf, key: str) -> list[TextLine]:
    """As the two were reviewed; while either is not, its tables are the incident's."""
    if key not in first.live or key not in second.live:
        return []
    return differences(as_lines(first.live[key]), as_lines(second.live[key]))


def _row(found: TextLine) -> DiffRow:
    text = (
        f"{found.count} {'line' if found.count == 1 else 'lines'} the same" if found.said == "skipped" else found.text
    )
    return DiffRow(found.said, SIGNS[found.said], found.before, found.after, text)
