"""A crafted report of one huge section: no address below a share link unpacks it whole, or shows all of it."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from django.test import Client
from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Delta
from awrdiff.comparisons.models import ComparisonSection
from parsers.model import Column
from parsers.storage import compressed_blocks
from tests.web.compared import comparison as built
from tests.web.compared import row, wait_row, waits_section
from tests.web.conftest import context_of, store_report
from tests.web.pages import body, check_markup, store_comparison
from tests.web.share import create_link

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
HTMX = {"HX-Request": "true"}
ROWS, BLOCK_BYTES = 2_000, 150_000
NAME = "foreground_wait_events"


@pytest.fixture(scope="module")
def link(lasting) -> str:
    """The path of a link to a comparison with a section of many rows."""
    rows = tuple(wait_row(NAME, f"event {i:06d}", (100 + i, 1.0), (200 + i, 2.0)) for i in range(ROWS))
    with lasting(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(compressed_blocks, "BLOCK_BYTES", BLOCK_BYTES)
        owner = context_of("olivia", "Payments")
        reports = [store_report(owner, name) for name in ("first.html", "second.html")]
        stored = store_comparison(owner, reports, built((replace(waits_section(1), rows=rows),)))
        return create_link(owner, stored, days=7)[1]


@pytest.fixture
def huge(db, link, monkeypatch) -> str:
    monkeypatch.setattr(compressed_blocks, "BLOCK_BYTES", BLOCK_BYTES)
    return link


def shown(path: str, **query: str) -> str:
    html = Client().get(f"{path}sections/{NAME}/", query, headers=HTMX).content.decode()
    check_markup(html)
    return html


def rows_of(html: str) -> list[str]:
    return re.findall(r"event (\d{6})<", html)


def test_a_page_unpacks_one_block(huge, monkeypatch):
    counts = compressed_blocks.Packed(bytes(ComparisonSection.objects.get().payload)).counts
    assert len(counts) > 3
    read = []
    plain = compressed_blocks.Packed.block
    monkeypatch.setattr(compressed_blocks.Packed, "block", lambda self, n, of: read.append(n) or plain(self, n, of))
    for query in ({}, {"all": "1"}, {"sort": "0c"}, {"q": "event 001999"}, {"part": "3"}, {"from": "100"}):
        read.clear()
        shown(huge, **query)
        assert len(read) == 1, query


def test_never_more_than_a_hundred_rows(huge):
    for query in (
        {},
        {"all": "1"},
        {"sort": "0c", "all": "1"},
        {"q": "event", "all": "1"},
        {"part": "2", "from": "100"},
    ):
        assert len(rows_of(shown(huge, **query))) == 100, query


def test_the_parts_hold_every_row_once(huge):
    counts = compressed_blocks.Packed(bytes(ComparisonSection.objects.get().payload)).counts
    seen = [
        one
        for part, count in enumerate(counts, start=1)
        for start in range(0, count, 100)
        for one in rows_of(shown(huge, part=str(part), **{"from": str(start)}))
    ]
    assert sorted(seen) == [f"{i:06d}" for i in range(ROWS)]


def test_a_part_says_what_it_is_and_leads_on(huge):
    html = shown(huge)
    counts = compressed_blocks.Packed(bytes(ComparisonSection.objects.get().payload)).counts
    assert f"Part 1 of {len(counts)} of a very large table: rows 1 to {counts[0]} of {ROWS}." in html
    assert 'data-part="2"' in html
    assert 'data-part="1"' in shown(huge, part="2")
    assert "Part" not in shown(huge, part="99").split("of a very large")[0][-5:]


def test_a_row_and_a_text_are_found_in_their_part(huge):
    section = ComparisonSection.objects.get()
    last = compressed_blocks.Packed(bytes(section.payload)).block(
        len(compressed_blocks.Packed(bytes(section.payload)).counts) - 1
    )[-1]
    assert f'id="r-{last[0]}"' in shown(huge, row=last[0])
    assert rows_of(shown(huge, q="event 001998")) == ["001998"]


def test_memory_of_an_export_is_that_of_some_blocks(huge):
    body(Client().get(f"{huge}export.csv"))
    tracemalloc.start()
    size = sum(len(chunk) for chunk in Client().get(f"{huge}export.json").streaming_content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    whole = (
        len(compressed_blocks.Packed(bytes(ComparisonSection.objects.get().payload)).counts)
        * compressed_blocks.BLOCK_BYTES
    )
    assert size > whole / 2
    assert peak < 2 * size  # all of them as objects would be several times this size


@pytest.mark.parametrize("below", ["", f"sections/{NAME}/", "search/?q=event", "commit/", "export.md", "export.csv"])
def test_queries_do_not_grow(huge, below, django_assert_max_num_queries):
    with django_assert_max_num_queries(14):
        body(Client().get(huge + below))


def test_very_wide_rows_and_very_long_texts(owner, reports):
    columns = (Column("event", "Event"), *(Column(f"c{i}", f"C {i}", "count") for i in range(400)))
    wide = [
        row(NAME, {"event": f"e{i}"}, {c.id: Delta("x" * 3_000, "y" * 3_000) for c in columns[1:]}) for i in range(6)
    ]
    section = replace(waits_section(1), columns=columns, rows=tuple(wide))
    stored = store_comparison(owner, reports, built((section,)))
    path = create_link(owner, stored, days=7)[1]
    answer = Client().get(f"{path}sections/{NAME}/", {"all": "1", "columns": "all"}, headers=HTMX)
    assert answer.status_code == 200
    assert int(answer["Content-Length"]) < 4_000_000
