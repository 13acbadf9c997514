"""Histograms whose labels and counts the columns of a text report cut."""

from __future__ import annotations

import pytest

from parsers.model import Value
from parsers.text.histogram_repair import whole_labels
from tests.unit.parsers.listings import EVENTS, chapter, section

MAIN = (
    "                                                 % of Total Waits",
    "                                 -----------------------------------------------",
    "                           Total",
    "Event                      Waits  <8us <16us <32us <64us <128u <256u <512u >=512",
    "------------------------- ------ ----- ----- ----- ----- ----- ----- ----- -----",
)


@pytest.mark.parametrize(
    ("printed", "whole"),
    [
        (["Event", "Total Waits", "<64us", "<128u", "<256u", "<512u", ">=512"],
         ["Event", "Total Waits", "<64us", "<128us", "<256us", "<512us", ">=512us"]),
        (["<512", "<1ms", "<16ms", "<32ms", ">=32m"], ["<512us", "<1ms", "<16ms", "<32ms", ">=32ms"]),
        (["<32us", "<64us", ">=64u"], ["<32us", "<64us", ">=64us"]),
        (["<1ms", "<32ms", "<=1s", ">1s"], ["<1ms", "<32ms", "<=1s", ">1s"]),
        (["<1/8s", "<1s", "<2s", ">=2s"], ["<1/8s", "<1s", "<2s", ">=2s"]),
        (["< 1m", "< 2m", ">=2m"], ["< 1m", "< 2m", ">=2m"]),
        (["<x", ">=", "<"], ["<x", ">=", "<"]),
    ],
)  # fmt: skip
def test_labels(printed: list[str], whole: list[str]) -> None:
    assert list(whole_labels(printed)) == whole


def test_counts_get_the_suffix_that_the_wait_events_say() -> None:
    events = chapter(
        "Foreground Wait Events", "", *EVENTS,
        "log file sync                   182,738     0         94       1      1.0    1.5",
        "SQL*Net message to client     2,001,000     0          2       0      7.7     .0",
    )  # fmt: skip
    histogram = chapter(
        "Wait Event Histogram", "-> % of Total Waits: value of .0 indicates value was <.05%", "", *MAIN,
        "a rare one                     5  80.0                                      20.0",
        "log file sync              182.8 100.0",
        "SQL*Net message to client  2.001 100.0",
        "unlisted                   1991. 100.0",
        "unlisted as well           12.3K  50.0  50.0",
    )  # fmt: skip
    rows = {r["event"]: r["waits"] for r in section("wait_event_histogram", events, histogram).rows}
    assert rows["a rare one"] == Value(5, 0)
    assert rows["log file sync"] == Value(182800, 50)
    assert rows["SQL*Net message to client"] == Value(2001000, 500)
    assert rows["unlisted"] == Value(1991000, 500)
    assert rows["unlisted as well"] == Value(12300, 50)


def test_buckets_have_the_ids_of_html() -> None:
    found = section(
        "wait_event_histogram",
        chapter(
            "Wait Event Histogram",
            "",
            *MAIN,
            "one                           10  50.0                          10.0  20.0  20.0",
        ),
    )
    assert [c.id for c in found.columns] == [
        "event", "waits", "pct_lt_8us", "pct_lt_16us", "pct_lt_32us", "pct_lt_64us", "pct_lt_128us", "pct_lt_256us",
        "pct_lt_512us", "pct_ge_512us",
    ]  # fmt: skip


def test_one_histogram_over_two_pages() -> None:
    first = chapter("Wait Event Histogram", "", *MAIN, "one                            1 100.0", closed=False)
    second = chapter("Wait Event Histogram", "", *MAIN, "two                            2 100.0")
    assert [r["event"] for r in section("wait_event_histogram", first, "\f" + second).rows] == ["one", "two"]
