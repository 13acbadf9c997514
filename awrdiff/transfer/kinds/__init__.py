"""Kinds of lines, in file order: a line refers only to lines further up. A new kind is one declaration in these
modules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from django.db.models import Model

from awrdiff.accounts.models import Team
from awrdiff.transfer.kinds import attachments, comparisons, incidents, postmortems, reports, threads
from awrdiff.transfer.register import ImportedRows, LinesRead, WrittenLines


class LineKind(Protocol):
    """`name`: first key of its lines; `of`: kinds that they refer to."""

    @property
    def name(self) -> str: ...
    @property
    def many(self) -> str: ...
    @property
    def of(self) -> Mapping[str, str]: ...
    def documents(self, team: Team, lines: WrittenLines) -> Iterator[dict[str, Any]]: ...
    def read(self, document: Mapping[str, Any]) -> dict[str, Any]: ...
    def check(self, values: Mapping[str, Any], lines: LinesRead) -> None: ...
    def make(self, values: Mapping[str, Any], making: ImportedRows) -> Any: ...


KINDS: tuple[LineKind, ...] = (
    *reports.KINDS,
    *comparisons.KINDS,
    *incidents.KINDS,
    *threads.KINDS,
    *attachments.KINDS,
    *postmortems.KINDS,
)
BY_NAME = {kind.name: kind for kind in KINDS}
_OF = (name for kind in KINDS for name in (*kind.of.values(), *getattr(kind, "if_any", {}).values()))
_WITH_FILES = (kind.name for kind in KINDS if getattr(kind, "has_files", False))
REMEMBERED_KINDS = frozenset(_OF) | frozenset(threads.LINES.values()) | frozenset(_WITH_FILES)
LEFT_OUT: dict[type[Model], str] = {**threads.LEFT_OUT, **postmortems.LEFT_OUT}
