"""What a reader is told at the limits of the rules: tone, title, and the pieces that a sentence is put together of."""

from __future__ import annotations

import pytest

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.single_report import assess
from awrdiff.analysis.verdict.diagnosis import OF_ONE_HOUR
from parsers.model import Column
from tests.unit.analysis.builders import (
    activity,
    column,
    exact,
    instead,
    loaded,
    parameters,
    section,
    time_model,
)
from tests.unit.analysis.commit_builders import histogram

READ = "db file sequential read"


def by_rule(a, b):
    return {f.rule: f for f in compare_reports(a, b).findings}


@pytest.mark.parametrize(
    ("busy", "cpu", "tone"),
    [(90, 1_000.0, "neutral"), (91, 1_000.0, "worse"), (92, 1_000.0, "worse"), (86, 2_800.0, "worse")],
)
def test_a_saturated_host_is_worse_where_it_is_five_points_busier_or_the_database_took_more(busy, cpu, tone):
    assert by_rule(loaded(busy=86), loaded(busy=busy, cpu=cpu))["host-cpu-saturated"].tone == tone


@pytest.mark.parametrize(
    ("count", "average", "rule", "title"),
    [
        (1.8, 2.0, "event-latency", "Longer and more waits for"),
        (2.0, 1.8, "event-count", "More and longer waits for"),
        (0.65, 0.55, "event-latency", "Shorter and fewer waits for"),
        (0.55, 0.65, "event-count", "Fewer and shorter waits for"),
        (1.0, 3.0, "event-latency", "Longer waits for"),
        (0.3, 1.0, "event-count", "Fewer waits for"),
    ],
)
def test_what_moved_most_comes_first(count, average, rule, title):
    a, b = loaded(waits={READ: (100_000, 500.0)}), loaded(waits={READ: (100_000 * count, 500.0 * count * average)})
    assert by_rule(a, b)[rule].title == f"{title} {READ}."


def test_parsing_in_windows_of_different_length():
    """No seconds beside each other: shares, and sessions."""
    a, b = loaded(parse=15.0), loaded(parse=900.0, elapsed=7200.0)
    text = by_rule(a, b)["parsing-dominates"].text
    assert text == "Parse time 1 % → 60 % of DB time; hard parsing 0.5 % → 30 %; 0.0042 → 0.12 active sessions."


def failing(seconds: float, count: float | None = None):
    """An hour with failed parses; None = no row tells how many."""
    times = {"db_time": 1500.0, "db_cpu": 1000.0, "parse_time_elapsed": 100.0, "failed_parse_elapsed_time": seconds}
    work = {"user commits": 36_000, "user calls": 360_000, "execute count": 720_000}
    if count is not None:
        work["parse count (failures)"] = count
    return instead(loaded(), time_model(**times), activity(work))


def test_parse_errors_of_which_a_side_lists_none():
    """A list of what is not zero leaves them out: there were none."""
    finding = by_rule(failing(0.01), failing(400.0, 5_000))["parse-failures"]
    assert finding.title == "Parse errors: new."
    assert "; 0 → 5,000 failed parses" in finding.text


@pytest.mark.parametrize(
    ("first", "second", "tone"),
    [
        ((360_000, 500.0), (1_440_000, 2_000.0), "worse"),
        ((1_440_000, 2_000.0), (360_000, 500.0), "better"),
        ((360_000, 2_000.0), (1_440_000, 500.0), "neutral"),  # more blocks, quicker
        ((1_440_000, 500.0), (360_000, 2_000.0), "neutral"),
    ],
)
def test_reads_are_worse_or_better_where_their_waits_moved_along(first, second, tone):
    def reading(blocks, seconds):
        work = {"user calls": 360_000, "execute count": 720_000, "physical reads": blocks}
        return instead(loaded(waits={READ: (100_000, seconds)}), activity(work))

    assert by_rule(reading(*first), reading(*second))["physical-reads"].tone == tone


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [(50, 100, True), (100, 50, True), (49, 99, False), (100, 190, False), (190, 100, False)],
)
def test_reads_are_told_from_a_hundred_a_second_and_twice_as_many_on(first, second, told):
    a, b = (instead(loaded(), activity({"user calls": 36_000, "physical reads": n * 3600})) for n in (first, second))
    assert ("physical-reads" in by_rule(a, b)) is told


@pytest.mark.parametrize(("sessions", "told"), [(165, True), (164, False)])
def test_sessions_are_many_more_from_half_as_many_again_on(sessions, told):
    assert ("session-storm" in by_rule(loaded(sessions=(110, 110)), loaded(sessions=(110, sessions)))) is told


def test_redo_of_a_transaction_wants_transactions():
    bare = instead(loaded(), activity({"user calls": 360_000, "redo size": 900_000_000}))
    (redo,) = (r for r in compare_reports(bare, bare).rules if r.rule == "redo")
    assert (redo.state, redo.by) == ("unknown", "transactions")


@pytest.mark.parametrize(("spent", "told"), [(600.0, False), (1_000.0, True)])
def test_temporary_segments_are_told_from_a_twentieth_of_db_time_on(spent, told):
    """Beside 14,500 s."""
    b = loaded(cpu=14_000.0, waits={READ: (100_000, 500.0), "direct path write temp": (10_000, spent)})
    assert ("temp-io" in by_rule(loaded(cpu=14_000.0), b)) is told


@pytest.mark.parametrize(
    ("counts", "title", "tone"),
    [
        ((36_000, 18_000), "Each commit waits longer.", "worse"),
        ((18_000, 36_000), "Each commit waits more briefly.", "neutral"),
    ],
)
def test_each_commit_may_wait_longer_or_less_in_as_much_time(counts, title, tone):
    a, b = (loaded(waits={"log file sync": (count, 360.0)}) for count in counts)
    finding = by_rule(a, b)["commit-latency"]
    assert (finding.title, finding.tone) == (title, tone)


@pytest.mark.parametrize(
    ("first", "second", "waited", "title", "tone"),
    [
        (30.0, 30.0, (1_000.0, 1_000.0), "are slow on both sides", "neutral"),
        (36.0, 30.0, (1_300.0, 1_000.0), "are slow on both sides", "better"),
        (30.0, 36.0, (1_000.0, 1_300.0), "are slow on both sides", "worse"),
        (1.0, 30.0, (40.0, 1_000.0), "became slower", "worse"),
        (1.0, 30.0, (1_000.0, 500.0), "became slower", "neutral"),  # of fewer commits
        (30.0, 1.0, (1_000.0, 40.0), "became faster", "better"),
        (30.0, 1.0, (500.0, 1_000.0), "became faster", "neutral"),
    ],
)
def test_writes_of_every_kind(first, second, waited, title, tone):
    """Milliseconds each, and seconds that commits waited for them."""
    kinds = ("log file parallel write", "db file parallel write", "control file parallel write")

    def writing(ms, spent):
        waits = {"log file sync": (36_000, spent)}
        return loaded(waits=waits, background=dict.fromkeys(kinds, (10_000, 10.0 * ms)))

    finding = by_rule(writing(first, waited[0]), writing(second, waited[1]))["writes-together"]
    assert (finding.title, finding.tone) == (f"Writes of every kind {title}.", tone)


@pytest.mark.parametrize(
    ("first", "second", "title"),
    [
        (2.0, 5.0, "More single-block reads take long."),
        (5.0, 2.0, "Fewer single-block reads take long."),
        (2.0, 3.6, ""),
        (3.6, 2.0, ""),
        (0.3, 0.9, ""),  # of a hundred less than one
        (0.9, 0.3, ""),
    ],
)
def test_a_tail_of_reads_is_told_from_twice_the_other_on(first, second, title):
    """Percent of the reads that took over 32 ms."""

    def reads(tail):
        shares = [100 - tail, *[None] * 5, tail]
        return loaded(waits={READ: (100_000, 500.0)}, more=[histogram({READ: (exact(100_000), shares)})])

    told = by_rule(reads(first), reads(second)).get("read-tail")
    assert (told.title if told else "") == title


def host(made, **values):
    columns = (Column("statistic", "Statistic"), column("value", "as_labelled", "level"))
    return instead(made, section("os_statistics", columns, [(n, exact(v)) for n, v in values.items()]))


@pytest.mark.parametrize(
    ("before", "cpu", "tone"),
    [(False, 5_000.0, "worse"), (False, 1_000.0, "neutral"), (True, 5_000.0, "neutral"), (True, 1_000.0, "neutral")],
)
def test_a_host_out_of_memory_is_worse_where_it_is_new_and_db_time_rose(before, cpu, tone):
    room = {"PHYSICAL_MEMORY_BYTES": 64 << 30, "SWAP_FREE_BYTES": 8 << 30, "VM_OUT_BYTES": 0}
    none = {**room, "SWAP_FREE_BYTES": 1 << 20, "VM_OUT_BYTES": 90 << 30, "FREE_MEMORY_BYTES": 1 << 30}
    finding = by_rule(host(loaded(), **(none if before else room)), host(loaded(cpu=cpu), **none))["memory-exhausted"]
    assert (finding.title, finding.tone) == ("The host is out of memory.", tone)
    assert "; 1 GB of memory are free" in finding.text


def test_swap_that_is_gone_at_the_end_was_there_at_the_beginning():
    def swapping(left):
        columns = (
            Column("statistic", "Statistic"),
            *(column(c, "as_labelled", "level") for c in ("value", "end_value")),
        )
        rows = [("PHYSICAL_MEMORY_BYTES", exact(64 << 30), None), ("SWAP_FREE_BYTES", exact(8 << 30), exact(left))]
        rows.append(("FREE_MEMORY_BYTES", exact(4 << 30), exact(1 << 30)))
        return instead(loaded(), section("os_statistics", columns, rows))

    text = by_rule(swapping(8 << 30), swapping(0))["memory-exhausted"].text
    assert text.startswith("In Second swap is used up (8 GB free at the beginning, 0 B at the end)")
    assert "; 1 GB of memory are free" in text


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ((100_000, 5_000.0), (100_000, 15_000.0), True),
        ((100_000, 200.0), (100_000, 600.0), False),  # four percent of DB time
        ((100_000, 200.0), (100_000, 800.0), True),
        ((100_000, 800.0), (100_000, 200.0), True),
        ((100_000, 5_000.0), (100_000, 5_500.0), False),  # a tenth slower
        ((100_000, 5_000.0), (50, 7.5), False),  # too few for an average
    ],
)
def test_reads_are_slower_where_they_are_enough_and_take_enough(before, after, told):
    """Beside 14,000 s of another wait and of CPU."""
    a, b = (loaded(cpu=10_000.0, waits={"x": (100, 4_000.0), READ: each}) for each in (before, after))
    finding = by_rule(a, b).get("read-latency")
    assert (finding is not None and not finding.title.startswith(OF_ONE_HOUR)) is told


def test_cpu_within_what_the_measures_of_other_work_allow_is_no_more_than_they_are():
    """Half the transactions, three times the reads: 1.8 times the CPU lies between, and no measure denies it."""
    a, b = loaded(), loaded(cpu=1_800.0, commits=18_000.0, reads=108_000_000.0)
    assert next(r for r in compare_reports(a, b).rules if r.rule == "db-cpu").state == "quiet"


@pytest.mark.parametrize(
    ("dbid", "second", "title"),
    [
        ("1", {"a": "2", "b": "1"}, "A parameter changed."),
        ("1", {"a": "2", "b": "2"}, "Parameters changed."),
        ("2", {"a": "2", "b": "1"}, "A parameter differs."),
        ("2", {"a": "2", "b": "2"}, "Parameters differ."),
    ],
)
def test_parameters_of_two_databases_did_not_change(dbid, second, title):
    a, b = loaded(more=[parameters({"a": "1", "b": "1"})]), loaded(dbid=dbid, more=[parameters(second)])
    assert by_rule(a, b)["parameters"].title == title


def test_cpu_of_the_same_work_is_held_against_the_median_of_its_measures():
    """A fifth more logical reads alone is the same work, and no excuse for a third more CPU."""
    assert by_rule(loaded(), loaded(cpu=1_350.0, reads=43_200_000.0))["db-cpu"].title == "More CPU for the same work."
    assert "db-cpu" not in by_rule(loaded(), loaded(cpu=1_350.0, work=1.2))


@pytest.mark.parametrize(
    ("busy", "title"),
    [(900.0, "Sessions contend in the global cache."), (300.0, "Sessions wait for blocks of other instances.")],
)  # fmt: skip
def test_a_block_that_the_own_instance_has_asked_for_already(busy, title):
    """Who waits for it waits behind a session beside him, whatever instance has the block."""
    gc = {"gc buffer busy acquire": (9_000, busy), "gc current block 2-way": (90_000, 1_200.0 - busy)}
    second = loaded(waits={READ: (100_000, 500.0), **gc})
    assert by_rule(loaded(waits={READ: (100_000, 500.0)}), second)["interconnect"].title == title
    assert {f.title for f in assess(second).findings if f.rule == "interconnect"} == {title}
    less = title.replace(" contend", " contend less").replace(" wait ", " wait less ")
    assert by_rule(second, loaded(waits={READ: (100_000, 500.0)}))["interconnect"].title == less
