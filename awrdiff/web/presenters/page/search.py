"""What the box over all sections finds: headings, findings and rows, with First → Second beside the name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypedDict

from awrdiff.analysis.entities.kinds import KINDS, Ref, refs
from awrdiff.analysis.model.comparison import ComparedRow, ComparedSection, Comparison
from awrdiff.analysis.words import seconds
from awrdiff.comparisons.queries import Hits
from awrdiff.comparisons.searched import words_of
from awrdiff.web.format import ColumnFormat
from awrdiff.web.presenters.section.compared import main_figure, row_name
from awrdiff.web.presenters.section.figures import THERE, Basis, ColumnGroup, Formatted
from awrdiff.web.presenters.section.layouts import layout_of
from parsers.model import Value

MOST_SECTIONS, MOST_ROWS = 14, 5  # that are shown; how many there are is told
LOOKED_AT = 200  # rows of a section, of which those are shown that count
MOST_FINDINGS = 6
MOST_ENTITIES = 6
FINDINGS = "What stands out"
BY_TIME = "sql_by_elapsed_time"
_SQL_ID = re.compile(r"(?=[a-z]*[0-9])[0-9a-z]{13}", re.IGNORECASE)


class SearchHit(TypedDict):
    """`target`: the fragment that leads there, or of a thing the `url` of its panel. `counts`: False of a row that the
    threshold hides. `only`: not a place, but all rows of the section that hold the text."""

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
    """`titles`: ids and titles of the sections."""
    found = [_plain(title, section_id) for section_id, title in titles if _holds(title, text)]
    if found:
        yield HitGroup(title="Sections", count=len(found), found=found[:MOST_ROWS])


def findings(comparison: Comparison, text: str) -> Iterator[HitGroup]:
    found = [
        _plain(f.title, f"finding-{at}", f.text)
        for at, f in enumerate(comparison.findings, start=1)
        if _holds(f"{f.title} {f.text}", text)
    ]
    if found:
        yield HitGroup(title=FINDINGS, count=len(found), found=found[:MOST_FINDINGS])


def entities(hits: Iterable[Hits], text: str, base: str) -> Iterator[HitGroup]:
    """Statements, events, objects … whose name holds the text, those in most rows first. `base`: where they live."""
    named = Counter(ref for one in hits for ref in _things(one) if _holds(ref.key, text))
    exact = text.casefold()
    ordered = sorted(named.items(), key=lambda item: (item[0].key.casefold() != exact, -item[1]))
    found = [_thing(ref, count, base) for ref, count in ordered]
    if found:
        yield HitGroup(title="Statements, events, objects …", count=len(found), found=found[:MOST_ENTITIES])


def _things(hits: Hits) -> Iterator[Ref]:
    columns = frozenset(c.id for c in hits.section.columns)
    return (ref for row in hits.rows for ref in refs(row, columns).values())


def _thing(ref: Ref, count: int, base: str) -> SearchHit:
    made = _plain(ref.key, "", f"{KINDS[ref.kind].name}, in {count} {'row' if count == 1 else 'rows'}")
    made["url"] = f"{base}{ref.path}"
    return made


def is_sql_id(text: str) -> bool:
    return _SQL_ID.fullmatch(text) is not None


def not_listed(section: ComparedSection) -> HitGroup:
    """Of a statement that neither report names: at most how long it took, by the last in the list by elapsed time."""
    last = {side: _shortest(section, at) for at, side in enumerate(("First", "Second"))}
    bounds = [f"{seconds(least)} in {side}" for side, least in last.items() if least is not None]
    said = "No table lists it."
    if bounds:
        said = f"No table lists it: it did not run, or for no longer than the last here: {', '.join(bounds)}."
    return HitGroup(title="Not listed", count=0, found=[_plain(section.title, section.id, said)])


def _shortest(section: ComparedSection, at: int) -> float | None:
    """Seconds of the last statement of one side's list, as many as the print leaves open."""
    cells = [row.values["elapsed_time_s"][at] for row in section.rows if "elapsed_time_s" in row.values]
    return min((value.high for value in cells if isinstance(value, Value)), default=None)


def names_one(groups: Sequence[HitGroup], text: str) -> bool:
    """Whether the first of the things is called exactly so."""
    return bool(groups) and groups[0]["found"][0]["name"].casefold() == text.casefold()


def for_baseline(groups: Iterable[HitGroup], query: str) -> list[HitGroup]:
    """The same on a page against a baseline: what is said between two reports does not hold there."""
    return [
        HitGroup(title=one["title"], count=one["count"], found=[_hit_for_baseline(f, query) for f in one["found"]])
        for one in groups
        if one["title"] != FINDINGS
    ]


def _hit_for_baseline(found: SearchHit, query: str) -> SearchHit:
    made = _plain(found["name"], found["target"], found["beside"])
    made["counts"], made["only"] = found["counts"], found["only"]
    made["url"] = f"{found['url']}?{query}" if found["url"] else ""
    return made


def rows(hits: Iterable[Hits], basis: Basis, step: float) -> Iterator[HitGroup]:
    for one in hits:
        figure = main_figure(layout_of(one.section, basis))
        shown = sorted(one.rows, key=lambda r: not r.counts(step))[:MOST_ROWS]  # those that count come first
        found = [_row(one, row, figure, step) for row in shown]
        if one.total > 1:
            found.append(_table(f"all {one.total} rows", one.section.id))
        yield HitGroup(title=one.section.title, count=one.total, found=found)


def tables(titles: Iterable[tuple[str, str]], counts: Mapping[str, int]) -> list[HitGroup]:
    """Of one report: the sections with rows that hold the text."""
    found = [
        _table(title, section_id, f"{count:,} {'row' if count == 1 else 'rows'}")
        for section_id, title in titles
        if (count := counts.get(section_id))
    ]
    return [HitGroup(title="Rows", count=sum(counts.values()), found=found)] if found else []


def _table(name: str, section_id: str, beside: str = "") -> SearchHit:
    made = _plain(name, section_id, beside)
    made["only"] = True
    return made


def _row(hits: Hits, row: ComparedRow, figure: ColumnGroup | None, step: float) -> SearchHit:
    name, beside = row_name(hits.section, row)
    found = _plain(name, f"{hits.section.id}/{row.row_id}", beside)
    found["counts"] = row.counts(step)
    if figure is not None:  # each figure in a unit of its own: there is no column that shares one
        first, second, change = Formatted(figure, ColumnFormat(figure.unit, None, 0)).cells(row, (THERE, THERE))
        found |= {"first": first["t"], "second": second["t"], "change": change["t"], "cls": change["c"]}
    return found


def _plain(name: str, target: str, beside: str = "") -> SearchHit:
    return SearchHit(
        name=name, beside=beside, first="", second="", change="", cls="", target=target, counts=True, url="", only=False
    )


def _holds(line: str, text: str) -> bool:
    words: Sequence[str] = words_of(text)
    return bool(words) and all(word in line.lower() for word in words)
