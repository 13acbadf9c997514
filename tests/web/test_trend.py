"""All reports of a comparison over time: the course of a row, DB time by event, and what lies between the reports."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from msgspec.structs import replace

from parsers.model import Instance
from tests.web.builders import small_report, text_section
from tests.web.test_baselines import AGAINST, BEGIN, EVENTS, JSON, SYNC, WAITS, page_of, part, store, week


@pytest.fixture
def signed(sign_in, owner):
    return sign_in(owner)


def test_the_trend_of_a_row(signed, owner):
    found = [week(n, waits) for n, waits in enumerate(WAITS[:4])]
    found[2] = replace(found[2], instances=(Instance(1, "pay1", BEGIN + timedelta(days=9), "db01"),))
    found[3] = replace(
        found[3],
        sections=(found[3].sections[0], text_section("init_parameters", ("cpu_count", "8"), ("processes", "400"))),
    )
    made = store(owner, found)
    url = f"{reverse('comparison-trend', args=[made.pk])}?section={EVENTS}&row={SYNC}&baseline=0,1&second=3"
    html = page_of(signed, url)
    assert html.count('class="second"') == html.count('class="drawing"') > 1  # one point of Second in each chart
    assert "restarted 10 Jan 09:00" in html
    assert "processes 300 → 400" in html
    assert 'class="gap"' in html
    assert ">Mon 1 Jan</text>" in html
    assert "range of the baseline" in html
    found_json = signed.get(url, headers=JSON).json()
    assert found_json["rows"][0]["values"]["waits"] == list(WAITS[:4])
    assert found_json["reports"][2]["restarted"] == [(BEGIN + timedelta(days=9)).isoformat()]
    assert found_json["reports"][3]["parameters"] == [{"name": "processes", "before": "300", "after": "400"}]


def test_the_trends_table_keeps_what_is_chosen_on_the_way_to_another_figure(signed, series):
    html = page_of(signed, f"{reverse('comparison-trend', args=[series.pk])}?section={EVENTS}&q=log+file&{AGAINST}")
    to_others = re.findall(r'href="[^"]*columns=each[^"]*"', html)
    assert to_others
    assert all("q=log+file" in one and "second=" in one and f"section={EVENTS}" in one for one in to_others)


def bars(html: str, cls: str) -> list[float]:
    """Heights, in the order of time."""
    return [
        float(h) for h in re.findall(rf'<rect class="{cls}" x="[^"]+" y="[^"]+" width="[^"]+" height="([^"]+)%"', html)
    ]


def test_the_trend_opens_with_db_time_of_every_report_by_event(signed, owner):
    found = [week(n, waits) for n, waits in enumerate(WAITS[:4])]
    found[2] = replace(found[2], instances=(Instance(1, "pay1", BEGIN + timedelta(days=9), "db01"),))
    found.append(small_report("next.html", begin=(BEGIN + timedelta(weeks=3, hours=1)).isoformat(), waits=90_000.0))
    made = store(owner, found)
    html = part(page_of(signed, reverse("comparison-trend", args=[made.pk])), "db-time")
    heights = bars(html, "w-commit")
    assert f"row={SYNC}" in html.split("keys")[1]  # the largest wait leads to its course
    assert len(heights) == 5
    assert max(heights[:4]) < heights[4] / 10  # 90,000 waits
    assert html.count('class="gap"') == 3  # the last two follow each other
    assert re.search("restarted 10 Jan 09:00[^<]*</title><line", html)
    assert len(re.findall("<tr>", html.split("matrix")[0])) == 1 + 5
    assert 'id="db-time"' not in page_of(signed, f"{reverse('comparison-trend', args=[made.pk])}?section={EVENTS}")


def test_who_against_whom_leads_to_the_page_of_the_two(signed, owner):
    made = store(owner, [week(n, waits) for n, waits in enumerate((*WAITS[:3], WAITS[-1]))])
    html = page_of(signed, reverse("comparison-trend", args=[made.pk]))
    table = re.search(r'<table class="mini matrix">.*?</table>', html, re.S)[0]
    urls = [url.replace("&amp;", "&") for url in re.findall(r'href="([^"]+)"', table)]
    assert len(urls) == 3 + 2 + 1
    assert urls[-1].endswith("?baseline=2&second=3")
    movers = [
        text.rsplit(" ", 1)[0] + " " + text.rsplit(" ", 1)[1][0] for text in re.findall("<small>([a-z][^<]+)<", table)
    ]
    assert movers == ["log file sync +"] * 3  # to the last, of DB time that is the same
    assert table.count(">≈</a>") == len(urls)
    assert "22 Jan 2024" in signed.get(urls[-2], follow=True).content.decode()  # the second against the last
    two = store(owner, [week(n, waits) for n, waits in enumerate(WAITS[:2])])
    assert "matrix" not in page_of(signed, reverse("comparison-trend", args=[two.pk]))


def test_the_trend_without_a_row_is_a_table_of_all(signed, series):
    html = page_of(signed, reverse("comparison-trend", args=[series.pk]))
    assert f"row={SYNC}" in html
    answer = signed.get(f"{reverse('comparison-trend', args=[series.pk])}?section={EVENTS}&row=000000000000")
    assert answer.status_code == 404
