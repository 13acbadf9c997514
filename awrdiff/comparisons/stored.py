"""A stored comparison, read section by section while it is written out: never whole, and never of two versions.

A comparison that is computed again gets new section rows. An export notes the rows it is made of before it begins;
where one of them is gone by the time it is read, `Changed` is raised instead of going on with another's figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from msgspec.structs import replace

from awrdiff.accounts.access import NotFound
from awrdiff.analysis.export.document import load_overview
from awrdiff.analysis.export.packed import open_section
from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons.models import Comparison, ComparisonSection
from awrdiff.comparisons.pairs import NO_PAIR, of_first
from awrdiff.comparisons.queries import by_pair, compared_count

MOST_SECTIONS, MOST_ROWS = 40, 4_000  # that are read from the database at once
_TRIES = 3


class Changed(Exception):
    """The comparison was computed again, or deleted, while it was being written out."""

    sentence = "This comparison was computed again or deleted while it was being written: fetch it again."

    def __init__(self) -> None:
        super().__init__(self.sentence)


class StoredSection(NamedTuple):
    """One stored section: its primary key is of this one version only."""

    pk: int
    pair: int
    rows: int


def stored_pairs(comparison: Comparison, only: Iterable[int] | None = None, *, sections: bool = True) -> list[Computed]:
    """These pairs of the comparison as the engine made them, else First against each of the others; their sections are
    read when they are walked through.

    Without its sections it is the summary alone. Raises Changed, and NotFound where there is no such pair.
    """
    for _ in range(_TRIES):
        lines = _lines(comparison.pk) if sections else []
        overview = Comparison.objects.filter(pk=comparison.pk).values_list("overview", flat=True).first()
        if not sections or lines == _lines(comparison.pk):
            break
    else:
        raise Changed
    if overview is None:
        raise NotFound("There is no such comparison.")
    documents = by_pair(bytes(overview))
    wanted = list(of_first(compared_count(comparison)) if only is None else only)
    if not documents.keys() >= set(wanted):
        raise NotFound(NO_PAIR)
    return [
        replace(load_overview(documents[pair]), sections=Sections([line for line in lines if line.pair == pair]))
        for pair in wanted
    ]


def _lines(pk: UUID) -> list[StoredSection]:
    found = ComparisonSection.objects.filter(comparison=pk).order_by("pair", "position")
    return [StoredSection(*values) for values in found.values_list("pk", "pair", "rows")]


class Sections(Iterable[ComparedSection]):
    """The sections of one pair, in order. No cursor and no transaction is open between two of them."""

    def __init__(self, lines: Sequence[StoredSection]) -> None:
        self.lines = lines

    def __iter__(self) -> Iterator[ComparedSection]:
        for batch in _batches(self.lines):
            rows = ComparisonSection.objects.filter(pk__in=batch).values_list("pk", "payload")
            payloads = dict(rows)
            for pk in batch:
                if pk not in payloads:
                    raise Changed
                yield open_section(bytes(payloads.pop(pk)))


def _batches(lines: Iterable[StoredSection]) -> Iterator[list[int]]:
    held: list[int] = []
    rows = 0
    for line in lines:
        if held and (len(held) == MOST_SECTIONS or rows + line.rows > MOST_ROWS):
            yield held
            held, rows = [], 0
        held.append(line.pk)
        rows += line.rows
    if held:
        yield held
