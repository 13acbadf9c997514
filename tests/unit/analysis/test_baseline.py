"""Several reports as a baseline: medians, ranges, where one report lies, and which reports count by themselves."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from awrdiff.analysis.baseline.against import Chosen, compare_with_baseline, rows_outside, yardstick_of
from awrdiff.analysis.baseline.changes import ParameterChange, parameter_changes
from awrdiff.analysis.baseline.members import latest, presets, restarted_between, same_window, unlike
from awrdiff.analysis.baseline.series import measure, series_of
from awrdiff.analysis.baseline.spread import spread_of, standing, standing_said
from awrdiff.analysis.baseline.words import sessions_said
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.baseline import held_parts, lies_of_rows
from awrdiff.analysis.export.pieces import whole
from tests.unit.analysis.builders import (
    BEGIN,
    EVENT_COLUMNS,
    activity,
    events,
    exact,
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
    ],
)
def test_what_is_said(second, baseline, said):
    assert standing_said(standing(exact(second), numbers(*baseline))) == said


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
    chosen = Chosen(tuple(members if members is not None else range(len(reports) - 1)), len(reports) - 1)
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
    assert found.held[sync.row_id]["total_wait_time_s"].standing.place == "above"
    assert row(found, "db file sequential read").status == "same"
    assert [r.key["event"] for r in rows_outside(found, 1.0)] == ["log file sync"]


def test_lengths_do_not_mislead():
    """Twice the seconds in twice the time are the same."""
    found = held(hours(100.0, 102.0, 98.0, 200.0, lengths=[3600.0, 3600.0, 3600.0, 7200.0]))
    sync = row(found, "log file sync")
    figure = found.held[sync.row_id]["total_wait_time_s"]
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
    assert standing_said(found.held[sync.row_id]["waits"].standing) == "above the 2 of 3 that print it"


def test_a_row_that_no_report_of_the_baseline_prints_has_no_range():
    found = held(hours(None, None, 900.0))
    sync = row(found, "log file sync")
    assert (sync.status, found.printed[sync.row_id]) == ("only_second", 0)
    assert sync.values["total_wait_time_s"].first is None
    assert found.held[sync.row_id]["total_wait_time_s"].standing is None
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
    assert found.held[processes.row_id]["begin_value"].alike == 0
    assert row(found, "cpu_count").status == "same"
    again = held([*reports[:3], report(parameters({"processes": "400"}))], "init_parameters")
    assert row(again, "processes").status == "same"


def test_a_row_has_the_same_address_as_in_a_pair():
    reports = hours(100.0, 110.0, 900.0)
    pair = next(s for s in compare_reports(reports[0], reports[2]).sections if s.id == "foreground_wait_events")
    assert {r.row_id for r in pair.rows} == {r.row_id for r in held(reports).section.rows}


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


def parameter_series(*reports):
    sections = [r.section("init_parameters") for r in reports]
    return series_of(sections, [measure(r).basis for r in reports])


def changes(*reports):
    return parameter_changes(parameter_series(*reports), reports, range(len(reports)))


def test_parameters_that_differ_from_the_report_before():
    values = [{"processes": "300", "a": "1"}, {"processes": "400", "a": "1"}, {"processes": "400"}]
    found = changes(*(report(parameters(v)) for v in values))
    assert found == [(), (ParameterChange("processes", "300", "400"),), (ParameterChange("a", "1", None),)]


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
    said = sessions_said(measures, Chosen((0, 1, 2, 3, 4), 5))
    assert said == "1 active sessions, inside (median 1, from 1 to 1)"


def test_json_has_no_median_below_the_printed_resolution():
    columns = (EVENT_COLUMNS[0], EVENT_COLUMNS[3])
    reports = [report(section("foreground_wait_events", columns, [("e", near(v, 0.05))])) for v in (0.0, 0.0, 9.0)]
    lies = whole(held_parts(held(reports), Chosen((0, 1), 2)))["rows"][0]["values"]["avg_wait_s"]["baseline"]
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
    assert found.held[row(found, "e").row_id]["avg_wait_s"].standing.place == "below"


# Which reports count


def test_a_report_like_second_counts():
    first, second = hours(1.0, 2.0)
    assert unlike(first, second) == ()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"dbid": "2"}, "another database"),
        ({"release": "11.2.0.4.0"}, "another release (11.2.0.4.0)"),
        ({"instance": 2}, "another instance (number 2)"),
        ({"startup": BEGIN + timedelta(minutes=20)}, "restarted inside its window"),
    ],
)
def test_a_report_unlike_second_does_not_count_by_itself(other, said):
    found = unlike(report(**other), report())
    assert len(found) == 1
    assert found[0].startswith(said)


@pytest.mark.parametrize(("name", "said"), [("COPY", ("one id under two names (COPY)",)), ("XXXX", ()), (None, ())])
def test_a_copy_does_not_count_by_itself_and_a_masked_name_does(name, said):
    one = report()
    assert unlike(replace(one, database=replace(one.database, name=name)), one) == said


def test_another_number_of_instances():
    one = report()
    several = replace(one, instances=(*one.instances, replace(one.instances[0], number=2)))
    assert unlike(several, one) == ("another number of instances (2)",)


def test_one_click_chooses_all_earlier_or_the_same_weekday_and_hour():
    begins = [BEGIN, BEGIN + timedelta(days=1), BEGIN + WEEK, BEGIN + 2 * WEEK + timedelta(minutes=12)]
    reports = [report(begin=b) for b in begins]
    found = {p.id: p for p in presets(reports, 3)}
    assert found["earlier"].members == (0, 1, 2)
    assert found["same-hour"].members == (0, 2)
    assert presets(reports, 0) == ()


def test_a_preset_leaves_out_what_is_unlike_and_counts_it():
    reports = [report(begin=BEGIN, release="11.2.0.4.0"), report(begin=BEGIN + WEEK), report(begin=BEGIN + 2 * WEEK)]
    (found,) = presets(reports, 2)
    assert (found.members, list(found.left_out)) == ((1,), [0])


def test_the_same_time_twice_counts_once():
    """HTML and text of one report, say."""
    reports = [report(begin=BEGIN), report(begin=BEGIN), report(begin=BEGIN + WEEK), report(begin=BEGIN + 2 * WEEK)]
    (found,) = presets(reports, 3)
    assert (found.members, found.left_out) == ((0, 2), {1: ("the same time again",)})
    assert not same_window(report(instance=2), report())


def test_the_latest_report():
    assert latest([report(begin=BEGIN + WEEK), report(begin=BEGIN)]) == 0
    assert latest([report(begin=None), report(begin=BEGIN)]) is None


def test_a_restart_between_two_reports_is_told():
    started = BEGIN + timedelta(days=2, minutes=31)
    assert restarted_between(report(), report(begin=BEGIN + WEEK, startup=started)).keys() == {started}
    assert restarted_between(report(), report(begin=BEGIN + WEEK)) == {}


def test_in_files_a_row_says_in_which_figure_it_lies_outside_and_the_range():
    found = held(hours(1, 2, 3, 40))
    said = lies_of_rows(found)[row(found, "log file sync").row_id]
    assert said.startswith("◆ active sessions above all 3 (")
    bare = replace(row(found, "log file sync"), values={})
    of_none = replace(found, section=replace(found.section, rows=(bare,)))
    assert lies_of_rows(of_none) == {}
