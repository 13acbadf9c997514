"""Sections of a post-mortem in reading order, offered and from templates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from awrdiff.accounts.access import existing
from awrdiff.comparisons.files import MOST_REPORTS
from awrdiff.comparisons.models import REVERSE

BY_CLASS = "Active sessions"  # heads the table that is drawn too


CellText = Annotated[str, Meta(max_length=5_000)]  # an event, or all that is said of a piece of evidence


class Cell(Struct, frozen=True, forbid_unknown_fields=True):
    """Text with an `address` or a comparison's place (id, pair, anchor, baseline). `person`: sign-in name of a named
    user.
    """

    text: CellText
    address: str = ""
    comparison: str = ""
    pair: Annotated[int, Meta(ge=0, lt=REVERSE + MOST_REPORTS)] = 0
    anchor: Annotated[str, Meta(max_length=200)] = ""  # comparisons/anchors.py
    baseline: str = ""
    person: Annotated[str, Meta(max_length=150)] = ""  # as Django has it


class LiveTable(Struct, frozen=True, forbid_unknown_fields=True):
    """`caption` and explanatory `note`."""

    caption: Cell
    head: tuple[CellText, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: CellText = ""

    def with_cells(self, change: Callable[[Cell], Cell]) -> LiveTable:
        rows = tuple(tuple(map(change, row)) for row in self.rows)
        return replace(self, caption=change(self.caption), rows=rows)


def load_tables(stored: object) -> tuple[LiveTable, ...]:
    return msgspec.convert(stored, tuple[LiveTable, ...])


def as_lines(tables: Sequence[LiveTable]) -> str:
    """A line per row, for comparing versions."""
    lines = [
        line
        for table in tables
        for line in (table.caption.text, *(" | ".join(cell.text for cell in row) for row in table.rows))
    ]
    return "\n".join(line for line in lines if line)


LONGEST_ID, LONGEST_TITLE, LONGEST_PROMPT = 20, 80, 1_000


class SectionKind(Struct, frozen=True, rename={"key": "id", "hint": "prompt"}):
    """`hint`: Markdown shown while empty."""

    key: Annotated[str, Meta(max_length=LONGEST_ID)]
    title: Annotated[str, Meta(max_length=LONGEST_TITLE, pattern=r"\S")]
    hint: Annotated[str, Meta(max_length=LONGEST_PROMPT)]

    @property
    def live(self) -> bool:
        """True if tables of the incident follow."""
        return self.key in LIVE


LIVE = ("timeline", "evidence", "actions")
OFFERED = (
    SectionKind("summary", "Summary", "What happened, in a few sentences for somebody who was not there."),
    SectionKind("impact", "Impact", "Who noticed what, for how long."),
    SectionKind("detection", "Detection", "How it was noticed, by whom, and what could have told it earlier."),
    SectionKind("timeline", "Timeline", "What the events of the incident do not tell."),
    SectionKind("evidence", "Evidence", "What the figures do not tell by themselves."),
    SectionKind("causes", "Causes", "What it was, as judgements have confirmed it, and what speaks for that."),
    SectionKind("went-wrong", "What went wrong", "What made it worse or longer than it had to be."),
    SectionKind("went-well", "What went well", "What helped, and should be kept."),
    SectionKind("lessons", "Lessons", "What is done otherwise from now on."),
    SectionKind("actions", "Action items", "What is to be said about the action items."),
    SectionKind("participants", "Participants", "Who took part, and as what."),
)
# Of a team that has no template of its own, and of every post-mortem that was begun before there were templates.
_OWN_CHOICE = ("detection", "went-wrong", "lessons")
SECTIONS = tuple(kind for kind in OFFERED if kind.key not in _OWN_CHOICE)
BY_KEY = {kind.key: kind for kind in OFFERED}


def kinds_of(template: object) -> tuple[SectionKind, ...]:
    """Stored template's kinds, else the default."""
    return msgspec.convert(template, tuple[SectionKind, ...]) or SECTIONS


def stored(kinds: Sequence[SectionKind]) -> list[dict[str, str]]:
    """Inverse of `kinds_of`."""
    return list(msgspec.to_builtins(kinds))


def section_of(kinds: Sequence[SectionKind], key: str) -> SectionKind:
    kind = next((candidate for candidate in kinds if candidate.key == key), None)
    return existing(kind, "The post-mortem has no such section.")
