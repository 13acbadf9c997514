"""What the writer was told is what the parser says, within the printed resolution; text comes back exactly."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures.stories import invented
from fixtures.writer import LAYOUT_19, LAYOUTS, Facts, Model, Row, write
from fixtures.writer.layout import Table
from fixtures.writer.tables.histograms import EDGES_19, EDGES_112, bucket_ids
from parsers import parse_report
from parsers.model import Section, Value
from tests.property.came_back import rows_with
from tests.property.strategies import NAME, facts, histograms, is_number, layout_and, models, names

STATISTIC = st.one_of(NAME, st.sampled_from(["redo size", "user commits", "user calls", "session logical reads"]))


SLOW = settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))


def within(read: object, exact: float, what: str) -> None:
    assert isinstance(read, Value), (what, read)
    assert abs(read.number - exact) <= read.half * 1.000001 + 1e-9 * abs(exact), (what, read, exact)
    assert read.half <= max(0.06 * abs(exact), 1e10), (what, "claims less than was printed", read)


def same_cells(table: Table, section: Section, written: Row, read: dict[str, object]) -> None:
    for column in table.columns:
        value, what = written.get(column.id), f"{section.id}.{column.id}"
        assert column.id in read, (what, sorted(read))
        if value is None:
            assert read[column.id] is None, what
        elif is_number(column) and isinstance(read[column.id], str):  # an identifier is text
            assert read[column.id] == str(value), what
        elif is_number(column):
            within(read[column.id], float(value), what)
        else:
            text = " ".join(str(value).split())
            assert read[column.id] in (text, names(text)), what


@SLOW
@given(layout_and(models))
def test_sections_come_back(drawn: tuple[str, Model]) -> None:
    layout, model = LAYOUTS[drawn[0]], drawn[1]
    report = parse_report(write(model, layout))
    tables = {t.section: t for t in layout.tables}
    for section, told, got in rows_with(report, model):
        same_cells(tables[section.id], section, told, got)
    assert [i for i in report.issues if i.ours] == []


@SLOW
@given(layout_and(facts))
def test_the_header_comes_back(drawn: tuple[str, Facts]) -> None:
    layout, told = LAYOUTS[drawn[0]], drawn[1]
    report = parse_report(write(Model(told), layout))
    assert report.kind == "awr"
    assert (report.release, report.database.name, report.database.dbid) == (told.release, told.db_name, str(told.dbid))
    assert report.database.rac is told.rac
    instance = report.instances[0]
    assert (instance.name, instance.number, instance.startup) == (
        told.instance_name,
        told.instance_number,
        told.startup,
    )
    assert (report.host.name, report.host.cpus) == (told.host_name, told.cpus)
    period = report.period
    assert (period.begin.id, period.begin.time, period.begin.sessions) == (
        told.begin.id,
        told.begin.time,
        told.begin.sessions,
    )
    assert (period.end.id, period.end.time) == (told.end.id, told.end.time)
    assert period.elapsed_s is not None
    assert period.elapsed_s.low - 1e-6 <= told.elapsed_s <= period.elapsed_s.high + 1e-6
    assert period.db_time_s is not None
    assert period.db_time_s.low - 1e-6 <= told.db_time_s <= period.db_time_s.high + 1e-6


@SLOW
@given(layout_and(histograms))
def test_the_histogram_comes_back_in_one_piece(drawn: tuple[str, list[Row]]) -> None:
    layout, told = LAYOUTS[drawn[0]], drawn[1]
    model = Model(invented.before(modern=layout is LAYOUT_19).facts)
    model.add("wait_event_histogram", told)
    section = parse_report(write(model, layout)).section("wait_event_histogram")
    assert section is not None
    assert len(section.records) == len(told)
    for row, read in zip(told, section.rows, strict=True):
        assert read["event"] == row["event"]
        within(read["waits"], row["waits"], "waits")
        for bucket in bucket_ids(EDGES_19 if layout is LAYOUT_19 else EDGES_112):
            got = read.get(bucket)
            if row[bucket] is None:
                assert got is None or got.low <= 0 <= got.high, (bucket, got)
            else:
                within(got, row[bucket], bucket)


@SLOW
@given(layout_and(lambda _: st.dictionaries(STATISTIC, st.integers(0, 10**12), min_size=1, max_size=6)))
def test_every_statistic_comes_back_once(drawn: tuple[str, dict[str, int]]) -> None:
    """Key statistics stand in a table of their own, and from 12.1 on in the other one again."""
    layout, told = LAYOUTS[drawn[0]], drawn[1]
    model = Model(invented.before(modern=layout is LAYOUT_19).facts)
    rows = [{"statistic": n, "total": v, "per_second": v / 3600, "per_transaction": v / 777} for n, v in told.items()]
    model.add("instance_activity", rows)
    section = parse_report(write(model, layout)).section("instance_activity")
    assert section is not None
    assert sorted(section.text(r, "statistic") for r in section.records) == sorted(told)
    for row in rows:
        record = section.find(str(row["statistic"]))
        assert record is not None
        for column in ("total", "per_second", "per_transaction"):
            within(section.number(record, column), float(row[column]), column)
