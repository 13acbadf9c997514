"""The count beside a section and the rows that its filter leaves are made by one rule."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from msgspec.structs import replace

from tests.unit.analysis.builders import column, exact, section
from tests.web.builders import small_report
from tests.web.compared import comparison, wait_row, waits_section
from tests.web.conftest import store_parsed
from tests.web.pages import store_comparison

pytestmark = pytest.mark.django_db
NAME = "foreground_wait_events"
NAMES = (
    "log file sync",
    "LOG  file   switch",
    "latch:\tshared pool",
    "STRASSE",
    "straße",
    "nul\x00inside",
    "broken ? name",
    "İstanbul",
    "100%_done",
)
# What is typed, and how many of the names it finds.
TYPED = {
    "log file": 2,
    "  LOG   file ": 2,
    "latch: shared": 1,
    "strasse": 1,
    "STRASSE": 1,
    "straße": 1,
    "nul inside": 1,
    "i̇stanbul": 1,
    "%": 1,
    "_": 1,
    "nothing such": 0,
}


def shown(client, address: str, typed: str) -> int:
    html = client.get(address, {"q": typed, "all": "1"}, headers={"HX-Request": "true"}).content.decode()
    return len(re.findall(r'<tr id="r-', html))


@pytest.mark.parametrize(("typed", "count"), TYPED.items())
def test_of_a_comparison(sign_in, owner, reports, typed, count):
    rows = tuple(wait_row(NAME, name, (10, 1.0), (400, 44.0)) for name in NAMES)
    stored = store_comparison(owner, reports, comparison((replace(waits_section(1), rows=rows),)))
    client = sign_in(owner)
    found = client.get(reverse("comparison-search", args=[stored.pk]), {"q": typed}).json()["sections"]
    assert found.get(NAME, 0) == count
    assert shown(client, reverse("comparison-section", args=[stored.pk, NAME]), typed) == count


# A report's own page looks into each cell as it is printed: of two blanks there the filter finds none.
PRINTED = {**TYPED, "log file": 1, "  LOG   file ": 1, "latch: shared": 0, "nul inside": 0}


@pytest.mark.parametrize(("typed", "count"), PRINTED.items())
def test_of_a_report(sign_in, owner, typed, count):
    columns = (column("event", None), column("waits"))
    rows = [(name.replace("\x00", "|"), exact(10)) for name in NAMES]
    stored = store_parsed(owner, replace(small_report(), sections=(section(NAME, columns, rows),)))
    client = sign_in(owner)
    found = client.get(reverse("report-search", args=[stored.pk]), {"q": typed}).json()["sections"]
    assert found.get(NAME, 0) == count
    assert shown(client, reverse("report-section", args=[stored.pk, NAME]), typed) == count
