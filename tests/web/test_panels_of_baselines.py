"""The panel of a thing, and Find, on the page of a report against a baseline."""

from __future__ import annotations

from tests.web.pages import body
from tests.web.share import create_link
from tests.web.test_baselines import (
    AGAINST,
    EVENTS,
    IN_PAGE,
    JSON,
    SYNC,
    address,
    nothing_kept,
    page_of,
    section_of,
    signed,
)

__all__ = ["nothing_kept", "signed"]


def test_the_panel_of_a_thing_holds_it_against_the_baseline(signed, series):
    html = page_of(signed, f"{address(series)}entities/event/log%20file%20sync/?{AGAINST}", **IN_PAGE)
    assert "The median of 5 reports" in html
    assert "above all 5" in html
    assert f"trend/?section={EVENTS}&row={SYNC}&{AGAINST}" in html.replace("&amp;", "&")
    assert f'href="#{EVENTS}/{SYNC}"' in html
    assert "<html" not in html
    alone = page_of(signed, f"{address(series)}entities/event/log%20file%20sync/?{AGAINST}")
    assert f'href="{address(series)}?{AGAINST}#{EVENTS}/{SYNC}"' in alone.replace("&amp;", "&")


def test_a_name_in_a_table_against_the_baseline_opens_the_panel(signed, series):
    html = body(section_of(signed, series)).decode()
    path = f"{address(series)}entities/event/log%20file%20sync/"
    assert f'<a class="to" href="{path}?{AGAINST}">log file sync</a>' in html.replace("&amp;", "&")


def test_what_nobody_names_has_no_panel(signed, series):
    url = f"{address(series)}entities/event/nothing/?{AGAINST}"
    assert signed.get(url, headers=IN_PAGE).status_code == 404


def test_find_on_a_page_against_a_baseline_says_no_figures_of_the_pair(signed, series):
    url = f"{address(series)}search/?{AGAINST}&q=log+file+sync&found=1"
    found = signed.get(url, headers=JSON).json()["groups"]
    assert found[0]["found"][0]["url"].endswith(f"/?{AGAINST}")
    rows = [one for group in found for one in group["found"] if one["target"] == f"{EVENTS}/{SYNC}"]
    assert rows
    assert not any(one["first"] or one["second"] or one["change"] for one in rows)
    assert "What stands out" not in [group["title"] for group in found]


def test_under_a_share_link_the_panel_is_held_against_the_baseline_too(client, owner, series):
    _, path = create_link(owner, series, days=1)
    html = page_of(client, f"{path}entities/event/log%20file%20sync/?{AGAINST}", **IN_PAGE)
    assert "above all 5" in html
    assert f"{path}trend/" in html
