"""Each rule: when it fires, when it is quiet, and that missing inputs are neither."""

from __future__ import annotations

import pytest

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.figures_in_words import wait_text
from awrdiff.analysis.model.estimates_and_evidence import Estimate
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.rule_registry import RULES_OF_TWO
from parsers.model import Column
from tests.unit.analysis.builders import (
    activity,
    events,
    loaded,
    parameters,
    report,
    section,
    time_model,
)

READS = {"db file sequential read": (100_000, 500.0)}


def by_rule(a, b):
    return {f.rule: f for f in compare_reports(a, b).findings}


def test_a_report_against_itself_raises_no_alarm():
    findings = by_rule(loaded(more=[parameters({"a": "1"})]), loaded(more=[parameters({"a": "1"})]))
    assert set(findings) <= {"parameters"}
    assert findings["parameters"].title == "No parameter changed."


def test_reports_without_figures_could_not_be_checked():
    comparison = compare_reports(report(), report())
    assert comparison.findings == ()
    assert [r.rule for r in comparison.rules] == [r.id for r in RULES_OF_TWO if not r.kind]
    known = {r.rule for r in comparison.rules if r.state != "unknown"}
    assert known <= {"session-storm", "cold-start", "instance-skew"}, "these look at the header alone"
    assert all(r.by for r in comparison.rules_in("unknown"))
    assert {r.state for r in comparison.rules} <= {"quiet", "unknown"}


@pytest.mark.parametrize(
    ("second", "title"),
    [
        ({}, "The work is of another kind."),
        ({"cpu": 9000}, "More DB time per unit of work."),
        ({"cpu": 150, "waits": {"db file sequential read": (1_000, 40.0)}}, "Less DB time per unit of work."),
    ],
)
def test_other_work_is_not_held_against_its_median(second, title):
    """Twice the transactions and calls with a fifth of the logical reads."""
    findings = by_rule(loaded(), loaded(work=2.0, reads=3_600_000.0, **second))
    assert findings["load-against-db-time"].title == title
    assert ("db-cpu" in findings) == ("cpu" in second)


def test_one_part_is_never_more_than_the_whole():
    """Reads fell by more than all sessions did, since CPU rose: 0.9 of 0.7 would read as nonsense."""
    reads = {"db file sequential read": (1_000_000, 3600.0)}
    text = by_rule(loaded(waits=reads), loaded(waits={"x": (1, 1.0)}, cpu=2000))["event-count"].text
    assert text.startswith("db file sequential read: down by 1, all active sessions together by 0.72, mainly because")


def test_work_that_ceased():
    findings = by_rule(loaded(cpu=0), loaded(cpu=0, work=0.0))
    assert "db-cpu" not in findings


def test_counts_add_up():
    c = compare_reports(loaded(), loaded(cpu=5000))
    assert {f.rule for f in c.findings} == {r.rule for r in c.rules_in("fired")}


@pytest.mark.parametrize(
    ("rule", "second"),
    [
        ("parsing-dominates", loaded(waits={**READS, "latch: shared pool": (1, 3000.0)}, parse=3000)),
        ("load-against-db-time", loaded(cpu=9000)),
        ("db-cpu", loaded(cpu=9000)),
        ("host-cpu-saturated", loaded(busy=96)),
        ("cpu-not-the-limit", loaded(waits={"db file sequential read": (100_000, 9000.0)})),
        ("event-latency", loaded(waits={"db file sequential read": (100_000, 9000.0)})),
        ("read-latency", loaded(waits={"db file sequential read": (100_000, 9000.0)})),
        ("event-count", loaded(waits={"db file sequential read": (900_000, 4500.0)})),
        ("log-file-switch", loaded(waits={**READS, "log file switch completion": (10, 900.0)})),
        ("row-locks", loaded(waits={**READS, "enq: TX - row lock contention": (10, 900.0)})),
        ("buffer-busy", loaded(waits={**READS, "buffer busy waits": (10, 900.0)})),
        ("interconnect", loaded(waits={**READS, "gc cr block busy": (10, 900.0)})),
        ("temp-io", loaded(waits={**READS, "direct path read temp": (10, 900.0)})),
        ("resource-manager", loaded(waits={**READS, "resmgr:cpu quantum": (10, 900.0)})),
        ("commit-latency", loaded(waits={**READS, "log file sync": (36_000, 900.0)})),
        ("unaccounted-time", loaded(db_time=4000)),
        ("session-storm", loaded(sessions=(400, 900))),
    ],
)
def test_fires(rule, second):
    assert rule not in by_rule(loaded(), loaded()), "quiet where nothing is wrong"
    finding = by_rule(loaded(), second)[rule]
    assert finding.title.endswith(".")
    assert finding.text.endswith(".")
    assert finding.evidence
    assert "None" not in finding.text


def test_what_holds_is_no_alarm_however_large():
    """A cap, or locks, of the same weight on both sides: severity follows the change."""
    for event in ("resmgr:cpu quantum", "enq: TX - row lock contention"):
        held = by_rule(loaded(waits={event: (10, 900.0)}), loaded(waits={event: (10, 925.0)}))
        rule = "resource-manager" if event.startswith("resmgr") else "row-locks"
        assert (held[rule].severity, held[rule].tone) == ("note", "neutral")


def test_a_factor_of_next_to_nothing_is_none():
    waits = {"direct path read": (3, 1.0)}
    text = by_rule(loaded(waits=waits), loaded(waits={"direct path read": (9_000_000, 9_000.0)}))["event-count"].text
    assert "because there are more waits (next to none in First)." in text


def test_what_a_top_list_leaves_out_is_told_by_its_bound():
    listed = report(time_model(db_time=2000), events({"x": (10, 360.0)}, coverage="top"))
    waits = {"x": (10, 360.0), "enq: TX - row lock contention": (10, 1080.0)}
    text = by_rule(listed, report(time_model(db_time=2000), events(waits, coverage="top")))["row-locks"].text
    assert "not in First's top list, under 0.1 → 0.3 active sessions" in text


def test_evidence_points_at_rows_of_the_comparison():
    comparison = compare_reports(loaded(), loaded(waits={"db file sequential read": (100_000, 9000.0)}))
    rows = {(s.id, r.row_id) for s in comparison.sections for r in s.rows}
    finding = next(f for f in comparison.findings if f.rule == "event-latency")
    assert {(e.section, e.row_id) for e in finding.evidence} <= rows


def test_improvements_are_notes():
    findings = by_rule(loaded(waits={"db file sequential read": (100_000, 9000.0)}), loaded())
    assert findings["event-latency"].severity == "note"
    assert "each wait is shorter" in findings["event-latency"].text
    assert findings["load-against-db-time"].severity == "note"


def test_an_average_printed_as_nothing_is_below_its_print():
    assert wait_text(Estimate(0.0, 0.0, 0.0005)) == "under 500 µs"
    assert wait_text(Estimate(0.001, 0.0015, 0.002)) == "1.50 ms"


def test_severity_comes_first():
    severities = [f.severity for f in compare_reports(loaded(), loaded(cpu=9000, busy=99)).findings]
    assert severities == sorted(severities, key=["critical", "warning", "note"].index)


def test_parameters():
    a, b = (
        loaded(more=[parameters({"cursor_sharing": "EXACT", "x": "1"})]),
        loaded(more=[parameters({"cursor_sharing": "FORCE", "x": "1"})]),
    )
    finding = by_rule(a, b)["parameters"]
    assert finding.text == "cursor_sharing: EXACT → FORCE."
    assert finding.evidence[0].row_id == anchor("init_parameters", "cursor_sharing")


def test_a_parameter_missing_on_one_side_is_at_its_default():
    a, b = loaded(more=[parameters({"x": "1"})]), loaded(more=[parameters({"x": "1", "optimizer_mode": "RULE"})])
    assert by_rule(a, b)["parameters"].text == "optimizer_mode: default → RULE."


def test_names_and_paths_are_no_tuning():
    a, b = loaded(more=[parameters({"db_name": "A"})]), loaded(more=[parameters({"db_name": "B"})])
    assert by_rule(a, b)["parameters"].severity == "note"


def test_a_parameter_set_inside_the_window():
    columns = (Column("parameter", "P"), Column("begin_value", "B"), Column("end_value", "E"))
    inside = section("init_parameters", columns, [("sga_target", "8G", "12G"), ("case", "none", "NONE")])
    a = loaded(more=[parameters({"sga_target": "8G"})])
    finding = by_rule(a, loaded(more=[inside]))["parameters-inside"]
    assert finding.text == "sga_target in Second: 8G → 12G."


def test_a_list_of_events_that_is_cut_says_by_how_many():
    """Each is a sixth of the rise: what all of them took stands with the names of all."""
    waits = {f"wait {n}": (1_000, 900.0 + n) for n in range(6)}
    finding = by_rule(loaded(waits=READS), loaded(waits={**READS, **waits}))["event-count"]
    assert finding.text.startswith("wait 5, wait 4, wait 3, wait 2 and 2 more: all of the rise of 1.5 active sessions")


def test_a_list_of_parameters_that_is_cut_says_by_how_many():
    names = ["audit_file_dest", "control_files", "core_dump_dest", "db_domain", "db_name", "db_unique_name"]
    names += ["diagnostic_dest", "instance_name"]
    a, b = (loaded(more=[parameters(dict.fromkeys(names, value))]) for value in "ab")
    assert by_rule(a, b)["parameters"].text.endswith(", db_domain, db_name, db_unique_name and 2 more.")


def test_figures_of_several_events_are_told_apart():
    """What they share is said once; else each is named."""
    locks, busy = "library cache lock", "latch: cache buffers chains"
    few = loaded(waits={**READS, locks: (1_000, 100.0), busy: (1_000, 200.0)})
    many = loaded(waits={**READS, locks: (9_000, 900.0), busy: (5_000, 1_000.0)})
    assert by_rule(few, many)["event-count"].text.endswith("(waits per second ×5.00 and ×9.00).")
    long = loaded(waits={**READS, locks: (1_000, 900.0), busy: (1_000, 1_000.0)})
    text = by_rule(few, long)["event-latency"].text
    assert "100 ms → 900 ms" in text
    assert text.endswith(" per wait).")
    assert text.count("per wait") == 1
    new = by_rule(loaded(waits={**READS, busy: (1_000, 200.0)}), many)["event-count"].text
    assert f"{locks}: none listed in First" in new
    assert f"{busy}: waits per second ×5.00" in new


def test_events_that_a_rule_speaks_of_are_no_sum_with_others():
    """Each is as severe as it is by itself, and is folded into its own."""
    locks, switches, latch = "enq: TX - row lock contention", "log file switch completion", "latch free"
    few = loaded(waits={**READS, locks: (1_000, 100.0)})
    many = loaded(waits={**READS, locks: (9_000, 900.0), switches: (900, 1_200.0), latch: (900, 700.0)})
    events = [f for f in compare_reports(few, many).findings if f.rule == "event-count"]
    assert {f.subject.key: f.folded_into for f in events} == {
        locks: "row-locks",
        switches: "log-file-switch",
        latch: "",
    }


def test_most_and_part_are_of_the_side_that_is_told():
    """Two thirds of First's DB time, a third of Second's: "most of it is" would be said of the wrong side."""
    first, second = loaded(cpu=500, db_time=3_000), loaded(cpu=2_900, db_time=5_000)
    finding = by_rule(first, second)["unaccounted-time"]
    assert finding.title == "Part of DB time is unaccounted for."
    assert finding.text.startswith("67 % → 32 % of DB time")
    assert by_rule(second, first)["unaccounted-time"].title == "Most of DB time is unaccounted for."


def test_more_sessions_explain_no_less_db_time():
    many = {"sessions": (100, 400)}
    assert by_rule(loaded(), loaded(cpu=9000, **many))["session-storm"].explains == ("load-against-db-time",)
    assert by_rule(loaded(cpu=9000), loaded(**many))["session-storm"].explains == ()


def test_totals_of_windows_of_other_lengths_are_rates():
    """Four times as long: half as much parsing per second is no more of it, nor are as many hard parses an hour."""
    counts = {"parse count (hard)": 36_000, "parse count (total)": 72_000}
    short, longer = (_parsing(elapsed, counts, times) for elapsed, times in ((3_600.0, 1.0), (14_400.0, 2.0)))
    findings = by_rule(short, longer)
    text = findings["parsing-dominates"].text
    assert "s → " not in text
    assert "active sessions" in text
    cost = by_rule(_parsing(3_600.0, counts, 1.0), _parsing(14_400.0, counts, 4.0))["cost-per-unit"].text
    assert "10 → 2.5 of them per second" in cost
    cost = by_rule(_parsing(3_600.0, counts, 1.0), _parsing(3_600.0, counts, 4.0))["cost-per-unit"].text
    assert "36,000 → 36,000 of them," in cost


def _parsing(elapsed, counts, times):
    """A third of DB time, and `times` as much DB time."""
    return report(
        time_model(
            db_time=3_000 * times,
            db_cpu=2_000 * times,
            parse_time_elapsed=1_000 * times,
            hard_parse_elapsed_time=900 * times,
        ),
        events({"db file sequential read": (100_000, 1_000.0 * times)}),
        activity({**counts, "execute count": 720_000}),
        elapsed=elapsed,
    )


def test_a_counter_that_was_reset_is_no_rate():
    """700 blocks per second do not become −278."""
    reset = loaded()
    rows = {s.id: s for s in reset.sections}
    back = activity({"physical reads": -1_000_000, "user calls": 360_000, "execute count": 720_000})
    second = report(*(back if s.id == "instance_activity" else s for s in rows.values()))
    findings = by_rule(loaded(), second)
    assert not [f for f in findings.values() if "-" in f.text]
    assert "physical-reads" not in findings


def test_a_figure_that_is_not_0_does_not_read_as_0():
    lfs = {"log file sync": (200_000, 190.0)}
    none, few = loaded(), loaded(waits={**READS, "log file sync": (15, 0.01)})
    assert (
        "log file sync: 0 → 0.053 active sessions"
        in by_rule(none, loaded(waits={**READS, **lfs}))["commit-latency"].text
    )
    assert "under 0.001 → 0.053 active sessions" in by_rule(few, loaded(waits={**READS, **lfs}))["commit-latency"].text


def test_a_commit_that_waits_as_long_as_a_write_did_not_join_one():
    alike = loaded(
        waits={**READS, "log file sync": (140_000, 14_000.0)}, background={"log file parallel write": (90_000, 9_000.0)}
    )
    made = compare_reports(loaded(), alike)
    text = next(f for f in made.findings if f.rule == "commit-latency").text
    assert "; as long as an average redo write" in text
    assert "A commit waited 100 ms, as long as an average redo write took." in made.summary
    assert "joined" not in text


def test_rules_about_one_kind_of_report_are_asked_of_such_alone():
    asked = {r.rule for r in compare_reports(report(), report()).rules}
    assert asked.isdisjoint(r.id for r in RULES_OF_TWO if r.kind)
