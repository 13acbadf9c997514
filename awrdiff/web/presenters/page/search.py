"""Search over sections: headings, findings, rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from awrdiff.analysis.entities.kinds import KINDS, Ref, refs
from awrdiff.analysis.figures_in_words import seconds
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection, Comparison
from awrdiff.comparisons.queries import Hits
from awrdiff.comparisons.result_storage import words_of
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.section.columns_and_cells import THERE, Basis, ColumnGroup, alone
from awrdiff.web.presenters.section.compared_section import main_figure, row_name
from awrdiff.web.presenters.section.layouts import layout_of
from parsers.model import Value

MOST_SECTIONS, MOST_ROWS = 14, 5  # that are shown; how many there are is told
LOOKED_AT = 200  # rows of a section, of which those are shown that count
MOST_FINDINGS = 6
MOST_ENTITIES = 6
FINDINGS = "What stands out"
BY_TIME = "sql_by_elapsed_time"
_SQL_ID = re.compile(r"(?=[a-z]*[0-9])[0-9a-z]{13}", re.IGNORECASE)


Hit = dict[str, Any]
HitGroup = dict[str, Any]  # title, how many, those shown


def headings(titles: Iterable[tuple[str, str]], text: str) -> list[HitGroup]:
    """`titles`: section ids and titles."""
    hits = [_hit(title, section_id) for section_id, title in titles if _holds(title, text)]
    return _group("Sections", hits, MOST_ROWS)


def findings(comparison: Comparison, text: str) -> list[HitGroup]:
    hits = [
        _hit(f.title, f"finding-{at}", f.text)
        for at, f in enumerate(comparison.findings, start=1)
        if _holds(f"{f.title} {f.text}", text)
    ]
    return _group(FINDINGS, hits, MOST_FINDINGS)


def entities(hits: Iterable[Hits], text: str, base: str) -> list[HitGroup]:
    """Most rows first. `base`: address prefix."""
    row_counts: Counter[Ref] = Counter()
    for section_hits in hits:
        columns = frozenset(c.id for c in section_hits.section.columns)
        for row in section_hits.rows:
            row_counts.update(ref for ref in refs(row, columns).values() if _holds(ref.key, text))
    exact = text.casefold()
    ordered = sorted(row_counts.items(), key=lambda item: (item[0].key.casefold() != exact, -item[1]))
    entity_hits = [
        _hit(ref.key, "", f"{KINDS[ref.kind].name}, in {fmt.count_text(count, 'row')}", url=f"{base}{ref.path}")
        for ref, count in ordered
    ]
    return _group("Statements, events, objects …", entity_hits, MOST_ENTITIES)


def _group(title: str, hits: Sequence[Hit], most: int) -> list[HitGroup]:
    return [{"title": title, "count": len(hits), "found": hits[:most]}] if hits else []


def is_sql_id(text: str) -> bool:
    return _SQL_ID.fullmatch(text) is not None


def not_listed(section: ComparedSection) -> HitGroup:
    """Longest possible time, by the last listed entry."""
    last = {side: _shortest(section, at) for at, side in enumerate(("First", "Second"))}
    bounds = [f"{seconds(least)} in {side}" for side, least in last.items() if least is not None]
    text = "No table lists it."
    if bounds:
        text = f"No table lists it: it did not run, or for no longer than the last here: {', '.join(bounds)}."
    return {"title": "Not listed", "count": 0, "found": [_hit(section.title, section.id, text)]}


def _shortest(section: ComparedSection, at: int) -> float | None:
    """Upper bound in seconds."""
    cells = [row.values["elapsed_time_s"][at] for row in section.rows if "elapsed_time_s" in row.values]
    return min((value.high for value in cells if isinstance(value, Value)), default=None)


def names_one(groups: Sequence[HitGroup], text: str) -> bool:
    """True if the first entity's name equals it."""
    return bool(groups) and groups[0]["found"][0]["name"].casefold() == text.casefold()


def for_baseline(groups: Iterable[HitGroup], query: str) -> list[HitGroup]:
    """Without texts about two reports only."""
    plain = {"first": "", "second": "", "change": "", "cls": ""}

    def hit_of(hit: Hit) -> Hit:
        return {**hit, **plain, "url": f"{hit['url']}?{query}" if hit["url"] else ""}

    return [{**group, "found": [*map(hit_of, group["found"])]} for group in groups if group["title"] != FINDINGS]


def rows(hits: Iterable[Hits], basis: Basis, step: float) -> Iterator[HitGroup]:
    for section_hits in hits:
        section = section_hits.section
        figure = main_figure(layout_of(section, basis))
        # Those that count come first.
        top_rows = sorted(section_hits.rows, key=lambda r: not r.counts(step))[:MOST_ROWS]
        row_hits = [_row(section, row, figure, step) for row in top_rows]
        if section_hits.total > 1:
            row_hits.append(_hit(f"all {section_hits.total} rows", section.id, only=True))
        yield {"title": section.title, "count": section_hits.total, "found": row_hits}


def tables(titles: Iterable[tuple[str, str]], counts: Mapping[str, int]) -> list[HitGroup]:
    """One report's sections with matching rows."""
    hits = [
        _hit(title, section_id, fmt.count_text(count, "row"), only=True)
        for section_id, title in titles
        if (count := counts.get(section_id))
    ]
    return [{"title": "Rows", "count": sum(counts.values()), "found": hits}] if hits else []


def _row(section: ComparedSection, row: ComparedRow, figure: ColumnGroup | None, step: float) -> Hit:
    name, beside = row_name(section, row)
    hit = _hit(name, f"{section.id}/{row.row_id}", beside, counts=row.counts(step))
    if figure is not None:  # each figure in a unit of its own: there is no column that shares one
        first, second, change = alone(figure).cells(row, (THERE, THERE))
        hit |= {"first": first["t"], "second": second["t"], "change": change["t"], "cls": change["c"]}
    return hit


def _hit(name: str, target: str, beside: str = "", *, counts: bool = True, url: str = "", only: bool = False) -> Hit:
    """`target`: fragment, or `url` of the panel. `counts`: False below the threshold. `only`: all matching rows."""
    figures = {"first": "", "second": "", "change": "", "cls": ""}
    return {"name": name, "beside": beside, **figures, "target": target, "counts": counts, "url": url, "only": only}


def _holds(line: str, text: str) -> bool:
    words: Sequence[str] = words_of(text)
    return bool(words) and all(word in line.lower() for word in words)
