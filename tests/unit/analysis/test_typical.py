"""The median of several reports as First: what it holds, and what may be said against it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from awrdiff.analysis.baseline.report_vs_median import compare_with_median, typical_report
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.same_database_check import same_database
from awrdiff.analysis.verdict.rule_registry import RULES
from parsers.model import Column, Database, Issue, Row, Snapshot, Value
from tests.unit.analysis.builders import (
    BEGIN,
    STARTED,
    column,
    events,
    exact,
    instead,
    loaded,
    parameters,
    report,
    section,
    statements,
    time_model,
)

WEEK = timedelta(days=7)
READ, SYNC = "db file sequential read", "log file sync"


def mondays(*seconds, **more):
    """A report a week, each with so many seconds of reads beside the same CPU and commits."""
    return [
        loaded(
            waits={READ: (s * 200, s), SYNC: (36_000, 200.0)}, begin=BEGIN + week * WEEK, name=f"{week}.html", **more
        )
        for week, s in enumerate(seconds)
    ]


def total(made, name):
    return Side(made).foreground[name].total.number


def test_the_median_of_one_report_is_that_report():
    first, second = mondays(500.0, 4000.0)
    alone, median = compare_reports(first, second), compare_reports(typical_report([first] * 3, second), second)
    assert [(f.rule, f.text) for f in median.findings] == [(f.rule, f.text) for f in alone.findings]
    assert median.summary == alone.summary


def test_the_median_of_one_report_holds_what_that_prints():
    columns = (Column("pool", "Pool"), column("used", "as_labelled", "level"), column("pct", "percent", "share"))
    pools = section("memory_x", columns, [Row(("a", exact(7.0), None), "KB"), Row(("a", None, exact(0.5)), "KB", 1)])
    top = section("top_x", columns, [("a", exact(7.0), exact(0.5))], coverage="top", known=False)
    issues = (Issue("truncated", "It ends early."), Issue("odd", "Something else."))
    one = replace(mondays(500.0, more=[pools, top, parameters({"a": "1"})])[0], issues=issues)
    made = typical_report([one, one, one], one)
    assert made.sections == one.sections
    assert [i.text for i in made.issues] == ["0.html: It ends early."] * 3
    kept = {
        name: getattr(one, name)
        for name in one.__struct_fields__
        if name not in ("sections", "issues", "name", "period")
    }
    assert {name: getattr(made, name) for name in kept} == kept
    assert (made.period.begin.sessions, made.period.end.sessions) == (100, 110)
    assert (made.period.elapsed_s, made.period.begin.time) == (one.period.elapsed_s, None)
    unknown = replace(one, period=replace(one.period, elapsed_s=None, begin=Snapshot()))
    assert typical_report([unknown, one], one).period.begin.sessions == 100
    no_rates = Side(typical_report([unknown] * 2, one))
    assert READ not in no_rates.foreground  # seconds of no known time


def test_units_are_brought_to_one_but_shares_are_not():
    columns = (Column("pool", "Pool"), column("used", "as_labelled", "level"), column("pct", "percent", "share"))
    members = [
        report(section("memory_x", columns, [Row(("a", exact(n), exact(50.0)), unit)]))
        for n, unit in ((2.0, "MB"), (2048.0, "KB"))
    ]
    (row,) = typical_report(members, report()).section("memory_x").records
    assert row == Row(("a", exact(2.0), exact(50.0)), "MB")


def test_each_row_is_its_own_median_and_db_time_that_of_db_time():
    made = typical_report(mondays(100.0, 900.0, 500.0), loaded())
    assert total(made, READ) == 500.0
    assert Side(made).db_time.number == 1000.0 + 500.0 + 200.0


def test_totals_are_of_a_window_as_long_as_that_of_second():
    members = [replace(m, period=replace(m.period, elapsed_s=exact(7200.0))) for m in mondays(100.0, 200.0, 300.0)]
    made = typical_report(members, loaded())
    assert total(made, READ) == 100.0
    assert Side(made).elapsed == Side(loaded()).elapsed
    assert Side(made).foreground[READ].waits.number == 20_000


def test_half_a_wait_is_no_exact_count():
    made = typical_report(mondays(100.0, 101.005), loaded())
    waits = Side(made).foreground[READ].waits
    assert (waits.number, waits.half) == (20_100.5, 0.5)


def test_centiseconds_of_the_host_grow_with_the_window_and_its_cpus_do_not():
    columns = (Column("statistic", "Statistic"), column("value", "as_labelled", "level"))
    rows = [Row(("BUSY_TIME", exact(720.0)), "cs"), Row(("NUM_CPUS", exact(8.0)), "count")]
    member = report(section("os_statistics", columns, rows), elapsed=7200.0)
    made = Side(typical_report([member, member], report(elapsed=3600.0)))
    assert made.value("os_statistics", "value", "BUSY_TIME").number == 360.0
    assert made.value("os_statistics", "value", "NUM_CPUS").number == 8.0


@pytest.mark.parametrize(("printed", "there"), [(1, False), (2, True)])
def test_what_fewer_than_half_print_is_unknown_outside_a_top_list(printed, there):
    members = [
        report(statements({"aaa": (100.0, 10), **({"bbb": (50.0, 5)} if n < printed else {})})) for n in range(3)
    ]
    made = typical_report(members, report())
    assert (made.section("sql_by_elapsed_time").find("bbb") is not None) is there
    assert not Side(made).lists_all("sql_by_elapsed_time")


def test_a_top_list_without_a_common_row_is_not_printed():
    members = [report(statements({f"only{n}": (100.0, 10)})) for n in range(3)]
    assert typical_report(members, report()).section("sql_by_elapsed_time") is None


def test_shares_of_buckets_are_parts_of_all_waits():
    columns = (Column("event", "Event"), *(Column(f"lt_{n}", f"<{n}", "percent", measure="share") for n in (1, 2, 4)))

    def printed(*shares):
        return report(section("wait_event_histogram", columns, [(READ, *map(exact, shares))]))

    made = typical_report([printed(90, 5, 5), printed(5, 90, 5), printed(50, 20, 30)], report())
    cells = made.section("wait_event_histogram").records[0].cells[1:]
    assert sum(c.number for c in cells) == pytest.approx(100.0)


def finding_of(members, second, rule):
    made = compare_with_median(members, second)
    return next((f for f in made.findings if f.rule == rule), None)


def with_parameters(made, **values):
    return instead(made, parameters(values))


def test_a_parameter_that_all_set_alike_changed():
    members = [with_parameters(m, sga_target="8G", cursor_sharing="EXACT") for m in mondays(1.0, 2.0, 3.0)]
    text = finding_of(members, with_parameters(loaded(), sga_target="4G", cursor_sharing="EXACT"), "parameters").text
    assert text == "sga_target: 8G → 4G."


@pytest.mark.parametrize("others", [{"sga_target": "6G"}, {}])
def test_a_parameter_that_they_set_otherwise_is_not_at_its_default(others):
    one, *rest = mondays(1.0, 2.0, 3.0)
    members = [
        with_parameters(one, cpu_count="8", **others),
        *(with_parameters(m, cpu_count="8", sga_target="8G") for m in rest),
    ]
    said = finding_of(members, with_parameters(loaded(), cpu_count="8", sga_target="4G"), "parameters")
    assert "sga_target" not in said.text


@pytest.mark.parametrize("startups", [(STARTED, STARTED + WEEK), (STARTED, STARTED)])
def test_a_restart_is_told_where_all_ran_since_one_startup(startups):
    members = [loaded(startup=s, begin=BEGIN + n * WEEK) for n, s in enumerate(startups)]
    second = loaded(startup=BEGIN + 3 * WEEK - timedelta(days=1), begin=BEGIN + 3 * WEEK)
    said = "restart-between" in {w.code for w in compare_with_median(members, second).warnings}
    assert said is (startups[0] == startups[1])


@pytest.mark.parametrize(("seconds", "usual"), [(1400.0, True), (9000.0, False)])
def test_a_change_inside_what_they_print_is_as_usual(seconds, usual):
    said = finding_of(mondays(300.0, 400.0, 2000.0), mondays(seconds)[0], "event-count")
    assert (said.folded_because == "usual", said.severity == "note") == (usual, usual)


def test_where_second_lies_stands_beside_its_rows():
    made = compare_with_median(mondays(300.0, 400.0, 500.0), mondays(9000.0)[0])
    part = next(p for p in made.attribution.parts if p.key == READ)
    lies = made.median.lies[part.section, part.row_id]
    assert (lies.standing.place, lies.spread.low.number, lies.per_s) == ("above", pytest.approx(300 / 3600), True)
    assert made.median.description == "the median of 3 reports like it, Tuesdays 09:00–10:00, 5 Mar to 19 Mar 2024"
    assert "above all 3" in made.median.sessions


def test_a_second_of_another_weekday_or_hour_is_said_to_be():
    usual, second = mondays(300.0, 400.0, 500.0), mondays(9000.0)[0]
    begin, end = (snapshot.time for snapshot in (second.period.begin, second.period.end))
    for days, hours, said in ((3, 0, "; Second is a Friday"), (0, 5, "; Second is 14:00–15:00"), (7, 0, "2024")):
        later = timedelta(days=days, hours=hours)
        period = replace(second.period, begin=Snapshot(time=begin + later), end=Snapshot(time=end + later))
        assert compare_with_median(usual, replace(second, period=period)).median.description.endswith(said)


def test_two_reports_mark_nothing_as_outside():
    second = mondays(9000.0)[0]
    two, three = compare_with_median(mondays(300.0, 400.0), second), compare_with_median(mondays(3.0, 4.0, 5.0), second)
    assert "above both" in two.median.sessions
    assert ("◆" in two.median.note, "◆" in three.median.note) == (False, True)
    marks = [{lies.text[0] for lies in made.median.lies.values() if lies.standing.is_outside} for made in (two, three)]
    assert "◆" not in marks[0]
    assert marks[1] == {"◆"}


def test_outside_is_a_load_or_a_row_that_counts():
    usual = mondays(300.0, 400.0, 500.0)
    row = loaded(waits={READ: (1, 30.0), SYNC: (36_000, 500.0)})  # fewer reads, more commits: as much load
    for second, step, outside in ((mondays(400.0)[0], 0, False), (row, 1, True), (row, 50, False)):
        made = compare_with_median(usual, second)
        assert not made.median.sessions_outside
        assert made.median.is_outside(made.ranked, step) is outside
    busy = compare_with_median(usual, mondays(9000.0)[0])
    assert busy.median.sessions_outside
    assert busy.median.is_outside(None, 1)


def test_a_statement_that_some_of_them_list_does_not_enter_unsaid():
    members = [instead(m, statements({"old": (400.0, 10)})) for m in mondays(300.0, 300.0, 300.0)]
    members[0] = instead(members[0], statements({"old": (400.0, 10), "new": (50.0, 5)}))
    second = instead(mondays(9000.0)[0], statements({"old": (400.0, 10), "new": (8000.0, 10)}))
    assert "1 of the 3 reports of First lists it." in finding_of(members, second, "sql-entering").text


def test_waits_that_no_hour_shares_are_not_lost_time():
    """Each hour waits for something else: the medians of all of them are nothing, and DB time is not."""
    waits = [{READ: (1000, 900.0)}, {SYNC: (1000, 900.0)}, {"enq: TX - row lock contention": (10, 900.0)}]
    members = [
        loaded(waits={**w, "direct path read": (10, 1.0)}, cpu=100.0, begin=BEGIN + n * WEEK)
        for n, w in enumerate(waits)
    ]
    second = loaded(waits={READ: (1000, 900.0)}, cpu=100.0)
    assert finding_of(members, second, "unaccounted-time") is None
    assert not [w for w in compare_with_median(members, second).warnings if "add up" in w.text]


def test_rules_that_a_median_has_no_inputs_for_are_not_asked():
    made = compare_with_median(mondays(1.0, 2.0), loaded(begin=BEGIN + timedelta(hours=6)))
    silent = {r.id for r in RULES if not r.of_median and r.of_two is not None}
    assert silent
    assert silent.isdisjoint(r.rule for r in made.rules)


@pytest.mark.parametrize("section_id", ["top_addm_findings", "activity_over_time"])
def test_what_is_of_the_clock_of_one_hour_is_not_printed(section_id):
    listed = section(section_id, (Column("slot", "Slot"), column("samples")), [("09:00:00 (5.0 min)", exact(9))])
    assert typical_report([report(listed)] * 2, report()).section(section_id) is None


def test_sums_of_medians_do_not_make_the_figures_of_a_report_wrong():
    waits = [{READ: (1000, a), SYNC: (1000, b)} for a, b in ((900.0, 900.0), (900.0, 1.0), (1.0, 900.0))]
    members = [loaded(waits=w, cpu=50.0, begin=BEGIN + n * WEEK) for n, w in enumerate(waits)]
    assert "high-coverage" not in {w.code for w in compare_with_median(members, loaded()).warnings}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (Database("PROD", "1"), Database("prod", "1"), True),
        (Database("PROD", "1"), Database("COPY", "1"), None),  # its files, copied, or it was renamed
        (Database("PROD", "1"), Database("XXXX", "1"), True),
        (Database("PROD", "1"), Database("**", "1"), True),
        (Database("<db>", "1"), Database("XXXXXX", "1"), True),
        (Database("PROD", "1"), Database("XXXX", "2"), False),
        (Database("PROD"), Database("XXXX", "2"), None),
        (Database("XXXX"), Database("XXXX"), None),
        (Database("PROD", "1"), Database("PROD", "2"), False),  # made anew
        (Database("PROD"), Database("PROD", "2"), True),
        (Database("PROD"), Database("SALES", "2"), False),
        (Database(None, "1"), Database("PROD", "1"), True),
        (Database(), Database("PROD", "1"), None),
        (Database("PROD"), Database(None, "1"), None),
        (Database(), Database(), None),
    ],
)
def test_whether_two_reports_are_of_one_database(one, other, same):
    assert same_database(one, other) is same


def test_a_value_keeps_its_digits():
    members = [report(time_model(db_time=s)) for s in (10.0, 20.0, 30.0)]
    assert Side(typical_report(members, report())).db_time == Value(20.0, 0.005)


def test_an_event_that_is_idle_stays_so():
    members = [report(events({"SQL*Net message from client": (10, -9000.0), READ: (10, 5.0)})) for _ in range(3)]
    assert set(Side(typical_report(members, report())).foreground) == {READ}
