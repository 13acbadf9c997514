"""Where threads stand: on rows, findings and other places, as they were and as they are now."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest
from django.test import Client

from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.models import ComparisonSection
from awrdiff.comparisons.queries import load_section
from awrdiff.comparisons.record import section_rows
from awrdiff.comparisons.tasks import compute_now
from awrdiff.threads import services
from awrdiff.threads.errors import ThreadRefused
from awrdiff.threads.models import Thread
from tests.web.test_threads import JSON, PART, WAITS, read, say_over_http

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def row(comparison) -> str:
    """The anchor of log file sync: 100 waits in First, 250 in Second."""
    rows = load_section(comparison, WAITS).rows
    return f"{WAITS}/{next(r.row_id for r in rows if r.key['event'] == 'log file sync')}"


@pytest.fixture
def thread(owner, comparison, row) -> Thread:
    return services.start(owner, comparison, row, "Why is this so slow?", uuid4()).thread


class TestWhereItStands:
    def test_a_row_with_its_figures(self, client, comparison, row):
        url = f"/comparisons/{comparison.pk}/threads/"
        answer = client.post(url, {"anchor": row, "body": "Why?", "key": uuid4()}, headers=JSON)
        assert answer.status_code == 201, answer.content
        made = answer.json()
        assert (made["title"], made["place"], made["comments"]) == ("log file sync", "Foreground Wait Events", 1)
        assert made["url"] == f"/comparisons/{comparison.pk}/#{row}&thread={made['id']}"
        quote = read(client, Thread.objects.get())["quote"]
        assert ["Waits", "100 → 250 (+150.0 % per s)", "100 → 250 (+150.0 % per s)"] in quote["rows"]
        assert (quote["gone"], quote["changed"], quote["note"]) == (False, False, "")

    @pytest.mark.parametrize("anchor", ["summary", "time", WAITS, "entity:event/log file sync"])
    def test_other_places(self, client, owner, comparison, anchor):
        made = services.start(owner, comparison, anchor, "About this", uuid4()).thread
        assert made.title
        assert not read(client, made)["quote"]["gone"]

    @pytest.mark.parametrize("anchor", ["", "nowhere", f"{WAITS}/ffffffff", "entity:event/none", "x" * 400, "\ud800"])
    def test_nothing_to_write_about(self, owner, comparison, anchor):
        with pytest.raises(ThreadRefused, match="nothing to write about"):
            services.start(owner, comparison, anchor, "Why?", uuid4())

    def test_other_figures_stand_beside_those_as_they_were(self, client, comparison, thread):
        Thread.objects.update(figures=[["Waits", "100 → 111"], ["Gone column", "5"]])
        quote = read(client, thread)["quote"]
        assert quote["changed"]
        assert ["Waits", "100 → 111", "100 → 250 (+150.0 % per s)"] in quote["rows"]
        assert ["Gone column", "5", "–"] in quote["rows"]
        html = client.get(f"/comparisons/{comparison.pk}/threads/{thread.pk}/", headers=PART).content.decode()
        assert "100 → 111" in html
        assert "as on" in html

    def test_a_row_that_is_gone_is_kept_as_it_was(self, client, comparison, thread):
        section = load_section(comparison, WAITS)
        without = replace(section, rows=tuple(r for r in section.rows if r.key["event"] != "log file sync"))
        ComparisonSection.objects.filter(comparison=comparison, section_id=WAITS).delete()
        (row,) = section_rows(comparison, 0, replace(_computed(comparison), sections=(without,)))
        row.save()
        found = read(client, thread)
        assert found["quote"]["gone"]
        assert ["Waits", "100 → 250 (+150.0 % per s)", "–"] in found["quote"]["rows"]
        assert "not in this comparison any more" in found["quote"]["note"]
        assert say_over_http(client, thread, "Still of interest.").status_code == 201

    def test_a_swapped_comparison_shows_its_originals(self, client, owner, comparison, row, thread):
        mirror = comparisons.swap(owner, comparison)
        compute_now(mirror.pk)
        mirror.refresh_from_db()
        found = read(client, thread, mirror)
        assert ["Waits", "100 → 250 (+150.0 % per s)", "250 → 100 (−60.0 % per s)"] in found["quote"]["rows"]
        assert "the other way round" in found["quote"]["note"]
        made = services.start(owner, mirror, row, "From behind", uuid4()).thread
        assert (made.comparison_id, made.swapped) == (comparison.pk, True)
        assert len(client.get(f"/comparisons/{comparison.pk}/threads/", headers=JSON).json()["threads"]) == 2

    def test_it_survives_a_recomputation(self, client, owner, comparison, thread):
        compute_now(comparison.pk)
        comparisons.retry(owner, comparison)
        assert not read(client, thread)["quote"]["gone"]

    def test_another_pair_is_said(self, client, thread):
        found = read(client, thread, pair=1)
        assert found["quote"]["gone"]
        assert "not in this pair of reports" in found["quote"]["note"]


def _computed(comparison):
    from awrdiff.comparisons.queries import overview

    return overview(comparison)
