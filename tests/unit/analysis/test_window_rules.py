"""Hot objects, peaks inside a window, and what ADDM found: the rows that are cited, and the limits of each."""

from __future__ import annotations

from datetime import datetime

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Range
from awrdiff.analysis.report.addm_analyses import weighted_mean
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.segments import SegmentList, objects_of
from awrdiff.analysis.verdict.rule_result import Contradicted
from awrdiff.analysis.verdict.rules.addm import findings_of
from awrdiff.analysis.verdict.rules.peak_inside_window import gaps, peak_of, slots_of
from parsers.model import Column
from tests.unit.analysis.builders import column, exact, loaded, pointed_at, report, section, statements
from tests.unit.analysis.commit_builders import histogram

READS = {"db file sequential read": (100_000, 500.0)}
LOCKS = {**READS, "enq: TX - row lock contention": (1_000, 1_500.0)}


def find(a, b, rule):
    return next((f for f in compare_reports(a, b).findings if f.rule == rule), None)


def outcome(a, b, rule):
    return next(r for r in compare_reports(a, b).rules if r.rule == rule)


def segments(section_id, figure, rows, *notes):
    names = [Column(c, c) for c in ("owner", "object_name", "subobject_name")]
    columns = (*names, column(figure), column("pct_total", "percent", "share"))
    listed = section(section_id, columns, rows, key=[c.id for c in names], coverage="top")
    return replace(listed, notes=notes)


def locks(*rows):
    return segments("segments_by_row_lock_waits", "row_lock_waits", rows)


LOCK = "enq: TX - row lock contention"
ALIKE = histogram({LOCK: (exact(1_000), [None, None, None, None, None, None, 100.0])})
STOCK = ("SHOP", "STOCK", None, exact(900), exact(90.0))


def test_the_object_and_the_statement_that_names_it():
    texts = section(
        "sql_text",
        (Column("sql_id", "SQL Id"), Column("sql_text", "SQL Text")),
        [("q", "update Stock set x = 1"), ("r", "update stock_old set x = 1"), ("s", "select 1 from stock")],
        coverage="top",
    )
    listed = statements({"r": (900, 1), "q": (800, 1), "s": (100, 1)})
    second = loaded(waits=LOCKS, more=[locks(STOCK), listed, texts, ALIKE])
    finding = find(loaded(), second, "hot-object")
    assert finding.title == "Most row lock waits are on SHOP.STOCK."
    assert "900 row lock waits of Second, 90 % of all that were captured by segment" in finding.text
    assert "named by q and s (update Stock set x = 1)" in finding.text
    assert finding.sessions.second.high == pytest.approx(0.9 * 1500 / 3600, rel=1e-3)


def test_the_title_follows_the_cited_row():
    other = ("SHOP", "ORDERS", None, exact(900), exact(90.0))
    assert find(loaded(), loaded(waits=LOCKS, more=[locks(other)]), "hot-object").title.endswith("SHOP.ORDERS.")
    half = ("SHOP", "STOCK", None, exact(900), exact(49.0))
    assert outcome(loaded(), loaded(waits=LOCKS, more=[locks(half)]), "hot-object").state == "quiet"


@pytest.mark.parametrize(
    ("before", "after", "tone"), [(1_500, 300, "better"), (300, 1_500, "worse"), (1_500, 1_400, "neutral")]
)
def test_its_tone_is_that_of_the_sessions_on_it(before, after, tone):
    a, b = (
        loaded(waits={**READS, "enq: TX - row lock contention": (1_000, spent)}, more=[locks(STOCK), ALIKE])
        for spent in (before, after)
    )
    assert find(a, b, "hot-object").tone == tone


def test_of_waits_for_locks_that_differ_in_length_an_object_has_what_its_number_leaves_open():
    """90 % of them, of which 80 of 100 took half a millisecond and 20 took 32 ms and longer."""
    shares = [80.0, None, None, None, None, None, 20.0]
    second = loaded(waits=LOCKS, more=[locks(STOCK), histogram({LOCK: (exact(1_000), shares)})])
    sessions = find(loaded(), second, "hot-object").sessions.second
    short, long = 800 * 0.512e-3, 200 * 32.768e-3
    assert sessions.low == pytest.approx((short + long / 2) / (short + long) * 1_500 / 3_600, rel=1e-3)
    assert sessions.high == pytest.approx((short / 800 * 700 + long) / (short + long) * 1_500 / 3_600, rel=1e-3)


@pytest.mark.parametrize(("text", "pct", "told"), [("merge into items", 40.0, True), ("merge into stock", 40.0, False),
                                                   ("merge into items", 20.0, False)])  # fmt: skip
def test_a_statement_that_waits_for_most_of_it_and_does_not_name_the_object_is_told(text, pct, told):
    """Of the 60 % of DB time in row locks."""
    texts = section(
        "sql_text", (Column("sql_id", "SQL Id"), Column("sql_text", "SQL Text")), [("q", text)], coverage="top"
    )
    columns = (Column("sql_id", "SQL ID"), Column("event", "Event"), column("pct_event", "percent", "level"))
    sampled = section("top_sql_with_top_events", columns, [("q", LOCK, exact(pct))], coverage="top")
    second = loaded(waits=LOCKS, more=[locks(STOCK), statements({"q": (800, 1)}), texts, sampled])
    said = "; 40 % of the samples are of q waiting so, whose text does not name it."
    finding = find(loaded(), second, "hot-object")
    assert (said in finding.text) is told
    assert finding.title.startswith("By number most row lock waits are on") is told


def test_of_two_events_an_object_has_the_shorter_or_the_longer_waits():
    """95 % of 10,000 waits: of the 500 on others, none or all are the 400 that took a second each."""
    waits = {**READS, "gc buffer busy acquire": (9_600, 96.0), "gc buffer busy release": (400, 400.0)}
    busy = segments(
        "segments_by_gc_buffer_busy", "gc_buffer_busy", [("SHOP", "STOCK", None, exact(9_500), exact(95.0))]
    )
    sessions = find(loaded(), loaded(waits=waits, more=[busy]), "hot-object").sessions.second
    assert sessions.low == pytest.approx(95 / 3_600, rel=1e-3)
    assert sessions.high == pytest.approx((400 + 91) / 3_600, rel=1e-3)


@pytest.mark.parametrize("event", ["read by other session", "enq: TX - index contention"])
def test_what_is_not_counted_as_a_buffer_busy_wait_is_on_no_object_of_that_list(event):
    """19 buffer busy waits of 27 say nothing of 200,000 waits for reads by other sessions."""
    waits = {**READS, event: (200_000, 900.0), "buffer busy waits": (27, 0.1)}
    rows = segments(
        "segments_by_buffer_busy_waits", "buffer_busy_waits", [("SYS", "USER$", None, exact(19), exact(70.0))]
    )
    compared = compare_reports(loaded(), loaded(waits=waits, more=[rows]))
    assert not [f for f in compared.findings if f.rule == "hot-object"]
    assert not [m for m in compared.ranked.movers if m.subject.kind == "object" and abs(m.change) > 0.001]


def test_an_object_without_a_name_is_none():
    missing = ("** MISSING **", "** MISSING: 1/2 **", None, exact(900), exact(95.0))
    side = Side(loaded(more=[locks(missing, STOCK)]))
    assert list(objects_of(side, SegmentList("segments_by_row_lock_waits", "row_lock_waits"))) == ["SHOP.STOCK"]


def test_most_of_the_little_that_was_captured_is_not_most():
    note = "Captured Segments account for   11.2% of Total"
    reads = segments("segments_by_physical_reads", "physical_reads", [("S", "T", None, exact(9), exact(9.0))], note)
    result = outcome(loaded(), loaded(waits={"db file sequential read": (1, 900.0)}, more=[reads]), "hot-object-io")
    assert (result.state, result.by) == (
        "forbidden",
        "segments_by_physical_reads of Second: captured segments account for 11 % of the total",
    )


def slots(*rows):
    columns = (Column("slot", "Slot"), column("slot_samples"), Column("event", "Event"), column("event_samples"))
    cells = [(s, exact(n), e, exact(m)) for s, n, e, m in rows]
    return section("activity_over_time", columns, cells, key=("slot", "event"), coverage="top")


def hour(samples):
    """Twelve stretches of five minutes."""
    return slots(*((f"09:{5 * n:02}:00 (5.0 min)", count, "CPU", count) for n, count in enumerate(samples) if count))


def test_a_peak_is_sized_by_what_it_adds_to_the_mean():
    side = Side(loaded(cpu=3100, more=[hour([15] * 11 + [240])]))
    peak = peak_of(side)
    assert peak.sessions == pytest.approx(8.0)
    assert peak.mean == pytest.approx(1.125)  # of the samples; more than the 1.0 of DB time
    finding = find(loaded(cpu=3100), side.report, "peak-inside")
    assert finding.sessions.second.low == pytest.approx((8.0 - 1.125) * 300 / 3600, rel=1e-3)
    assert finding.sessions.first is None


@pytest.mark.parametrize(
    "rows",
    [
        [15] * 12,
        [18] * 11 + [31],  # 1.6 times the mean within the scatter of so few samples
        [0] * 11 + [240],  # one stretch alone
    ],
)
def test_no_peak(rows):
    assert peak_of(Side(loaded(cpu=1300, more=[hour(rows)]))) is None


def test_lost_samples_make_no_peak_of_what_is_the_mean():
    """Of 10 active sessions a third was sampled: the 12 of the last stretch are no peak."""
    assert peak_of(Side(loaded(cpu=35_500, more=[hour([90] * 11 + [360])]))) is None
    assert peak_of(Side(loaded(cpu=7_000, more=[hour([90] * 11 + [360])]))) is not None


def tasks(*listed):
    """ADDM's analyses: from and to which minute of the hour from 12:00 on, and their active sessions."""
    columns = (*(Column(c, c) for c in ("finding", "task_name", "begin_time", "end_time")),)
    average = column("task_avg_active_sessions", "sessions", "average")
    rows = [
        ("Row Locks", f"from {a}", f"05-Mar-24 12:{a:02}", f"05-Mar-24 12:{b:02}", exact(sessions))
        for a, b, sessions in listed
    ]
    return section("top_addm_findings", (*columns, average), rows, key=("finding", "task_name"), coverage="top")


def analysed(*listed, **figures):
    return loaded(begin=datetime(2024, 3, 5, 12), more=[tasks(*listed)], **figures)


def test_the_busiest_analysis_is_sized_by_what_it_adds_to_the_mean():
    """An hour of 1 session: 15 minutes of 3 leave 0.33 for the rest, give or take a minute."""
    second = analysed((0, 15, 3.0), (30, 45, 0.3), cpu=3_600.0, db_time=3_600.0)
    told = find(loaded(), second, "peak-inside")
    assert "from 12:00 to 12:15, 3 times the mean of 1" in told.text
    assert told.text.endswith("the rest of the window had 0.27 to 0.39.")
    assert [pointed_at(second, e) for e in told.evidence] == [exact(3.0)]
    assert told.sessions.second == Range(pytest.approx(2 * 840 / 3600), pytest.approx(2 * 960 / 3600))


def periods(*listed):
    """Periods of ADDM's own texts: minutes of the hour from 12:00 on, and the sessions that each prints."""
    columns = (*(Column(c, c) for c in ("analysis", "begin_time", "end_time")), column("avg_active_sessions"))
    rows = [
        (
            str(n),
            f"05-MAR-24 12.{a:02}.00 PM",
            f"05-MAR-24 {'12' if b < 60 else '01'}.{b % 60:02}.00 PM",
            exact(sessions),
        )
        for n, (a, b, sessions) in enumerate(listed, 1)
    ]
    return section("addm_period", columns, rows, key=("analysis",))


def test_the_rest_of_the_window_is_as_another_analysis_prints_it():
    """An hour of 1 session: 15 minutes of 3, and ADDM's own figure for the other 45."""
    hour_of_one = {"begin": datetime(2024, 3, 5, 12), "cpu": 3_600.0, "db_time": 3_600.0}
    both = loaded(more=[tasks((0, 15, 3.0)), periods((0, 15, 3.0), (15, 60, 0.34))], **hour_of_one)
    assert peak_of(Side(both)).text.endswith("the rest of the window had 0.34.")
    part = loaded(more=[tasks((0, 15, 3.0)), periods((0, 15, 3.0), (15, 30, 0.34))], **hour_of_one)
    assert peak_of(Side(part)).text.endswith("the rest of the window had 0.27 to 0.39.")


@pytest.mark.parametrize(
    ("lengths_s", "mean"),
    [({"1": 600.0, "2": 3_000.0}, 0.5), ({"1": 600.0}, 1.5), ({}, 1.5)],
)
def test_analyses_of_other_lengths_weigh_by_them(lengths_s, mean):
    """Where a length is not printed, all weigh the same."""
    assert weighted_mean({"1": 3.0}, lengths_s, 2) == pytest.approx(mean)


@pytest.mark.parametrize(
    ("listed", "text"),
    [
        (((0, 10, 1.8), (10, 20, 2.2)), "2 active sessions from 12:00 to 12:20 (2 analyses)"),
        (((10, 20, 2.2), (0, 10, 1.8)), "2 active sessions from 12:00 to 12:20 (2 analyses)"),
        (((0, 10, 1.8), (30, 40, 2.2)), "2.2 active sessions from 12:30 to 12:40, "),
        (((0, 10, 1.2), (10, 20, 2.2)), "2.2 active sessions from 12:10 to 12:20, "),
    ],
)
def test_busy_analyses_side_by_side_are_one_stretch(listed, text):
    assert text in peak_of(Side(analysed(*listed, db_time=3_600.0))).text


@pytest.mark.parametrize(
    ("listed", "db_time"),
    [
        (((0, 15, 1.4),), 3_600.0),
        (((0, 55, 1.6),), 3_600.0),  # nearly all of the window
        (((0, 15, 0.05),), 36.0),  # of an idle database
    ],
)
def test_analyses_that_are_no_peak(listed, db_time):
    assert peak_of(Side(analysed(*listed, cpu=30.0, db_time=db_time))) is None


def test_a_db_time_that_is_printed_as_none_has_no_multiple():
    load = section(
        "load_profile", (Column("statistic", "Statistic"), column("per_second")), [("DB Time(s)", exact(0.0))]
    )
    assert peak_of(Side(report(load, tasks((0, 15, 1.5))))) is None


def test_seconds_of_the_window_tell_the_length_of_a_stretch_at_its_ends():
    """`12:00` is 12:00:20 where the window begins then; 12:15 may be any second of that minute."""
    begin = datetime(2024, 3, 5, 12, 0, 20)
    side = Side(loaded(begin=begin, db_time=3_600.0, more=[tasks((0, 15, 3.0))]))
    assert peak_of(side).length_s == Range(880.0, 940.0)
    side = Side(loaded(begin=begin, db_time=3_600.0, more=[tasks((1, 15, 3.0))]))
    assert peak_of(side).length_s == Range(780.0, 900.0)


@pytest.mark.parametrize(
    ("listed", "cpu", "by"),
    [
        ((0, 30, 3.0), 3_600.0, "DB time"),
        ((0, 15, 3.0), 3_600.0, None),
    ],
)
def test_db_time_denies_an_analysis_that_it_cannot_hold(listed, cpu, by):
    told = peak_of(Side(analysed(listed, cpu=cpu, db_time=3_600.0)))
    assert isinstance(told, Contradicted) == (by is not None)
    assert by is None or told.by.startswith(by)


def test_ends_of_the_window_are_no_stretches():
    """`15:00:04 (-4 secs)` holds three samples of no time at all."""
    found_slots = slots_of(
        Side(
            loaded(
                more=[
                    slots(
                        ("15:00:04 (-4 secs)", 3, "a", 3),
                        ("15:00:04 (4.9 min)", 9, "b", 4),
                        ("15:00:04 (4.9 min)", 9, "c", 5),
                    )
                ]
            )
        )
    )
    assert [(s.clock, s.length_s, s.event) for s in found_slots] == [("15:00", 294.0, "c")]


def test_a_stretch_whose_event_has_no_figure_counts():
    """As where a cell is cut off."""
    made = slots(*((f"09:{5 * n:02}:00 (5.0 min)", 240 if n == 11 else 15, "CPU", 9) for n in range(12)))
    bare = replace(made, records=tuple(r._replace(cells=(*r.cells[:3], None)) for r in made.records))
    peak = peak_of(Side(loaded(cpu=3100, more=[bare])))
    assert peak.sessions == pytest.approx(8.0)
    assert " of them in " not in peak.text


def test_time_without_samples_is_named_across_midnight():
    side = Side(
        loaded(more=[slots(*((f"{h}:00 (5.0 min)", 40, "a", 1) for h in ("23:45", "23:50", "00:10", "00:15")))])
    )
    assert list(gaps(slots_of(side))) == [("23:55", "00:10")]
    long = (("23:40", 5.0), ("23:45", 15.0), ("00:10", 5.0), ("00:15", 5.0))
    side = Side(loaded(more=[slots(*((f"{at}:00 ({length} min)", 40, "a", 1) for at, length in long))]))
    assert list(gaps(slots_of(side))) == [("00:00", "00:10")]


def addm(rows, analyses=1, db_time=None):
    """Findings: analysis, name, active sessions."""
    sessions = column("impact_active_sessions", "sessions", "average")
    columns = (Column("analysis", "Analysis"), Column("finding", "Finding"), sessions)
    cells = [(str(a), n, exact(s)) for a, n, s in rows]
    period = [(str(n + 1), exact(db_time / analyses) if db_time else None) for n in range(analyses)]
    return [
        section("addm_findings", columns, cells, key=("finding", "analysis"), coverage="top"),
        section("addm_period", (Column("analysis", "Analysis"), column("db_time_s", "s")), period),
    ]


def test_agreement_and_disagreement_are_told_apart():
    """1,500 s of row locks in an hour are 0.42 active sessions."""
    agree = find(loaded(), loaded(waits=LOCKS, more=addm([(1, "Row Lock Waits", 0.42)], db_time=3000)), "addm-said")
    assert agree.title == "What ADDM found."
    assert "Row Lock Waits 0.42 (measured 0.42)" in agree.text
    apart = find(loaded(), loaded(waits=LOCKS, more=addm([(1, "Row Lock Waits", 2.1)], db_time=3000)), "addm-said")
    assert apart.title == "ADDM weighs some things differently."
    assert "differ for Row Lock Waits of Second" in apart.text


def test_an_analysis_of_part_of_the_window_is_not_held_against_all_of_it():
    part = loaded(waits=LOCKS, more=addm([(1, "Row Lock Waits", 2.1)], db_time=300))
    assert find(loaded(), part, "addm-said").title == "What ADDM found."


def test_a_finding_of_one_of_two_analyses_is_averaged_and_not_measured():
    (lock,) = findings_of(Side(loaded(waits=LOCKS, more=addm([(2, "Row Lock Waits", 2.1)], analyses=2))))
    assert (lock.sessions, lock.here) == (1.05, None)


def test_one_finding_of_two_analyses_in_the_list_of_top_findings_is_averaged():
    columns = (Column("finding", "Finding"), Column("task_name", "Task"), column("task_avg_active_sessions"))
    rows = [("CPU Usage", task, exact(n), exact(50.0)) for task, n in (("a", 4.0), ("b", 2.0))]
    share = column("pct_active_sessions", "percent", "share")
    top = section("top_addm_findings", (*columns, share), rows, key=("finding", "task_name"), coverage="top")
    (cpu,) = findings_of(Side(loaded(more=[top])))
    assert cpu.sessions == 1.5


def test_reports_without_findings():
    assert outcome(loaded(), loaded(), "addm-said").state == "unknown"
    assert outcome(loaded(), loaded(more=addm([])), "addm-said").state == "quiet"
