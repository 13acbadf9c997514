"""The verdict reads well for any pair and claims nothing that is not printed."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export.report_headers import identities
from awrdiff.analysis.figures_in_words import change, listing, number, percent, seconds
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.verdict.ranked_changes import label
from parsers.model import Column, Row
from tests.golden.test_diagnosed import compared
from tests.unit.analysis.builders import column, exact, loaded, near, report, section

READS = {"db file sequential read": (100_000, 500.0)}


def replace_waits(made):
    """The report without the number of waits of its foreground events."""
    sections = []
    for s in made.sections:
        if s.id == "foreground_wait_events":
            at = s.index["waits"]
            rows = tuple(r._replace(cells=(*r.cells[:at], None, *r.cells[at + 1 :])) for r in s.records)
            s = replace(s, records=rows)  # noqa: PLW2901
        sections.append(s)
    return replace(made, sections=tuple(sections))


def prose(a, b):
    return compare_reports(a, b).summary


def test_parsing_with_flat_work():
    before = loaded(waits=READS, parse=500)
    after = loaded(
        waits={**READS, "library cache: mutex X": (10_000, 30_000.0), "latch: shared pool": (1000, 5_000.0)},
        parse=32_000,
    )
    text = prose(before, after)
    assert "Average active sessions rose from 0.42 to 10.1 (×24.3), while the work did not grow" in text
    assert "transactions and logical reads flat per second" in text
    assert "; parsing took 88 % of DB time, up from 33 %." in text
    assert "Waits for shared pool and library cache account for all of the rise of 9.7 sessions" in text


def test_improvement():
    text = prose(
        loaded(waits={"db file sequential read": (100_000, 5000.0)}),
        loaded(waits={"db file sequential read": (100_000, 500.0)}),
    )
    assert "fell from 1.7 to 0.42 (−75 %), while the work held" in text
    assert (
        "Waits for reads through the buffer cache account for all of the drop of 1.2 sessions, mostly because the "
        "waits are shorter." in text
    )


def test_no_change():
    text = prose(loaded(), loaded())
    assert "stayed about the same (0.42 and 0.42), and so did the work" in text
    assert "67 % of DB time is CPU and 33 % db file sequential read." in text


def test_in_proportion_to_the_load():
    text = prose(loaded(), loaded(waits={"db file sequential read": (200_000, 1000.0)}, cpu=2000, work=2.0))
    assert "in proportion to the work" in text
    assert "CPU accounts for 0.28 of the rise of 0.42 sessions" in text


@pytest.mark.parametrize(("reads_s", "work", "said_of_it"), [
    (700.0, 1.0, "rose from 0.42 to 0.47 (+13 %), with about as much work: transactions and logical reads flat"),
    (700.0, 1.1, "rose from 0.42 to 0.47 (+13 %), in proportion to the work: transactions and logical reads +10 %"),
    (325.0, 1.0, "fell from 0.42 to 0.37 (−12 %), with about as much work: transactions and logical reads flat"),
])  # fmt: skip
def test_little_more_for_as_much_work_is_not_in_proportion(reads_s, work, said_of_it):
    """A tenth more DB time is within what two hours differ by; work that did not move has no part in it."""
    assert said_of_it in prose(loaded(), loaded(waits={"db file sequential read": (100_000, reads_s)}, work=work))


def test_other_work_is_not_called_the_same():
    """Twice the transactions with a tenth of the logical reads: neither more work nor less."""
    other = {"work": 2.0, "reads": 1_800_000.0}
    mixed = "but the work is of another kind: transactions +100 % and logical reads −90 % per second"
    assert mixed in prose(loaded(), loaded(cpu=300, waits={}, **other))
    assert f"stayed about the same (0.42 and 0.42), {mixed}" in prose(loaded(), loaded(**other))


def test_a_measure_that_moved_alone():
    waits = {"db file sequential read": (100_000, 5000.0)}
    assert "far more than the workload: transactions flat and logical reads +39 %" in prose(
        loaded(), loaded(waits=waits, reads=50_000_000.0)
    )
    some = prose(loaded(waits=waits), loaded(reads=9_000_000.0))
    part = "; some of the work fell as much or more (logical reads −75 % per second), some did not (transactions flat)."
    assert part in some
    assert "though the work changed: transactions flat and logical reads +39 %" in prose(
        loaded(), loaded(reads=50_000_000.0)
    )


def test_cpu_bound():
    text = prose(loaded(busy=40), loaded(cpu=18_000, busy=97))
    assert "CPU accounts for all of the rise of 4.7 sessions." in text
    assert "The host's CPUs are 97 % busy, up from 40 %: part of every wait is waiting for CPU." in text


def test_a_host_that_others_keep_busy():
    """2.5 of the 7.8 CPUs that are busy."""
    a, b = loaded(busy=40), loaded(cpu=9_000, busy=97)
    told = "The host's CPUs are 97 % busy, mostly for others than this database, up from 40 %: part of every wait"
    assert told in prose(a, b)
    (found,) = (f for f in compare_reports(a, b).findings if f.rule == "host-cpu-saturated")
    assert found.text.endswith("on CPU; others took most of the 7.8 CPUs that were busy in Second.")


def test_io_bound():
    text = prose(loaded(), loaded(waits={"db file sequential read": (100_000, 5000.0)}))
    assert "Waits for reads through the buffer cache" in text
    assert "mostly because the waits are longer" in text


def test_threads_of_one_processor_do_not_make_a_database_idle():
    """192 threads on 24 virtual CPUs: 0.3 sessions are worth a word there, of 192 CPUs they are not."""
    columns = (Column("statistic", "Statistic"), column("value", "as_labelled", "level"))
    threads = section("os_statistics", columns, [("NUM_VCPUS", exact(24))])
    on_aix, plain = (loaded(cpu=500, cpus=192, more=more) for more in ([threads], []))
    on_aix = replace(on_aix, sections=tuple(s for s in on_aix.sections if s.id != "os_statistics" or s is threads))
    assert (Side(on_aix).processors, Side(plain).processors, Side(report(cpus=None)).processors) == (24, 192, 0)
    assert "active sessions on 192 CPUs" not in prose(on_aix, on_aix)
    assert "0.28 and 0.28 active sessions on 192 CPUs" in prose(plain, plain)


def test_both_hosts_of_two_idle_periods():
    idle = {"cpu": 1, "waits": {}, "work": 0.0001}
    assert "0.00028 and 0.00028 active sessions on 8 CPUs." in prose(loaded(**idle), loaded(**idle))
    small = loaded(**idle)
    small = replace(small, host=replace(small.host, cpus=4))
    assert prose(loaded(**idle), small).endswith("active sessions on 8 and 4 CPUs.")


def test_more_work_than_time():
    grown = loaded(waits={"db file sequential read": (200_000, 1000.0)}, cpu=2000, work=50.0)
    assert "far less than the work did: transactions and logical reads ×50.0" in prose(loaded(), grown)
    back = prose(grown, loaded())
    assert "far less than the work did" in back
    assert "of the drop of" in back


def test_one_cause_is_never_more_than_the_whole():
    """5.1 of 4.9 would read as nonsense: something else went the other way."""
    a = loaded(waits={"x": (1000, 200.0)}, cpu=400)
    b = loaded(waits={"db file sequential read": (1000, 3700.0)}, cpu=400)
    assert "account" not in prose(a, b)


def test_a_wait_printed_as_zero_is_at_most_half_its_digit():
    a = loaded(waits={"log file sync": (36_000, 72.0)})
    cells = ("log file sync", exact(36_000), near(0), near(0, 0.0005), exact(0))
    zero = replace(a.by_id["foreground_wait_events"], records=(Row(cells),))
    a = replace(a, sections=tuple(zero if s.id == zero.id else s for s in a.sections))
    text = prose(a, loaded(waits={"log file sync": (36_000, 144.0)}))
    assert "A commit waited 4.00 ms (under 13.9 µs in First)" in text


def test_different_lengths_compare_sessions():
    assert "rose from 0.42 to 0.83 (+100 %)" in prose(loaded(), loaded(elapsed=1800.0, work=0.5))


def test_queueing_for_cpu():
    """Only a busy host queues; else nobody knows, and that is said, once."""
    assert "not on CPU: sessions queued for CPU." in prose(loaded(), loaded(db_time=9000, busy=90))
    text = prose(loaded(), loaded(db_time=9000))
    assert text.startswith(
        "Unaccounted-for time, neither CPU nor a wait, holds all of the rise of 2.1 active sessions."
    )
    assert "queued" not in text
    assert text.count("naccounted") == 1


def test_missing_figures():
    text = prose(report(), loaded())
    assert text.startswith(
        "No verdict: First prints no DB time and wait events (read: 0 tables); fetch the whole report."
    )
    assert "None" not in text
    assert (
        "What is not printed in both reports is not weighed: Time Model Statistics: parse time elapsed; Foreground "
        "Wait Events" in prose(report(), report())
    )


def test_waits_that_one_report_does_not_print_did_not_go():
    """DB time held: what First waited for Second may have waited for as well."""
    first, second = loaded(), loaded(cpu=1_200, db_time=1_700)
    without = replace(second, sections=tuple(s for s in second.sections if s.id != "foreground_wait_events"))
    made = compare_reports(first, without)
    assert "buffer cache" not in made.summary
    assert "What is not printed in both reports is not weighed: Foreground Wait Events" in made.summary
    assert "No single wait" not in made.summary
    assert {label(m.subject) for m in made.ranked.movers} == {"CPU"}


def test_waits_whose_times_cannot_be_read_did_not_go():
    second = loaded(cpu=1_200, db_time=1_700)
    sections = [
        replace(s, records=_without_times(s)) if s.id == "foreground_wait_events" else s for s in second.sections
    ]
    made = compare_reports(loaded(), replace(second, sections=tuple(sections)))
    assert "buffer cache" not in made.summary
    assert {label(m.subject) for m in made.ranked.movers} == {"CPU"}


def _without_times(section):
    at = section.index["total_wait_time_s"]
    return tuple(r._replace(cells=(*r.cells[:at], None, *r.cells[at + 1 :])) for r in section.records)


def test_a_side_that_is_nearly_idle_has_no_cost_of_its_work():
    """Its few seconds are the database's own."""
    idle = {"cpu": 20.0, "waits": {"db file sequential read": (100, 0.1)}, "work": 0.001}
    text = prose(loaded(), loaded(**idle))
    assert text.startswith(
        "Both hours are calm: average active sessions fell from 0.42 to 0.0056 (−99 %): Second is nearly idle (transactions and logical "
        "reads ÷1,000 per second). CPU accounts for"
    )
    made = compare_reports(loaded(**idle), loaded())
    assert "rose from 0.0056 to 0.42 (×74.6): First is nearly idle (" in made.summary
    load = next(f for f in made.findings if f.rule == "load-against-db-time")
    assert (load.title, load.tone) == ("First is nearly idle.", "neutral")
    assert "DB time " not in load.text
    assert "db-cpu" not in {f.rule for f in made.findings}


def test_commits_that_matter():
    a = loaded(waits={"log file sync": (36_000, 72.0)})
    b = loaded(waits={"log file sync": (36_000, 144.0)})
    assert (
        "A commit waited 4.00 ms (2.00 ms in First), of which at most 3.00 ms (75 %) was not the redo write itself."
        in prose(a, b)
    )
    assert "A commit waited 2.00 ms on both sides" in prose(a, a)


def test_slow_writes_beneath_far_longer_waits():
    slow = loaded(waits={"log file sync": (36_000, 36_000.0)}, background={"log file parallel write": (3_000, 600.0)})
    text = prose(loaded(waits={"log file sync": (36_000, 72.0)}), slow)
    assert text.startswith("A redo write takes 200 ms (1.00 ms before): commits hold all of the rise of 10")
    assert "(80 %) was not the redo write itself." in text  # the log writer has time: no queue
    assert "themselves" not in text


def run(commits, elapsed, *, sync=None, work=1.0):
    """One session that did its work with so many commits."""
    waits = {"log file sync": (commits, sync)} if sync else {}
    return loaded(elapsed=elapsed, db_time=elapsed, waits=waits, commits=commits / work, work=work)


def test_the_same_work_with_fewer_commits():
    text = prose(run(15_000, 1386.0, sync=501.0), run(5_000, 771.0, sync=192.0))
    assert text.startswith(
        "The same work took 771 s rather than 1,386 s, with 5,000 commits rather than 15,000. By these"
    )
    assert "it takes about 464 s plus 61.5 ms for each commit." in text
    assert "the two took 885 s and 579 s: it explains 309 s of the 615 s between them" in text
    assert "transactions" not in text  # they measure how often it was committed, not the work


@pytest.mark.parametrize(
    "second",
    [
        run(10_000, 771.0),  # not half as many commits
        run(5_000, 771.0, work=2.0),  # other work
        run(5_000, 1400.0),  # fewer commits took longer
        run(5_000, 1386.0),  # hours of a clock
    ],
)
def test_no_runs_of_the_same_work(second):
    assert "The same work took" not in prose(run(15_000, 1386.0), second)


def test_a_time_without_its_number_of_waits():
    a, b = (replace_waits(loaded(waits={"log file sync": (36_000, total)})) for total in (72.0, 144.0))
    assert "Commits waited 144 s (72.0 s in First) in all; how often is not printed." in prose(a, b)
    assert "Commits waited 72.0 s in all in First; Second does not print log file sync." in prose(a, loaded(waits={}))


def test_commits_below_a_write():
    a = loaded(waits={"log file sync": (36_000, 72.0)}, background={"log file parallel write": (100, 0.9)})
    assert "less than an average redo write took" in prose(a, a)


def test_commits_that_do_not():
    few = loaded(waits={"log file sync": (50, 1.0)})
    assert "ommit" not in prose(few, few)
    cheap = loaded(waits={"log file sync": (36_000, 30.0)})
    assert "ommit" not in prose(cheap, cheap), "3 % of DB time, as before"


def test_two_idle_periods_get_one_calm_sentence():
    quiet = loaded(cpu=3.0, waits={}, parse=2.0, work=0.001)
    assert prose(quiet, loaded(cpu=9.0, waits={}, parse=8.0, work=0.001)) == (
        "Both periods are nearly idle: 0.00083 and 0.0025 active sessions on 8 CPUs."
    )


def test_a_measure_of_the_work_that_collapsed():
    """Half the executions in twenty times the DB time: in the first sentence, with what did not collapse."""
    before, after = loaded(), loaded(waits={"latch: shared pool": (1000, 30_000.0)}, work=0.4)
    assert (
        "rose from 0.42 to 8.6 (×20.7), while transactions, user calls, executions and logical reads fell to 40 %. "
        in prose(before, after)
    )


def test_at_most_four_sentences():
    waits = {"log file sync": (36_000, 36_000.0)}
    text = prose(
        loaded(), loaded(waits=waits, cpu=9000, busy=97, background={"log file parallel write": (3000, 600.0)})
    )
    assert len(re.findall(r"[.](?: |$)", text)) <= 4


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (number(81.37), "81.4"),
        (number(12_345.6), "12,346"),
        (number(0.123), "0.12"),
        (number(0.0), "0"),
        (seconds(0.00061), "610 µs"),
        (seconds(5.648), "5.65 s"),
        (seconds(0), "0 s"),
        (seconds(-0.001), "-1.00 ms"),
        (percent(0.876), "88 %"),
        (percent(0.0001), "under 0.1 %"),
        (percent(0), "0 %"),
        (change(100, 113), "+13 %"),
        (change(100, 78), "−22 %"),
        (change(100, 2180), "×21.8"),
        (change(100, 101), "flat"),
        (change(1710, 1), "÷1,710"),
        (change(0, 5), "from nothing"),
        (change(0, 0), "unchanged"),
        (listing(["a", "b", "c"]), "a, b and c"),
        (listing([]), ""),
    ],
)
def test_words(words, expected):
    assert words == expected


def test_parts_that_come_to_more_than_all_of_db_time_are_said_to():
    over = loaded(waits={"db file sequential read": (100_000, 5_000.0)}, cpu=1_000.0, db_time=1_500.0)
    said = compare_reports(over, over).summary
    assert "333 % of DB time is db file sequential read and 67 % CPU (more than all of it:" in said
    level = loaded(waits={"db file sequential read": (100_000, 500.0)}, cpu=1_000.0, db_time=1_500.0)
    assert "more than all of it" not in compare_reports(level, level).summary


SCATTERED = {"db file scattered read": (10_000, 500.0)}


def test_time_that_went_elsewhere_is_told_of_both_sides():
    """As much DB time: a third of it in other reads than before."""
    assert prose(loaded(), loaded(waits=SCATTERED)).endswith(
        "67 % of Second's DB time is CPU and 33 % db file scattered read; "
        "67 % of First's is CPU and 33 % db file sequential read."
    )
    assert "of Second's" not in prose(loaded(), loaded(waits={"db file sequential read": (100_000, 520.0)}))


def test_two_databases_that_spend_as_much_otherwise():
    text = prose(loaded(), loaded(waits=SCATTERED, dbid="2", host="db2"))
    assert "of Second's DB time is CPU and 33 % db file scattered read; 67 % of First's is CPU" in text


def test_one_cpu_is_one():
    made = compare_reports(loaded(cpus=1), loaded(cpus=2))
    assert [one.cpus for one in identities(made)] == ["1 CPU", "2 CPUs"]


@pytest.mark.parametrize(
    ("case", "told"),
    [
        (
            "five minutes of a storm",
            "Second's mean hides a peak: 43.3 active sessions were sampled from 09:55 on (5 min)",
        ),
        ("First had the peak", "First's mean hides a peak: 43.3 active sessions were sampled from 09:55 on (5 min)"),
        ("an even hour", ""),
        ("an analysis that the hour's DB time cannot hold", ""),
    ],
)
def test_the_peak_of_the_worse_hour_stands_in_the_verdict(case, told):
    summary = compared(case).summary
    assert told in summary if told else "hides a peak" not in summary
