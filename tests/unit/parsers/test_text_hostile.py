"""Text that is no well-formed report: it ends in a report or a refusal, quickly and in bounded memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from parsers import UnsupportedReport, parse_report
from parsers.text.awr_and_statspack_reader import read_text
from tests.harness.cost import is_linear
from tests.unit.parsers.listings import END, EVENTS, FOOT, HEAD, PAGE, chapter, listing, parsed

pytestmark = pytest.mark.hostile

_ROW = "db file sequential read         520,207     0      4,568       9      2.8   71.3"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n" * 1000,
        "---",
        "--- ---\n" * 1000,
        "~~~~\n" * 1000,
        " " * 40 + "-" * 40,
        "a\n--- ---",
        "a\n~~~~",
        "~~~~ --- ---\n",
        "Host\n~~~~ --- ---\na b c",
        "Host CPU (\n~~~~~\n",
        f"X   {PAGE}",
        f"X   {PAGE}\n" * 500,
        f"X   {PAGE}\nA B\n- -\n",
        f"X   {PAGE}\nA   B\n--- ---\n~~~ ~~~\n1 2\n",
        f"    {PAGE}\n",
        "X for DB: a Instance: b\n",
        "ADDM Report for x",
        "ADDM Report for x\nADDM Report for y\n",
        "-> note\n" * 300,
        "Warning: " * 300,
        "OUTPUT\n" + "-" * 80 + "\n",
        "Event   Waits\n" * 20 + "------- -----\n",
        "\x00\x00--- ---\x00\n",
        "\u2028--- ---\x85\x0b\x0c\n",
    ],
)
def test_odd_text_never_raises(text: str) -> None:
    read_text(text)
    read_text(HEAD + text + FOOT)
    read_text(HEAD + chapter("Foreground Wait Events", "", *EVENTS, _ROW, closed=False) + text + FOOT)


def test_no_ruler_is_no_table() -> None:
    report = parsed(chapter("Foreground Wait Events", "", *EVENTS[:-1], _ROW))
    assert report.section("foreground_wait_events") is None


def test_a_ruler_alone_has_no_rows() -> None:
    assert parsed(chapter("Foreground Wait Events", "", *EVENTS)).section("foreground_wait_events") is None


def test_a_ruler_wider_than_its_rows() -> None:
    report = parsed(
        chapter("Foreground Wait Events", "", *EVENTS, "log file sync", "x                                    7")
    )
    found = report.section("foreground_wait_events")
    assert found is not None
    assert [r["waits"] and r["waits"].number for r in found.rows] == [None, 7]  # type: ignore[union-attr]


def test_a_row_wider_than_its_ruler() -> None:
    report = parsed(chapter("Foreground Wait Events", "", *EVENTS, _ROW + "9" * 500))
    assert report.section("foreground_wait_events") is not None


def test_figures_that_spill_into_the_next_column_keep_their_order() -> None:
    spilled = "db file sequential read      1,234,520,207     0      4,568       9      2.8   71.3"
    found = parsed(chapter("Foreground Wait Events", "", *EVENTS, spilled)).section("foreground_wait_events")
    assert found is not None
    (row,) = found.rows
    assert row["event"] == "db file sequential read"
    assert row["waits"].number == 1234520207  # type: ignore[union-attr]


def _among_rows(line: str, length: int) -> bytes:
    return listing(chapter("Foreground Wait Events", "", *EVENTS, line, _ROW, line), line).encode()


def _above_rulers(line: str, length: int) -> bytes:
    return listing(line, "~" * length, line, "-" * length).encode()


@pytest.mark.parametrize("made", [_among_rows, _above_rulers])
@pytest.mark.parametrize("unit", ["x", " ", "- ", "a:  1 ", "9", "\t", "--x"])
def test_a_line_of_a_megabyte(unit: str, made: Callable[[str, int], bytes]) -> None:
    def listed(length: int) -> bytes:
        return made(unit * (length // len(unit)) + ("" if unit.strip() else "x"), length)

    assert is_linear(listed, parse_report, 2**20)


def test_hundreds_of_columns_over_short_lines_take_little_memory() -> None:
    ruler = "- " * 400
    text = listing(chapter("New Stats", "", "a " * 400, ruler.strip().replace("-", "--"), *["1"] * 100_000))
    tracemalloc.start()
    read_text(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 * len(text) + 2**23


@pytest.mark.parametrize("cut", range(0, 3000, 97))
def test_cut_anywhere(cut: int) -> None:
    text = listing(
        chapter("Foreground Wait Events", "-> note", "", *EVENTS, _ROW), chapter("New", "", "a  b", "-- --", "1  2")
    )
    try:
        report = parse_report(text.encode()[:cut])
    except UnsupportedReport:
        return
    assert cut >= len(text) or [i.code for i in report.issues]


def test_names_that_look_like_marks() -> None:
    report = parsed(
        chapter(
            "Foreground Wait Events",
            "",
            *EVENTS,
            "enq: -- ~~~ contention            1     0          0       9      2.8   71.3",
            "<script>alert(1)</script>         2     0          0       9      2.8   71.3",
        )
    )
    found = report.section("foreground_wait_events")
    assert found is not None
    assert [r["event"] for r in found.rows] == ["enq: -- ~~~ contention", "<script>alert(1)</script>"]


def _large(chapters: int) -> bytes:
    rows = [
        f"event number {i:<13} {i * 17:>12,} {i % 100:>5} {i * 3:>10,} {i % 9:>7} {i / 7:>8.1f} {i % 50:>6}"
        for i in range(60)
    ]
    parts = [chapter(f"New Stats {n}", "", *EVENTS, *rows) for n in range(chapters)]
    return listing(*parts).encode()


def test_time_is_linear_in_size() -> None:
    assert is_linear(_large, parse_report, 400)


def test_the_file_is_not_gone_through_at_each_database_it_names() -> None:
    unit = "Database    DB Id    Instance\n~~~~~~~~ ----------- ------------\n          1  a\n\n" + "x y\n" * 20
    assert is_linear(lambda times: "STATSPACK report for\n\n" + unit * times, read_text, 500)


def test_a_word_is_not_tried_from_each_of_its_digits() -> None:
    """Figures that are none, within the 400 characters that are looked at of a line."""

    def tables(digits: int) -> str:
        return "STATSPACK report for\n\n" + ("aa  bb\n-----  ------\n" + "1" * digits + "x\n\n") * 1000

    assert is_linear(tables, read_text, 190)


def test_findings_of_many_chapters_share_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parsers.text.addm._MOST", 500)
    findings = "ADDM Report for Task 'x'\n" + "".join(f"Finding {n}: x\n" for n in range(100))
    document = read_text(HEAD + (findings + chapter("New", "", "a  b", "-- --", "1  2")) * 20)
    assert sum(len(t.rows) for t in document.tables if t.heading == "ADDM Findings") <= 500


def test_end_rules_without_a_table() -> None:
    assert read_text(END * 2000).tables == []


def test_of_several_reports_the_first_is_read_and_the_file_says_so() -> None:
    first = listing(chapter("New", "", "a  b", "-- --", "1  2"))
    report = parse_report((first + "\f" + first.replace("  100 ", "  200 ")).encode())
    assert report.period.begin.id == 100
    assert [i.code for i in report.issues] == ["several-reports"]
    assert len([s for s in report.sections if s.id.startswith("new")]) == 1
