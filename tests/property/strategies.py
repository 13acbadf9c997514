"""Models to draw: any section of a layout, rows of any figures, and text that tries to get out of its cell."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar

from hypothesis import strategies as st

from fixtures.stories import invented
from fixtures.writer import LAYOUT_19, LAYOUTS, Facts, Layout, Model, Moment, Row
from fixtures.writer.layout import Col, Table
from fixtures.writer.tables.histograms import EDGES_19, EDGES_112, bucket_ids

HOSTILE = (
    "<script>alert(1)</script>",
    "</td></tr></table>",
    "\"quoted\" & 'single'",
    "a&b &amp; &lt; &#160; &nbsp;",
    "<!-- comment --> ]]>",
    "Ünïcödé 表 данные",
    "tab le",
    "%_'; drop table reports; --",
    "$SYS.T#1",
    "{{ 7*7 }} {% if %}",
    "x" * 300,
)
# no control characters, surrogates or code points that no XML text may hold
CHARACTERS = st.characters(exclude_categories=("Cc", "Cs", "Cn", "Co"), exclude_characters="\ufeff")
TEXT = st.one_of(st.sampled_from(HOSTILE), st.text(CHARACTERS, min_size=1, max_size=40)).map(
    lambda text: " ".join(text.split())
)
# rows of these sections are named by the release: their names decide the unit
NAMED = {
    "load_profile",
    "instance_efficiency",
    "io_profile",
    "memory_statistics",
    "shared_pool_statistics",
    "cache_sizes",
}
# sections printed by several tables, or beside each other, have properties of their own
COMPOSED = {"wait_event_histogram", "instance_activity", "cache_sizes"}


def names(text: str) -> str:
    """A row's name as it comes back: without a trailing colon."""
    return text.rstrip(":").rstrip()


NAME = TEXT.map(names).filter(bool)
T = TypeVar("T")
RELEASES = {"11.2": "11.2.0.4.0", "12.1": "12.1.0.2.0", "19": "19.21.0.0.0"}


def layout_and(of: Callable[[Layout], st.SearchStrategy[T]]) -> st.SearchStrategy[tuple[str, T]]:
    """A layout's name, and what `of` draws for it."""
    return st.sampled_from(sorted(LAYOUTS)).flatmap(lambda name: st.tuples(st.just(name), of(LAYOUTS[name])))


def number(column: Col, row: Row) -> st.SearchStrategy[float]:
    show = column.format_for(row)
    assert show is not None
    top = 100.0 if column.id.startswith("pct_") else 1e6
    if show(3.0).half == 0:
        return st.integers(0, int(top) * 1000)
    return st.floats(0, top, allow_subnormal=False)


def is_number(column: Col) -> bool:
    return column.format is not None or column.by_row is not None


@st.composite
def table_rows(draw: st.DrawFn, table: Table, story: Model) -> list[Row]:
    """Rows of one table: distinct names, figures at will, blanks here and there."""
    if table.section in NAMED:
        heads = [str(r[table.columns[0].id]) for r in story.sections[table.section].rows]
        heads = draw(st.lists(st.sampled_from(heads), min_size=1, unique=True))
        if table.per_line == 2 and len(heads) % 2:
            heads = heads[:-1] or [*heads, *(h for h in ["Latch Hit %:", "Soft Parse %:"] if h not in heads)][:2]
    else:
        heads = draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
    return [draw(one_row(table, head)) for head in heads]


@st.composite
def one_row(draw: st.DrawFn, table: Table, head: str) -> Row:
    row: Row = {}
    texts = [c for c in table.columns if not is_number(c)]
    for column in texts:
        row[column.id] = head if column is texts[0] else draw(NAME)
    for column in table.columns:
        if is_number(column):
            row[column.id] = draw(st.one_of(number(column, row), st.none()))
    if not texts:  # a row of nothing but blanks is no row
        row[table.columns[0].id] = 1
    return row


@st.composite
def facts(draw: st.DrawFn, layout: Layout) -> Facts:
    begin = draw(st.datetimes(datetime(2008, 1, 1), datetime(2030, 1, 1))).replace(microsecond=0)
    elapsed = draw(st.integers(60, 40_000))
    host = draw(st.one_of(st.none(), st.integers(1, 900)))
    return Facts(
        db_name=draw(NAME),
        dbid=draw(st.integers(1, 2**32 - 1)),
        instance_name=draw(NAME),
        instance_number=draw(st.integers(1, 64)),
        startup=begin.replace(second=0) - timedelta(days=draw(st.integers(1, 300))),
        release=RELEASES[layout.name],
        host_name=draw(NAME),
        platform="Linux x86 64-bit",
        cpus=host,
        begin=Moment(draw(st.integers(1, 10**6)), begin, draw(st.integers(1, 9999))),
        end=Moment(10**6 + 1, begin + timedelta(seconds=elapsed), draw(st.integers(1, 9999))),
        elapsed_s=elapsed,
        db_time_s=draw(st.floats(0, 1e7)),
        rac=draw(st.booleans()),
    )


@st.composite
def models(draw: st.DrawFn, layout: Layout) -> Model:
    """A report of one to three sections, none of them composed of several tables."""
    story = invented.before()
    model = Model(draw(facts(layout)))
    simple = [t for t in layout.tables if t.section not in COMPOSED]
    for table in draw(st.lists(st.sampled_from(simple), min_size=1, max_size=3, unique_by=lambda t: t.section)):
        model.add(table.section, draw(table_rows(table, story)))
    return model


@st.composite
def histograms(draw: st.DrawFn, layout: Layout) -> list[Row]:
    """Distributions: shares of whole counts, so that an empty bucket is empty."""
    edges = EDGES_19 if layout is LAYOUT_19 else EDGES_112
    ids = bucket_ids(edges)
    rows: list[Row] = []
    for event in draw(st.lists(NAME, min_size=1, max_size=3, unique=True)):
        counts = draw(st.lists(st.integers(0, 10**6), min_size=len(ids), max_size=len(ids)))
        counts[1] += 1
        waits = sum(counts)
        row: Row = {"event": event, "waits": waits}
        row.update({i: 100 * n / waits if n else None for i, n in zip(ids, counts, strict=True)})
        rows.append(row)
    return rows
