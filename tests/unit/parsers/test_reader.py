"""Whole files: what is read, what is refused and in which words."""

from __future__ import annotations

import json

import pytest

from parsers import UnsupportedReport, parse_report
from parsers.model import Value
from tests.unit.parsers.reports import DATABASE, HOST, report, section, snapshots, table

EVENTS = ["Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait (ms)", "Waits /txn", "% DB time"]


def test_known_section_with_units_and_notes() -> None:
    rows = [["log file sync", "182,739", "0", "94", "0.52", "0.50", "1.5"], ["x:", "", "", "", "", "", ""]]
    read = parse_report(report(section("Foreground Wait Events", table(EVENTS, *rows), notes=["ordered"])))
    events = read.section("foreground_wait_events")
    assert events
    assert events.notes == ("ordered",)
    first, second = events.records
    assert events.number(first, "waits") == Value(182_739, 0)
    assert events.number(first, "total_wait_time_s") == Value(94, 0.5)
    assert events.number(first, "avg_wait_s") == Value(pytest.approx(0.00052), pytest.approx(0.000005))  # type: ignore[arg-type]
    assert events.key_of(second) == ("x",), "the trailing colon is no part of the key"
    assert events.number(second, "waits") is None
    assert not read.issues


def test_average_wait_from_12_2_carries_its_unit() -> None:
    labels = [label.replace("Avg wait (ms)", "Avg wait") for label in EVENTS]
    rows = [["a", "1", "", "1", "174.98us", "", ""], ["b", "1", "", "1", "52.86 s", "", ""]]
    events = parse_report(report(section("Foreground Wait Events", table(labels, *rows)))).section(
        "foreground_wait_events"
    )
    assert events
    assert [r["avg_wait_s"].number for r in events.rows] == [pytest.approx(174.98e-6), 52.86]  # type: ignore[union-attr]


def test_split_tables_are_joined_and_repeats_kept_apart() -> None:
    labels = ["Statistic", "Total", "per Second", "per Trans"]
    key = section("Key Instance Activity Stats", table(labels, ["redo size", "3,600", "1.00", "2.00"]))
    other = section("Other Instance Activity Stats", table(labels, ["user commits", "36", "0.01", "0.02"]))
    read = parse_report(report(key, other))
    activity = read.section("instance_activity")
    assert activity
    assert [(activity.key_of(r), r.unit) for r in activity.records] == [
        (("redo size",), "bytes"),
        (("user commits",), "count"),
    ]
    files = section("File IO Stats", table(["Tablespace", "Filename", "Reads"], ["T", "f", "1"], ["T", "f", "2"]))
    again = parse_report(report(files)).section("file_io")
    assert again
    assert [again.key_of(r) for r in again.records] == [("T", "f"), ("T", "f", "#2")]


def test_unknown_tables_are_kept_and_typed_by_their_looks() -> None:
    rows = [["one", "12", "5.5", "1.5ms", "N/A"], ["two", "13", "", "2us", ""]]
    labels = ["Gadget", "Turns", "% Busy", "Avg Spin", "Remark"]
    read = parse_report(report(*[section("Gadget Statistics", table(labels, *rows))] * 2))
    first, second = (s for s in read.sections if not s.known)
    assert (first.id, second.id) == ("gadget_statistics", "gadget_statistics_2")
    assert [(c.id, c.unit) for c in first.columns] == [
        ("gadget", None), ("turns", "count"), ("pct_busy", "percent"), ("avg_spin_s", "s"), ("remark", None),
    ]  # fmt: skip
    assert first.key == ("gadget",)


def test_unknown_column_is_kept_and_noted() -> None:
    read = parse_report(
        report(section("Enqueue Activity", table(["Enqueue Type (Request Reason)", "Novelty"], ["TX", "7"])))
    )
    enqueues = read.section("enqueue_activity")
    assert enqueues
    assert [c.id for c in enqueues.columns] == ["enqueue", "novelty"]
    assert [(i.code, i.section, i.ours) for i in read.issues] == [("unknown-column", "enqueue_activity", True)]


@pytest.mark.parametrize("swap", [False, True])
def test_a_column_of_texts_in_one_table_and_of_numbers_in_the_next_is_one_of_texts(swap: bool) -> None:
    """Where the names are lost, the first column is told by its looks, and what looks like texts names the rows."""
    named = section("Key Instance Activity Stats", table(["Novelty", "Total"], ["redo size", "3,600"]))
    lost = section("Other Instance Activity Stats", table(["Novelty", "Total"], ["-8.33", "36"]))
    activity = parse_report(report(*[lost, named] if swap else [named, lost])).section("instance_activity")
    assert activity
    assert (activity.columns[0].unit, activity.key) == (None, ("novelty",))
    assert [(activity.key_of(r), r.unit, r.cells[1]) for r in sorted(activity.records, key=activity.key_of)] == [
        (("-8.33",), "count", Value(36, 0)),
        (("redo size",), "bytes", Value(3600, 0)),
    ]


def test_overflow_and_rubbish_are_missing_and_noted() -> None:
    rows = [["a", "####", "0", "1", "1", "1", "1"], ["b", "12x", "0", "1", "1", "1", "1"]]
    read = parse_report(report(section("Foreground Wait Events", table(EVENTS, *rows))))
    events = read.section("foreground_wait_events")
    assert events
    assert [r["waits"] for r in events.rows] == [None, None]
    assert [(i.code, i.ours) for i in read.issues] == [("unreadable-number", False)]


def test_load_profile_rows_carry_their_units() -> None:
    labels = ["", "Per Second", "Per Transaction", "Per Exec", "Per Call"]
    rows = [
        ["DB Time(s):", "2.2", "18.4", "0.46", "0.46"],
        ["Redo size:", "1,234.5", "6", "", ""],
        ["Read IO (MB):", "7.5", "1", "", ""],
    ]
    html = "<h3>Report Summary</h3><p />Load Profile<p />" + table(labels, *rows)
    profile = parse_report(report(html)).section("load_profile")
    assert profile
    assert [(profile.key_of(r), r.unit) for r in profile.records] == [
        (("DB Time(s)",), "s"), (("Redo size",), "bytes"), (("Read IO (MB)",), "MB"),
    ]  # fmt: skip
    assert profile.number(profile.records[2], "per_second") == Value(7.5, pytest.approx(0.05))


def test_pairs_without_a_header() -> None:
    html = "<h3>Report Summary</h3><p />Instance Efficiency Percentages (Target 100%)<p />" + table(
        [], ["Buffer Nowait %:", "100.00", "Redo NoWait %:", "99.50"], ["Library Hit %:", "98.01", "", ""]
    )
    efficiency = parse_report(report(html)).section("instance_efficiency")
    assert efficiency
    assert [(r["metric"], r["pct"].number) for r in efficiency.rows] == [  # type: ignore[union-attr]
        ("Buffer Nowait %", 100), ("Redo NoWait %", 99.5), ("Library Hit %", 98.01),
    ]  # fmt: skip


def test_document_is_json_and_repeats_the_name() -> None:
    read = parse_report(
        report(section("Foreground Wait Events", table(EVENTS, ["é", "1", "", "1", "1", "1", "1"]))), name="a/b.html"
    )
    document = json.loads(json.dumps(read.as_dict()))
    assert (document["schema"], document["file"], document["kind"]) == ("awrdiff.report/1", "a/b.html", "awr")
    assert document["sections"][-1]["rows"][0]["pct_timeouts"] is None


def test_cut_report_says_where_it_ends() -> None:
    read = parse_report(
        report(section("Foreground Wait Events", table(EVENTS, ["a", "1", "", "1", "1", "1", "1"])), whole=False)
    )
    (issue,) = read.issues
    assert issue.code == "truncated"
    assert "Foreground Wait Events" in issue.text
    assert [(s.id, s.coverage) for s in read.sections[-2:]] == [
        ("snapshot_information", "all"), ("foreground_wait_events", "top"),
    ]  # fmt: skip
    assert read.gaps == (issue,)


PAGE = "<html><body><h1>Lunch menu</h1><table><tr><td>Soup</td></tr></table></body></html>"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"\x89PNG\r\n\x1a\n0000", "PNG"),
        (b"PK\x03\x04 word/document.xml", "a Word document"),
        (b"%PDF-1.7", "PDF"),
        (PAGE.encode(), "no Oracle performance report"),
        (b"just some text", "no Oracle performance report"),
        (report(header="<h1>WORKLOAD REPOSITORY report for</h1>"), "an AWR report without a single row"),
        (b"STATSPACK report for\n", "a Statspack report without a single row"),
        (report(header=DATABASE + HOST + snapshots(end="10")), "same snapshot"),
        (report(header=DATABASE + HOST + snapshots(elapsed="60,12 (mins)")), "decimal commas"),
        (report(header=DATABASE + HOST + snapshots(db_time="1.234,5 (mins)")), "decimal commas"),
        (b"\xff\xfe\x00", "Oracle"),
        (b"\0" * 1000, "Oracle"),
    ],
)
def test_refused_in_a_sentence(data: bytes, words: str) -> None:
    with pytest.raises(UnsupportedReport, match=words) as refused:
        parse_report(data)
    assert str(refused.value).endswith((".", ")"))
    assert len(str(refused.value)) > 15


@pytest.mark.parametrize("cut", range(0, 3000, 97))
def test_cut_anywhere_it_reads_or_refuses(cut: int) -> None:
    whole = report(section("Foreground Wait Events", table(EVENTS, *[["a", "1", "", "1", "1", "1", "1"]] * 9)))
    try:
        read = parse_report(whole[:cut])
    except UnsupportedReport:
        return
    assert read.sections


def test_what_holds_the_words_of_a_table_is_no_translation() -> None:
    with pytest.raises(UnsupportedReport, match="no Oracle performance report"):
        parse_report(b"log file sync took 3 ms\nlatch: shared pool is what I saw 5 times\n")
