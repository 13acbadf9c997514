"""Search over sections: headings, findings, rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypedDict

from awrdiff.analysis.entities.kinds import KINDS, Ref, refs
from awrdiff.analysis.figures_in_words import seconds
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection, Comparison
from awrdiff.comparisons.queries import Hits
from awrdiff.comparisons.result_storage import words_of
from awrdiff.web.presenters.section.columns_and_cells import THERE, Basis, ColumnGroup, Formatted
from awrdiff.web.presenters.section.compared_section import main_figure, row_name
from awrdiff.web.presenters.section.layouts import layout_of
from awrdiff.web.value_formatting import ColumnFormat
from parsers.model import Value

MOST_SECTIONS, MOST_ROWS = 14, 5  # that are shown; how many there are is told
LOOKED_AT = 200  # rows of a section, of which those are shown that count
MOST_FINDINGS = 6
MOST_ENTITIES = 6
FINDINGS = "What stands out"
BY_TIME = "sql_by_elapsed_time"
_SQL_ID = re.compile(r"(?=[a-z]*[0-9])[0-9a-z]{13}", re.IGNORECASE)


class SearchHit(TypedDict):
    """`target`: fragment, or `url` of the panel. `counts`: False below the threshold. `only`: all matching rows."""

    name: str
    beside: str
    first: str
    second: str
    change: str
    cls: str
    target: str
    counts: bool
    url: str
    only: bool


class HitGroup(TypedDict):
    title: str
    count: int
    found: list[SearchHit]


def headings(titles: Iterable[tuple[str, str]], text: str) -> Iterator[HitGroup]:
    """`titles`: section ids and titles."""
    hits = [_plain(title, section_id) for section_id, title in titles if _holds(title, text)]
    if hits:
        yield HitGroup(title="Sections", count=len(hits), found=hits[:MOST_ROWS])


def findings(comparison: Comparison, text: str) -> Iterator[HitGroup]:
    hits = [
        _plain(f.title, f"finding-{at}", f.text)
        for at, f in enumerate(comparison.findings, start=1)
        if _holds(f"{f.title} {f.text}", text)
    ]
    if hits:
        yield HitGroup(title=FINDINGS, count=len(hits), found=hits[:MOST_FINDINGS])


def entities(hits: Iterable[Hits], text: str, base: str) -> Iterator[HitGroup]:
    """Most rows first. `base`: address prefix."""
    row_counts = Counter(ref for section_hits in hits for ref in _things(section_hits) if _holds(ref.key, text))
    exact = text.casefold()
    ordered = sorted(row_counts.items(), key=lambda item: (item[0].key.casefold() != exact, -item[1]))
    entity_hits = [_thing(ref, count, base) for ref, count in ordered]
    if entity_hits:
        yield HitGroup(title="Statements, events, objects …", count=len(entity_hits), found=entity_hits[:MOST_ENTITIES])


def _things(hits: Hits) -> Iterator[Ref]:
    columns = frozenset(c.id for c in hits.section.columns)
    return (ref for row in hits.rows for ref in refs(row, columns).values())


def _thing(ref: Ref, count: int, base: str) -> SearchHit:
    hit = _plain(ref.key, "", f"{KINDS[ref.kind].name}, in {count} {'row' if count == 1 else 'rows'}")
    hit["url"] = f"{base}{ref.path}"
    return hit


def is_sql_id(text: str) -> bool:
    return _SQL_ID.fullmatch(text) is not None


def not_listed(section: ComparedSection) -> HitGroup:
    """Longest possible time, by the last listed entry."""
    last = {side: _shortest(section, at) for at, side in enumerate(("First", "Second"))}
    bounds = [f"{seconds(least)} in {side}" for side, least in last.items() if least is not None]
    text = "No table lists it."
    if bounds:
        text = f"No table lists it: it did not run, or for no longer than the last here: {', '.join(bounds)}."
    return HitGroup(title="Not listed", count=0, found=[_plain(section.title, section.id, text)])


def _shortest(section: ComparedSection, at: int) -> float | None:
    """Upper bound in seconds."""
    cells = [row.values["elapsed_time_s"][at] for row in section.rows if "elapsed_time_s" in row.values]
    return min((value.high for value in cells if isinstance(value, Value)), default=None)


def names_one(groups: Sequence[HitGroup], text: str) -> bool:
    """True if the first entity's name equals it."""
    return bool(groups) and groups[0]["found"][0]["name"].casefold() == text.casefold()


def for_baseline(groups: Iterable[HitGroup], query: str) -> list[HitGroup]:
    """Without texts about two reports only."""
    return [
        HitGroup(
            title=hit_group["title"],
            count=hit_group["count"],
            found=[_hit_for_baseline(f, query) for f in hit_group["found"]],
        )
        for hit_group in groups
        if hit_group["title"] != FINDINGS
    ]


def _hit_for_baseline(hit: SearchHit, query: str) -> SearchHit:
    plain_hit = _plain(hit["name"], hit["target"], hit["beside"])
    plain_hit["counts"], plain_hit["only"] = hit["counts"], hit["only"]
    plain_hit["url"] = f"{hit['url']}?{query}" if hit["url"] else ""
    return plain_hit


def rows(hits: Iterable[Hits], basis: Basis, step: float) -> Iterator[HitGroup]:
    for section_hits in hits:
        figure = main_figure(layout_of(section_hits.section, basis))
        top_rows = sorted(section_hits.rows, key=lambda r: not r.counts(step))[
            :MOST_ROWS
        ]  # those that count come first
        row_hits = [_row(section_hits, row, figure, step) for row in top_rows]
        if section_hits.total > 1:
            row_hits.append(_table(f"all {section_hits.total} rows", section_hits.section.id))
        yield HitGroup(title=section_hits.section.title, count=section_hits.total, found=row_hits)


def tables(titles: Iterable[tuple[str, str]], counts: Mapping[str, int]) -> list[HitGroup]:
    """One report's sections with matching rows."""
    hits = [
        _table(title, section_id, f"{count:,} {'row' if count == 1 else 'rows'}")
        for section_id, title in titles
        if (count := counts.get(section_id))
    ]
    return [HitGroup(title="Rows", count=sum(counts.values()), found=hits)] if hits else []


def _table(name: str, section_id: str, beside: str = "") -> SearchHit:
    hit = _plain(name, section_id, beside)
    hit["only"] = True
    return hit


def _row(hits: Hits, row: ComparedRow, figure: ColumnGroup | None, step: float) -> SearchHit:
    name, beside = row_name(hits.section, row)
    hit = _plain(name, f"{hits.section.id}/{row.row_id}", beside)
    hit["counts"] = row.counts(step)
    if figure is not None:  # each figure in a unit of its own: there is no column that shares one
        first, second, change = Formatted(figure, ColumnFormat(figure.unit, None, 0)).cells(row, (THERE, THERE))
        hit |= {"first": first["t"], "second": second["t"], "change": change["t"], "cls": change["c"]}
    return hit


def _plain(name: str, target: str, beside: str = "") -> SearchHit:
    return SearchHit(
        name=name, beside=beside, first="", second="", change="", cls="", target=target, counts=True, url="", only=False
    )


def _holds(line: str, text: str) -> bool:
    words: Sequence[str] = words_of(text)
    return bool(words) and all(word in line.lower() for word in words)
