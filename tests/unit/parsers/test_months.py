"""Months of other languages: as CLDR has them, as reports print them, in every head of every kind of report."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from babel import Locale

from fixtures.samples.from_addm import addm_samples
from fixtures.samples.from_ash import ash_samples
from fixtures.stories.invented import after
from fixtures.writer import LAYOUT_19, LAYOUT_112, STATSPACK, TEXT_LAYOUTS, Model, write
from fixtures.writer.months import ENCODINGS, MONTHS
from fixtures.writer.tables.header import clock
from parsers import parse_report
from parsers.identity.awr import read_moment, read_moment_of_day
from parsers.identity.months import DATE, LANGUAGES, month_of, plain
from parsers.model import Report
from tests.harness.cost import is_linear
from tests.unit.parsers.kind_pages import page, table

HEADS = {"html": LAYOUT_19, "html of 11.2": LAYOUT_112, "statspack": STATSPACK, **TEXT_LAYOUTS}
WRITTEN = [(language, codec) for language, codecs in ENCODINGS.items() for codec in ("utf-8", *codecs)]
ASH = next(iter(ash_samples().values())).decode()
ADDM = {path.rpartition("/")[2]: data.decode() for path, data in addm_samples().items()}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("context", ["format", "stand-alone"])
@pytest.mark.parametrize("width", ["abbreviated", "wide"])
def test_what_cldr_has(language: str, context: str, width: str) -> None:
    for number, name in Locale(language).months[context][width].items():
        for written in (name, name.upper(), name.lower(), name.rstrip("."), f"{name}  "):
            date = DATE.fullmatch(f"08-{plain(written)}-17")
            assert date, written
            assert month_of(date[2]) == number, written


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_reports_print(language: str) -> None:
    for number, name in enumerate(MONTHS[language], start=1):
        wanted = datetime(2017, number, 8, 16, 11, 5)
        assert read_moment(f"08-{name}-17 16:11:05") == wanted
        assert read_moment(f"08-{name.strip().lower()}-2017 16:11:05") == wanted
        assert read_moment_of_day(f"08-{name}-17 04.11.05 PM") == wanted


@pytest.mark.parametrize("month", ["jui", "xyz", "13月", "0月", "ma", "j", "十三月", "janx"])
def test_what_is_no_month_or_two_is_none(month: str) -> None:
    assert read_moment(f"08-{month}-17 16:11:05") is None


@pytest.mark.parametrize("text", ["27-févr.-24 20:", "16-2月 -13 05:0", "16-Feb-13 05", "16-Feb-13", "16-Feb-20134"])
def test_a_time_that_is_cut_is_none(text: str) -> None:
    assert read_moment(text) is None


def test_half_a_day_in_other_languages() -> None:
    for text in (
        "03-2月 -20 02.05.00 下午",
        "03-2月 -20 02.05.00 午後",
        "03-2월 -20 02.05.00 오후",
        "03-ŞUB-20 02.05.00 ÖS",
    ):
        assert read_moment_of_day(text) == datetime(2020, 2, 3, 14, 5)


def built(language: str, month: int) -> Model:
    """The invented hour in another month."""
    model = after()
    begin = datetime(2024, month, 8, 15, 0, 20)
    facts = replace(
        model.facts,
        language=language,
        startup=datetime(2024, month, 1, 8, 15),
        begin=replace(model.facts.begin, time=begin),
        end=replace(model.facts.end, time=begin + timedelta(seconds=int(model.facts.elapsed_s))),
    )
    return replace(model, facts=facts)


def times(report: Report) -> tuple[datetime | None, datetime | None]:
    return report.period.begin.time, report.period.end.time


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(("language", "codec"), WRITTEN)
def test_heads_of_reports(head: str, language: str, codec: str) -> None:
    """A month of three by turns: every language has each of them in some head, every head in some language."""
    month = (2, 5, 12)[([*HEADS].index(head) + WRITTEN.index((language, codec))) % 3]
    model = built(language, month)
    report = parse_report(write(model, HEADS[head]).decode().encode(codec))
    assert times(report) == (model.facts.begin.time, model.facts.end.time)
    startup = report.instances[0].startup
    fits = len(clock(model.facts.startup, seconds=False, language=language)) <= 15 or head.startswith("html")
    assert startup == model.facts.startup or (startup is None and not fits)
    assert report.release == model.facts.release


@pytest.mark.parametrize(("language", "codec"), WRITTEN)
def test_ash_and_addm(language: str, codec: str) -> None:
    moment = datetime(2020, 2, 3, 10)
    text = ASH.replace("03-Feb-20", clock(moment, language=language).rpartition(" ")[0])
    report = parse_report(text.encode(codec))
    assert times(report) == (moment, moment + timedelta(minutes=15))
    assert report.section("ash_period")
    name = MONTHS[language][1]
    new = parse_report(ADDM["11.2-addm.txt"].replace("-FEB-", f"-{name.upper()}-").encode(codec))
    assert times(new) == (datetime(2020, 2, 3, 11, 0, 7), datetime(2020, 2, 3, 12, 0, 12))
    old = ADDM["10.2-addm.txt"].replace("-FEB-", f"-{name}-")
    assert times(parse_report(old.encode(codec)))[0] == datetime(2009, 2, 3, 10, 0, 7)
    over_night = old.replace(f"03-{name}-2009 from 10:00:07 to", f"from 03-{name}-2009 23:00:07 to 04-{name}-2009")
    assert times(parse_report(over_night.encode(codec)))[1] == datetime(2009, 2, 4, 11, 0, 12)


@pytest.mark.parametrize(("language", "codec"), WRITTEN)
def test_compare_reports(language: str, codec: str) -> None:
    begin = datetime(2020, 2, 3, 10, 0, 7)
    printed = [clock(begin + timedelta(hours=n), language=language) + " (x)" for n in range(2)]
    heads = ["Snapshot Set", "Begin Snap Id", "Begin Snap Time", "End Snap Id", "End Snap Time", "Elapsed Time (min)"]
    rows = [[name, "1", printed[0], "2", printed[1], "60.0"] for name in ("1st", "2nd")]
    made = page(
        "AWR Compare Period Report",
        "WORKLOAD REPOSITORY COMPARE PERIOD REPORT",
        table(heads, rows, heading="Snapshots"),
    )
    report = parse_report(made.decode().encode(codec))
    assert times(report) == (begin, begin + timedelta(hours=1))


@pytest.mark.parametrize("piece", ["1-a", "12-abcdefghijkl-", "12-янв. ", "1- 2月 "])
def test_the_pattern_is_linear(piece: str) -> None:
    assert is_linear(lambda size: piece * size, DATE.search, 200_000)


def sentence(report: Report) -> str:
    return next((i.text for i in report.issues if i.code == "unreadable-time"), "")


@pytest.mark.parametrize("head", HEADS)
def test_a_time_that_cannot_be_read_is_an_issue(head: str) -> None:
    text = write(built("en", 5), HEADS[head]).decode()
    assert not sentence(parse_report(text.encode()))
    unread = parse_report(text.replace("08-May-24", "08-Xyz-24").encode())
    assert unread.period.begin.time is None
    assert "Times of this report" in sentence(unread)
    assert '"08-Xyz-24 15:00:20"' in sentence(unread)
    assert not unread.gaps
    startup = parse_report(text.replace("01-May-24", "01-Jui-24").encode())
    assert startup.instances[0].startup is None
    assert '"01-Jui-24 08:15"' in sentence(startup)


def test_unreadable_times_of_other_kinds() -> None:
    assert '"03-Xyz-20 10:00:00"' in sentence(parse_report(ASH.replace("03-Feb-20", "03-Xyz-20").encode()))
    addm = {name: sentence(parse_report(data.replace("-FEB-", "-XYZ-").encode())) for name, data in ADDM.items()}
    assert all(addm.values()), addm
    assert not any(sentence(parse_report(data.encode())) for data in (ASH, *ADDM.values()))
    heads = ["Snapshot Set", "Begin Snap Id", "Begin Snap Time", "End Snap Id", "End Snap Time", "Elapsed Time (min)"]
    rows = [[name, "1", f"0{n}-xyz-20 10:00:00 (mon)", "2", "", "60.0"] for n, name in enumerate(("1st", "2nd"))]
    made = page(
        "AWR Compare Period Report",
        "WORKLOAD REPOSITORY COMPARE PERIOD REPORT",
        table(heads, rows, heading="Snapshots"),
    )
    assert "00-xyz-20" in sentence(parse_report(made))


def test_what_is_masked_or_left_blank_is_no_time() -> None:
    text = write(built("en", 5), LAYOUT_19).decode().replace("01-May-24 08:15", "N/A")
    assert not sentence(parse_report(text.encode()))


def test_many_unreadable_times_are_one_sentence() -> None:
    labels = ["I#", "Instance", "Host", "Startup", "Begin Snap Time", "End Snap Time", "Release", "Elapsed Time(min)"]
    rows = [[str(n), f"i{n}", "h", f"0{n}-xyz-20 10:00", "", "", "19.0.0.0.0", "60"] for n in range(1, 9)]
    made = page(
        "AWR RAC Report", "WORKLOAD REPOSITORY REPORT (RAC)",
        table(["Id", "Name", "RAC"], [["1", "SHOP", "YES"]], heading="Database Summary"),
        table(labels, rows, heading="Database Instances Included In Report"),
    )  # fmt: skip
    report = parse_report(made)
    assert [i.code for i in report.issues].count("unreadable-time") == 1
    assert "and 5 more" in sentence(report)
