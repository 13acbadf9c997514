"""A redacted link tells no name: every byte that can be reached below it is searched for those that were planted."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client

from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.redaction.rule import Redaction
from awrdiff.sharing import services
from tests.unit.redaction.planted import CORE, Plants, planted_report, told
from tests.web.conftest import store_parsed
from tests.web.reach import answers
from tests.web.redacted import redacted_link

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("accounts")]
JSON = {"Accept": "application/json"}
SIX = datetime(2024, 1, 1, 6)


@pytest.fixture
def planted(owner) -> Comparison:
    """Of three reports of many sections, with a name planted in each text, in the title and in the files' names."""
    plants = Plants()
    reports = [
        store_parsed(
            owner,
            planted_report(f"{CORE}-{n}.html", plants, figure=100.0 * n, start=SIX + timedelta(hours=n), every=6),
        )
        for n in (1, 2, 3)
    ]
    made = comparisons.create_comparison(owner, reports, order_by_time=False, title=f"{CORE} was slow", note=CORE)
    compute_now(made.pk)
    made.refresh_from_db()
    assert made.is_ready, made.error
    return made


@pytest.mark.parametrize("rule", [Redaction.new(), Redaction.new(sql="shape", undeclared=True)], ids=["least", "most"])
def test_no_byte_below_it_tells_a_name(owner, planted, settings, rule):
    settings.AWRDIFF_LINK_RATE = 100_000
    link, path = redacted_link(owner, planted, rule)
    seen = list(answers(Client(), path, link.copy, most=30))
    assert len(seen) > 150
    assert [(url, status) for url, status, _ in seen if status >= 500] == []
    assert [(url, found[:3]) for url, _, data in seen if (found := told(data) + told(url.encode()))] == []
    assert {status for _, status, _ in seen} <= {200, 302, 400, 404}
    assert sum(status == 200 for _, status, _ in seen) > 120


def test_the_search_would_find_them(owner, planted, settings):
    """Or the test above could not fail."""
    settings.AWRDIFF_LINK_RATE = 100_000
    link, token = services.create_link(owner, planted, days=1)
    seen = list(answers(Client(), f"/s/{token}/", link.comparison, most=3))
    assert sum(bool(told(data)) for _, _, data in seen) > 60
