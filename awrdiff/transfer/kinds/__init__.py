"""The kinds of lines in the zip of a team, in the order in which they stand there: what a line names is further up.

A new kind is one declaration in one of these modules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from django.db.models import Model

from awrdiff.accounts.models import Team
from awrdiff.transfer.kinds import attachments, comparisons, incidents, postmortems, reports, threads
from awrdiff.transfer.register import ImportedRows, LinesRead, WrittenLines


class LineKind(Protocol):
    """`name` is the first key of its lines, `of` says what kinds these name."""

    @property
    def name(self) -> str: ...
    @property
    def many(self) -> str: ...
    @property
    def of(self) -> Mapping[str, str]: ...
    def documents(self, team: Team, written: WrittenLines) -> Iterator[dict[str, Any]]: ...
    def read(self, document: Mapping[str, Any]) -> dict[str, Any]: ...
    def check(self, values: Mapping[str, Any], seen: LinesRead) -> None: ...
    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any: ...


KINDS: tuple[LineKind, ...] = (
    *reports.KINDS,
    *comparisons.KINDS,
    *incidents.KINDS,
    *threads.KINDS,
    *attachments.KINDS,
    *postmortems.KINDS,
)
BY_NAME = {one.name: one for one in KINDS}
_OF = (kind for one in KINDS for kind in (*one.of.values(), *getattr(one, "if_any", {}).values()))
_WITH_FILES = (one.name for one in KINDS if getattr(one, "has_files", False))  # each file is of one line
NAMED = frozenset(_OF) | frozenset(threads.LINES.values()) | frozenset(_WITH_FILES)
LEFT_OUT: dict[type[Model], str] = {**threads.LEFT_OUT, **postmortems.LEFT_OUT}
