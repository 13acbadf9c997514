"""Reports as people paste them: each form gives the tables of the file it was made from, or says what it left out."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable
from html import escape

import pytest

from parsers import Report, UnsupportedReport, parse_report, split_reports
from parsers.model import Value

HEAD = [
    ("", [["DB Name", "DB Id", "Instance", "Inst num", "Startup Time", "Release", "RAC"],
          ["SALES", "123456789", "sales1", "1", "12-Feb-17 08:00", "11.2.0.4.0", "NO"]]),
    ("", [["", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"],
          ["Begin Snap:", "37", "12-Feb-17 12:00:00", "25", "1.6"],
          ["End Snap:", "38", "12-Feb-17 12:06:00", "27", "2.1"],
          ["Elapsed:", "", "6.00 (mins)", "", ""],
          ["DB Time:", "", "141.00 (mins)", "", ""]]),
]  # fmt: skip
LOAD = ("Load Profile", [["", "Per Second", "Per Transaction", "Per Exec", "Per Call"],
                         ["DB Time(s):", "23.5", "4.1", "0.10", "0.02"],
                         ["Redo size:", "150,100.5", "1,400.2", "", ""]])  # fmt: skip
EVENTS = ("Top 5 Timed Foreground Events",
          [["Event", "Waits", "Time(s)", "Avg wait (ms)", "% DB time", "Wait Class"],
           ["enq: TX - row lock contention", "310", "7,900", "25484", "93.4", "Application"],
           ["DB CPU", "", "400", "", "4.7", ""],
           ["log file sync", "5,000", "30", "6", "0.4", "Commit"]])  # fmt: skip
CLASSES = ("Foreground Wait Class",
           [["Wait Class", "Waits", "%Time -outs", "Total Wait Time (s)", "Avg wait (ms)", "%DB time"],
            ["Application", "310", "0", "7,900", "25484", "93.4"]])  # fmt: skip
TITLE = "WORKLOAD REPOSITORY report for"
WHOLE = [*HEAD, LOAD, EVENTS, CLASSES]
Table = tuple[str, list[list[str]]]


def tabs(rows: list[list[str]]) -> list[str]:
    return ["\t".join(cell or "\xa0" for cell in row) for row in rows]


def pipes(rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]


def bare_pipes(rows: list[list[str]]) -> list[str]:
    lines = ["| ".join(row) + "  " for row in rows]
    return [lines[0], "|".join(["---"] * len(rows[0])), *lines[1:]]


def padded(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    return ["".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def ruled(rows: list[list[str]]) -> list[str]:
    header, *rest = padded(rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [header, "  ".join("-" * width for width in widths), *rest]


def narrow(rows: list[list[str]]) -> list[str]:
    """As a terminal's browser prints them: one blank between columns, figures to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "   "
        + " ".join(c.rjust(w) if c[:1].isdigit() else c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def spreadsheet(rows: list[list[str]]) -> list[str]:
    return ["\t".join([*row, *[""] * (9 - len(row))]) for row in rows]


def separated(sign: str) -> Callable[[list[list[str]]], list[str]]:
    def lines(rows: list[list[str]]) -> list[str]:
        out = io.StringIO()
        csv.writer(out, delimiter=sign, lineterminator="\n").writerows(rows)
        return out.getvalue().splitlines()

    return lines


FORMS = {
    "tabs": tabs,
    "pipes": pipes,
    "bare_pipes": bare_pipes,
    "padded": padded,
    "ruled": ruled,
    "narrow": narrow,
    "spreadsheet": spreadsheet,
    "commas": separated(","),
    "semicolons": separated(";"),
}


def paste(form: str, tables: list[Table], title: str = TITLE, end: str = "End of Report") -> bytes:
    lines = [title]
    for heading, rows in tables:
        lines += ["", heading, "", *FORMS[form](rows)]
    return "\n".join([*lines, "", end]).encode()


def number(report: Report, section: str, key: str, column: str) -> float | None:
    found = report.by_id[section]
    row = next(r for r in found.records if r.cells[0] == key)
    cell = found.cell(row, column)
    return cell.number if isinstance(cell, Value) else None


@pytest.mark.parametrize("form", FORMS)
def test_a_pasted_report_has_its_head_and_every_figure_in_its_column(form: str) -> None:
    report = parse_report(paste(form, WHOLE))
    assert (report.kind, report.release, report.database.name) == ("awr", "11.2.0.4.0", "SALES")
    assert report.period.db_time_s is not None
    assert report.period.db_time_s.number == 8460
    assert report.period.begin.id == 37
    assert number(report, "load_profile", "Redo size", "per_second") == 150100.5
    assert number(report, "load_profile", "Redo size", "per_exec") is None
    assert number(report, "top_timed_events", "DB CPU", "waits") is None
    assert number(report, "top_timed_events", "DB CPU", "total_wait_time_s") == 400
    assert number(report, "top_timed_events", "enq: TX - row lock contention", "avg_wait_s") == pytest.approx(25.484)
    assert number(report, "foreground_wait_classes", "Application", "waits") == 310
    assert not report.issues
    assert not report.partial


@pytest.mark.parametrize(("form", "source"), [("tabs", "copy"), ("padded", "copy"), ("pipes", "markdown")])
def test_the_document_says_in_which_form_the_report_came(form: str, source: str) -> None:
    document = parse_report(paste(form, WHOLE)).as_dict()
    assert (document["source"], document["partial"]) == (source, False)


@pytest.mark.parametrize("form", FORMS)
def test_sections_without_a_head_are_an_excerpt_with_no_identity(form: str) -> None:
    report = parse_report(paste(form, [LOAD, EVENTS], title="", end=""))
    assert (report.kind, report.source, report.partial) == ("awr", "excerpt", True)
    assert (report.release, report.database.name, report.period.elapsed_s, report.period.db_time_s) == (None,) * 4
    assert {s.coverage for s in report.sections} == {"top"}
    assert [i.code for i in report.issues] == ["excerpt"]


def test_a_quoted_excerpt_is_read_without_its_marks() -> None:
    quoted = "\n".join("> " + line for line in paste("padded", [LOAD, EVENTS], "", "").decode().split("\n"))
    assert number(parse_report(quoted.encode()), "top_timed_events", "log file sync", "waits") == 5000


@pytest.mark.parametrize("head", ["% Total Ela Time", "%Total Call Time"])
def test_the_share_that_statspack_prints_makes_an_excerpt_one_of_statspack(head: str) -> None:
    events = [["Event", "Waits", "Time (s)", head], ["log file sync", "400,000", "18,000", "60.0"]]
    report = parse_report(paste("tabs", [("Top 5 Timed Events", events)], "", ""))
    assert report.kind == "statspack"
    assert number(report, "top_timed_events", "log file sync", "pct_call_time") == 60


def test_escaped_signs_links_and_emphasis_of_markdown_are_no_part_of_a_cell() -> None:
    rows = [[r"**Event**", "Waits", "Time(s)", "% DB time"], [r"[enq: TX \| row\_lock](#tx)", "**7**", "2", "1.0"]]
    report = parse_report(paste("pipes", [("## Top 5 Timed Foreground Events", rows)], "", ""))
    assert number(report, "top_timed_events", "enq: TX | row_lock", "waits") == 7


def test_a_row_whose_figures_stand_in_no_column_is_left_out_and_named() -> None:
    events = EVENTS[0], [*EVENTS[1], ["latch free", "many", "30", "6", "0.4", "Other"]]
    report = parse_report(paste("tabs", [*HEAD, LOAD, events]))
    assert [r.cells[0] for r in report.by_id["top_timed_events"].records][-1] == "log file sync"
    assert [i.code for i in report.issues] == ["not-read"]
    assert "1 of its 4 rows" in report.issues[0].text


def test_a_section_with_rows_left_out_lists_no_longer_all_there_is() -> None:
    classes = CLASSES[0], [*CLASSES[1], ["Other", "x", "0", "1", "1", "1"]]
    assert parse_report(paste("tabs", [*HEAD, CLASSES])).by_id["foreground_wait_classes"].coverage == "nonzero"
    assert parse_report(paste("tabs", [*HEAD, classes])).by_id["foreground_wait_classes"].coverage == "top"


def test_a_cell_broken_over_two_lines_keeps_the_figures_behind_it_in_their_columns() -> None:
    text = paste("tabs", [*HEAD, EVENTS]).decode().replace("enq: TX - row", "enq: TX -\nrow")
    report = parse_report(text.encode())
    assert number(report, "top_timed_events", "enq: TX - row lock contention", "waits") == 310


def test_blank_cells_cut_off_at_the_line_end_are_blank() -> None:
    text = "\n".join(line.rstrip() for line in paste("tabs", [*HEAD, LOAD]).decode().split("\n"))
    assert number(parse_report(text.encode()), "load_profile", "Redo size", "per_transaction") == 1400.2


@pytest.mark.parametrize(
    "text",
    [
        "# Tool\n\nIt reads an AWR SQL report, and every AWR report for you.\n\n| File | Use |\n|---|---|\n| a | 1 |\n",
        "Top ADDM Findings are read.\n\nName\tUse\nx\t1\n",
        "| Event | Place |\n|---|---|\n| Concert | 7 |\n",
        "name  size  age\nfoo   1     2\nbar   3     4\n",
    ],
)
def test_a_mention_or_a_table_of_something_else_makes_no_report(text: str) -> None:
    with pytest.raises(UnsupportedReport, match="no Oracle performance report"):
        parse_report(text.encode())


def test_tabs_in_the_text_of_a_statement_make_no_copy_of_a_listing() -> None:
    listing = (
        "Top 5 Timed Events\n~~~~~~~~~~~~~~~~~~                                   % Total\n"
        "Event                            Waits    Time (s) Ela Time\n"
        "------------------------- ------------ ----------- --------\n"
        "log file sync                  400,000      18,000    60.00\n\n"
        "select\tevent,\twaits from t\n"
    )
    report = parse_report(listing.encode())
    assert number(report, "top_timed_events", "log file sync", "total_wait_time_s") == 18000


@pytest.mark.parametrize(
    "piece",
    [
        *("a\tb\n", "| a | b |\n|---|---|\n", "x  y  1\n", "Event\tWaits\n", "|", "\t", "> ", "a  "),
        *("Event,Waits\n", "Waits\n", "# a\n", "a|b\n-|-\n<table", "Host CPU\tx\n", "Begin Snap: 1 2\n"),
        "Top 5 Timed Events\n\nEvent Waits Time(s)\nlog file sync  1\n\n",
        "Load Profile\n\n  Per Second Per Transaction\n  x  y  1 2\n\n",
    ],
)
def test_a_megabyte_of_anything_takes_less_than_two_seconds(piece: str) -> None:
    data = (piece * (1_000_000 // len(piece))).encode()
    begun = time.process_time()
    with pytest.raises(UnsupportedReport):
        parse_report(data)
    assert time.process_time() - begun < 2


SQUEEZED = """WORKLOAD REPOSITORY report for

DB Name DB Id Instance Inst Num Startup Time Release RAC
------------ ----------- ------------ -------- --------------- ----------- ---
SALES 123456789 sales1 1 12-Feb-17 08:00 11.2.0.3.0 NO

Snap Id Snap Time Sessions Curs/Sess
--------- ------------------- -------- ---------
Begin Snap: 37 12-Feb-17 12:00:00 25 1.6
End Snap: 38 12-Feb-17 12:06:00 27 2.1
Elapsed: 6.00 (mins)
DB Time: 141.00 (mins)

Load Profile Per Second Per Transaction Per Exec Per Call
~~~~~~~~~~~~ --------------- --------------- ---------- ----------
DB Time(s): 23.5 4.1 0.10 0.02
Redo size: 150,100.5 1,400.2
Transactions: 107.2

Top 5 Timed Foreground Events
~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
Avg
wait % DB
Event Waits Time(s) (ms) time Wait Class
------------------------------ ------------ ----------- ------ ------ ----------
enq: TX - row lock contention 310 7,900 25484 93.4 Application
DB CPU 400 4.7
latch: 7 5,000 30 6 .4 Other
log file sync 5,000 .4 Commit

Foreground Wait Class DB/Inst: SALES/sales1 Snaps: 37-38
-> ordered by wait time desc

Avg
%Time Total Wait wait
Wait Class Waits -outs Time (s) (ms) %DB time
-------------------- ---------------- ----- ---------------- -------- ---------
Application 310 0 7,900 25484 93.4
-------------------------------------------------------------

SQL ordered by Elapsed Time DB/Inst: SALES/sales1 Snaps: 37-38

Elapsed Elapsed Time
Time (s) Executions per Exec (s) %Total %CPU %IO SQL Id
---------------- -------------- ------------- ------ ------ ------ -------------
7,800.0 12 650.00 92.2 .1 .0 0w2qpuc6u2zsp
Module: JDBC Thin Client
update t set a = 1
-------------------------------------------------------------
End of Report
"""


def test_a_report_whose_blanks_have_become_one_has_what_leaves_no_doubt() -> None:
    report = parse_report(SQUEEZED.encode())
    assert (report.source, report.kind, report.database.name, report.release) == (
        "squeezed",
        "awr",
        "SALES",
        "11.2.0.3.0",
    )
    assert report.period.db_time_s is not None
    assert report.period.db_time_s.number == 8460
    assert number(report, "load_profile", "DB Time(s)", "per_call") == 0.02
    assert number(report, "load_profile", "Redo size", "per_transaction") == 1400.2
    assert number(report, "load_profile", "Transactions", "per_second") == 107.2
    assert number(report, "top_timed_events", "DB CPU", "waits") is None
    assert number(report, "top_timed_events", "DB CPU", "total_wait_time_s") == 400
    assert number(report, "top_timed_events", "DB CPU", "pct_db_time") == 4.7
    assert number(report, "foreground_wait_classes", "Application", "avg_wait_s") == pytest.approx(25.484)
    sql = report.by_id["sql_by_elapsed_time"]
    assert sql.text(sql.records[0], "sql_text") == "update t set a = 1"
    assert sql.text(sql.records[0], "sql_module") == "JDBC Thin Client"


def test_a_squeezed_row_with_a_figure_less_or_more_than_its_section_is_left_out_and_named() -> None:
    report = parse_report(SQUEEZED.encode())
    names = [r.cells[0] for r in report.by_id["top_timed_events"].records]
    assert names == ["enq: TX - row lock contention", "DB CPU"]
    assert [i.text for i in report.issues if i.code == "not-read"] == [
        '"Top Timed Events" (line 24) is not read whole: 2 of its 4 rows have figures in no sure column.'
    ]


def test_squeezed_labels_that_are_of_no_section_leave_the_table_out() -> None:
    text = SQUEEZED.replace("Event Waits Time(s) (ms) time Wait Class", "Ereignis Anzahl Zeit(s) (ms) Zeit Klasse")
    assert "top_timed_events" not in parse_report(text.encode()).by_id


def test_a_squeezed_excerpt_without_rulers_is_read() -> None:
    begin, end = SQUEEZED.index("Top 5"), SQUEEZED.index("Foreground Wait Class")
    text = SQUEEZED[begin:end].replace(
        "Avg\nwait % DB\nEvent Waits Time(s) (ms) time", "Event Waits Time(s) Avg wait (ms) % DB time"
    )
    lines = [line for line in text.split("\n") if line.strip("-~ ")]
    report = parse_report("\n".join(lines).encode())
    assert report.partial
    assert number(report, "top_timed_events", "enq: TX - row lock contention", "total_wait_time_s") == 7900


@pytest.mark.parametrize(
    "piece",
    [
        "Event Waits Time(s) x\n",
        "Load Profile\n1 2 3\n",
        "Top 5 Timed Events\nEvent Waits Time (s)\n--- --- ---\nx 1 x 1\n",
    ],
)
def test_a_megabyte_of_squeezed_heads_takes_less_than_two_seconds(piece: str) -> None:
    begun = time.process_time()
    with pytest.raises(UnsupportedReport):
        parse_report((piece * (1_000_000 // len(piece))).encode())
    assert time.process_time() - begun < 2


def page(tables: list[Table], cell: str = "<td>{}</td>") -> bytes:
    """As an office program saves it: no cell is marked as a label."""
    made = [f"<h1>{TITLE}</h1>"]
    for heading, rows in tables:
        trs = ("".join(cell.format(escape(c)) for c in row) for row in rows)
        made.append(f"<h3>{heading}</h3><table>{''.join(f'<tr>{tr}</tr>' for tr in trs)}</table>")
    return f"<html><body>{''.join(made)}End of Report</body></html>".encode()


@pytest.mark.parametrize("cell", ["<td>{}</td>", "<td><p><font size='2'>{}</font></p></td>"])
def test_a_page_whose_labels_are_cells_like_all_others_is_read(cell: str) -> None:
    report = parse_report(page(WHOLE, cell))
    assert (report.source, report.database.name) == ("copy", "SALES")
    assert number(report, "load_profile", "Redo size", "per_transaction") == 1400.2
    assert number(report, "top_timed_events", "DB CPU", "total_wait_time_s") == 400
    assert not report.issues


HISTOGRAM = [["", "", "% of Waits", "", ""], ["Event", "Total Waits", "<1ms", "<2ms", ">1s"],
             ["log file sync", "10", "20.0", "", "80.0"]]  # fmt: skip


def test_rows_of_markdown_that_a_converter_has_broken_are_whole_again() -> None:
    text = paste("bare_pipes", WHOLE).decode().replace("row lock contention| 310", "row lock\ncontention| 310")
    broken = text.replace("Avg wait (ms)| % DB", "Avg wait\n(ms)| % DB")
    assert broken.count("\n") == text.count("\n") + 1
    report = parse_report(broken.encode())
    assert number(report, "top_timed_events", "enq: TX - row lock contention", "avg_wait_s") == pytest.approx(25.484)
    assert not report.issues
    last = paste("bare_pipes", [*HEAD, LOAD, EVENTS], end="").decode().rstrip().replace("5,000| 30", "5,000|\n30")
    events = parse_report(last.encode()).section("top_timed_events")
    assert [row.cells[0] for row in events.records] == [row[0] for row in EVENTS[1][1:]]


@pytest.mark.parametrize("rule", ["---|---|---", "---|---|---|---|---"])
def test_names_of_groups_above_the_labels_of_markdown_are_passed_over(rule: str) -> None:
    rows = ("| ".join(row) + "  " for row in HISTOGRAM[1:])
    table = "\n".join([f"| | % of Waits{'| ' * (rule.count('-') - 9)}  ", rule, *rows])
    text = paste("bare_pipes", WHOLE, end=f"Wait Event Histogram\n\n{table}\n\nEnd of Report")
    assert number(parse_report(text), "wait_event_histogram", "log file sync", "pct_gt_1s") == 80


@pytest.mark.parametrize("head", ["{}", "<thead>{}</thead>"])
def test_a_table_in_html_amid_markdown_keeps_its_place(head: str) -> None:
    first, *rows = (f"<tr>{''.join(f'<td>{escape(c)}</td>' for c in row)}</tr>" for row in HISTOGRAM)
    html = f"### Wait Event Histogram\n\n<table>{head.format(first)}<tbody>{''.join(rows)}</tbody></table>\n\n"
    report = parse_report(b"# " + paste("pipes", WHOLE, end=f"{html}End of Report"))
    assert (report.format, report.source) == ("text", "markdown")
    assert number(report, "wait_event_histogram", "log file sync", "pct_lt_1ms") == 20


def test_attributes_tags_and_notes_of_markdown_are_no_part_of_a_name() -> None:
    rows = [["Event", "Waits", "Time(s)", r"\% DB time"], ["[a wait](#x){.awr} [[1]](#1)", "7", "2", "<b>1.0</b>"]]
    text = paste("pipes", [('## <span id="x"></span>Top 5 Timed Foreground Events {#top .awr}', rows)], "", "")
    assert number(parse_report(text), "top_timed_events", "a wait [1]", "pct_db_time") == 1


def test_a_number_sign_is_part_of_a_label_in_a_table() -> None:
    rows = [["Event", "Waits", "Time(s)", "# Unknown"], ["x", "7", "2", "1"]]
    report = parse_report(paste("pipes", [("Top 5 Timed Foreground Events", rows)], "", ""))
    assert [c.label for c in report.by_id["top_timed_events"].columns][-1] == "# Unknown"


def test_titles_between_the_tables_of_a_spreadsheet_are_no_rows() -> None:
    lines = [*spreadsheet([[TITLE]])]
    for heading, rows in WHOLE:
        lines += [*spreadsheet([[heading], ["Back to my notes"], [heading]]), *spreadsheet(rows)]
    report = parse_report("\r\n".join(lines).encode())
    assert [len(report.by_id[s].records) for s in ("load_profile", "top_timed_events")] == [2, 3]
    assert number(report, "load_profile", "Redo size", "per_second") == 150100.5


def test_names_that_go_on_in_a_line_of_their_own_leave_the_rows_beside_it_out() -> None:
    lines = padded(EVENTS[1])
    lines[2:2] = ["(more of a name)"]
    text = "\n".join([*padded(LOAD[1]), "", EVENTS[0], "", *lines]).encode()
    report = parse_report(text)
    assert [r.cells[0] for r in report.by_id["top_timed_events"].records] == ["log file sync"]
    assert "2 of its 3 rows" in next(i.text for i in report.issues if i.code == "not-read")


@pytest.mark.parametrize(
    "table",
    [
        ["Event Waits   Time(s)", "a 1              2", "b 3              4"],
        ["Event         Waits Time(s)  % DB time", "a                1    2  3.0", "b                3       4"],
    ],
)
def test_padded_columns_that_run_into_each_other_leave_the_table_out(table: list[str]) -> None:
    report = parse_report("\n".join(["Load Profile", "", *padded(LOAD[1]), "", EVENTS[0], "", *table]).encode())
    assert "top_timed_events" not in report.by_id
    assert "not-read" in [i.code for i in report.issues]


@pytest.mark.parametrize("form", ["tabs", "pipes", "padded"])
def test_a_table_without_a_title_belongs_to_no_chapter_above_it(form: str) -> None:
    report = parse_report(paste(form, [LOAD, CLASSES, HEAD[1]], "", ""))
    assert [s.id for s in report.sections] == ["load_profile", "foreground_wait_classes", "snapshot_information"]
    report = parse_report(paste(form, [LOAD, HEAD[1]], "", ""))
    assert len(report.by_id["load_profile"].records) == 2


def test_two_columns_alone_make_no_section_without_its_title() -> None:
    """Begin and end of anything: the instances of a cluster print no other labels."""
    rows = [["", "Begin", "End"], ["Host Mem (MB):", "7,974.6", "7,974.6"]]
    report = parse_report(paste("tabs", [*WHOLE, ("Sizes", rows)]))
    assert "rac_instances" not in report.by_id
    assert "not-read" in [i.code for i in report.issues]


def test_a_dash_between_blanks_is_one_however_a_chat_has_set_it() -> None:
    text = SQUEEZED.replace("TX - row", "TX \u2013 row")
    report = parse_report(text.encode())
    assert number(report, "top_timed_events", "enq: TX - row lock contention", "waits") == 310


def test_a_note_right_above_squeezed_labels_hides_them_not() -> None:
    text = SQUEEZED.replace(
        "Avg\nwait % DB\nEvent Waits Time(s) (ms) time", "of any kind\nEvent Waits Time(s) Avg wait (ms) % DB time"
    )
    lines = [line for line in text.split("\n") if line.strip("-~ ")]
    assert number(parse_report("\n".join(lines).encode()), "top_timed_events", "DB CPU", "total_wait_time_s") == 400


@pytest.mark.parametrize("form", ["tabs", "pipes", "padded"])
def test_two_reports_or_excerpts_in_one_paste_are_both_taken(form: str) -> None:
    whole, cut = paste(form, WHOLE), paste(form, WHOLE, end="")
    for first in (whole, cut, b"# " + cut):
        assert [parse_report(p).database.name for p in split_reports(first + b"\n\n" + whole)] == ["SALES", "SALES"]
    one = paste(form, [HEAD[1], LOAD, EVENTS], "", "")
    other = one.replace(b"7,900", b"8,800")
    pieces = split_reports(b"Before:\n" + one + b"\n\nAfter:\n" + other)
    seconds = [number(parse_report(p), "top_timed_events", EVENTS[1][1][0], "total_wait_time_s") for p in pieces]
    assert seconds == [7900, 8800]
    assert split_reports(one) == [one]
    assert len(split_reports(one + b"\n\nLoad Profile is what to look at, and Begin Snap: too.\n")) == 1
    load_first = paste(form, [LOAD, EVENTS], "", "")
    assert len(split_reports(load_first + b"\n\n" + load_first)) == 2
    assert len(split_reports(load_first + b"\n\nLoad Profile again, for reference: 1,000 50\n")) == 1


def test_translated_headings_are_called_that() -> None:
    rows = [["Ereignis", "Anzahl", "Zeit", "Mittel", "Anteil", "Klasse"], *EVENTS[1][1:]]
    with pytest.raises(UnsupportedReport, match="headings as Oracle prints them: they were translated"):
        parse_report(paste("tabs", [("Die 5 Ereignisse", rows)], "", ""))
    cells = "\n".join(cell for row in EVENTS[1] * 40 for cell in row)
    with pytest.raises(UnsupportedReport, match="the cells stand in lines of their own"):
        parse_report(f"{TITLE}\n\n{cells}\n".encode())
