"""What the writer was told is what the parser reads out of a listing, within the printed resolution."""

from __future__ import annotations

import string
from datetime import datetime, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures.writer import TEXT_LAYOUTS, Facts, Model, Moment, Row, TextLayout, write
from fixtures.writer.text_layout import Slot, TextTable
from parsers import parse_report
from parsers.model import Value
from tests.property.came_back import rows_with

SLOW = settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
# A listing has nothing but columns to tell its cells by: words with single blanks between, of the alphabet of names.
LETTERS = string.ascii_letters + "_$#./():%&<>'"
# A line that begins with "Warning:" is a warning in a box, wherever it stands.
WORD = st.text(LETTERS, min_size=1, max_size=9).filter(
    lambda w: w[0] in string.ascii_letters and not w.startswith("Warning:")
)
RELEASES = {"statspack": "11.1.0.7.0", "11.2-text": "11.2.0.3.0", "12.2-text": "12.2.0.1.0"}
KNOWN = {"load_profile": ("Redo size:", "Logical reads:", "User calls:", "Block changes:", "Physical reads:")}


def words(width: int) -> st.SearchStrategy[str]:
    """A name that does not fill its column: one that does may have been cut, and is told apart by the parser."""
    return st.lists(WORD, min_size=1, max_size=4).map(" ".join).map(lambda t: t[: width - 1].rstrip(" :"))


def figure(slot: Slot, row: Row) -> st.SearchStrategy[float | int]:
    show = slot.format_for(row)
    assert show is not None
    top = 100.0 if slot.id.startswith("pct_") else 10.0 ** min(slot.width - 4 - slot.width // 4, 9)
    top = min(top, 10.0) if slot.id == "avg_wait_s" else top
    if show(3.0).half == 0:
        return st.integers(0, int(top))
    return st.floats(0, top * 0.9, allow_subnormal=False)


@st.composite
def rows(draw: st.DrawFn, table: TextTable) -> list[Row]:
    head, *others = table.columns
    names = st.sampled_from(KNOWN[table.section]) if table.section in KNOWN else words(head.width)
    out: list[Row] = []
    for name in draw(st.lists(names.filter(bool), min_size=1, max_size=4, unique_by=str.lower)):
        row: Row = {head.id: name}
        for slot in others:
            row[slot.id] = draw(figure(slot, row) if slot.is_number else words(slot.width))
        for slot in others[1:]:  # the first figure stays, so that a row is no name going on in the next line
            if draw(st.integers(0, 5)) == 0:
                row[slot.id] = None
        out.append(row)
    return out


@st.composite
def facts(draw: st.DrawFn, layout: TextLayout) -> Facts:
    begin = draw(st.datetimes(datetime(2001, 1, 1), datetime(2030, 1, 1))).replace(microsecond=0)
    elapsed = draw(st.integers(60, 40_000))
    name = st.from_regex(r"[A-Z][A-Z0-9_]{0,7}", fullmatch=True)
    small = st.one_of(st.none(), st.integers(1, 900))
    return Facts(
        db_name=draw(name),
        dbid=draw(st.integers(1, 2**32 - 1)),
        instance_name=draw(name),
        instance_number=draw(st.integers(1, 64)),
        startup=begin.replace(second=0) - timedelta(days=draw(st.integers(1, 300))),
        release=RELEASES[layout.name],
        host_name=draw(name),
        platform=draw(st.sampled_from(["", "Linux x86 64-bit", "AIX-Based Systems"])),
        cpus=draw(small),
        begin=Moment(draw(st.integers(1, 10**6)), begin, draw(st.one_of(st.none(), st.integers(1, 9999)))),
        end=Moment(10**6 + 1, begin + timedelta(seconds=elapsed), draw(st.integers(1, 9999))),
        elapsed_s=elapsed,
        db_time_s=draw(st.one_of(st.none(), st.floats(0, 1e7))),
        rac=draw(st.booleans()),
        remark=draw(st.sampled_from(["", "Built for a test. " * 9])),
    )


def layout_and(of: st.SearchStrategy[TextLayout]) -> st.SearchStrategy[tuple[TextLayout, Model]]:
    return of.flatmap(lambda layout: st.tuples(st.just(layout), models(layout)))


@st.composite
def models(draw: st.DrawFn, layout: TextLayout) -> Model:
    model = Model(draw(facts(layout)))
    for table in draw(st.lists(st.sampled_from(layout.tables), min_size=1, max_size=3, unique_by=lambda t: t.section)):
        model.add(table.section, draw(rows(table)))
    return model


LAYOUT = st.sampled_from(sorted(TEXT_LAYOUTS)).map(TEXT_LAYOUTS.__getitem__)


@SLOW
@given(layout_and(LAYOUT))
def test_sections_come_back(drawn: tuple[TextLayout, Model]) -> None:
    layout, model = drawn
    report = parse_report(write(model, layout))
    tables = {t.section: t for t in layout.tables}
    for section, told, got in rows_with(report, model):
        same_cells(tables[section.id], told, got)
    assert [i for i in report.issues if i.ours] == []


def same_cells(table: TextTable, told: Row, got: dict[str, object]) -> None:
    for slot in table.columns:
        value, read, what = told.get(slot.id), got.get(slot.id), f"{table.section}.{slot.id}"
        if value is None:
            assert read is None or read == "", (what, read)
        elif slot.is_number:
            assert isinstance(read, Value), (what, read)
            assert abs(read.number - float(value)) <= read.half * 1.000001 + 1e-9 * float(value), (what, read, value)
        else:
            assert str(read).rstrip(":") == str(value).rstrip(":"), what


@SLOW
@given(layout_and(LAYOUT))
def test_the_head_comes_back(drawn: tuple[TextLayout, Model]) -> None:
    layout, told = drawn[0], drawn[1].facts
    model = Model(told)
    model.add(layout.tables[-1].section, [])  # the name of the database stands in the heading of a page
    report = parse_report(write(model, layout))
    assert report.kind == layout.kind
    assert (report.release, report.database.name, report.database.dbid) == (told.release, told.db_name, str(told.dbid))
    assert report.database.rac is told.rac
    instance, period = report.instances[0], report.period
    assert (instance.name, instance.number, instance.startup) == (
        told.instance_name,
        told.instance_number,
        told.startup,
    )
    assert (report.host.name, report.host.cpus) == (told.host_name, told.cpus)
    assert (period.begin.id, period.begin.time, period.begin.sessions) == (
        told.begin.id,
        told.begin.time,
        told.begin.sessions,
    )
    assert (period.end.id, period.end.time) == (told.end.id, told.end.time)
    assert period.elapsed_s is not None
    assert period.elapsed_s.low - 1e-6 <= told.elapsed_s <= period.elapsed_s.high + 1e-6
    if told.db_time_s is None:
        assert period.db_time_s is None
    else:
        assert period.db_time_s is not None
        assert period.db_time_s.low - 1e-6 <= told.db_time_s <= period.db_time_s.high + 1e-6
