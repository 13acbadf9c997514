"""Published cases as demos: many reports in one comparison, and a trace among them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import transaction

from awrdiff.accounts.access import AccessContext
from awrdiff.accounts.services import local_membership
from awrdiff.comparisons import demo
from awrdiff.comparisons.models import Comparison

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def demos(django_db_setup, django_db_blocker) -> Iterator[dict[str, Comparison]]:
    """Read and compared once: nothing here changes them."""
    with django_db_blocker.unblock(), transaction.atomic():
        member = local_membership()
        demo.load(AccessContext(team=member.team, user=member.user), Path(settings.BASE_DIR) / "fixtures")
        yield {c.demo_slug: c for c in Comparison.objects.all()}
        transaction.set_rollback(True)


@pytest.mark.thorough
def test_every_published_case_has_its_pages(client, demos):
    for slug, comparison in demos.items():
        for path in ("", "commit/"):
            answer = client.get(f"/comparisons/{comparison.pk}/{path}", follow=True)
            assert answer.status_code == 200, (slug, path)
            assert int(answer["Content-Length"]) < 150_000, (slug, path)


def test_sixteen_runs_make_one_page(client, demos):
    html = client.get(f"/comparisons/{demos['batch-size'].pk}/commit/").content.decode()
    assert "T(k) = 44.02 s + 44.50 µs · k" in html
    assert "the most of all, 900,000, 40.05 s of 84.07 s" in html
    assert "worst error 3.15 %" in html
    assert "more batching stops paying at 28,125 commits" in html
    assert "−45.7 %" in html
    assert "−48.1 % at best" in html
    assert html.count("missing</li>") == 1
    assert "All 16 reports: missing" in html
    last = client.get(f"/comparisons/{demos['batch-size'].pk}/?pair=14").content.decode()
    assert "The same work took" in last


def test_the_trace_of_the_switch_proves_it(client, demos):
    html = client.get(f"/comparisons/{demos['adaptive-switch'].pk}/commit/").content.decode()
    assert "proven" in html
    assert "switched to post/wait at 2023-02-16 12:45:09" in html


def test_the_starved_log_writer_by_its_published_factors(client, demos):
    html = client.get(f"/comparisons/{demos['lgwr-starved'].pk}/commit/").content.decode()
    for printed in ("×10.5", "×7.8", "755 µs", "49 %", "31 s of the 1,117 s"):
        assert printed in html, printed


def test_each_of_many_reports_is_named_by_its_file(client, demos):
    html = client.get(f"/comparisons/{demos['batch-size'].pk}/?pair=1").content.decode()
    assert " · rows-32768.html</option>" in html
