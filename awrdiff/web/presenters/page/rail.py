"""The rail and the order of sections on the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from awrdiff.analysis.rows.minor import LEAST_SESSIONS, is_weighed
from awrdiff.web.presenters.section import words


class SectionLine(Protocol):
    """What the rail needs of a stored section: no payload."""

    section_id: str
    title: str
    family: str
    rows: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One section as the rail and its folded card show it. `changed` is None on a report page."""

    id: str
    title: str
    family: str
    rows: int
    changed: int | None
    open: bool
    side: str  # "First" or "Second" where only that report prints the section

    @property
    def short(self) -> str:
        return words.short_title(self.id, self.title)

    @property
    def count(self) -> str:
        if self.changed is None:
            return f"{self.rows:,}"
        return f"{self.changed:,} of {self.rows:,}"

    @property
    def said(self) -> str:
        """The count in words. Where small changes do not count, none that counts is not none at all."""
        if self.changed is None:
            return f"{self.count} {'row' if self.rows == 1 else 'rows'}"
        if self.changed:
            return f"{self.count} changed"
        if is_weighed(self.id):
            return f"none of {self._rows} by {LEAST_SESSIONS} active sessions"
        return f"no change in {self._rows}"

    @property
    def _rows(self) -> str:
        return f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}"


@dataclass(frozen=True, slots=True)
class Group:
    id: str
    title: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Rail:
    groups: tuple[Group, ...]  # by family, as the rail shows them
    first: tuple[Entry, ...]  # what a reader looks at first, in page order
    others: tuple[Group, ...]  # every other section, by family

    @property
    def hidden(self) -> int:
        """Rows of all sections that "changed only" leaves out."""
        return sum(e.rows - (e.changed or 0) for g in self.groups for e in g.entries)

    @property
    def sections(self) -> int:
        return sum(len(g.entries) for g in self.groups)


def rail_of(lines: Iterable[SectionLine], *, counts: bool) -> Rail:
    entries = [_entry(line, counts=counts) for line in lines]
    ranked = sorted(
        ((at, i, e) for i, e in enumerate(entries) if (at := words.rank(e.id)) is not None), key=lambda x: x[:2]
    )
    first = tuple(e for _, _, e in ranked)
    seen = {e.id for e in first}
    rest = [e for e in entries if e.id not in seen]
    return Rail(_grouped([*first, *rest]), first, _grouped(rest))


def _entry(line: SectionLine, *, counts: bool) -> Entry:
    first, second = getattr(line, "first_present", True), getattr(line, "second_present", True)
    side = "" if first and second else "First" if first else "Second"
    changed = int(getattr(line, "changed", 0)) if counts else None
    return Entry(
        id=line.section_id,
        title=line.title,
        family=line.family if line.family in words.FAMILIES else "other",
        rows=line.rows,
        changed=changed,
        open=line.section_id in words.OPEN_SECTIONS,
        side=side,
    )


def _grouped(entries: list[Entry]) -> tuple[Group, ...]:
    return tuple(
        Group(family, title, found)
        for family, title in words.FAMILIES.items()
        if (found := tuple(e for e in entries if e.family == family))
    )
