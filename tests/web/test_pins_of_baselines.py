"""Pins on the page of a report against a baseline: they know it, show its median and range, and lead back to it."""

from __future__ import annotations

import pytest
from django.test import Client

from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.comparisons import anchors, baseline_reports
from awrdiff.pins.models import Pin
from tests.web.pages import check_markup
from tests.web.test_baselines import AGAINST, EVENTS, JSON, SYNC, page_of

pytestmark = pytest.mark.django_db
ROW = f"{EVENTS}/{SYNC}"


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def tray(made, query=AGAINST, ending="pins/"):
    return f"/comparisons/{made.pk}/{ending}{f'?{query}' if query else ''}"


def pin(client, made, anchor=ROW, query=AGAINST, **fields):
    answer = client.post(tray(made, query), {"anchor": anchor, **fields}, headers=JSON)
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_the_page_has_the_tray_of_its_view_and_rows_to_pin(client, series):
    html = page_of(client, f"/comparisons/{series.pk}/?{AGAINST}")
    assert f'data-pins="{tray(series).replace("&", "&amp;")}"' in html
    assert f'data-anchor="{ROW}"' in html
    assert "js/pins.js" in html
    assert "js/anchors.js" in html


def test_a_row_has_the_median_and_range_as_first_and_leads_back_to_its_view(client, series):
    made = pin(client, series)
    assert made["title"] == "log file sync"
    assert made["place"].endswith("Monday 5 Feb 2024 09:00–10:00 against the median of 5 reports")
    assert dict(made["figures"])["Waits per s"] == "0.28 (0.25 – 0.31) → 25, above all 5 · z = 1,201"
    assert made["baseline"] == {"reports": [0, 1, 2, 3, 4], "second": 5}
    assert made["url"] == f"/comparisons/{series.pk}/?{AGAINST}#{ROW}"
    assert pin(client, series) == made
    assert Pin.objects.count() == 1


def test_each_view_and_the_pair_keep_their_own(client, series):
    whole, fewer = pin(client, series), pin(client, series, query="baseline=1,2&second=5")
    pair = pin(client, series, query="", pair="4")
    assert len({whole["id"], fewer["id"], pair["id"]}) == 3
    assert dict(fewer["figures"])["Waits per s"] == "0.28 (0.25 – 0.31) → 25, above both"
    assert pair["url"] == f"/comparisons/{series.pk}/?pair=4#{ROW}"
    everywhere = [client.get(tray(series, q), headers=JSON).json()["pins"] for q in ("", AGAINST)]
    assert everywhere[0] == everywhere[1] == [whole, fewer, pair]


def test_the_first_report_alone_is_the_pair(client, series):
    made = pin(client, series, query="baseline=0&second=3")
    assert (made["baseline"], made["pair"]) == (None, 2)


def test_a_section_and_the_view_itself(client, series):
    table, view = pin(client, series, EVENTS), pin(client, series, "summary")
    assert table["figures"] == [["", "1 of 2 rows lies outside the baseline and counts"]]
    assert view["title"] == "Monday 5 Feb 2024 09:00–10:00 against the median of 5 reports"


@pytest.mark.parametrize(
    ("anchor", "query"),
    [
        ("nothing", AGAINST),
        (f"{EVENTS}/0000", AGAINST),
        ("summary/x", AGAINST),
        ("finding:redo", AGAINST),
        ("x" * 5000, AGAINST),
        (ROW, "baseline=0,1&second=9"),
        (ROW, "baseline=5&second=5"),
        (ROW, "baseline="),
    ],
)
def test_what_is_not_there_is_refused(client, series, anchor, query):
    answer = client.post(tray(series, query), {"anchor": anchor}, headers=JSON)
    assert (answer.status_code, Pin.objects.count()) == (400, 0)
    assert "There is nothing here to keep" in answer.json()["error"]


def test_the_tray_copies_the_view_and_all_pins(client, series):
    pin(client, series)
    pin(client, series, query="", pair="4")
    html = client.get(tray(series), headers={"Accept": "text/html"}).content.decode()
    check_markup(html)
    assert f"pins.md?{AGAINST.replace('&', '&amp;')}" in html
    text = client.get(tray(series, ending="pins.txt")).content.decode()
    assert text.startswith("PAY · Monday 5 Feb 2024 09:00–10:00 against the median of 5 reports")
    assert f"http://testserver/comparisons/{series.pk}/?{AGAINST}#{ROW}" in text
    assert f"http://testserver/comparisons/{series.pk}/?pair=4#{ROW}" in text
    assert text.rstrip().endswith(f"/comparisons/{series.pk}/?{AGAINST}")
    assert "0.28 (0.25 – 0.31) → 25" in text


def test_a_tray_of_many_rows_of_one_table_reads_it_once(client, series, monkeypatch):
    services_pins = [pin(client, series, anchor) for anchor in (ROW, EVENTS)]
    read = []
    known = baseline_reports.held_against
    monkeypatch.setattr(baseline_reports, "held_against", lambda *a: read.append(a[2]) or known(*a))
    assert client.get(tray(series), headers=JSON).json()["pins"] == services_pins
    assert read == [EVENTS]


def test_what_is_gone_keeps_the_figures_as_they_were(client, series):
    made = pin(client, series)
    Pin.objects.update(anchor=f"{EVENTS}/000000000000")
    (kept,) = client.get(tray(series), headers=JSON).json()["pins"]
    assert kept["gone"]
    assert (kept["figures"], kept["place"]) == (made["figures"], made["place"])
    assert "any more" in kept["note"]
    assert "other way round" not in kept["note"]


def test_a_view_is_written_and_read_again():
    for chosen in (BaselineSelection((0, 1, 2), 3), BaselineSelection(tuple(range(23)), 23)):
        assert anchors.view_of(anchors.view_text(chosen)) == chosen
        assert len(anchors.view_text(chosen)) <= Pin._meta.get_field("baseline").max_length
    for hostile in ("", "0", "/", "0,1/", "0/0", "1,/2", "a/b", "٣/1", "0," * 40 + "0/1", "0/1\n"):
        assert anchors.view_of(hostile) is None
