"""Export of a stored comparison section by section, never of two versions.

Recomputation makes new section rows; if a noted row is gone, `Changed` is raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from uuid import UUID

from msgspec.structs import replace

from awrdiff.accounts.access import NotFound, existing
from awrdiff.analysis.export.comparison_json import load_overview, open_section
from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons.errors import NO_PAIR
from awrdiff.comparisons.models import Comparison, ComparisonSection
from awrdiff.comparisons.queries import by_pair, compared_count
from awrdiff.comparisons.report_pairs import of_first

MOST_SECTIONS, MOST_ROWS = 40, 4_000  # that are read from the database at once
_TRIES = 3


class Changed(Exception):
    """Recomputed or deleted during the export."""

    sentence = "This comparison was computed again or deleted while it was being written: fetch it again."

    def __init__(self) -> None:
        super().__init__(self.sentence)


class StoredSection(NamedTuple):
    """Its key is of this version only."""

    pk: int
    pair: int
    rows: int


def stored_pairs(comparison: Comparison, only: Iterable[int] | None = None, *, sections: bool = True) -> list[Computed]:
    """Defaults to First against each; lazy sections. Raises Changed, NotFound."""
    for _ in range(_TRIES):
        lines = _lines(comparison.pk) if sections else []
        overview = Comparison.objects.filter(pk=comparison.pk).values_list("overview", flat=True).first()
        if not sections or lines == _lines(comparison.pk):
            break
    else:
        raise Changed
    documents = by_pair(bytes(existing(overview, "There is no such comparison.")))
    wanted = list(of_first(compared_count(comparison)) if only is None else only)
    if not documents.keys() >= set(wanted):
        raise NotFound(NO_PAIR)
    return [
        replace(load_overview(documents[pair]), sections=Sections([line for line in lines if line.pair == pair]))
        for pair in wanted
    ]


def _lines(pk: UUID) -> list[StoredSection]:
    sections = ComparisonSection.objects.filter(comparison=pk).order_by("pair", "position")
    return [StoredSection(*values) for values in sections.values_list("pk", "pair", "rows")]


class Sections(Iterable[ComparedSection]):
    """Sections, without open cursor or transaction between."""

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
    batch: list[int] = []
    rows = 0
    for line in lines:
        if batch and (len(batch) == MOST_SECTIONS or rows + line.rows > MOST_ROWS):
            yield batch
            batch, rows = [], 0
        batch.append(line.pk)
        rows += line.rows
    if batch:
        yield batch
