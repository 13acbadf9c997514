"""One currency for findings: what is silent, how severe the rest is, and in which order it stands."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Range, Sessions
from awrdiff.analysis.verdict.diagnosis import OF_ONE_HOUR
from awrdiff.analysis.verdict.rule_result import Observation
from awrdiff.analysis.verdict.severity import SeverityOfOne, SeverityOfTwo, sort_findings, worth_a_word
from tests.golden.test_diagnosed import both
from tests.unit.analysis.builders import exact, loaded

READS = {"db file sequential read": (100_000, 500.0)}
RISING = SeverityOfTwo(first=2.0, second=10.0, cpus=8, least=0.05, rose=True)
FALLING = SeverityOfTwo(first=10.0, second=2.0, cpus=8, least=0.05, rose=False)


def about(first: float, second: float, *, tone: str = "worse", **more: object) -> Observation:
    size = Sessions(Range(first, first), Range(second, second))
    return Observation("Title.", "Text.", sessions=size, tone=tone, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("of_first", "severity"), [(0.07, "note"), (0.099, "note"), (0.1, "warning"), (0.5, "warning")]
)
def test_beside_another_database_a_report_alarms_by_what_alarms_in_it_alone(of_first, severity):
    """A quarter of an idle database is no trouble of anybody."""
    policy = replace(RISING, first=0.26, second=70.0, unrelated=True, alarms=False)
    made = policy.finding("parsing-dominates", about(of_first, 0.0))
    assert made is not None
    assert made.severity == severity


@pytest.mark.parametrize(
    ("least", "sessions", "from_on"),
    [
        (0.8, 10.0, 0.5),  # 160 CPUs, of which ten are used: 5 % of those
        (0.8, 100.0, 0.8),
        (0.8, 0.9, 0.05),
        (0.8, None, 0.8),  # nearly idle
        (0.05, 0.2, 0.05),
    ],
)
def test_what_is_a_part_of_db_time_is_said_on_a_host_of_any_size(least, sessions, from_on):
    assert worth_a_word(least, sessions) == pytest.approx(from_on)


def test_a_tenth_of_db_time_is_said_beside_many_cpus():
    """Of an idle database nothing is."""
    sides = [
        loaded(waits={"enq: TX - row lock contention": (100, s)}, cpus=400, db_time=10 * s) for s in (720.0, 1_440.0)
    ]
    assert "row-locks" in {f.rule for f in compare_reports(*sides).findings}
    idle = [replace(s, period=replace(s.period, elapsed_s=exact(36_000.0))) for s in sides]
    assert "row-locks" not in {f.rule for f in compare_reports(*idle).findings}


@pytest.mark.parametrize(
    ("policy", "said", "severity"),
    [
        (RISING, about(1.0, 4.0), "critical"),  # 3 of the 8 more
        (RISING, about(1.0, 2.0), "warning"),  # an eighth of the rise, a fifth of DB time
        (RISING, about(0.1, 0.2), "note"),  # 2 % of DB time
        (RISING, about(4.0, 1.0, tone="better"), "note"),
        (RISING, about(1.0, 9.0, tone="neutral"), "note"),
        (replace(RISING, first=8.5), about(0.1, 1.4), "warning"),  # DB time rose by less than a quarter
        (replace(RISING, alarms=False), about(1.0, 4.0), "warning"),  # another database, or a cluster
        (replace(RISING, other_work=True), about(1.0, 4.0), "note"),  # other work is no change
        (replace(RISING, other_work=True, one_sided=frozenset("a")), about(1.0, 4.0), "critical"),
        (replace(RISING, other_work=True, alarms=False, one_sided=frozenset("a")), about(1.0, 4.0), "warning"),
        (FALLING, about(0.1, 1.5), "warning"),  # no alarm about a change on the quieter side
        (replace(RISING, second=2.4), about(0.1, 0.45), "warning"),  # most of a rise that alarms nobody
        (replace(RISING, first=0.5, second=1.5), about(0.1, 1.05), "warning"),  # most of a rise of less than a session
        (replace(RISING, first=0.5, second=1.6), about(0.1, 1.15), "critical"),
        (replace(RISING, cpus=160, least=0.8), about(1.0, 8.9), "warning"),  # less than 5 % of the CPUs
        (replace(RISING, cpus=160, least=0.8), about(1.0, 9.1), "critical"),
        (replace(RISING, cpus=None), about(1.0, 4.0), "critical"),
        (RISING, about(3.0, 3.0, tone="neutral", at_limit=True), "critical"),  # as before, and still at its limit
        (replace(RISING, alarms=False), about(3.0, 3.0, tone="neutral", at_limit=True), "warning"),
        (replace(RISING, other_work=True), about(3.0, 3.0, tone="neutral", at_limit=True), "note"),
    ],
)
def test_severity_follows_size_and_a_rise(policy, said, severity):
    assert policy.finding("a", said).severity == severity


@pytest.mark.parametrize(
    ("size", "cpus", "at_limit", "severity"),
    [
        (0.9, 2, False, "warning"),  # a quarter of more sessions than CPUs, and less than one session
        (1.1, 2, False, "critical"),
        (7.9, 160, True, "critical"),
        (1.1, None, False, "warning"),
        (1.1, None, True, "critical"),
    ],
)
def test_one_report_alarms_from_a_session_on_or_at_a_limit(size, cpus, at_limit, severity):
    policy = SeverityOfOne(whole=4.0, cpus=cpus, least=0.05)
    said = Observation("Title.", "Text.", sessions=Range(size, size), tone="worse", at_limit=at_limit)
    assert policy.finding("a", said).severity == severity


def test_less_than_a_twentieth_of_a_session_is_silent():
    assert RISING.finding("a", about(0.0, 0.049)) is None
    assert RISING.finding("a", about(0.0, 0.051)) is not None
    wide = replace(RISING, cpus=160, least=0.8)
    assert wide.finding("a", about(0.0, 0.7)) is None


def test_the_largest_stands_first_and_what_explains_stands_with_it():
    small, large = RISING.finding("a-small", about(0.1, 0.3)), RISING.finding("z-large", about(9.0, 2.0, tone="better"))
    lone = RISING.finding("lone", Observation("Lone.", "Text."))
    beside = RISING.finding("beside", Observation("Beside.", "Text.", explains=("a-small",)))
    ordered = sort_findings([lone, beside, small, large])
    assert [f.rule for f in ordered] == ["z-large", "a-small", "beside", "lone"]


def test_what_explains_a_larger_one_stands_under_it_by_what_it_explains_first():
    locks, write = RISING.finding("locks", about(1.0, 9.0)), RISING.finding("writes", about(1.0, 7.0))
    commits = RISING.finding("commits", about(1.0, 3.0, explains=("writes", "locks")))
    hot = RISING.finding("object", about(0.0, 2.0, explains=("locks",)))
    note = RISING.finding("setting", Observation("Setting.", "Text.", explains=("object",)))
    ordered = sort_findings([note, hot, commits, write, locks])
    assert [f.rule for f in ordered] == ["locks", "object", "writes", "commits", "setting"]
    cause = RISING.finding("cause", about(1.0, 9.5, explains=("locks",)))
    assert [f.rule for f in sort_findings([locks, cause])] == ["cause", "locks"], "what is larger keeps its place"


def test_no_note_stands_before_what_alarms():
    """However large it is; what may explain an alarm and has no size is the first of the notes."""
    rose = RISING.finding("load", about(2.0, 10.0, tone="neutral"))
    locks, reads = RISING.finding("locks", about(1.0, 4.0)), RISING.finding("reads", about(1.0, 1.9))
    cause = RISING.finding("cause", about(0.2, 1.2, explains=("locks",)))
    setting = RISING.finding("setting", Observation("Setting.", "Text.", explains=("reads",)))
    other = RISING.finding("other", Observation("Other.", "Text.", explains=("load",)))
    assert [f.severity for f in (locks, cause, reads)] == ["critical", "warning", "warning"]
    ordered = sort_findings([rose, other, setting, reads, cause, locks])
    assert [f.rule for f in ordered] == ["locks", "cause", "reads", "setting", "load", "other"]


def test_another_database_is_neither_better_nor_worse():
    here, there = loaded(), loaded(waits={"enq: TX - row lock contention": (500, 90_000.0)}, work=0.3)
    there = replace(there, database=replace(there.database, dbid="2", name="DB2"))
    comparison = compare_reports(here, there)
    assert {f.tone for f in comparison.findings} == {"neutral"}
    assert {f.severity for f in comparison.findings} <= {"note", "warning"}
    assert next(r.by for r in comparison.rules if r.rule == "throughput-collapsed") == "different databases"
    masked = replace(there, database=replace(there.database, name="DB1"))
    assert "critical" in {f.severity for f in compare_reports(here, masked).findings}, "a copy under its own name"


@pytest.mark.parametrize(
    ("case", "rule"),
    [
        ("checkpoints that slow writes hold up", "checkpoint-writes"),
        ("commits that wait again", "commit-nowait"),
        ("sessions queue on a busy host", "host-cpu-saturated"),
        ("a long run queue", "load-average"),
        ("the host recovers its memory", "memory-exhausted"),
        ("parsing recovers", "parsing-dominates"),
        ("undo that ran short in First", "undo-errors"),
        ("storage slows three kinds of writes", "writes-together"),
        ("row locks grow", "row-locks"),
        ("clients send less data", "network-bound"),
    ],
)
def test_what_one_of_two_databases_suffers_is_as_severe_on_either_side(case, rule):
    first, second = both(case)
    other = replace(second, database=replace(second.database, dbid="2", name="DB2"))
    pairs = (first, other), (other, first)
    severities = [{f.severity for f in compare_reports(*pair).findings if f.rule == rule} for pair in pairs]
    assert severities == [{"warning"}, {"warning"}]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (loaded(waits={"enq: TX - row lock contention": (500, 90_000.0)}), loaded()),
        (loaded(cpu=20_000, busy=97), loaded(busy=90)),
        (loaded(parse=9000, waits={"latch: shared pool": (9, 9000.0)}), loaded(parse=300)),
        (loaded(waits=READS), loaded(waits=READS, sessions=(400, 900))),
    ],
)
def test_a_quieter_second_has_no_critical_finding_about_the_change(first, second):
    findings = compare_reports(first, second).findings
    of_the_change = [f for f in findings if not f.title.startswith(OF_ONE_HOUR)]
    assert of_the_change
    assert {f.severity for f in of_the_change} <= {"note", "warning"}
    assert not [f for f in findings if f.severity != "note" and f.tone == "better"]


def test_commits_of_few_sessions_stand_below_row_locks_of_many():
    waits = {**READS, "log file sync": (36_000, 1_800.0), "enq: TX - row lock contention": (500, 90_000.0)}
    rules = [f.rule for f in compare_reports(loaded(), loaded(waits=waits)).findings]
    assert rules.index("row-locks") < rules.index("commit-latency")
