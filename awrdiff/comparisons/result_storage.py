"""Database values of a computed comparison: packed overview per pair, row per section; search of rows by
one rule for rail counts and row filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from awrdiff.analysis.export.comparison_json import dump_overview, pack_section
from awrdiff.analysis.model.comparison import ComparedRow
from awrdiff.analysis.model.comparison import Comparison as Computed
from awrdiff.comparisons.models import Comparison, ComparisonSection
from awrdiff.processing.storable_values import one_line, storable_text
from parsers.storage.compressed_blocks import pack


def row_text(row: ComparedRow) -> str:
    """Key and texts of both sides, lower case."""
    texts = [side for delta in row.values.values() for side in delta[:2] if isinstance(side, str)]
    return as_in_row_text(" ".join(dict.fromkeys([*row.key.values(), *texts])))


def as_in_row_text(text: str) -> str:
    return one_line(text.lower())


def words_of(text: str) -> tuple[str, ...]:
    """Longest first."""
    return tuple(sorted(dict.fromkeys(as_in_row_text(text).split()), key=len, reverse=True))


def lines_with(words: Sequence[str], lines: str) -> Iterator[int]:
    """Line numbers with every word, without splitting."""
    longest, further = words[0], words[1:]
    number = start = 0
    while (at := lines.find(longest, start)) >= 0:
        number += lines.count("\n", start, at)
        begin, end = lines.rfind("\n", 0, at) + 1, lines.find("\n", at)
        line = lines[begin : end if end >= 0 else None]
        if all(word in line for word in further):
            yield number
        if end < 0:
            return
        number, start = number + 1, end + 1


def matches(row: ComparedRow, text: str) -> bool:
    """Every word, any case and order."""
    line = row_text(row)
    return all(word in line for word in words_of(text))


TURNED_DOCUMENT = "turned"  # in the overview of the first pair the other way round


def pack_overviews(pairs: Iterable[Computed], reversed_pair: Computed | None = None) -> bytes:
    """`reversed_pair`: the first one reversed."""
    of_turned = [{**dump_overview(reversed_pair), TURNED_DOCUMENT: True}] if reversed_pair is not None else []
    return pack([*map(dump_overview, pairs), *of_turned])


def section_rows(comparison: Comparison, pair: int, computed: Computed) -> list[ComparisonSection]:
    return [
        ComparisonSection(
            comparison=comparison,
            pair=pair,
            position=position,
            section_id=storable_text(section.id),
            title=storable_text(section.title)[:255],
            known=section.known,
            family=section.family,
            rows=len(section.rows),
            changed=section.changed,
            first_present=section.first_present,
            second_present=section.second_present,
            row_text="\n".join(row_text(row) for row in section.rows),
            payload=pack_section(section),
        )
        for position, section in enumerate(computed.sections)
    ]
