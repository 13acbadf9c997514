"""ADDM's findings: the layouts of each release, reports of their own and parts of AWR reports as HTML and as text."""

from __future__ import annotations

import random
import re
import tracemalloc
from contextlib import suppress
from datetime import datetime
from html import escape
from pathlib import Path

import pytest

from fixtures.samples.from_addm import addm_samples
from parsers import UnsupportedReport, parse_report
from parsers.files.detect import kind_of
from parsers.files.encoding import decode
from parsers.files.split import split_reports
from parsers.identity.awr import read_moment_of_day
from parsers.model import Report, Section, Value
from parsers.tables.rawtable import RawDocument
from parsers.text.addm import addm_of_html, read_addm, with_addm
from parsers.text.structural_marks import title_line
from tests.harness import corpus as real
from tests.harness.cost import is_linear
from tests.unit.parsers.kind_pages import page, table
from tests.unit.parsers.listings import HEAD, chapter

SAMPLES = {path.partition("/")[2]: data for path, data in addm_samples().items()}


def sample(name: str) -> str:
    return SAMPLES[f"{name}.txt"].decode()


def read(text: str) -> Report:
    return parse_report(text.encode())


def part(report: Report, section_id: str) -> Section:
    found = report.section(section_id)
    assert found is not None, section_id
    return found


@pytest.mark.parametrize("name", SAMPLES)
def test_every_layout_is_an_addm_report_without_an_issue(name: str) -> None:
    report = parse_report(SAMPLES[name])
    assert (report.kind, report.format, report.issues) == ("addm", "text", ())
    assert all(s.known for s in report.sections)
    assert report.database.name == "SHOP"
    assert report.database.dbid == "2345678901"
    assert (report.period.begin.id, report.period.end.id) == (100, 101)
    assert report.period.db_time_s == Value(7412, 0.5)
    assert report.period.elapsed_s is not None
    assert report.period.elapsed_s.number == 3605
    assert report.release is not None
    assert report.release.startswith(name.partition("-")[0])


def test_who_and_when() -> None:
    report = read(sample("11.2-addm"))
    assert (report.release, report.host.name) == ("11.2.0.4.0", "node-a.shop.example")
    assert [(i.number, i.name) for i in report.instances] == [(1, "shop1")]
    assert report.period.begin.time == datetime(2020, 2, 3, 11, 0, 7)
    assert report.period.end.time == datetime(2020, 2, 3, 12, 0, 12)  # noon is PM
    assert read(sample("12.1-addm-cluster")).instances == ()


def test_old_layout() -> None:
    report = read(sample("10.2-addm"))
    assert (report.release, report.host.name) == ("10.2.0.4.0", "node-a")
    assert report.period.begin.time == datetime(2009, 2, 3, 10, 0, 7)
    findings = part(report, "addm_findings")
    row = findings.find("The cart of the shop was written too often", "1")
    assert row is not None
    assert findings.number(row, "impact_s") == Value(4670, 0.5)
    assert findings.number(row, "pct_activity") == Value(63, 0.5)
    assert findings.number(row, "impact_active_sessions") is None
    assert [findings.number(r, "recommendations") for r in findings.records] == [Value(2, 0), Value(0, 0)]


@pytest.mark.parametrize(
    ("period", "begin", "end"),
    [
        ("from 03-FEB-2009 23:00:07 to 04-FEB-2009 00:00:12", datetime(2009, 2, 3, 23, 0, 7), datetime(2009, 2, 4, 0, 0, 12)),
        ("03-FEB-2009 from 10:00 to 11:00", datetime(2009, 2, 3, 10), datetime(2009, 2, 3, 11)),
    ],
)  # fmt: skip
def test_old_periods(period: str, begin: datetime, end: datetime) -> None:
    report = read(sample("10.2-addm").replace("03-FEB-2009 from 10:00:07 to 11:00:12", period))
    assert (report.period.begin.time, report.period.end.time) == (begin, end)


def test_a_report_without_its_indentation() -> None:
    """Pages on the web lose it: only statements' texts can no longer be told from Oracle's own words."""
    flat = "\n".join(map(str.strip, sample("10.2-addm").splitlines()))
    whole, bare = read(sample("10.2-addm")), read(flat)
    assert [s.as_dict()["rows"] for s in whole.sections] == [s.as_dict()["rows"] for s in bare.sections]


def test_a_statement_s_text_begins_nothing() -> None:
    text = sample("11.2-addm").replace("update cart set items = :1", "Finding 9: x\n         Recommendation 8: y")
    report = read(text)
    assert len(part(report, "addm_findings").records) == 2
    advice = part(report, "addm_recommendations")
    assert len(advice.records) == 2
    assert "Finding 9: x Recommendation 8: y" in advice.text(advice.records[0], "related_objects")


def test_impact_in_the_symptoms_is_not_the_finding_s() -> None:
    text = sample("11.2-addm").replace("      Impact is 1.3 active", "      Impact is 9.9 active")
    findings = part(read(text), "addm_findings")
    assert findings.number(findings.records[0], "impact_active_sessions") == Value(1.3, 0.05)
    assert "Impact is 9.9" in findings.text(findings.records[0], "symptoms")


def test_a_report_cut_off_keeps_what_its_summary_says() -> None:
    text = sample("11.2-addm")
    report = read(text[: text.index("Finding 2:")])
    assert [i.code for i in report.issues] == ["truncated"]
    findings = part(report, "addm_findings")
    second = findings.find('"Shop" wait Class', "1")
    assert second is not None
    assert findings.number(second, "impact_active_sessions") == Value(0.11, 0.005)
    assert findings.text(second, "description") == ""


def test_no_findings_is_a_figure() -> None:
    report = read(sample("21-addm"))
    assert report.section("addm_findings") is None
    period = part(report, "addm_period")
    assert period.number(period.records[0], "findings") == Value(0, 0)


def test_figures_of_containers_carry_their_unit() -> None:
    containers = part(read(sample("23-addm")), "addm_containers")
    assert {r.unit for r in containers.records} == {"sessions", "kb_per_s"}


def test_analyses_stand_in_the_order_of_time() -> None:
    later = sample("11.2-addm").replace("End of Report", "")
    earlier = later.replace("100 to 101", "99 to 100").replace("ADDM:7_1_101", "ADDM:7_1_100").replace("1.3", "2.6")
    report = read(later + earlier)
    period = part(report, "addm_period")
    assert [period.text(r, "task") for r in period.records] == ["ADDM:7_1_100", "ADDM:7_1_101"]
    findings = part(report, "addm_findings")
    first, second = findings.find("Cart Rows", "1"), findings.find("Cart Rows", "2")
    assert first is not None
    assert second is not None
    assert findings.number(first, "impact_active_sessions") == Value(2.6, 0.05)
    assert findings.number(second, "impact_active_sessions") == Value(1.3, 0.05)
    assert (report.period.begin.id, report.period.end.id, report.period.db_time_s) == (99, 101, None)


def test_reports_one_after_the_other_are_files_of_their_own() -> None:
    parts = split_reports((sample("11.2-addm") + sample("12.1-addm-cluster")).encode())
    assert [parse_report(p).release for p in parts] == ["11.2.0.4.0", "12.1.0.2.0"]


def test_headings_of_a_spooled_select_are_no_text() -> None:
    spooled = sample("11.2-addm").replace(
        "many sessions wait for.", f"many sessions\nDBMS_ADDM.GET_REPORT(:TNAME)\n{'-' * 80}\nwait for."
    )
    findings = part(read(spooled), "addm_findings")
    assert findings.text(findings.records[0], "description").endswith("which many sessions wait for.")


def test_words_of_other_kinds_in_the_text() -> None:
    text = sample("11.2-addm").replace("Or keep none.", "See the ASH report and the AWR report for more.")
    assert kind_of(text, title_line(text), []) == "addm"
    assert read(text).kind == "addm"


def test_a_page_that_only_names_a_report_says_what_to_send() -> None:
    named = page("Findings", "ADDM Report for Task 'x'", table(["a"], [["1"]], heading="Things"))
    with pytest.raises(UnsupportedReport, match="only read as text: please send the text report"):
        parse_report(named)


def test_a_page_around_the_text_is_taken_off() -> None:
    shown = f"<html><body><h1>Ours</h1><pre>{escape(sample('11.2-addm'))}</pre></body></html>"
    assert [s.as_dict() for s in read(shown).sections] == [s.as_dict() for s in read(sample("11.2-addm")).sections]


def awr_page(*bodies: str) -> bytes:
    parts = [f"<h2>ADDM Task ADDM:7</h2>\n<pre>{escape(body)}</pre>\n" for body in bodies]
    return page(
        "AWR Report for DB: SHOP", "WORKLOAD REPOSITORY report for",
        table(
            ["DB Name", "DB Id", "Instance", "Inst num", "Startup Time", "Release", "RAC"],
            [["SHOP", "2345678901", "shop1", "1", "01-Feb-20 08:00", "12.1.0.2.0", "NO"]],
        ),
        table(["", "Snap Id", "Snap Time"], [["Begin Snap:", "100", "03-Feb-20 11:00:07"]]),
        *parts,
        table(["Name", "Value"], [["a", "1"]], heading="Below It"),
    )  # fmt: skip


def test_html_and_text_agree() -> None:
    for name, data in SAMPLES.items():
        body = data.decode().replace("End of Report", "")
        html = parse_report(awr_page(body))
        stats = chapter("New Stats", "", "Name  Count", "----- -----", "a         1")
        text = read(f"{HEAD}{stats}\n{body}\nEnd of Report\n")
        assert (html.kind, text.kind) == ("awr", "awr")
        wanted = [s.as_dict() for s in parse_report(data).sections]
        assert [s.as_dict() for s in html.sections if s.id.startswith("addm_")] == wanted, name
        assert [s.as_dict() for s in text.sections if s.id.startswith("addm_")] == wanted, name


def test_it_stands_where_the_page_has_it() -> None:
    ids = [s.id for s in parse_report(awr_page(sample("11.2-addm"))).sections]
    assert ids.index("snapshot_information") < ids.index("addm_period") < ids.index("below_it")


def test_pages_without_end_tags() -> None:
    bodies = [sample(name).replace("End of Report", "") for name in ("11.2-addm", "12.1-addm-cluster")]
    text = awr_page(*bodies).decode().replace("</pre>", "")
    period = part(parse_report(text.encode()), "addm_period")
    assert len(period.records) == 2


def test_moments() -> None:
    assert read_moment_of_day("03-FEB-20 12.05.00 AM") == datetime(2020, 2, 3, 0, 5)
    assert read_moment_of_day("03-FEB-20 12.05.00 PM") == datetime(2020, 2, 3, 12, 5)
    assert read_moment_of_day("03-FEB-20 02.05.00 p.m.") == datetime(2020, 2, 3, 14, 5)
    assert read_moment_of_day("03-FEB-20 14.05.00") == datetime(2020, 2, 3, 14, 5)
    assert read_moment_of_day("soon") is None


def survives(data: bytes) -> None:
    with suppress(UnsupportedReport):
        parse_report(data).as_dict()


def test_damaged_reports() -> None:
    chance = random.Random(7)
    for data in SAMPLES.values():
        for end in range(0, len(data), 487):
            survives(data[:end])
        lines = data.split(b"\n")
        for _ in range(20):
            chance.shuffle(lines)
            survives(b"ADDM Report for Task 'x'\n" + b"\n".join(lines))


@pytest.mark.hostile
@pytest.mark.parametrize("name", SAMPLES)
def test_lines_in_any_order_cost_what_their_number_does(name: str) -> None:
    lines = SAMPLES[name].splitlines(keepends=True)

    def shuffled(size: int) -> bytes:
        return b"ADDM Report for Task 'x'\n" + b"".join(random.Random(7).choices(lines, k=size))

    assert is_linear(shuffled, survives, 10_000)


@pytest.mark.hostile
@pytest.mark.parametrize(
    "unit",
    [
        "Finding 1: x\nRecommendation 1: y\nAction\n z\n",
        "Recommendation 1: y\nAction\n",
        "    Number  Name   Percent Impact\n    ------  -----  --------------\n    1  a  2\n\n",
        "DBID  Container\n" + "-  " * 300 + "\n1\n",
        "Time period starts at \n",
        "FINDING 1: 1% impact (1 seconds)\n",
        "ADDM Report for Task 'x'\n",
        "1 a b | c d\n",
        "Wait class\n---\n",
        "Additional Information\n",
        'SQL_ID "',
        "Database ID/Instance: 1",
        "text\n",
    ],
)
@pytest.mark.parametrize("opening", ["", "Summary of Findings", "Impact is", "Recommendation 1", "Rationale"])
def test_cost_is_linear(opening: str, unit: str) -> None:
    """Behind what comes before the words, and a whole report; below the limits of what is kept, and far above."""
    text = sample("11.2-addm").partition(opening)[0] if opening else sample("11.2-addm")

    def repeated(size: int) -> str:
        return text + unit * (size // len(unit))

    assert is_linear(repeated, read_addm, 100_000)
    assert is_linear(repeated, read_addm, 1_000_000)


EMPTY = RawDocument([], "", [], complete=True, last_line=0)
GRID = "Number  Name     Host Name\n------  -------  ---------\n"


@pytest.mark.parametrize(
    "lines",
    [
        [f"Finding {n}: x\nImpact\nRecommendation 1: y\nAction\nz\n" for n in range(12_000)],
        [f"{n} a b 1 | 2 3\n" for n in range(12_000)],
        ["Finding 1: x\n", *(f"   Recommendation {n}: y\n" for n in range(12_000))],
        [GRID, *(f"{n} a b\n" for n in range(12_000))],
    ],
    ids=["findings", "summary", "recommendations", "instances"],
)
@pytest.mark.parametrize("html", [False, True])
def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch, lines: list[str], *, html: bool) -> None:
    """Things of a few letters, in one listing or in many: what is beyond the limit is left out, and said."""
    monkeypatch.setattr("parsers.text.addm._MOST", 1_000)
    monkeypatch.setattr("parsers.text.addm_head._MOST_ROWS", 1_000)
    text = sample("11.2-addm").partition("Summary of Findings")[0] + "".join(lines)
    page = f"<pre>{text}</pre>" if html else text
    tracemalloc.start()
    document = with_addm(EMPTY, addm_of_html(page)) if html else read_addm(page)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * len(text)
    assert document.cut == ["ADDM Report for Task 'ADDM:7_1_101'"]
    assert max(len(t.rows) for t in document.tables) <= 1_000


def test_many_listings_share_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parsers.text.addm._MOST", 500)
    listing = sample("11.2-addm") + "".join(f"Finding {n}: x\n" for n in range(100))
    document = with_addm(EMPTY, addm_of_html(f"<pre>{listing}</pre>" * 20))
    findings = next(t for t in document.tables if t.heading == "ADDM Findings")
    assert len(findings.rows) <= 500
    assert len(document.cut) == 1


def test_a_title_inside_a_line_begins_no_listing() -> None:
    assert with_addm(EMPTY, addm_of_html("<pre>see the ADDM Report for Task 'x'\n</pre>")) == EMPTY


@pytest.mark.corpus
def test_every_finding_of_a_summary_is_read(corpus: Path) -> None:
    """Counted by other means: the findings, recommendations and benefits that the texts of the reports print.

    A finding of which only the line of the summary is there (the rest was cut out of the file) has no description.
    """
    seen = 0
    for path in sorted(corpus.iterdir()):
        text = decode(path.read_bytes()).text
        if "ADDM Report for Task" not in text or path.suffix == ".tsv":
            continue
        report = real.read(path)
        prose = text[text.index("ADDM Report for Task") :]
        findings, recommendations = report.section("addm_findings"), report.section("addm_recommendations")
        headings = re.findall(r"^ {0,8}Finding (\d+): ", prose, re.M)
        described = [r for r in findings.records if findings.text(r, "description")] if findings else []
        assert len(described) == len(headings), path.name
        for record in findings.records if findings else ():
            assert findings is not None
            assert findings.number(record, "impact_active_sessions") is not None, path.name
            assert record in described or findings.text(record, "number") not in headings, path.name
        expected = len(re.findall(r"^ {0,8}Recommendation \d+: ", prose, re.M))
        assert (len(recommendations.records) if recommendations else 0) == expected, path.name
        benefits = len(re.findall(r"^ {0,8}Estimated benefit is ", prose, re.M))
        read = (
            [recommendations.number(r, "benefit_active_sessions") for r in recommendations.records]
            if recommendations
            else []
        )
        assert sum(value is not None for value in read) == benefits, path.name
        seen += len(headings) + expected
    assert seen > 200


def test_a_benefit_is_read_where_the_line_breaks_within_its_last_word() -> None:
    """SQL*Plus at a line size of 68: the sentence ends on the next line."""
    head = (
        "          ADDM Report for Task 'T'\n          ------------------------\n\n    Findings and Recommendations\n"
    )
    text = (
        f"{head}    ----------------------------\n\n    Finding 1: Commits and Rollbacks\n"
        "    Impact is .5 active sessions, 20% of total activity.\n    ------------\n    Waits for commits.\n\n"
        "    Recommendation 1: Application Analysis\n"
        "    Estimated benefit is .25 active sessions, 10.5% of total activit\n    y.\n    ------------\n"
        "    Action\n        Commit less often.\n"
    )
    report = parse_report(text.encode())
    found = report.section("addm_recommendations")
    assert found is not None
    benefits = [found.number(r, "benefit_active_sessions") for r in found.records]
    assert [value.number for value in benefits if value is not None] == [0.25]
    assert [found.text(r, "action") for r in found.records] == ["Commit less often."]
