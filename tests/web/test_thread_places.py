"""Where threads stand: on rows, findings and other places, as they were and as they are now."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from msgspec.structs import replace

from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.model.comparison import Attribution
from awrdiff.comparisons import guest_access
from awrdiff.comparisons import services as comparisons
from awrdiff.comparisons.anchors import standing
from awrdiff.comparisons.models import REVERSE, ComparisonSection
from awrdiff.comparisons.queries import load_section
from awrdiff.comparisons.queries import overview as load_overview
from awrdiff.comparisons.result_storage import section_rows
from awrdiff.comparisons.tasks import compute_now
from awrdiff.threads import services
from awrdiff.threads.models import Thread
from awrdiff.threads.services import ThreadRefused
from parsers import parse_report
from tests.web.conftest import computed_both_ways, store_parsed
from tests.web.pages import store_comparison
from tests.web.test_threads import JSON, PART, WAITS, read, say_over_http

pytestmark = pytest.mark.django_db
CASES = Path(__file__).resolve().parents[2] / "fixtures" / "cases" / "invented"


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

    @pytest.mark.parametrize("anchor", ["summary", "time", "unaccounted", WAITS, "entity:event/log file sync"])
    def test_other_places(self, client, owner, comparison, anchor):
        made = services.start(owner, comparison, anchor, "About this", uuid4()).thread
        assert made.title
        assert not read(client, made)["quote"]["gone"]

    def test_what_the_first_screen_tells_of_has_its_place(self, client, owner):
        """Each anchor of the page names something, the part that no row explains too."""
        parsed = [parse_report((CASES / name).read_bytes(), name=name) for name in ("before.html", "after.html")]
        stored = [store_parsed(owner, one) for one in parsed]
        comparison = store_comparison(owner, stored, compare_reports(*parsed))
        page = client.get(f"/comparisons/{comparison.pk}/").content.decode()
        named = re.findall(r'<(\w+)[^>]* data-anchor="([^"]+)"', page)
        assert {("p", "summary"), ("li", "unaccounted"), ("span", "unaccounted")} <= set(named)
        for line in ('li data-way="\\w+"', 'li data-k="\\d+"', "li"):  # of the time, of the bars, of the parameters
            assert re.search(rf'<{line} data-anchor="(time_model|foreground_wait_events|init_parameters)/\w+"', page)
        assert len(set(named)) > 12
        assert [at for _, at in named if standing(comparison, at, 0) is None] == []

    def test_what_no_row_explains_is_quoted_in_sessions(self, client, owner, comparison):
        overview = load_overview(comparison)
        first, second, change = overview.attribution.unaccounted
        assert change == pytest.approx(second - first)
        made = services.start(owner, comparison, "unaccounted", "Which part is this?", uuid4()).thread
        assert (made.title, made.place) == ("DB time unaccounted for", "Where the time went")
        said = dict(made.figures)
        assert said == {"First": f"{first:.2f}", "Second": f"{second:.2f}", "change": f"{change:+.2f}"}

    def test_what_is_not_printed_leaves_nothing_unaccounted(self, owner, comparison, monkeypatch):
        bare = replace(load_overview(comparison).attribution, parts=())
        assert bare.unaccounted is None
        monkeypatch.setattr(Attribution, "unaccounted", None)
        with pytest.raises(ThreadRefused, match="nothing to write about"):
            services.start(owner, comparison, "unaccounted", "Why?", uuid4())

    def test_more_than_all_of_it_is_no_figure(self, comparison):
        more = replace(load_overview(comparison).attribution, first_covered=1.2)
        assert more.unaccounted[0] is None
        assert more.unaccounted[1] is not None

    def test_who_writes_about_it(self, sign_in, owner, guest, stranger, comparison):
        """Who sees the comparison: no guest before it is shown to them, and nobody of another team."""
        url, fields = f"/comparisons/{comparison.pk}/threads/", {"anchor": "unaccounted", "body": "Why?"}

        def status(who) -> int:
            return sign_in(who).post(url, {**fields, "key": uuid4()}, headers=JSON).status_code

        assert [status(who) for who in (guest, stranger)] == [404, 404]
        guest_access.show(owner, comparison, guest.membership)
        assert [status(who) for who in (guest, stranger, owner)] == [201, 404, 201]

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

    def test_the_other_way_round_it_says_so(self, client, owner, comparison, row, thread):
        computed_both_ways(comparison)
        found = read(client, thread, pair=REVERSE)
        assert ["Waits", "100 → 250 (+150.0 % per s)", "250 → 100 (−60.0 % per s)"] in found["quote"]["rows"]
        assert "the other way round" in found["quote"]["note"]
        made = services.start(owner, comparison, row, "From behind", uuid4(), pair=REVERSE).thread
        assert "100 → 250" not in str(made.figures)
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
