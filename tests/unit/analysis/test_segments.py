"""An object's part of what is counted by segment: reads through the buffer cache and by direct path apart."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.segments import SegmentList, elsewhere_at_most, is_separate, objects_of
from parsers.model import Column
from tests.harness.cost import is_linear
from tests.unit.analysis.builders import activity, column, exact, loaded, report, section

DIRECT = SegmentList("segments_by_direct_physical_reads", "direct_reads", "physical reads direct", temporary="temp")
READS = SegmentList("segments_by_physical_reads", "physical_reads", "physical reads")
CACHED = replace(READS, less=DIRECT)


def listed(counted: SegmentList, total: float, counts: dict[str, float]):
    """Segments by NAME or NAME.PARTITION, owned by SHOP."""
    names = [Column(c, c) for c in ("owner", "object_name", "subobject_name")]
    columns = (*names, column(counted.column), column("pct_total", "percent", "share"))
    rows = [
        ("SHOP", name.partition(".")[0], name.partition(".")[2] or None, exact(n), exact(round(100 * n / total, 2)))
        for name, n in counts.items()
    ]
    return section(counted.section, columns, rows, key=[c.id for c in names], coverage="top")


def side(reads: dict[str, float], direct: dict[str, float] | None, *, total=1_000.0, straight=800.0, temp=0.0) -> Side:
    statistics = {"physical reads": total, "physical reads direct": straight, "temp": temp}
    more = [] if direct is None else [listed(DIRECT, straight, direct)]
    return Side(report(activity(statistics), listed(READS, total, reads), *more))


def shares(of: Side, counted: SegmentList) -> dict[str, tuple[float, float]]:
    return {o.name: (round(o.share, 4), round(o.at_most, 4)) for o in objects_of(of, counted).values()}


def test_what_is_read_through_the_cache_is_the_difference():
    of = side({"A": 800, "B": 150, "C": 40}, {"A": 790, "C": 10})
    assert shares(of, CACHED) == {"SHOP.A": (0.05, 0.05), "SHOP.B": (0.75, 0.75), "SHOP.C": (0.15, 0.15)}
    assert shares(of, READS) == {"SHOP.A": (0.8, 0.8), "SHOP.B": (0.15, 0.15), "SHOP.C": (0.04, 0.04)}
    assert elsewhere_at_most(of, CACHED) == 0.2  # as the last one of the list: 40 of 200


def test_one_that_the_other_list_leaves_out_may_have_as_much_as_its_last():
    """Both end after as many segments: a shorter one leaves none out."""
    of = side({"A": 700, "B": 160}, {"A": 690, "C": 100})
    assert shares(of, CACHED)["SHOP.B"] == (0.75, 0.8), "of 800 direct reads the list has 790: 10 are left"
    of = side({"A": 700, "B": 160}, {"A": 690, "C": 100}, straight=950.0, total=1_150.0)
    assert shares(of, CACHED)["SHOP.B"] == (0.3, 0.8), "100 at the most: the last one of the list has no more"
    assert shares(side({"A": 700, "B": 160, "D": 9}, {"A": 690, "C": 100}), CACHED)["SHOP.B"] == (0.8, 0.8)


def test_partitions_are_taken_one_by_one():
    of = side({"A.P1": 500, "A.P2": 100, "B": 50}, {"A.P1": 500, "A.P2": 40})
    assert shares(of, CACHED) == {"SHOP.A": (0.3, 0.3), "SHOP.B": (0.25, 0.25)}


def test_reads_of_temporary_segments_have_events_of_their_own():
    assert shares(side({"A": 500}, {"A": 400}, temp=300.0), DIRECT) == {"SHOP.A": (0.5, 0.8)}


@pytest.mark.parametrize(
    ("direct", "straight", "told"),
    [({"A": 5.0}, 800.0, True), (None, 800.0, False), (None, 9.0, True), ({}, 9.0, True)],
)
def test_told_apart_by_a_list_or_where_next_to_nothing_is_direct(direct, straight, told):
    assert is_separate(side({"A": 10}, direct, straight=straight), CACHED) is told


def test_none_by_direct_path_is_not_printed():
    whole = Side(report(activity({"physical reads": 100}), listed(READS, 100, {"A": 90})))
    assert shares(whole, CACHED) == {"SHOP.A": (0.9, 0.9)}
    assert is_separate(whole, CACHED)


def test_without_statistics_nothing_is_told_apart():
    bare = Side(report(listed(READS, 100, {"A": 90}), listed(DIRECT, 100, {"A": 90})))
    assert not is_separate(bare, CACHED)
    assert is_separate(bare, READS)


def hour(single_s: float, waits: float = 500_000):
    """By direct path 95 of 100 blocks, of one table; 500,000 through the buffer cache, most of another."""
    statistics = activity({"physical reads direct": 9_500_000, "physical reads": 10_000_000})
    lists = [listed(READS, 1e7, {"SCANNED": 9.5e6, "READ": 4e5}), listed(DIRECT, 9.5e6, {"SCANNED": 9.5e6})]
    made = loaded(waits={"db file sequential read": (waits, single_s), "direct path read": (75_000, 40.0)}, more=lists)
    own = next(s for s in made.sections if s.id == statistics.id)
    kept = [r for r in own.records if r.cells[0] != "physical reads"]
    joined = replace(own, records=(*kept, *statistics.records))
    return replace(made, sections=tuple(joined if s.id == own.id else s for s in made.sections))


def priced(compared) -> dict[str, float]:
    return {m.subject.key: m.change for m in compared.ranked.movers if m.subject.kind == "object"}


def test_a_scanned_table_has_no_part_in_slower_reads_of_single_blocks():
    compared = compare_reports(hour(500.0), hour(2_500.0))
    (said,) = (f for f in compared.findings if f.rule == "hot-object-io")
    assert said.title == "Most reads through the buffer cache are on SHOP.READ."
    assert said.sessions.second.high == pytest.approx(0.8 * 2_500 / 3_600, rel=0.01)
    assert priced(compared) == {"SHOP.READ": pytest.approx(0.8 * 2_000 / 3_600, rel=0.01)}


def test_more_waits_than_blocks_are_not_for_these_blocks():
    """Then some are for reads that are counted elsewhere; which ones is not printed."""
    compared = compare_reports(hour(500.0, 2_000_000), hour(2_500.0, 2_000_000))
    (rule,) = (r for r in compared.rules if r.rule == "hot-object-io")
    said = "segments_by_physical_reads of Second: 2,000,000 waits for 500,000 blocks in reads through the buffer cache"
    assert (rule.state, rule.by) == ("forbidden", said)
    assert priced(compared) == {}


@pytest.mark.hostile
def test_objects_of_one_side_alone_are_weighed_in_time_that_grows_with_their_number():
    locks = SegmentList("segments_by_row_lock_waits", "row_lock_waits")

    def sides(count):
        lists = ({f"{which}{i}": 9.0 for i in range(count)} for which in "AB")
        waits = {"enq: TX - row lock contention": (9.0 * count, 3_600.0)}
        return [loaded(waits=waits, more=[listed(locks, 10.0 * count, names)]) for names in lists]

    assert is_linear(sides, lambda made: compare_reports(*made), 200)


STATISTICS = ("statistic", "owner", "object_name", "subobject_name", "object_type")


def of_cluster(*rows, notes=(), waits=None):
    """A global report: all lists of segments stand in one table."""
    texts = [Column(c, c) for c in STATISTICS]
    figures = [column("value"), column("pct_total", "percent", "share"), column("pct_captured", "percent", "share")]
    cells = [(statistic, "SHOP", name, None, "TABLE", exact(n), *shares) for statistic, name, n, *shares in rows]
    made = replace(
        section("segment_statistics", [*texts, *figures], cells, key=STATISTICS, coverage="top"), notes=notes
    )
    return replace(loaded(waits=waits, more=[made]), kind="awr_global")


def test_a_global_report_lists_segments_in_one_table():
    rows = [("physical reads", "A", 600, exact(60.0), exact(75.0)), ("logical reads", "B", 9_000, exact(90.0), exact(90.0)),
            ("row lock waits", "C", 40, None, exact(80.0))]  # fmt: skip
    found = Side(of_cluster(*rows))
    assert shares(found, READS) == {"SHOP.A": (0.6, 0.6)}
    assert shares(found, SegmentList("segments_by_row_lock_waits", "row_lock_waits")) == {"SHOP.C": (0.8, 0.8)}
    assert found.section("segments_by_itl_waits") is None


def test_of_which_only_the_share_of_what_was_captured_is_printed():
    notes = ("Captured Segments account for 2.0% of Total Physical Writes: 9,000",
             "Captured Segments account for 50.0% of Total Physical Write Requests: 9")  # fmt: skip
    found = Side(of_cluster(("physical writes", "A", 90, None, exact(50.0)), notes=notes))
    assert shares(found, SegmentList("segments_by_physical_writes", "physical_writes"))["SHOP.A"][0] == pytest.approx(
        0.01
    )


def test_its_row_is_the_one_that_is_printed():
    waits = {"buffer busy waits": (1_000, 900.0)}
    busy = of_cluster(("buffer busy waits", "A", 900, None, exact(90.0)), waits=waits)
    compared = compare_reports(of_cluster(("buffer busy waits", "A", 1, None, exact(90.0))), busy)
    (said,) = (f for f in compared.findings if f.rule == "hot-object")
    assert said.title == "Most buffer busy waits are on SHOP.A."
    (row,) = next(s for s in compared.sections if s.id == "segment_statistics").rows
    assert (said.evidence[0].section, said.evidence[0].column) == ("segment_statistics", "value")
    assert said.evidence[0].row_id == row.row_id
