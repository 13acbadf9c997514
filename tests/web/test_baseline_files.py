"""What is taken away of a report against a baseline: Markdown, JSON, CSV, HTML."""

from __future__ import annotations

import csv
import json

import pytest
from msgspec.structs import replace

from awrdiff.comparisons import median_comparison
from tests.web.builders import wait_section
from tests.web.pages import body
from tests.web.test_baselines import (  # noqa: F401 - fixtures
    AGAINST,
    EVENTS,
    IN_PAGE,
    JSON,
    SYNC,
    address,
    nothing_kept,
    page_of,
    store,
    week,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed(sign_in, owner):
    return sign_in(owner)


def test_markdown_and_json_of_the_baseline(signed, series):
    url = f"{address(series)}export.md?{AGAINST}"
    text = body(signed.get(url)).decode()
    assert "above all 5" in text
    assert f"second={AGAINST[-1]}" in text  # its address
    document = json.loads(body(signed.get(f"{address(series)}export.json?{AGAINST}")))
    assert document["schema"] == "awrdiff.baseline/1"
    assert [s["id"] for s in document["sections"]] == [EVENTS, "init_parameters"]
    assert signed.get(f"{address(series)}export.pdf?{AGAINST}").status_code == 404


def test_csv_of_the_baseline_names_its_reports_and_has_every_figure(signed, series):
    answer = signed.get(f"{address(series)}export.csv?{AGAINST}")
    assert answer["Content-Type"].startswith("text/csv")
    lines = list(csv.DictReader(body(answer).decode().splitlines()))
    reports = [line for line in lines if line["section"] == "baseline"]
    assert [line["status"] for line in reports] == ["baseline"] * 5 + ["Second"]
    assert (reports[5]["key"], reports[5]["said"]) == ("Monday 5 Feb 2024 09:00–10:00", "week-5.html")
    waits = next(line for line in lines if (line["row_id"], line["column"]) == (SYNC, "waits"))
    median, low, high, second = (float(waits[name]) * 3600 for name in ("median", "low", "high", "second"))
    assert [round(n) for n in (median, low, high, second)] == [1000, 900, 1100, 90_000]
    assert (waits["per_s"], waits["place"], waits["higher_than"], waits["of"]) == ("yes", "above", "5", "5")
    text = next(line for line in lines if line["section"] == "init_parameters")
    assert (text["median"], text["second"], text["said"]) == ("8", "8", "as in 5 of 5")


def test_the_html_file_of_the_baseline_needs_nothing_else(signed, series):
    html = body(signed.get(f"{address(series)}export.html?{AGAINST}")).decode()
    assert "<script" not in html
    assert "against the median of 5 reports like it</title>" in html
    assert html.count("<li>Monday") == 5  # the reports of the baseline
    assert f'id="p0-{SYNC}"' in html
    brief = body(signed.get(f"{address(series)}export.html?{AGAINST}&part=summary")).decode()
    assert "above all 5" in brief
    assert "<details" not in brief


@pytest.mark.parametrize("ending", ["txt", "md", "html"])
def test_files_for_people_say_the_verdict_of_the_page_and_where_second_lies(signed, series, ending):
    document = json.loads(body(signed.get(f"{address(series)}export.json?{AGAINST}")))
    text = body(signed.get(f"{address(series)}export.{ending}?{AGAINST}")).decode()
    verdict = document["summary"].split(". ")[0]
    assert verdict in text
    assert "the median of 5 reports like it, Mondays 09:00–10:00, 1 Jan to 29 Jan 2024" in text
    sync = next(line for line in text.splitlines() if "log file sync" in line and "◆ above all 5" in line)
    assert "per second" in sync or "active sessions" in sync


def test_a_table_says_in_a_column_of_its_own_where_second_lies(signed, series):
    text = body(signed.get(f"{address(series)}export.md?{AGAINST}")).decode()
    table = text.split("## Foreground Wait Events")[1]
    head, row = (next(line for line in table.splitlines() if word in line) for word in ("Second lies", "log file sync"))
    assert head.count("|") == row.count("|")
    assert "◆ active sessions above all 5" in row


def test_where_one_was_chosen_by_hand_that_is_unlike_second_the_files_say_so(signed, owner):
    made = store(owner, [week(n, 1000.0, release="19.3.0.0.0" if n == 1 else "12.2.0.1.0") for n in range(4)])
    text = body(signed.get(f"{address(made)}export.txt?baseline=0,1,2&second=3")).decode()
    assert "the median of 3 reports, 1 of them unlike Second" in text
    assert "like it" not in text
    whole = body(signed.get(f"{address(made)}export.md?baseline=0,1,2&second=3")).decode()
    assert "Chosen by hand: Monday 8 Jan 2024" in whole


def test_reports_too_large_to_hold_at_once_have_every_figure_and_no_verdict(signed, series, monkeypatch):
    monkeypatch.setattr(median_comparison, "MOST_ROWS", 3)
    document = json.loads(body(signed.get(f"{address(series)}export.json?{AGAINST}")))
    assert document["summary"].startswith("Monday 5 Feb 2024 09:00–10:00 against the median of 5 reports: ")
    assert "findings" not in document
    assert signed.get(f"{address(series)}export.md?{AGAINST}").status_code == 400


def test_the_ticket_against_the_baseline_says_both_and_where_it_is_from(signed, series):
    answer = signed.get(f"{address(series)}export.txt?{AGAINST}")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    lines = body(answer).decode().splitlines()
    assert len(lines) <= 12
    assert [line.split(":")[0] for line in lines[:2]] == ["First", "Second"]
    assert any("log file sync" in line and "above all 5" in line for line in lines)
    assert lines[-1] == f"http://testserver{address(series)}?{AGAINST}"


def test_the_menu_of_the_baseline_page_has_all_of_it(signed, series):
    html = page_of(signed, address(series, f"?{AGAINST}"))
    query = AGAINST.replace("&", "&amp;")
    for ending in ("txt", "md", "html", "json", "csv"):
        assert f'="{address(series)}export.{ending}?{query}"' in html
    assert "data-print" in html
    assert "js/print.js" in html


def test_hostile_names_in_the_files_are_text(signed, owner):
    """A name of a report or a row is neither a formula nor markup."""
    rows = (("=cmd()", 10.0, 1.0), ("<b>x</b>", 10.0, 1.0))
    reports = [replace(week(n, 1000.0), name="=evil().html", sections=(wait_section(*rows),)) for n in range(3)]
    made = store(owner, reports)
    csv_text = body(signed.get(f"{address(made)}export.csv?baseline=0,1&second=2")).decode()
    assert "'=cmd()" in csv_text
    assert "'=evil().html" in csv_text
    html = body(signed.get(f"{address(made)}export.html?baseline=0,1&second=2")).decode()
    assert "<b>x</b>" not in html
    assert "&lt;b&gt;x&lt;/b&gt;" in html
