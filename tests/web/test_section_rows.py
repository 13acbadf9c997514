"""Which rows of a section are shown, and in which order: sorting by each column, windows that leave nothing out."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain

import pytest
from django.test import Client
from django.urls import reverse
from msgspec import structs

from awrdiff.analysis.model.comparison import ComparedSection
from awrdiff.web.presenters.section import compared_section as section
from awrdiff.web.presenters.section import histogram
from awrdiff.web.presenters.section.compared_section import Options
from awrdiff.web.presenters.section.row_limits import WINDOW
from tests.web.compared import comparison, histogram_section, row, row_id, wait_row, waits_section
from tests.web.pages import store_comparison

NAME = "foreground_wait_events"
ALL = Options(changed_only=False)


def waits(*rows) -> ComparedSection:
    return structs.replace(waits_section(1), rows=rows)


def names(view) -> list[str]:
    return [r["name"] for r in view.rows]


# First descends a b c, Second c a b, the change b c a.
THREE = waits(
    wait_row(NAME, "a", (300, 3.0), (330, 3.3)),
    wait_row(NAME, "b", (200, 2.0), (20, 0.2)),
    wait_row(NAME, "c", (100, 1.0), (150, 9.0)),
    wait_row(NAME, "only first", (1, 0.1), None),
    wait_row(NAME, "only second", None, (1, 0.1)),
)


@pytest.mark.parametrize(
    ("side", "first_three"),
    [("f", ["a", "b", "c"]), ("s", ["a", "c", "b"]), ("c", ["b", "c", "a"])],
)
def test_a_column_orders_by_its_own_side(side, first_three):
    view = section.present(THREE, replace(ALL, sort=f"0{side}"))
    assert [n for n in names(view) if len(n) == 1] == first_three


@pytest.mark.parametrize(("side", "last"), [("f", "only second"), ("s", "only first")])
def test_what_its_side_does_not_print_comes_last(side, last):
    assert names(section.present(THREE, replace(ALL, sort=f"0{side}")))[-1] == last


def test_the_column_in_use_is_marked_and_no_other():
    view = section.present(THREE, replace(ALL, sort="0s"))
    assert [code for *_, columns in view.heads for code, *_, in_use in columns if in_use] == ["0s"]


def windows(present, section_: ComparedSection) -> list[list[str]]:
    """The ids of each window, from one to the next as the page's own link leads."""
    shown, start = [], 0
    while start is not None:
        view = present(section_, replace(ALL, start=start))
        shown.append([r["id"] for r in view.rows])
        assert view.start == start
        assert view.last == start + len(view.rows)
        start = view.next
    return shown


def many(count: int) -> ComparedSection:
    return waits(*(wait_row(NAME, f"event {i}", (1000 + i, 1.0), (2000 + i, 2.0)) for i in range(count)))


@pytest.mark.parametrize("count", [WINDOW - 1, WINDOW, WINDOW + 1, 2 * WINDOW, 3 * WINDOW + 1])
def test_every_row_is_in_one_window(count):
    made = many(count)
    shown = windows(section.present, made)
    assert [len(w) for w in shown[:-1]] == [WINDOW] * (len(shown) - 1)
    assert sorted(chain.from_iterable(shown)) == sorted(r.row_id for r in made.rows)


def test_how_many_come_next_is_said():
    first = section.present(many(WINDOW + 1), ALL)
    assert (len(first.rows), first.next_count) == (WINDOW, 1)
    assert section.present(many(3 * WINDOW), ALL).next_count == WINDOW


def test_every_event_of_a_histogram_is_in_one_window():
    one = histogram_section()
    made = [row(one.id, {"event": f"event {i}"}, one.rows[i % 2].values) for i in range(2 * histogram.EVENTS + 1)]
    shown = windows(histogram.present, structs.replace(one, rows=tuple(made)))
    assert len(shown) == 3
    assert sorted(chain.from_iterable(shown)) == sorted(r.row_id for r in made)


@pytest.mark.parametrize("at", [0, WINDOW - 1, WINDOW, WINDOW + 1])
def test_the_window_of_a_row_that_is_asked_for(at):
    made = many(WINDOW + 2)
    view = section.present(made, replace(ALL, row=made.rows[at].row_id))
    assert view.start == at // WINDOW * WINDOW
    assert made.rows[at].row_id in [r["id"] for r in view.rows]


@pytest.mark.django_db
def test_the_pages_own_links_lead_to_every_row(sign_in, owner, reports):
    stored = store_comparison(owner, reports, comparison((many(WINDOW + 1),)))
    client: Client = sign_in(owner)
    url = reverse("comparison-section", args=[stored.pk, NAME])
    seen: list[str] = []
    while url:
        html = client.get(url).content.decode()
        seen += re.findall(r'<tr id="r-(\w+)"', html)
        following = re.search(r'<a href="([^"]*from=\d+)" [^\n]*>next \d+ row', html)
        url = following[1].replace("&amp;", "&") if following else ""
    assert sorted(seen) == sorted(row_id(NAME, f"event {i}") for i in range(WINDOW + 1))
