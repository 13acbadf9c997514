"""Declared sections, and their matching to tables."""

from __future__ import annotations

from collections.abc import Iterable

from parsers.sections import FAMILIES
from parsers.tables.rawtable import RawTable, normal_labels, normal_title
from parsers.tables.section_declarations import Declaration, Family

# Headings that stand over many tables: the caption, summary or columns tell those apart.
_GENERIC = ("report summary", "rac statistics", "workload repository")


class Registry:
    """Declared sections by id."""

    def __init__(self, families: Iterable[Family]) -> None:
        self.by_id: dict[str, Declaration] = {}
        self._by_title: dict[str, list[Declaration]] = {}
        self._prefixed: list[Declaration] = []
        self._summarized: list[Declaration] = []
        for declaration in (d for f in families for d in f.declarations):
            if declaration.id in self.by_id:
                raise ValueError(f"section {declaration.id} is declared twice")
            self.by_id[declaration.id] = declaration
            for title in declaration.titles:
                self._by_title.setdefault(title, []).append(declaration)
            if any(t.endswith("*") for t in declaration.titles):
                self._prefixed.append(declaration)
            if declaration.summaries:
                self._summarized.append(declaration)
        self._prefixes = tuple(t[:-1] for d in self._prefixed for t in d.titles if t.endswith("*"))

    def find(self, table: RawTable) -> Declaration | None:
        """First candidate, or None."""
        candidates = self.candidates(table)
        return candidates[0] if candidates else None

    def candidates(self, table: RawTable) -> list[Declaration]:
        """Sections by title, else summary, else columns alone."""
        labels, shape = normal_labels(table.labels)
        for title in _titles(table):
            exact = [d for d in self._by_title.get(title, ()) if d.fits(labels, shape)]
            matches = exact or [d for d in self._prefixed if d.has_title(title) and d.fits(labels, shape)]
            if matches:
                return matches
        summary = table.summary.lower()
        if summary:
            matches = [d for d in self._summarized if d.has_summary(summary) and d.fits(labels, shape)]
            if matches:
                return matches
        return [d for d in self._by_title.get("", ()) if d.fits(labels, shape)]

    def titled(self, title: str) -> tuple[Declaration, ...]:
        exact = self._by_title.get(title, ())
        if not title.startswith(self._prefixes):
            return tuple(exact) if title else ()
        return (*exact, *(d for d in self._prefixed if d not in exact and d.has_title(title)))

    def family_of(self, section_id: str) -> str:
        declaration = self.by_id.get(section_id)
        return declaration.family if declaration else "other"


def _titles(table: RawTable) -> list[str]:
    heading, caption = normal_title(table.heading), normal_title(table.caption)
    if heading.startswith(_GENERIC) or not heading:
        return [caption] if caption else []
    return [heading, caption] if caption else [heading]


REGISTRY = Registry(FAMILIES)
