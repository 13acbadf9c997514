"""Which findings are read first, and under what the others are folded."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Finding, Sessions
from awrdiff.analysis.model.estimates_and_evidence import Evidence
from awrdiff.analysis.model.ranked_changes import Range, Subject
from awrdiff.analysis.verdict.findings import fold, folded_words

FELL, ROSE = "better", "worse"


def finding(rule, sessions=None, severity="critical", *, tone=ROSE, events=(), subject=None, explains=()):
    """`sessions`: what Second has more (less where `tone` is better) than First, which has 1."""
    size = None
    if sessions is not None:
        sides = Range(1.0, 1.0), Range(1.0 + sessions, 1.0 + sessions)
        size = Sessions(*(sides if tone != FELL else reversed(sides)))
    evidence = tuple(Evidence("foreground_wait_events", event, "total_wait_time_s") for event in events)
    return Finding(rule, severity, rule, "", evidence, size, subject, tone, explains)


def places(*findings, busier=10.0):
    return {f.rule: f.folded_into or f.folded_because for f in fold(findings, busier) if f.is_folded}


def test_an_event_is_told_by_the_rule_of_that_event():
    assert places(finding("event-count", 5, events=("enq: TX",)), finding("row-locks", 5, events=("enq: TX",))) == {
        "event-count": "row-locks"
    }


@pytest.mark.parametrize("rule", ["commit-latency", "writes-together"])
def test_slow_commits_that_hold_row_locks_belong_to_them(rule):
    """The locks cite what holds them only where the chain holds."""
    commits = finding(rule, 3, events=("log file sync",))
    assert places(commits, finding("row-locks", 5, events=("enq: TX", "log file sync"))) == {rule: "row-locks"}
    assert places(commits, finding("row-locks", 5, events=("enq: TX",))) == {}


def test_events_of_two_kinds_are_told_by_both_rules_or_by_themselves():
    both = finding("event-count", 5, events=("enq: TX", "log file sync"))
    locks = finding("row-locks", 3, events=("enq: TX",))
    assert places(both, locks) == {}
    assert places(both, locks, finding("commit-latency", 2, events=("log file sync",))) == {"event-count": "row-locks"}


def test_what_is_more_severe_stays_above():
    """Two events together are critical, one of them is a warning: folding them would hide the alarm."""
    both = finding("event-count", 5, events=("enq: TX",))
    assert places(both, finding("row-locks", 5, "warning", events=("enq: TX",))) == {}


@pytest.mark.parametrize(
    ("unit", "rule"),
    [("hard parse", "parsing-dominates"), ("logon", "logon-rate"), ("execution", "load-against-db-time")],
)
def test_the_cost_of_one_belongs_to_the_cost_of_all(unit, rule):
    cost = finding("cost-per-unit", 5, subject=Subject("work", unit))
    assert places(cost, finding(rule, 5)) == {"cost-per-unit": rule}
    assert places(cost, finding("unaccounted-time", 5)) == {}


@pytest.mark.parametrize(("fell", "folded"), [(0.0, False), (5.0, True)])
def test_what_first_alone_had_is_over_where_second_has_less(fell, folded):
    peak = replace(finding("peak-inside", 5, "note", tone="neutral"), sessions=Sessions(Range(5.0, 5.0), None))
    assert [f.folded_because for f in fold([peak], 10.0, fell=fell)] == ["improved" * folded]
    beside = replace(peak, sessions=Sessions(None, Range(5.0, 5.0)))
    assert [f.folded_because for f in fold([beside], 10.0, fell=fell)] == [""]


def test_a_statement_that_was_sampled_belongs_to_itself_alone():
    one, other = Subject("sql", "aaaaaaaaaaaaa"), Subject("sql", "bbbbbbbbbbbbb")
    slower = finding("sql-slower", 5, subject=one)
    assert places(slower, finding("sql-sampled", 5, subject=one)) == {"sql-sampled": "sql-slower"}
    assert places(slower, finding("sql-sampled", 5, subject=other)) == {}


def test_notes_are_folded_by_size_and_by_what_they_are():
    found = places(
        finding("load-against-db-time", 8),
        finding("logon-rate", 0.5, "note"),
        finding("temp-io", 3, "note", tone=FELL),
        finding("addm-said", severity="note", tone="neutral"),
        finding("hot-object-io", 3, "note"),
        finding("sql-slower", 0.2, "warning"),
    )
    assert found == {"logon-rate": "small", "temp-io": "improved", "addm-said": "routine"}


def test_what_got_better_is_read_where_nothing_got_worse():
    assert places(finding("load-against-db-time", 8, "note", tone=FELL)) == {}


def test_what_carries_a_drop_of_db_time_is_read_beside_what_got_worse():
    """Row locks fell by 71 sessions of 79: that is what happened, though commits became slower."""
    locks, commits = finding("row-locks", 71, "note", tone=FELL), finding("commit-latency", 12, "warning")
    whole = finding("load-against-db-time", 79, "note", tone=FELL)
    fewer = finding("logon-rate", 30, "note", tone=FELL)
    findings = [whole, locks, fewer, commits]
    assert [f.rule for f in fold(findings, 142.0, fell=79.0) if not f.is_folded] == ["row-locks", "commit-latency"]
    assert [f.rule for f in fold(findings, 142.0) if not f.is_folded] == ["commit-latency"]


def test_what_belongs_to_a_finding_that_belongs_to_another_is_folded_into_that():
    reads = {"events": ("db file sequential read",), "subject": Subject("storage", "reads")}
    found = places(
        finding("event-latency", 5, **reads), finding("read-latency", 5, **reads), finding("read-tail", 5, **reads)
    )
    assert found == {"read-latency": "event-latency", "read-tail": "event-latency"}


def test_a_claim_of_change_is_none_of_two_databases():
    """What one of them suffers by itself is read; an alarm would stay."""
    findings = [
        finding("load-against-db-time", 8, "note", tone="neutral"),
        finding("physical-reads", 6, "note", tone="neutral"),
        finding("row-locks", 5, "warning", tone="neutral"),
        finding("sql-entering", 5, "note", tone="neutral"),
        finding("host-cpu-saturated", severity="note", tone="neutral"),
    ]
    other = {f.rule: f.folded_because for f in fold(findings, 10.0, different_databases=True)}
    assert other == {
        "load-against-db-time": "other-work",
        "physical-reads": "other-work",
        "row-locks": "",
        "sql-entering": "",
        "host-cpu-saturated": "routine",
    }
    assert {f.folded_because for f in fold(findings[1:4], 10.0)} == {""}


def test_that_db_time_followed_the_work_is_routine_beside_what_alarms():
    followed = finding("load-against-db-time", 8, "note", tone="neutral")
    cpu, locks = finding("cpu-time", 5, "note", tone="neutral"), finding("row-locks", 3, "warning")
    assert places(followed, cpu, locks) == {"load-against-db-time": "routine", "cpu-time": "routine"}
    assert places(followed, cpu) == {}, "else it is what there is to say"
    assert places(finding("load-against-db-time", 8, "note"), locks) == {}, "more time than work"


def test_what_one_of_two_databases_suffers_is_small_beside_the_like_of_it_not_beside_all_db_time():
    whole = finding("load-against-db-time", 80, "note", tone="neutral")
    locks = finding("row-locks", 12, "note", tone="neutral")
    folds = {f.rule: f.folded_because for f in fold([whole, locks], 81.0, different_databases=True)}
    assert folds == {"load-against-db-time": "other-work", "row-locks": ""}
    assert {f.rule: f.folded_because for f in fold([whole, locks], 81.0)}["row-locks"] == "small"


def test_a_note_that_may_explain_stands_under_what_it_explains():
    start = finding("cold-start", severity="note", tone="neutral", explains=("parsing-dominates",))
    assert places(start, finding("parsing-dominates", 5)) == {"cold-start": "parsing-dominates"}
    assert places(start, finding("row-locks", 5)) == {"cold-start": "routine"}


def test_a_changed_parameter_is_read():
    changed = finding("parameters", severity="note", tone="neutral", explains=("physical-reads",))
    assert places(changed, finding("row-locks", 5)) == {}
    assert places(replace(changed, explains=())) == {"parameters": "routine"}


def test_other_parameters_of_another_database_are_routine():
    changed = finding("parameters", severity="note", tone="neutral", explains=("physical-reads",))
    assert [f.folded_because for f in fold([changed], 10.0, different_databases=True)] == ["routine"]


def test_a_note_of_what_did_not_move_is_small():
    flat = finding("commit-latency", 0.0, "note")
    assert places(flat, busier=1.0) == {"commit-latency": "small"}


def test_the_reasons_are_counted():
    found = fold(
        [
            finding("load-against-db-time", 8),
            finding("throughput-collapsed", 8),
            finding("logon-rate", 0.1, "note"),
            finding("temp-io", 0.1, "note"),
        ],
        10.0,
    )
    assert folded_words([f for f in found if f.is_folded]) == "1 belongs to another finding, 2 small"


def test_who_reads_is_read_where_cpu_alarms_and_no_finding_names_the_statement():
    ledger = Subject("sql", "0ledger000001")
    reader = finding("sql-readers", 1, "note", tone="neutral", subject=ledger, explains=("cpu-time", "db-cpu"))
    assert places(finding("cpu-time", 5), reader) == {}
    assert places(finding("db-cpu", 5), finding("host-cpu-saturated", 5), reader) == {"db-cpu": "host-cpu-saturated"}
    assert places(finding("cpu-time", 5, "note"), reader) == {"sql-readers": "cpu-time"}
    assert places(finding("row-locks", 5), reader) == {"sql-readers": "routine"}
    assert places(finding("cpu-time", 5), finding("sql-change", 5, subject=ledger), reader) == {
        "sql-readers": "sql-change"
    }
