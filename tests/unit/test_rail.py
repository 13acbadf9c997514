"""The list of sections beside the page: in the order of the page, under family names, no two entries alike."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from awrdiff.web.presenters.page.section_navigation import heights, rail_of, short_title
from parsers.sections.registry import REGISTRY


@dataclass(frozen=True)
class Line:
    section_id: str
    title: str
    family: str
    rows: int = 3


LINES = (
    Line("addm_findings", "ADDM", "load"),
    Line("load_profile", "Load Profile", "load"),
    Line("sql_text", "Complete List of SQL Text", "sql"),
    Line("sql_by_elapsed_time", "SQL ordered by Elapsed Time", "sql"),
    Line("latch_activity", "Latch Activity", "latches"),
    Line("time_model", "Time Model Statistics", "time"),
)


def test_the_list_is_in_the_order_of_the_page() -> None:
    rail = rail_of(LINES)
    page = [e["id"] for e in rail["first"]] + [e["id"] for g in rail["others"] for e in g["entries"]]
    assert page == ["load_profile", "time_model", "sql_by_elapsed_time", "addm_findings", "sql_text", "latch_activity"]
    assert [e["id"] for g in rail["groups"] for e in g["entries"]] == page
    assert [g["title"] for g in rail["groups"]] == [
        "Load",
        "Where time went",
        "SQL",
        "More: Load",
        "More: SQL",
        "Latches",
    ]


def test_no_two_groups_of_a_real_page_have_one_title() -> None:
    """Of all declared sections, as if one report printed them all."""
    rail = rail_of([Line(d.id, d.title, d.family) for d in REGISTRY.by_id.values()])
    titles = [g["title"] for g in rail["groups"]]
    assert len(titles) == len(set(titles)), titles


@pytest.mark.parametrize(
    ("title", "short"),
    [
        ("Instance Activity Stats - Absolute Values", "Absolute Values"),
        ("Instance Activity Stats - Thread Activity", "Thread Activity"),
        ("IOStat by Function summary", "Function summary"),
        ("SQL ordered by Elapsed Time", "by Elapsed Time"),
        ("Latch Activity", "Latch Activity"),
    ],
)
def test_names_that_begin_alike_are_told_apart(title: str, short: str) -> None:
    assert short_title("any", title) == short


def test_the_room_kept_for_a_section_grows_with_its_rows_up_to_those_shown_at_once() -> None:
    room = [
        rail_of([Line("foreground_wait_events", "Events", "time", n)])["first"][0]["heights"] for n in (0, 3, 30, 9000)
    ]
    for screen in zip(*room, strict=True):
        assert list(screen[1:]) == sorted(set(screen[1:]))
        assert screen[-1] < 9000
    empty, few = room[:2]
    assert few[0] < few[1] < few[2]  # names break into more lines
    assert 0 < empty[0] < few[0]


def test_against_a_median_a_row_is_higher_by_its_range() -> None:
    plain, ranged = (heights("wait_classes", 5, ranges=r) for r in (False, True))
    assert all(b >= a + 5 * 18 for a, b in zip(plain, ranged, strict=True))
    assert heights("wait_classes", 0, ranges=True) == heights("wait_classes", 0)
