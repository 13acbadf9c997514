"""What got worse and better, by size: one row per subject, no time twice without saying so, nothing uncertain."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.export import comparison_json
from awrdiff.analysis.export.brief_summary import as_brief
from awrdiff.analysis.export.markdown import as_markdown
from awrdiff.analysis.model.comparison import Finding, Range, Sessions, Subject
from awrdiff.analysis.verdict.ranked_changes import _extras, bounds, change_text, label
from parsers.model import Column
from tests.golden.test_diagnosed import compared
from tests.unit.analysis.builders import (
    column,
    exact,
    instead,
    loaded,
    near,
    parameters,
    report,
    section,
    statements,
)
from tests.unit.analysis.commit_builders import histogram

READS, LOCKS = "db file sequential read", "enq: TX - row lock contention"


def ranked(a, b):
    found = compare_reports(a, b).ranked
    assert found is not None
    return found


def by_label(found):
    return {label(m.subject): m for m in found.movers}


def segments(share):
    columns = (
        Column("owner", "Owner"),
        Column("object_name", "Object"),
        column("row_lock_waits"),
        Column("pct_total", "% of Capture", "percent", "neither", "share"),
    )
    rows = [("APP", "ORDERS", exact(900), exact(share)), ("APP", "ITEMS", exact(100), exact(100 - share))]
    return section("segments_by_row_lock_waits", columns, rows, key=("owner", "object_name"), coverage="top")


def sampled(shares):
    columns = (Column("sql_id", "SQL ID"), Column("event", "Event"), column("pct_activity", "percent", "level"))
    rows = [(sql_id, "CPU + Wait for CPU", near(share, 0.005)) for sql_id, share in shares.items()]
    return section("top_sql_with_top_events", columns, rows, key=("sql_id", "event"), coverage="top")


def alike(count):
    """All waits for locks in one bucket: those of one object are as long as those of another."""
    return histogram({LOCKS: (exact(count), [None, None, None, None, None, None, 100.0])})


BEFORE = loaded(
    waits={READS: (100_000, 500.0), LOCKS: (10, 10.0)},
    more=[statements({"stays": (900, 10), "last": (20, 1)}), segments(90.0), alike(10)],
)
AFTER = loaded(
    waits={READS: (50_000, 100.0), LOCKS: (1_000, 2_000.0)},
    cpu=1_200.0,
    more=[statements({"new": (1_900, 10), "stays": (900, 10), "last": (20, 1)}), segments(90.0), alike(1_000)],
)


def test_the_parts_add_up_to_the_change_of_db_time():
    found = ranked(BEFORE, AFTER)
    parts = [m for m in found.movers if m.view == "part"]
    assert {label(m.subject) for m in parts} == {LOCKS, READS, "CPU"}
    assert sum(m.change for m in parts) == pytest.approx(found.second - found.first, rel=1e-6)


def test_worse_and_better_are_told_by_what_rose_and_fell_the_largest_first():
    found = ranked(BEFORE, AFTER)
    assert [abs(m.change) for m in found.movers] == sorted((abs(m.change) for m in found.movers), reverse=True)
    rising = [label(m.subject) for m in found.from_step(1.0, rising=True)]
    assert rising[0] == LOCKS
    assert set(rising) >= {LOCKS, "new", "APP.ORDERS", "CPU"}
    assert next(label(m.subject) for m in found.from_step(1.0, rising=False)) == READS
    assert {m.tone for m in found.from_step(1.0, rising=True)} == {"worse"}
    assert {m.tone for m in found.from_step(1.0, rising=False)} == {"better"}


def test_statements_and_objects_are_the_same_time_again():
    found = by_label(ranked(BEFORE, AFTER))
    assert (found["new"].view, found["APP.ORDERS"].view) == ("again", "again")
    assert found["new"].sessions.second.low == pytest.approx(1_900 / 3_600, rel=1e-3)
    assert found["APP.ORDERS"].change == pytest.approx(0.9 * (2_000 - 10) / 3_600, rel=1e-3)


def test_an_object_that_no_finding_names_has_its_row():
    found = by_label(ranked(BEFORE, AFTER))["APP.ITEMS"]
    assert found.findings == ()
    assert found.change == pytest.approx(0.1 * (2_000 - 10) / 3_600, rel=1e-3)
    assert found.how == "its share of row lock waits: 10 % → 10 %"
    assert (found.evidence.section, found.evidence.key) == ("segments_by_row_lock_waits", "APP.ITEMS")


def test_where_waits_differ_in_length_an_object_has_at_least_the_shortest_of_them():
    """Nine in ten are of half a millisecond: they may all be on the object that has nine in ten."""
    shares = [90.0, None, None, None, None, None, 10.0]
    first, second = (
        instead(made, histogram({LOCKS: (exact(count), shares)})) for made, count in ((BEFORE, 10), (AFTER, 1_000))
    )
    short, long = 0.9 * 0.512e-3, 0.1 * 32.768e-3
    least, rest = short / (short + long) * 2_000 / 3_600, (1 - short / 9 / (short + long)) * 10 / 3_600
    assert by_label(ranked(first, second))["APP.ORDERS"].change == pytest.approx(least - rest, rel=1e-2)


def test_how_long_the_waits_for_locks_of_an_object_were_is_not_known_without_their_histogram():
    unknown = replace(AFTER, sections=tuple(s for s in AFTER.sections if s.id != "wait_event_histogram"))
    assert {"APP.ORDERS", "APP.ITEMS"}.isdisjoint(by_label(ranked(BEFORE, unknown)))
    alone = by_label(ranked(BEFORE, instead(unknown, segments(100.0))))["APP.ORDERS"]
    assert alone.sessions.second.low == pytest.approx(2_000 / 3_600, rel=1e-3)


def test_an_object_that_a_side_does_not_list_had_at_most_what_the_last_there_had():
    only = segments(90.0)
    listed = replace(only, records=[*only.records[:1]])
    before = loaded(waits={READS: (100_000, 500.0), LOCKS: (10, 10.0)}, more=[listed, alike(10)])
    entered = by_label(ranked(before, AFTER))["APP.ITEMS"]
    assert entered.how == "its share of row lock waits: not listed → 10 %"
    assert entered.sessions.first == Range(0.0, pytest.approx(0.9 * 10 / 3_600, rel=1e-2))


def test_a_subject_has_one_row_however_many_findings_are_about_it():
    made = compare_reports(BEFORE, AFTER)
    subjects = [m.subject for m in made.ranked.movers]
    assert len(subjects) == len(set(subjects))
    rules = [made.findings[at].rule for at in by_label(made.ranked)[LOCKS].findings]
    assert {"row-locks", "event-count"} <= set(rules)


def test_parses_that_are_dearer_and_another_number_are_one_row():
    found = compared("half as many hard parses, each far dearer")
    work = [m for m in found.ranked.movers if m.subject.kind == "work" and "pars" in m.subject.key]
    assert [label(m.subject) for m in work] == ["Parsing"]
    assert {found.findings[at].rule for at in work[0].findings} >= {"hard-parse-rate", "cost-per-unit"}


def test_an_unlisted_statement_took_at_most_what_the_last_listed_one_did():
    entered = by_label(ranked(BEFORE, AFTER))["new"]
    assert entered.sessions.first == Range(0.0, pytest.approx(20 / 3_600, rel=1e-3))
    assert bounds(entered.sessions.first) == "≤ 0.0056"
    assert entered.change == pytest.approx((1_900 - 20) / 3_600, rel=1e-3)  # the least that it can be
    assert entered.how == "not in First's top SQL"


def test_a_statement_that_may_have_left_the_shared_pool_is_no_improvement():
    """AWR prints what its list captures: the rest may hold a statement that is in no list."""
    before = loaded(cpu=1_600, more=[statements({"busy": (1_200, 10), "insert": (300, 10)})])
    for captured, better in ((80.3, []), (97.0, ["insert"])):
        note = (f"Captured SQL account for {captured}% of Total DB Time (s): 1,600",)
        after = loaded(cpu=1_600, more=[replace(statements({"busy": (1_200, 10), "last": (20, 1)}), notes=note)])
        assert [m.subject.key for m in ranked(before, after).movers if m.change < 0] == better


def test_where_lists_hold_little_an_unlisted_statement_may_have_taken_the_rest():
    little = loaded(more=[statements({"stays": (300, 10), "last": (20, 1)})])  # 21 % of 1,500 s
    after = loaded(cpu=4_000, more=[statements({"new": (3_900, 10), "stays": (300, 10)})])
    entered = by_label(ranked(little, after))["new"]
    assert entered.sessions.first == Range(0.0, pytest.approx((1_500 - 320) / 3_600, rel=1e-3))
    assert change_text(entered) == "at least +0.76"
    assert "statement new alone at least 0.76 more" in compare_reports(little, after).summary


def test_where_lists_hold_little_samples_bound_what_an_unlisted_statement_took():
    held = replace(statements({"stays": (300, 10), "last": (20, 1)}), notes=())
    after = loaded(cpu=4_000, more=[statements({"new": (3_900, 10), "stays": (300, 10)})])
    entered = by_label(ranked(loaded(more=[held, sampled({"stays": 40.0, "least": 4.0})]), after))["new"]
    assert entered.sessions.first == Range(0.0, pytest.approx(0.04 * 1_500 / 3_600, rel=1e-3))


def test_a_statement_that_samples_give_much_of_a_side_shows_that_its_lists_miss_some():
    """The lists hold 68 %, and yet a quarter of DB time is of a statement that left the shared pool."""
    before = loaded(more=[statements({"stays": (1_000, 10), "last": (20, 1)}), sampled({"gone": 25.0, "least": 6.0})])
    after = loaded(cpu=4_000, more=[statements({"new": (2_000, 10), "gone": (1_900, 9), "stays": (300, 10)})])
    found = by_label(ranked(before, after))
    assert found["new"].sessions.first == Range(0.0, pytest.approx(0.06 * 1_500 / 3_600, rel=1e-3))
    scatter = 2 * (0.25 * 0.75 / 150) ** 0.5
    assert found["gone"].sessions.first == Range(0.0, pytest.approx((0.25 + scatter) * 1_500 / 3_600, rel=1e-3))


def test_what_the_print_leaves_open_has_no_row():
    listed = statements({"high": (900, 10)})  # what this list leaves out may have taken 900 s as well
    after = loaded(cpu=1_600, more=[statements({"high": (900, 10), "other": (600, 10)})])
    assert "other" not in by_label(ranked(loaded(more=[listed]), after))


def test_more_or_longer_waits_with_both_averages():
    found = by_label(ranked(BEFORE, AFTER))
    assert found[LOCKS].how == "more waits; 1.00 s → 2.00 s per wait"
    assert found[READS].how == "fewer and shorter waits: 5.00 ms → 2.00 ms per wait"


def test_a_wait_of_one_side_is_told_as_such():
    after = loaded(waits={READS: (100_000, 500.0), LOCKS: (10, 900.0)})
    assert by_label(ranked(loaded(), after))[LOCKS].how == "none listed in First"


def test_so_few_commit_waits_have_no_average_in_the_list_either():
    few, many = (loaded(waits={READS: (100_000, 500.0), "log file sync": of}) for of in ((15, 0.01), (200_000, 190.0)))
    for first, second, name in ((few, many, "First"), (many, few, "Second")):
        assert by_label(ranked(first, second))["log file sync"].how == f"{name} has 15 such waits"


def test_a_statement_under_another_id_that_ran_across_a_snapshot():
    texts = section("sql_text", (Column("sql_id", "SQL Id"), Column("sql_text", "SQL Text")), [], coverage="top")
    sides = [
        loaded(more=[statements({i: (seconds, runs)}), replace(texts, records=_text(i, literal))])
        for i, seconds, runs, literal in (("old", 100, 1, 1), ("other", 900, 0, 2))
    ]
    assert by_label(ranked(*sides))["other"].how == "old in First"


def family(times, last):
    """A report that lists so many ids of one text, and a statement more as the last."""
    texts = section("sql_text", (Column("sql_id", "SQL Id"), Column("sql_text", "SQL Text")), [], coverage="top")
    rows = [_text(f"q{n}", n)[0] for n in range(len(times))]
    listed = {f"q{n}": (spent, 1) for n, spent in enumerate(times)} | {"last": (last, 1)}
    return loaded(cpu=9_000.0, more=[statements(listed), replace(texts, records=rows)])


def test_of_a_text_with_many_ids_the_lists_hold_the_largest_alone():
    """Two of 200 s on one side, four on the other: as many as four may be below the end of either list."""
    short, long = family([200.0] * 2, 190.0), family([200.0] * 4, 190.0)
    assert "q0" not in by_label(ranked(short, long))
    moved = by_label(ranked(short, family([2_000.0] * 4, 190.0)))["q0"]
    assert moved.sessions.first == Range(
        pytest.approx(400 / 3_600, rel=1e-3), pytest.approx((400 + 4 * 190) / 3_600, rel=1e-3)
    )
    assert moved.change == pytest.approx((8_000 - 400 - 4 * 190) / 3_600, rel=1e-3)
    assert change_text(moved) == "at least +1.9"


def _text(sql_id, literal):
    columns = (Column("sql_id", "SQL Id"), Column("sql_text", "SQL Text"))
    return section("sql_text", columns, [(sql_id, f"select * from t where a = {literal}")], coverage="top").records


def test_an_object_is_connected_with_the_waits_it_is_measured_by():
    found = by_label(ranked(BEFORE, AFTER))
    assert [(c.subject.key, c.said) for c in found["APP.ORDERS"].connected] == [(LOCKS, "measured by")]
    assert ("APP.ORDERS", "measured by it") in [(c.subject.key, c.said) for c in found[LOCKS].connected]


def test_time_that_is_neither_wait_nor_cpu():
    found = by_label(ranked(loaded(), loaded(db_time=3_000.0)))
    rest = found["Unaccounted-for time"]
    assert (rest.view, rest.change) == ("part", pytest.approx(1_500 / 3_600, rel=1e-3))


def test_two_databases_are_neither_better_nor_worse():
    made = compare_reports(BEFORE, loaded(waits={LOCKS: (10, 900.0)}, dbid="2"))
    assert made.unrelated
    assert {m.tone for m in made.ranked.movers} == {"neutral"}
    assert "## What Second takes more of" in as_markdown([made])
    assert "got worse" not in as_markdown([made])


def test_nearly_idle_databases_have_no_list():
    quiet = loaded(cpu=10.0, waits={READS: (10, 1.0)})
    assert ranked(quiet, loaded(cpu=40.0, waits={READS: (10, 2.0)})).movers == ()


def test_reports_that_cannot_be_weighed_have_none():
    assert compare_reports(report(), report()).ranked is None


def test_parameters_that_differ_stand_beside_it_with_both_values():
    sides = [
        loaded(more=[parameters(values)])
        for values in ({"sga_target": "1", "undo_retention": "900"}, {"sga_target": "2", "optimizer_mode": "RULE"})
    ]
    assert [(s.name, s.first, s.second) for s in ranked(*sides).settings] == [
        ("sga_target", "1", "2"),
        ("optimizer_mode", None, "RULE"),
        ("undo_retention", "900", None),
    ]


def test_the_threshold_cuts_the_lists_and_says_how_many_are_left_out():
    made = compare_reports(BEFORE, AFTER)
    few = made.ranked.from_step(10.0, rising=True)
    assert 0 < len(few) < len(made.ranked.from_step(1.0, rising=True))
    assert all(made.ranked.share(m) >= 10.0 for m in few)


def test_the_summary_and_the_whole_markdown_have_the_lists():
    made = compare_reports(BEFORE, AFTER)
    brief = as_brief([made])
    assert "**What got worse, in active sessions**" in brief
    assert f"- ▲ +0.55: wait {LOCKS} (0.0028 → 0.56; more waits; 1.00 s → 2.00 s per wait)" in brief
    assert "(≤ 0.0056 → 0.53; not in First's top SQL; the same time seen another way)" in brief
    assert len(brief.splitlines()) <= 60
    whole = as_markdown([made])
    assert whole.index("## What got worse") < whole.index("## What stands out")
    assert "never to be added to the others" in whole


def test_it_is_stored_and_read_again():
    made = compare_reports(BEFORE, AFTER)
    again = comparison_json.load_overview(comparison_json.dump_overview(made))
    assert again.ranked == made.ranked
    assert again.weights == made.weights
    older = comparison_json.dump_overview(made)
    del older["ranked"], older["weights"]
    assert comparison_json.load_overview(older).ranked is None


def test_the_other_way_round_worse_is_better():
    there, back = (by_label(ranked(*pair)) for pair in ((BEFORE, AFTER), (AFTER, BEFORE)))
    assert set(there) == set(back)
    for name, mover in there.items():
        assert mover.change == pytest.approx(-back[name].change, rel=1e-6), name


def test_a_change_that_is_open_says_at_least():
    entered = by_label(ranked(BEFORE, AFTER))["new"]
    assert change_text(entered) == "+0.52"
    wide = by_label(ranked(loaded(more=[statements({"most": (900, 1), "last": (200, 1)})]), AFTER))["new"]
    assert change_text(wide) == "at least +0.47"


def test_background_events_are_no_part_of_db_time():
    after = loaded(background={"log file parallel write": (30_000, 900.0)})
    assert "log file parallel write" not in by_label(ranked(loaded(), after))


def test_a_statement_that_samples_alone_name_says_so():
    moved = compared("a statement that samples alone name, and the other side's list of samples leaves out").ranked
    (row,) = [m for m in moved.movers if m.subject.key == "0night0000001"]
    assert row.how == "not in Top SQL"


def test_what_is_found_of_single_block_reads_stands_in_their_row():
    """Reads of other kinds went the other way: "reads" as a whole took less."""
    direct = "direct path read"
    before = loaded(waits={READS: (100_000, 50.0), direct: (100_000, 3_000.0)})
    made = compare_reports(before, loaded(waits={READS: (100_000, 1_000.0), direct: (10_000, 300.0)}))
    rows = by_label(made.ranked)
    assert "read-latency" in {made.findings[at].rule for at in rows[READS].findings}
    assert "Waits for reads" not in rows


def test_the_row_of_a_subject_is_of_the_finding_that_looks_at_most_of_it():
    part, whole = (
        Finding("x", "note", "", "", (), sessions=Sessions(Range(*a), Range(*b)))
        for a, b in (((0.0, 0.0), (2.0, 2.0)), ((5.0, 5.0), (4.0, 4.0)))
    )
    parsing = (Subject("work", "parsing"),)
    assert [m.change for m in _extras([part, whole], [parsing, parsing], set())] == [-1.0]


def test_a_side_without_lists_tells_nothing_of_a_statement():
    without = loaded(waits={READS: (50_000, 100.0), LOCKS: (1_000, 2_000.0)}, cpu=1_200.0)
    assert {m.subject.kind for m in ranked(BEFORE, AFTER).movers} >= {"sql"}
    for pair in ((BEFORE, without), (without, BEFORE)):
        assert "sql" not in {m.subject.kind for m in ranked(*pair).movers}
