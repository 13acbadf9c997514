"""Declared labels and titles of sections, as evidence of headings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache

from parsers.sections.registry import REGISTRY
from parsers.tables.declare import Declaration
from parsers.tables.rawtable import RawTable, normal_label, normal_labels, normal_title

_DIGITS = "0123456789"
_FEW_LABELS = 3  # that name a section without its title
_LONGEST_TITLE = 120


@cache
def known_labels() -> frozenset[str]:
    """All declared labels, normalized, without the empty one."""
    return frozenset(label for d in REGISTRY.by_id.values() for label in d.by_label if label)


def is_figure(cell: str) -> bool:
    return cell.lstrip("-+.")[:1] in _DIGITS if cell.strip("-+.") else False


def is_header(cells: Sequence[str]) -> bool:
    """True if most cells, at least two, are labels of some section."""
    printed = [cell for cell in cells if cell]
    label_count = sum(normal_label(cell) in known_labels() for cell in printed)
    return label_count > 1 and 4 * label_count >= 3 * len(printed)


@lru_cache(maxsize=4096)
def titled(line: str) -> tuple[Declaration, ...]:
    """The sections that bear `line` as their title."""
    return REGISTRY.titled(normal_title(line[:_LONGEST_TITLE]))


@cache
def untitled() -> tuple[Declaration, ...]:
    """Sections whose tables have no title: database, host, snapshots."""
    return tuple(d for d in REGISTRY.by_id.values() if "" in d.titles)


def has_labels(section: Declaration, labels: Sequence[str]) -> bool:
    """True if these are labels of the section's columns, each once, at least three without a title.

    Columns unlabelled in some release are missing: cut off their neighbours.
    """
    normal = list(map(normal_label, labels))
    if len(normal) < (_FEW_LABELS if "" in section.titles else 2) or not section.by_label.keys() >= set(normal):
        return False
    columns = [section.by_label[label].id for label in normal]
    unnamed = section.by_label.get("")
    return len(set(columns)) == len(columns) and (unnamed is None or unnamed.id in columns)


@lru_cache(maxsize=1024)
def by_labels(labels: tuple[str, ...]) -> Declaration | None:
    """The only section with all these labels, or None."""
    normal, shape = normal_labels(labels)
    printed = normal - {""}
    if len(printed) < _FEW_LABELS:
        return None
    fitting = [d for d in REGISTRY.by_id.values() if d.fits(normal, shape) and printed <= d.by_label.keys()]
    return fitting[0] if len(fitting) == 1 else None


def declared(heading: str, caption: str, labels: tuple[str, ...]) -> Declaration | None:
    """Section with these labels under this heading; untitled, by at least three labels."""
    section = REGISTRY.find(RawTable(heading, caption, "", labels, []))
    if section is None or section in titled(heading) or section in titled(caption):
        return section
    return section if len(normal_labels(labels)[0] - {""}) >= _FEW_LABELS else None
