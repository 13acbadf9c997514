"""Kinds of lines, in file order: a line refers only to lines further up."""

from __future__ import annotations

from django.db.models import Model

from awrdiff.transfer.jsonl_row_kinds import LineKind
from awrdiff.transfer.kinds import comparisons, incidents, postmortems, threads

KINDS: tuple[LineKind, ...] = (
    *comparisons.KINDS,
    *incidents.KINDS,
    *threads.KINDS,
    *postmortems.KINDS,
)
BY_NAME = {kind.name: kind for kind in KINDS}
_OF = (name for kind in KINDS for name in (*kind.of.values(), *kind.if_any.values()))
_WITH_FILES = (kind.name for kind in KINDS if kind.has_files)
REMEMBERED_KINDS = frozenset(_OF) | frozenset(threads.LINES.values()) | frozenset(_WITH_FILES)
LEFT_OUT: dict[type[Model], str] = {**threads.LEFT_OUT, **postmortems.LEFT_OUT}
