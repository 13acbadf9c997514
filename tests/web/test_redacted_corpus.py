"""Real reports under a redacted link: their names of five characters and more are nowhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.test import Client

from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.tasks import compute_now
from awrdiff.redaction.link_options import Redaction
from awrdiff.redaction.report import redact
from parsers.model import Report
from parsers.storage.report_serialisation import dump_head, dump_section
from tests.harness.corpus import read
from tests.unit.redaction.identifiers import found_in, identifiers
from tests.web.conftest import store_parsed
from tests.web.reach import answers
from tests.web.redacted import redacted_link

pytestmark = [pytest.mark.corpus, pytest.mark.thorough]
MOST = Redaction.new(sql="shape", undeclared=True)


@pytest.fixture(scope="module")
def reports(corpus: Path) -> list[Report]:
    found = [r for p in sorted(corpus.iterdir()) if p.is_file() and (r := read(p)) is not None]
    return [r for r in found if r.kind != "lgwr_trace"]


def whole(report: Report) -> bytes:
    return json.dumps([dump_head(report), *map(dump_section, report.sections)], ensure_ascii=False).encode()


def test_no_name_is_in_any_redacted_report(reports):
    told = 0
    for report in reports:
        names = identifiers([report])
        told += len(found_in(whole(report), names))
        assert found_in(whole(redact(report, MOST, "report-1.html")), names) == [], report.name
    assert told > 1_000


@pytest.mark.django_db
def test_no_name_can_be_reached_below_a_link(owner, reports, settings):
    settings.AWRDIFF_LINK_RATE = 100_000
    pair = [r for r in reports if r.kind == "awr" and r.format == "html" and (r.release or "").startswith("19")][:2]
    made = comparisons.create_comparison(owner, [store_parsed(owner, r) for r in pair], order_by_time=False)
    compute_now(made.pk)
    made.refresh_from_db()
    names = identifiers(pair)
    link, path = redacted_link(owner, made, MOST)
    leaks = [
        (url, found) for url, _, data in answers(Client(), path, link.copy, most=10) if (found := found_in(data, names))
    ]
    assert names
    assert leaks == []


@pytest.mark.django_db
def test_nor_below_a_link_to_a_single_report(owner, reports, settings):
    """The first of each kind and format."""
    settings.AWRDIFF_LINK_RATE = 100_000
    first = {(r.kind, r.format): r for r in reversed(reports)}
    read = 0
    for report in first.values():
        names = identifiers([report])
        link, path = redacted_link(owner, store_parsed(owner, report), MOST)
        seen = list(answers(Client(), path, link.report_copy, most=3))
        assert [(url, found) for url, _, data in seen if (found := found_in(data, names))] == [], report.name
        read += len(seen) if names else 0
    assert len(first) > 3
    assert read > 300
