"""More than two reports: the strip, one report against a baseline, a column for each; for members and guests."""

from __future__ import annotations

import csv
import json
import re
from collections import OrderedDict
from datetime import datetime, timedelta
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse
from msgspec.structs import replace

from awrdiff.analysis.baseline.report_vs_median import compare_with_median
from awrdiff.analysis.rows.align import anchor
from awrdiff.comparisons import median_comparison, search_index
from awrdiff.comparisons.services import create_comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.reports.models import Report
from awrdiff.search.models import Indexed
from awrdiff.web.presenters.baseline import report_columns
from parsers.model import Database, Value
from tests.web.builders import small_report, wait_section
from tests.web.conftest import store_parsed
from tests.web.pages import body, check_markup
from tests.web.share import create_link

EVENTS = "foreground_wait_events"
SYNC = anchor(EVENTS, "log file sync")
BEGIN = datetime(2024, 1, 1, 9, 0)  # a Monday
WAITS = (1000.0, 1100.0, 900.0, 1050.0, 950.0, 90_000.0)
AGAINST = "baseline=0,1,2,3,4&second=5"
JSON = {"Accept": "application/json"}
IN_PAGE = {"HX-Request": "true"}


def week(n: int, waits: float, **more):
    begin = BEGIN + timedelta(weeks=n)
    made = small_report(f"week-{n}.html", begin=begin.isoformat(), waits=waits)
    return replace(made, **more)


def store(access, reports):
    stored = [store_parsed(access, r) for r in reports]
    made = create_comparison(access, stored, order_by_time=False)
    compute_now(made.pk)
    made.refresh_from_db()
    assert made.is_ready, made.error
    return made


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch):
    monkeypatch.setattr(median_comparison, "_cache", OrderedDict())


@pytest.fixture
def signed(sign_in, owner):
    return sign_in(owner)


def address(made, more=""):
    return f"{reverse('comparison', args=[made.pk])}{more}"


def page_of(client, url, **headers):
    answer = client.get(url, headers=headers, follow=True)
    assert answer.status_code == 200, (answer.status_code, body(answer))
    html = body(answer).decode()
    if not headers:
        check_markup(html)
    return html


def section_of(client, made, query=AGAINST, section=EVENTS, **headers):
    return client.get(f"{address(made)}sections/{section}/?{query}", headers=headers or IN_PAGE)


def cells(html: str, row: str) -> str:
    return " ".join(html.split(f'id="r-{row}"')[1].split("</tr>", maxsplit=1)[0].split())


# The strip


def test_a_pair_of_several_shows_every_report_and_what_one_click_chooses(signed, series):
    html = page_of(signed, address(series))
    chart = re.search(r'<figure class="reports-line.*?</figure>', html, re.S)[0]
    bars = re.findall(r'<rect class="w-commit" x="([^"%]+)%', chart)
    gaps = {round(float(b) - float(a), 1) for a, b in pairwise(bars)}
    assert (len(bars), len(gaps)) == (len(WAITS), 1)  # evenly spaced, whatever lies between
    assert (chart.count('class="fill-first"'), chart.count('class="fill-second"')) == (5, 1)
    assert f"?{AGAINST.replace('&', '&amp;')}" in html
    assert "all 5 earlier" in html
    assert "Monday 5 Feb 2024 09:00–10:00" in html


def test_two_reports_have_no_strip(signed, comparison):
    assert 'id="reports"' not in page_of(signed, address(comparison))


def test_a_strip_costs_no_query_for_each_report(signed, series, django_assert_max_num_queries):
    with django_assert_max_num_queries(20):
        page_of(signed, address(series, "?pair=5"))


def test_a_click_on_a_report_makes_it_second_against_the_same_baseline(signed, series):
    html = page_of(signed, f"{address(series)}?{AGAINST}")
    assert "?baseline=1,2,3,4&amp;second=0" in html
    assert "second=5" not in re.search(r'<figure class="reports-line.*?</figure>', html, re.S)[0]


def test_what_a_form_sends_becomes_the_short_address(signed, series):
    answer = signed.get(address(series, "?baseline=3&baseline=1&second=5&material=0.5"))
    assert answer.status_code == 302
    assert answer["Location"] == address(series, "?baseline=1,3&second=5&material=0.5")


@pytest.mark.parametrize(("second", "leads_to"), [(1, "?pair=0"), (3, "?pair=2")])
def test_the_first_report_alone_is_the_pair_that_is_stored(signed, series, second, leads_to):
    answer = signed.get(address(series, f"?baseline=0&second={second}"))
    assert (answer.status_code, answer["Location"]) == (302, address(series, leads_to))


@pytest.mark.parametrize(
    "asked",
    ["baseline=&second=5", "baseline=0,1&second=9", "baseline=5&second=5", "baseline=x&second=y", "baseline=0,1"],
)
def test_an_address_that_chooses_nothing_shows_the_pair(signed, series, asked):
    assert "What stands out" in page_of(signed, address(series, f"?{asked}"))


# Against the baseline


def part(html: str, element: str) -> str:
    return html.split(f'id="{element}"')[1].split("</section>", maxsplit=1)[0]


def test_it_is_the_page_of_a_pair_with_the_median_as_first(signed, series):
    html = page_of(signed, f"{address(series)}?{AGAINST}")
    summary = part(html, "summary")
    assert "the median of 5 reports like it, Mondays 09:00–10:00, 1 Jan to 29 Jan 2024" in summary
    assert "Medians need not add up" in summary
    first, second = summary.split("<li>")[1:3]
    assert "19.24.0.0.0" in second
    assert "19.24.0.0.0" not in first  # what is that of Second is said there
    for element in ("time", "ranked", "findings", "rail", "evidence"):
        assert f'id="{element}"' in html, element
    assert "log file sync" in part(html, "findings")
    assert address(series, "swap/") not in html  # nothing is turned round or judged there


def test_what_lies_outside_is_marked_where_it_stands(signed, series):
    rows = part(page_of(signed, f"{address(series)}?{AGAINST}"), "time").split("<li ")[1:]
    sync, lost = (next(r for r in rows if name in r) for name in ("log file sync", "unaccounted"))
    assert "above all 5" in sync.split('class="beyond"')[1]
    assert 'class="beyond"' not in lost  # a difference of medians: no report prints it


def test_three_reports_and_more_open_on_the_latest_against_the_median_of_those_like_it(signed, series):
    answer = signed.get(address(series, "?material=0.5"))
    assert (answer.status_code, answer["Location"]) == (302, address(series, f"?material=0.5&{AGAINST}"))


def test_the_library_says_what_its_page_opens_on_also_once_an_older_version_is_indexed_again(signed, series):
    said = "against the median of 5"
    assert said in page_of(signed, "/")
    Indexed.objects.update(line="0.3 → 0.3 active sessions", version=1)
    assert search_index.write_missing() == 1
    assert said in page_of(signed, "/")


def test_few_medians_are_made_at_once_where_an_older_version_is_indexed_again(owner, series, monkeypatch):
    monkeypatch.setattr(search_index, "MEDIANS", 1)
    store(owner, [week(n, 1000.0 + n) for n in range(3)])
    Indexed.objects.update(version=1)
    assert [search_index.write_missing(), search_index.write_missing(), search_index.write_missing()] == [1, 1, 0]


def test_reports_too_large_to_hold_at_once_have_the_line_of_the_pair(owner, series, monkeypatch):
    monkeypatch.setattr(median_comparison, "MOST_ROWS", 5)
    Indexed.objects.update(version=1)
    search_index.write_missing()
    line = search_index.lines_of([series.pk])[series.pk]
    assert line
    assert "median" not in line


@pytest.mark.parametrize("hours", [(0, 1, 2), (0, 168, 169), (0, 24, 192)])
def test_they_open_on_the_pair_before_where_fewer_than_two_are_like_it(signed, owner, hours):
    found = [small_report(f"{n}.html", begin=(BEGIN + timedelta(hours=n)).isoformat()) for n in hours]
    assert signed.get(address(store(owner, found)))["Location"].endswith("?pair=2")


def test_a_database_without_a_name_is_like_no_other(signed, owner):
    found = [replace(week(n, 100.0), database=Database()) for n in range(3)]
    assert signed.get(address(store(owner, found)))["Location"].endswith("?pair=2")


def test_reports_too_large_to_hold_at_once_open_on_a_pair(signed, series, monkeypatch):
    monkeypatch.setattr(median_comparison, "MOST_ROWS", 5)
    assert signed.get(address(series))["Location"].endswith("?pair=5")
    answer = signed.get(address(series, f"?{AGAINST}"))
    assert answer.status_code == 400
    assert "choose fewer of them" in body(answer).decode()


def test_the_median_is_made_once_and_anew_where_a_report_is_read_anew(signed, series, monkeypatch):
    made = []
    monkeypatch.setattr(median_comparison, "compare_with_median", lambda *a: made.append(1) or compare_with_median(*a))
    for query in (AGAINST, f"{AGAINST}&all=1"):
        signed.get(address(series, f"?{query}"))
        section_of(signed, series, query)
    assert len(made) == 1
    Report.objects.filter(places__comparison=series, places__position=2).update(parser_version=1)
    signed.get(address(series, f"?{AGAINST}"))
    assert len(made) == 2


def test_one_report_alone_that_is_no_pair_is_compared_as_it_is(signed, series):
    html = page_of(signed, f"{address(series)}?baseline=2&second=4")
    assert "15 Jan 2024 09:00 – 10:00" in part(html, "summary")
    assert "median" not in part(html, "summary")


def test_a_finding_is_pinned_against_the_median(signed, series):
    html = page_of(signed, f"{address(series)}?{AGAINST}")
    finding = re.findall(r'data-finding="([^"]+)"', part(html, "findings"))[0]
    pin = signed.post(f"{address(series)}pins/?{AGAINST}", {"anchor": finding}, headers=JSON)
    assert pin.status_code == 201
    assert pin.json()["place"].endswith("the median of 5 reports")


def test_a_section_has_the_median_its_range_and_where_second_lies(signed, series):
    html = body(section_of(signed, series)).decode()
    row = cells(html, SYNC)
    assert "above all 5" in row
    assert "0.26 – 0.30" in row or "0.25 – 0.31" in row  # 900 to 1,100 waits in 3,600 s, with the print's resolution
    assert f'id="r-{anchor(EVENTS, "db file sequential read")}"' not in html
    assert "hidden" in html


def test_every_row_is_there_when_all_are_asked_for(signed, series):
    html = body(section_of(signed, series, f"{AGAINST}&all=1")).decode()
    assert "inside" in cells(html, anchor(EVENTS, "db file sequential read"))


def test_where_totals_lie_is_told_per_second(signed, series):
    html = body(section_of(signed, series, f"{AGAINST}&basis=total")).decode()
    assert re.search(r"above all 5[^<]*</b> waits per second 0[.]", cells(html, SYNC))
    html = body(section_of(signed, series, f"{AGAINST}&basis=s")).decode()
    assert re.search(r"above all 5[^<]*</b> 0[.]", cells(html, SYNC))
    assert "waits per transaction" not in html


def test_the_section_is_a_page_of_its_own_without_scripts(signed, series):
    html = page_of(signed, f"{address(series)}sections/{EVENTS}/?{AGAINST}")
    assert f"{address(series)}?{AGAINST.replace('&', '&amp;')}#{EVENTS}" in html


def test_a_report_that_does_not_print_the_row_is_counted(signed, owner):
    found = [week(n, waits) for n, waits in enumerate(WAITS[:4])]
    found[1] = replace(
        found[1], sections=(wait_section(("db file sequential read", 5000.0, 12.0)), *found[1].sections[1:])
    )
    found.append(week(4, 90_000.0))
    made = store(owner, found)
    row = cells(body(section_of(signed, made, "baseline=0,1,2,3&second=4")).decode(), SYNC)
    assert "in 3 of 4" in row
    assert "above the 3 of 4 that print it" in row


def test_a_report_unlike_second_is_left_out_by_itself_and_named_when_chosen(signed, owner):
    found = [week(n, waits) for n, waits in enumerate(WAITS[:3])]
    found[0] = replace(found[0], release="11.2.0.4.0")
    made = store(owner, [*found, week(3, 90_000.0)])
    html = page_of(signed, address(made))
    assert "?baseline=1,2&amp;second=3" in html
    assert "<summary>1 left out (another release (11.2.0.4.0)): choose</summary>" in html
    by_hand = page_of(signed, f"{address(made)}?baseline=0,1&second=3")
    assert "is unlike Second: another release (11.2.0.4.0)." in by_hand
    table = body(section_of(signed, made, "baseline=0,1&second=3")).decode()
    assert "is unlike Second: another release (11.2.0.4.0)." in table


def test_the_warning_stands_beside_the_figures_wherever_they_are(signed, owner):
    """In the list of what lies outside, each table, the panel, a column for each report, the trend, and with a pin."""
    reports = [week(n, waits) for n, waits in enumerate(WAITS)]
    reports[2] = replace(reports[2], release="12.1.0.2.0")
    made = store(owner, reports)
    at = address(made)
    pages = {
        "page": f"{at}?{AGAINST}",
        "table": f"{at}sections/{EVENTS}/?{AGAINST}",
        "each": f"{at}sections/{EVENTS}/?{AGAINST}&columns=each",
        "panel": f"{at}entities/event/log%20file%20sync/?{AGAINST}",
        "trend": f"{at}trend/?section={EVENTS}&row={SYNC}&{AGAINST}",
        "trends": f"{at}trend/?section={EVENTS}&{AGAINST}",
    }
    for name, url in pages.items():
        text = page_of(signed, url)
        said = "Chosen by hand: Monday 15 Jan 2024 09:00–10:00 is unlike Second: another release (12.1.0.2.0)."
        assert text.count(said) == 1, name
        assert "Chosen by hand" not in page_of(signed, url.replace("0,1,2,3,4", "0,1,3,4")), name
    pinned = signed.post(f"{at}pins/?{AGAINST}", {"anchor": f"{EVENTS}/{SYNC}"}, headers=JSON).json()
    assert pinned["place"].endswith("the median of 5 reports, 1 of them unlike Second")


def test_the_title_of_a_pair_names_its_databases_alone(signed, owner):
    reports = [week(n, waits) for n, waits in enumerate(WAITS[:3])]
    reports[2] = replace(reports[2], database=Database(name="OTHER", dbid="4242", rac=False, cdb=False))
    made = store(owner, reports)
    assert '<h1 class="title">PAY · 1 Jan 2024' in page_of(signed, address(made, "?pair=0"))
    assert '<h1 class="title">PAY and OTHER · 1 Jan 2024' in page_of(signed, address(made, "?pair=1"))
    assert '<h1 class="title">PAY and OTHER · 8 Jan 2024' in page_of(signed, address(made))


def test_the_same_weekday_and_hour_is_a_choice_of_its_own(signed, owner):
    found = [week(n, waits) for n, waits in enumerate(WAITS[:3])]
    tuesday = small_report("tue.html", begin=(BEGIN + timedelta(days=1)).isoformat())
    made = store(owner, [*found, tuesday, week(3, 90_000.0)])
    html = page_of(signed, address(made))
    assert "3 of the same weekday and hour" in html
    assert "?baseline=0,1,2&amp;second=4" in html


def test_json_says_how_each_figure_lies(signed, series):
    found = json.loads(body(section_of(signed, series, **JSON)))
    assert found["baseline"] == {"reports": [0, 1, 2, 3, 4], "second": 5}
    row = next(r for r in found["rows"] if r["id"] == SYNC)
    waits = row["values"]["waits"]
    assert (waits["first"], waits["second"]) == (1000, 90_000)
    lies = waits["baseline"]
    assert lies["per_s"] is True
    assert (lies["place"], lies["higher_than"], lies["printed"], lies["of"]) == ("above", 5, 5, 5)
    assert lies["z"] == pytest.approx(0.6745 * 89_000 / 50, rel=1e-6)
    assert row["printed"] == 5


def test_an_answer_seen_before_is_304_until_a_report_is_read_anew(signed, series):
    url = f"{address(series)}?{AGAINST}"
    signed.get(url)  # the form token comes with the first
    tag = signed.get(url)["ETag"]
    assert signed.get(url, headers={"If-None-Match": tag}).status_code == 304
    Report.objects.filter(places__comparison=series, places__position=2).update(parser_version=1)
    assert signed.get(url, headers={"If-None-Match": tag}).status_code == 200


def test_a_table_with_too_many_rows_is_refused_in_a_sentence(signed, series, monkeypatch):
    monkeypatch.setattr(median_comparison, "MOST_ROWS", 5)
    answer = section_of(signed, series)
    assert answer.status_code == 400
    assert "choose fewer of them" in body(answer).decode()


def test_a_section_that_none_prints_is_not_there(signed, series):
    assert section_of(signed, series, section="tablespace_io").status_code == 404


# A column for each report, and the trend


def test_every_table_can_have_a_column_for_each_report(signed, series):
    pair = body(section_of(signed, series, "all=1")).decode()
    assert 'data-columns="each"' in pair
    html = body(section_of(signed, series, "columns=each")).decode()
    assert html.count('scope="col"') == 2 + len(WAITS)
    assert 'class="spark"' in cells(html, SYNC)
    assert "Mon 1 Jan" in html


def test_a_column_for_each_report_is_a_file_too(signed, series):
    url = f"{address(series)}sections/{EVENTS}/?columns=each&sort=0f5"
    html = section_of(signed, series, "columns=each&sort=0f5").content.decode()
    assert f"{address(series)}sections/{EVENTS}/?columns=each&amp;sort=0f5&amp;format=csv" in html
    answer = signed.get(f"{url}&format=csv")
    assert answer["Content-Type"].startswith("text/csv")
    head, *rows = list(csv.reader(body(answer).decode().splitlines()))
    assert head[0] == "Event"
    assert [label.rsplit(" ", 2)[1] for label in head[1:]] == [
        f"{BEGIN + timedelta(weeks=n):%Y-%m-%d}" for n in range(6)
    ]
    sync = next(row for row in rows if row[0] == "log file sync")
    figures = [float(cell) for cell in sync[1:]]
    assert figures == pytest.approx([w / 3600 for w in WAITS] if "per s" in head[1] else list(WAITS))
    last = [float(row[-1]) for row in rows]
    assert last == sorted(last, reverse=True)


def test_a_column_for_each_report_is_short_markup(signed, series):
    """24 reports make 2,400 cells: what stands around each weighs more than its figure."""
    html = section_of(signed, series, "columns=each").content.decode()
    table = html.partition("<table")[2].partition("</table>")[0]
    assert table.count("<td>") > 6
    assert not re.search(r"</t[dhr]>\s+<t[dhr]", table)
    assert table.count("course over all the reports") == 2  # for everybody once, not in each row


def test_a_line_of_a_row_breaks_where_a_report_does_not_print_it():
    line = report_columns.spark(figures := [Value(n, 0.0) if n is not None else None for n in (0, 10, None, 5, 5)])
    assert line is not None
    assert line["paths"] == ["M30 170h.1l225-140", "M705 100h.1l225+0"]
    assert (line["x"], line["y"]) == (930, 100)
    assert report_columns.spark(figures[:1]) is None


def test_another_figure_of_each_report(signed, series):
    html = body(section_of(signed, series, "columns=each&sort=1f")).decode()
    assert "<b>average wait</b>" in html


def test_the_rows_of_one_report_largest_first_and_part_by_part(signed, owner, monkeypatch):
    """More reports than rows: a part holds one row, and the address of the next keeps figure and report."""
    monkeypatch.setattr(report_columns, "window_of", lambda cells: 1)
    made = store(owner, [week(n, waits) for n, waits in enumerate((30.0, 90_000.0, 40.0))])

    def part(more: str) -> tuple[list[str], str]:
        html = body(section_of(signed, made, f"columns=each&{more}")).decode()
        found = re.search(r'href="[^"]*columns=each&amp;(sort=\w+&amp;from=\d+)"', html)
        return re.findall(r'class="to"[^>]*>([^<]+)<', html), found[1].replace("&amp;", "&") if found else ""

    assert part("") == (["log file sync"], "sort=2f&from=1")  # 90,000 of the second
    first, following = part("sort=0f2")
    assert (first, following) == (["db file sequential read"], "sort=0f2&from=1")
    assert part(following) == (["log file sync"], "")
    assert part("sort=0f2&q=sync") == (["log file sync"], "")
    html = body(section_of(signed, made, "columns=each&sort=0f2")).decode()
    assert html.count("aria-sort") == 1
    assert 'data-sort="0f1"' in html
    for hostile in ("0f99", "99f1", "0f²", "0f1x"):
        assert section_of(signed, made, f"columns=each&sort={hostile}").status_code == 200


# For guests


def test_whoever_holds_a_link_sees_the_same(client, owner, signed, series):
    _, path = create_link(owner, series, days=1)
    mine, theirs = (page_of(c, f"{p}?{AGAINST}") for c, p in ((signed, address(series)), (client, path)))
    for text in ("above all 5", "the median of 5 reports"):
        assert text in mine
        assert text in theirs
    assert address(series) not in theirs
    assert "above all 5" in body(client.get(f"{path}sections/{EVENTS}/?{AGAINST}", headers=IN_PAGE)).decode()
    assert "Mon 1 Jan" in page_of(client, f"{path}trend/")
    assert "above all 5" in body(client.get(f"{path}export.md?{AGAINST}")).decode()


def test_a_guest_to_whom_it_is_shown_sees_the_same_and_no_report(sign_in, owner, guest, signed, series):
    page, trend, export = (
        f"{address(series)}?{AGAINST}",
        address(series, "trend/"),
        address(series, f"export.md?{AGAINST}"),
    )
    theirs = sign_in(guest)
    asked = [page, trend, export, f"{address(series)}sections/{EVENTS}/?{AGAINST}", f"{trend}?section={EVENTS}"]
    assert {theirs.get(url).status_code for url in asked} == {404}
    assert "Show it to gus" in page_of(signed, page)
    etag = signed.get(page)["ETag"]
    signed.post(address(series, "guests/"), {"guest": guest.membership})
    assert "Hide it from gus" in signed.get(page, headers={"If-None-Match": etag}).content.decode()
    seen = [theirs.get(url) for url in asked]
    assert {answer.status_code for answer in seen} == {200}
    shown = b"".join(body(answer) for answer in seen).decode()
    marks = ("/reports/", "/guests/", "/links/", "Hide it from", "data-share", str(series.reports.first().pk))
    assert [mark for mark in marks if mark in shown] == []
    tags = [answer["ETag"] for answer in seen if "ETag" in answer]
    signed.post(address(series, f"guests/{guest.membership}/"))
    assert {theirs.get(url, headers={"If-None-Match": ", ".join(tags)}).status_code for url in asked} == {404}


def test_hostile_names_are_escaped(signed, owner):
    evil = "<script>alert(1)</script>"
    found = [
        replace(week(n, 100.0), sections=(wait_section((evil, 100.0 + n * 9000, 1.0 + n * 90)),)) for n in range(3)
    ]
    made = store(owner, found)
    for url in (f"{address(made)}?baseline=0,1&second=2", reverse("comparison-trend", args=[made.pk])):
        assert "<script>alert" not in page_of(signed, url)
    assert "<script>" not in body(section_of(signed, made, "baseline=0,1&second=2")).decode()


def test_the_title_of_another_pair_names_it_also_under_a_title_of_ones_own(signed, series):
    series.title = "Slow Monday"
    series.save()
    html = page_of(signed, address(series, "?pair=3"))
    title = html.split('class="title">')[1].split("<")[0]
    assert title.startswith("Slow Monday · ")
    assert "29 Jan 2024" in title


def test_addresses_are_read_as_they_are_written(signed, series):
    html = page_of(signed, f"{address(series)}?{AGAINST}&basis=txn")
    link = next(p for p in html.split('href="') if p.startswith(f"{address(series)}?baseline=1,2"))
    asked = parse_qs(urlsplit(link.split('"')[0].replace("&amp;", "&")).query)
    assert asked == {"baseline": ["1,2,3,4"], "second": ["0"], "basis": ["txn"]}
