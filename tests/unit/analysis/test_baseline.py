"""Several reports as a baseline: medians, ranges, where one report lies, and which reports count by themselves."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from awrdiff.analysis.baseline.aligned_sections import measure, series_of, unit_of
from awrdiff.analysis.baseline.baseline_sentences import printed_text, row_position_text, sessions_text
from awrdiff.analysis.baseline.member_selection import (
    restarted_between,
)
from awrdiff.analysis.baseline.parameter_differences import ParameterChange, parameter_changes
from awrdiff.analysis.baseline.report_vs_median import typical_report
from awrdiff.analysis.baseline.robust_statistics import position_text, spread_of, standing, standing_text
from awrdiff.analysis.baseline.section_vs_median import (
    BaselineSelection,
    compare_with_baseline,
    rows_outside,
    yardstick_of,
)
from awrdiff.analysis.baseline.whole_report_comparison import baseline_reading, order, with_lies
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.baseline import lies_of_rows, median_parts
from awrdiff.analysis.export.json_encoding import whole
from awrdiff.analysis.model.comparison import Delta
from parsers.model import Column, Row
from tests.unit.analysis.builders import (
    BEGIN,
    EVENT_COLUMNS,
    activity,
    column,
    events,
    exact,
    loaded,
    near,
    parameters,
    report,
    section,
    statements,
    time_model,
)

WEEK = timedelta(days=7)


def numbers(*values: float | None, half: float = 0.0):
    return [None if v is None else near(v, half) for v in values]


def test_the_median_its_range_and_what_is_not_printed():
    found = spread_of(numbers(4.0, None, 1.0, 3.0))
    assert (found.median.number, found.low.number, found.high.number) == (3.0, 1.0, 4.0)
    assert (found.printed, found.of) == (3, 4)
    assert spread_of([None, None]) is None


def test_the_median_of_an_even_number_lies_between():
    assert spread_of(numbers(1.0, 2.0, 4.0, 9.0)).median.number == 3.0


def test_the_median_of_two_is_no_finer_than_the_coarser_of_them():
    coarse, fine = near(2_000.0, 500.0), near(1_990.0, 0.5)
    for one in ([coarse, fine], [fine, coarse], [near(1.0, 0.5), fine, coarse, near(9_000.0, 0.5)]):
        assert spread_of(one).median == near(1_995.0, 500.0)
    assert spread_of([near(1_000.0, 500.0), fine, near(9_000.0, 500.0)]).median == fine


@pytest.mark.parametrize(("value", "half", "is_figure"), [(0.0, 0.05, False), (0.1, 0.05, True), (0.0, 0.0, True)])
def test_a_median_below_the_printed_resolution_is_no_figure(value, half, is_figure):
    assert spread_of(numbers(value, value, value, half=half)).is_figure is is_figure


@pytest.mark.parametrize(
    ("second", "place", "higher"), [(10.0, "above", 5), (0.5, "below", 0), (3.5, "inside", 3), (5.0, "inside", 4)]
)
def test_where_a_figure_lies(second, place, higher):
    found = standing(exact(second), numbers(1.0, 2.0, 3.0, 4.0, 5.0))
    assert (found.place, found.higher_than) == (place, higher)


def test_a_figure_is_outside_only_beyond_its_printed_digits():
    baseline = numbers(1.0, 1.1, 1.2, half=0.05)
    assert standing(near(1.3, 0.05), baseline).place == "inside"  # 1.25 may be both
    assert standing(near(1.4, 0.05), baseline).place == "above"


def test_a_robust_z_takes_five_reports_that_vary():
    five = numbers(10.0, 11.0, 12.0, 13.0, 14.0)
    assert standing(exact(22.0), five).z == pytest.approx(0.6745 * 10)
    assert standing(exact(22.0), five[:4]).z is None
    assert standing(exact(22.0), numbers(*[10.0] * 5)).z is None
    assert standing(exact(22.0), [*five[:4], None]).z is None  # of five reports, four print it
    assert standing(near(22.0, 2.0), [near(v.number, 2.0) for v in five]).z is None  # they vary by less than a digit


@pytest.mark.parametrize(
    ("second", "baseline", "said"),
    [
        (22.0, (10.0, 11.0, 12.0, 13.0, 14.0), "above all 5 · z = 6.7"),
        (2.0, (10.0, 11.0, 12.0, 13.0, 14.0), "below all 5 · z = −6.7"),
        (12.0, (10.0, 11.0, 12.0, 13.0, 14.0), "inside · z = 0"),
        (22.0, (10.0, None, 12.0), "above the 2 of 3 that print it"),
        (11.0, (10.0, None, 12.0), "inside, printed in 2 of 3"),
        (22.0, (10.0, 12.0), "above both"),
        (22.0, (10.0,), "above"),
        (1_500.0, (10.0, 11.0, 12.0, 13.0, 14.0), "above all 5 · z = 1,004"),
        (160.26, (10.0, 11.0, 12.0, 13.0, 14.0), "above all 5 · z = 100"),
    ],
)
def test_what_is_said(second, baseline, said):
    assert standing_text(standing(exact(second), numbers(*baseline))) == said


@pytest.mark.parametrize(
    ("second", "per_s", "said"),
    [
        (22.0, True, "◆ above all 3 (10 to 12 per second)"),
        (22.0, False, "◆ above all 3 (10 to 12)"),
        (11.0, False, "inside (10 to 12)"),
        (22.0, None, "◆ above all 3"),  # no range
    ],
)
def test_a_place_with_its_range_and_a_mark_where_it_is_outside(second, per_s, said):
    values = numbers(10.0, 10.0, 10.0 if per_s is None else 12.0)
    assert position_text(standing(exact(second), values), spread_of(values), per_s=bool(per_s)) == said


def hours(*found, lengths=None):
    """Reports of consecutive weeks with these seconds of `log file sync`, None where the event is not printed."""
    lengths = lengths or [3600.0] * len(found)
    made = []
    for week, (seconds, length) in enumerate(zip(found, lengths, strict=True)):
        listed = {"db file sequential read": (9000.0, 90.0)}
        if seconds is not None:
            listed["log file sync"] = (seconds * 1000, seconds)
        sections = (
            events(listed),
            time_model(db_time=length, db_cpu=100.0),
            activity({"user commits": length, "user rollbacks": 0.0}),
        )
        made.append(report(*sections, elapsed=length, begin=BEGIN + week * WEEK))
    return made


def held(reports, section_id="foreground_wait_events", members=None):
    bases = [measure(r) for r in reports]
    chosen = BaselineSelection(tuple(members if members is not None else range(len(reports) - 1)), len(reports) - 1)
    series = series_of([r.section(section_id) for r in reports], [m.basis for m in bases])
    return compare_with_baseline(series, [m.basis for m in bases], chosen, yardstick_of(bases, chosen))


def row(found, name):
    return next(r for r in found.section.rows if name in r.key.values())


def test_first_is_the_median_and_a_row_outside_counts():
    found = held(hours(100.0, 110.0, 90.0, 105.0, 95.0, 900.0))
    sync = row(found, "log file sync")
    assert sync.values["total_wait_time_s"].first.number == 100.0
    assert sync.status == "changed"
    assert sync.weight == pytest.approx(100 * 800 / 3600)
    assert found.figures[sync.row_id]["total_wait_time_s"].standing.place == "above"
    assert row(found, "db file sequential read").status == "same"
    assert [r.key["event"] for r in rows_outside(found, 1.0)] == ["log file sync"]


def test_lengths_do_not_mislead():
    """Twice the seconds in twice the time are the same."""
    found = held(hours(100.0, 102.0, 98.0, 200.0, lengths=[3600.0, 3600.0, 3600.0, 7200.0]))
    sync = row(found, "log file sync")
    figure = found.figures[sync.row_id]["total_wait_time_s"]
    assert figure.per_s
    assert figure.standing.place == "inside"
    assert sync.values["total_wait_time_s"].first_per_s == pytest.approx(100 / 3600)
    assert sync.values["total_wait_time_s"].first_per_txn == pytest.approx(100 / 3600)
    assert sync.status == "same"


def test_what_a_report_does_not_print_is_unknown_and_counted():
    found = held(hours(100.0, None, 110.0, 900.0))
    sync = row(found, "log file sync")
    assert found.printed[sync.row_id] == 2
    assert sync.values["total_wait_time_s"].first.number == 105.0
    assert standing_text(found.figures[sync.row_id]["waits"].standing) == "above the 2 of 3 that print it"


def test_a_row_that_no_report_of_the_baseline_prints_has_no_range():
    found = held(hours(None, None, 900.0))
    sync = row(found, "log file sync")
    assert (sync.status, found.printed[sync.row_id]) == ("only_second", 0)
    assert sync.values["total_wait_time_s"].first is None
    assert found.figures[sync.row_id]["total_wait_time_s"].standing is None
    assert [r.row_id for r in rows_outside(found, 1.0)] == [sync.row_id]  # nobody waited for it before


def test_a_row_that_second_does_not_print_weighs_only_where_it_is_usual():
    assert row(held(hours(500.0, 500.0, 500.0, None)), "log file sync").weight > 1
    assert row(held(hours(500.0, None, None, None)), "log file sync").weight == 0
    assert row(held(hours(500.0, 500.0, None, None, None)), "log file sync").weight == 0  # as often as not
    assert row(held(hours(500.0, 500.0, 500.0, None, None, None)), "log file sync").weight > 1


def test_texts_differ_where_no_report_of_the_baseline_has_them():
    values = ["300", "300", "400", "500"]
    reports = [report(parameters({"processes": v, "cpu_count": "8"})) for v in values]
    found = held(reports, "init_parameters")
    processes = row(found, "processes")
    assert (processes.values["begin_value"].first, processes.status) == ("300", "changed")
    assert found.figures[processes.row_id]["begin_value"].alike == 0
    assert row(found, "cpu_count").status == "same"
    again = held([*reports[:3], report(parameters({"processes": "400"}))], "init_parameters")
    assert row(again, "processes").status == "same"


MEMORY = (Column("pool", "Pool"), column("used", "as_labelled", "level"), column("pct", "percent", "share"))


def pools(kilobytes, unit="KB"):
    rows = [Row(("java", exact(kilobytes), exact(7.0)), unit), Row(("files", exact(3.0), None), "count")]
    return section("memory_by_pool", MEMORY, rows, known=False)


@pytest.mark.parametrize("section_id", ["foreground_wait_events", "init_parameters", "memory_by_pool"])
def test_against_reports_that_are_all_alike_it_is_a_pair(section_id):
    """Section, rows, figures, weights, and their order."""
    sides = [
        loaded(
            waits={"db file sequential read": (9_000, 90.0), "log file sync": (seconds * 1000, seconds), **waits},
            more=[parameters({"processes": processes, "cpu_count": "8"}), pools(kilobytes, unit)],
        )
        for seconds, processes, kilobytes, unit, waits in (
            (100.0, "300", 2048.0, "KB", {"rdbms ipc message": (10, -10.0), "gone": (9, 80.0)}),
            (900.0, "400", 4.0, "MB", {"rdbms ipc message": (10, -900.0), "new": (9, 90.0)}),
        )
    ]
    first, second = sides
    pair = next(s for s in compare_reports(first, second).sections if s.id == section_id)
    found = held([first, first, first, second], section_id)
    assert replace(found.section, rows=()) == replace(pair, rows=())
    for one, other in zip(found.section.rows, pair.rows, strict=True):
        assert replace(one, values={}) == replace(other, values={}, unpriced=False, weight=pytest.approx(other.weight))
        assert one.values.keys() == other.values.keys()
        for column_id, delta in one.values.items():
            assert [*map(pytest.approx, delta)] == [*other.values[column_id]], (one.key, column_id)
    counted = rows_outside(found, 1.0)
    assert {r.row_id for r in counted} == {
        r.row_id for r in pair.rows if r.status in ("changed", "only_second") and r.matters and not r.idle
    }
    assert [r.weight for r in counted] == sorted((r.weight for r in counted), reverse=True)


def test_a_section_that_one_side_does_not_print_is_not_present_there():
    there, without = report(events({"a": (1, 10)})), report()
    for reports, present in (([without, without, there], (False, True)), ([without, there, without], (True, False))):
        found = held(reports)
        assert (found.section.first_present, found.section.second_present) == present


def test_the_usual_text_is_that_of_most_and_of_as_many_the_last():
    def delta(*values):
        found = held([report(parameters({"a": v})) for v in values], "init_parameters")
        return found.section.rows[0].values["begin_value"]

    assert delta("1", "2", "2", "9") == Delta("2", "9", significant=True)
    assert delta("1", "2", "9") == Delta("2", "9", significant=True)
    assert delta("1", "2", "1") == Delta("2", "1")
    figures = (Column("name", "Name"), column("gets"))
    reports = [report(section("x", figures, [("a", cell)])) for cell in (exact(5), "n/a", exact(5))]
    assert held(reports, "x").section.rows[0].values["gets"] == Delta("n/a", "5")


def listing(name, width=None):
    """Parameters as HTML prints them, or as a text report cuts them."""
    made = parameters({"control_files": name, "cpu_count": "8"})
    columns = (made.columns[0], *(replace(c, cut_at=width) for c in made.columns[1:]))
    cut = [Row((r.cells[0], r.cells[1][:width], None)) for r in made.records]
    return report(replace(made, columns=columns, records=cut))


WHOLE, OTHER = "+DATA/one/control01.ctl", "+DATA/one/control02.ctl"


@pytest.mark.parametrize(
    ("before", "now", "changed"),
    [
        ((WHOLE, None), (WHOLE, 9), False),  # HTML and text of one setting
        ((WHOLE, 9), (WHOLE, None), False),
        ((WHOLE, 9), ("+DATA/two/control01.ctl", None), True),
        ((WHOLE, None), (OTHER, None), True),
        ((WHOLE, 9), (WHOLE, 15), False),
    ],
)
def test_a_text_that_one_report_cuts_is_no_other_text(before, now, changed):
    members, second = [listing(*before)] * 2, listing(*now)
    assert row(held([*members, second], "init_parameters"), "control_files").status == (
        "changed" if changed else "same"
    )
    assert bool(changes(members[0], second)[1]) is changed
    pair = compare_reports(typical_report(members, second), second)
    found = next(s for s in pair.sections if s.id == "init_parameters")
    assert bool(found.changed) is changed


def test_the_median_keeps_a_text_whole_where_one_prints_it_so_and_compares_what_all_print():
    for members in ([listing(WHOLE), listing(WHOLE, 9)], [listing(WHOLE, 9), listing(WHOLE)]):
        made = typical_report(members, report()).section("init_parameters")
        assert [made.cell(made.find("control_files"), "begin_value"), made.columns[1].cut_at] == [WHOLE, 9]
    made = typical_report([listing(WHOLE), listing(OTHER), listing(WHOLE, 9)], report()).section("init_parameters")
    assert made.find("control_files") is None  # two of them say different things
    assert made.find("cpu_count")


def test_a_statement_outside_a_top_list_is_unknown():
    reports = [report(statements({"a": (100.0, 10.0)})), report(statements({"b": (5.0, 1.0)}))]
    reports.append(report(statements({"a": (300.0, 10.0)})))
    found = held(reports, "sql_by_elapsed_time")
    one = row(found, "a")
    assert found.printed[one.row_id] == 1
    assert one.values["elapsed_time_s"].first.number == 100.0


def test_a_row_in_another_unit_is_brought_to_one():
    columns = (EVENT_COLUMNS[0], EVENT_COLUMNS[1])
    kb = section("memory_x", columns, [(("a"), exact(2.0))])
    in_kb = replace(kb, records=[kb.records[0]._replace(unit="KB")])
    in_bytes = replace(kb, records=[kb.records[0]._replace(cells=("a", exact(2048.0)), unit="bytes")])
    basis = measure(report()).basis
    line = series_of([in_kb, in_bytes], [basis, basis]).lines[0]
    assert [v["waits"].first.number for v in line.values] == [2.0, 2.0]


@pytest.mark.parametrize(
    ("units", "unit"),
    [((None, None), None), (("count", "KB"), "KB"), (("count", "count"), "count"), ((None, "count"), "count")],
)
def test_a_count_is_no_unit_beside_another(units, unit):
    assert unit_of([Row((), u) for u in units]) == unit


def test_a_name_that_a_text_report_cuts_is_the_row_of_the_whole_name():
    whole, width = events({"control file sequential read": (1, 10), "log file sync": (1, 9)}), 22
    cut = replace(
        whole,
        columns=(replace(whole.columns[0], cut_at=width), *whole.columns[1:]),
        records=[r._replace(cells=(r.cells[0][:width], *r.cells[1:])) for r in whole.records],
    )
    basis = measure(report()).basis
    for printed in ([whole, cut, whole], [cut, whole, None], [None, cut, cut, whole]):
        lines = series_of(printed, [basis] * len(printed)).lines
        assert [line.name["event"] for line in lines] == ["control file sequential read", "log file sync"]
        assert all(line.printed == sum(s is not None for s in printed) for line in lines)
    one = lines[1]
    assert [line.row_id for line in series_of(printed, [basis] * 4, {one.row_id}).lines] == [one.row_id]
    assert ("waits" in one.values[1], "no" in one.values[1]) == (True, False)


def test_without_db_time_the_report_says_how_many_sessions_were_active():
    columns = (Column("metric", "Metric"), column("per_second", "per_s", "rate"))
    assert measure(report(section("load_profile", columns, [("DB Time(s)", exact(2.5))]))).sessions == exact(2.5)
    assert measure(report()).sessions is None


def parameter_series(*reports):
    sections = [r.section("init_parameters") for r in reports]
    return series_of(sections, [measure(r).basis for r in reports])


def changes(*reports):
    return parameter_changes(parameter_series(*reports), reports, range(len(reports)))


def test_parameters_that_differ_from_the_report_before():
    values = [{"processes": "300", "a": "1"}, {"processes": "400", "a": "1"}, {"processes": "400"}]
    found = changes(*(report(parameters(v)) for v in values))
    assert found == [(), (ParameterChange("processes", "300", "400"),), (ParameterChange("a", "1", None),)]
    assert changes(*(report(parameters({"a": v})) for v in ("", "x"))) == [(), (ParameterChange("a", None, "x"),)]


def test_a_parameter_set_inside_a_window_is_no_change_of_the_next():
    one = report(parameters({"a": "1"}))
    (listed,) = one.sections
    inside = replace(one, sections=(replace(listed, records=[Row(("a", "1", "2"))]),))
    assert changes(one, inside, report(parameters({"a": "2"}))) == [(), (), ()]
    bare = section("init_parameters", listed.columns[:1], [("a",)])
    assert changes(report(bare), report(bare)) == [(), ()]


def test_a_report_without_parameters_tells_of_no_change():
    listed = report(parameters({"processes": "300"}))
    assert changes(listed, report(), listed) == [(), (), ()]


def test_between_two_databases_nothing_was_changed_or_restarted():
    here = report(parameters({"processes": "300"}))
    other = report(parameters({"processes": "400"}), begin=BEGIN + WEEK, startup=BEGIN + timedelta(days=2), dbid="7")
    assert changes(here, other, here) == [(), (), ()]
    assert restarted_between(here, other) == {}


def test_active_sessions_are_no_finer_than_they_are_printed():
    """0.01 s of 3,600 s of DB time more is no z-score of thousands."""
    reports = [report(time_model(db_time=3600.0 + n / 500)) for n in range(6)]
    measures = [measure(r) for r in reports]
    said = sessions_text(measures, BaselineSelection((0, 1, 2, 3, 4), 5))
    assert said == "1 active sessions, inside (median 1, from 1 to 1)"


def test_json_has_no_median_below_the_printed_resolution():
    columns = (EVENT_COLUMNS[0], EVENT_COLUMNS[3])
    reports = [report(section("foreground_wait_events", columns, [("e", near(v, 0.05))])) for v in (0.0, 0.0, 9.0)]
    lies = whole(median_parts(held(reports), BaselineSelection((0, 1), 2)))["rows"][0]["values"]["avg_wait_s"][
        "baseline"
    ]
    assert (lies["median"], lies["place"], lies["printed"]) == (None, "above", 2)


def test_an_average_is_what_total_and_waits_tell_where_they_are_finer():
    """Printed as 0.00 s or 1 ms: the files say what the page says."""
    reports = []
    for seconds in (1.78, 1.81, 0.85):
        row_ = ("e", near(10_000.0), near(seconds, 0.005), near(0.0, 0.0005))
        reports.append(report(section("foreground_wait_events", EVENT_COLUMNS[:4], [row_])))
    found = held(reports)
    one = row(found, "e").values["avg_wait_s"]
    assert (one.first.number, one.second.number) == (pytest.approx(179.5e-6), pytest.approx(85e-6))
    assert found.figures[row(found, "e").row_id]["avg_wait_s"].standing.place == "below"


def test_whole_reports_are_held_section_by_section_those_alone_that_are_asked_for():
    made = hours(1, 2, 3, 40)
    unused = report(section("of_no_member", MEMORY, [("a", exact(1), None)]), begin=BEGIN + 9 * WEEK)
    reports, chosen = [*made, unused], BaselineSelection((0, 1, 2), 3)
    computed = compare_reports(made[0], made[3])
    everything = baseline_reading(reports, chosen, computed)
    assert (everything.reports, everything.selection, everything.computed) == (reports, chosen, computed)
    assert everything.measures == [measure(r) for r in reports]
    assert [one.section.id for one in everything.sections()] == [s.id for s in made[3].sections]
    assert (order(made), set(order(reports)) - set(order(made))) == ([s.id for s in made[3].sections], {"of_no_member"})
    asked = baseline_reading(reports, chosen, computed, only=["foreground_wait_events"])
    (one,) = asked.sections()
    assert one.section == held(made).section
    (lies,) = with_lies(asked, computed).sections
    assert (lies.id, lies.lies) == ("foreground_wait_events", lies_of_rows(held(made)))


def test_what_is_said_of_a_row_and_where_it_is_printed():
    found = held([*hours(100.0, None, 110.0), report(events({"new": (1, 90.0), "log file sync": (9, 900.0)}))])
    reads, sync, new = (row(found, name) for name in ("db file sequential read", "log file sync", "new"))
    assert [printed_text(found, r) for r in (reads, sync, new)] == ["", "in 2 of 3 reports", "in none of 3 reports"]
    of_a_list = replace(found, section=replace(found.section, coverage="top"))
    assert printed_text(of_a_list, new) == "in none of 3 lists"
    assert row_position_text(found, new, "waits") == printed_text(found, new)
    assert row_position_text(found, reads, "waits") == "not printed in Second"
    assert row_position_text(found, sync, "total_wait_time_s") == "above the 2 of 3 that print it"
    assert row_position_text(found, sync, "no such column") == ""
    settings = held([report(parameters({"a": v})) for v in "1123"], "init_parameters")
    assert row_position_text(settings, row(settings, "a"), "begin_value") == "as in none of 3"


def test_in_files_a_row_says_in_which_figure_it_lies_outside_and_the_range():
    found = held(hours(1, 2, 3, 40))
    said = lies_of_rows(found)[row(found, "log file sync").row_id]
    assert said.startswith("◆ active sessions above all 3 (")
    bare = replace(row(found, "log file sync"), values={})
    of_none = replace(found, section=replace(found.section, rows=(bare,)))
    assert lies_of_rows(of_none) == {}


@pytest.mark.parametrize("of_median", [True, False])
def test_parts_of_more_than_the_whole_are_told_to_be_medians(of_median):
    """The median of each row is that of another report: no report's figures are wrong."""

    def hour(db_time, **waits):
        named = {name.replace("_", " "): (1_000, seconds) for name, seconds in waits.items()}
        return report(time_model(db_time=db_time, db_cpu=360.0), events(named))

    before = hour(1_360.0, db_file_sequential_read=500.0, direct_path_read=500.0)
    after = hour(3_360.0, db_file_sequential_read=2_000.0, direct_path_read=2_000.0)
    said = compare_reports(before, after, of_median=of_median).summary
    why = "medians need not add up" if of_median else "a report's figures do not add up"
    assert f"(more than all of it: {why})" in said
