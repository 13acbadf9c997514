"""The commit latency page: what fewer commits would save."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.unit.analysis.commit_builders import committing, top_list
from tests.web.commit_pages import committed, keep, page, row_of, run, stored
from tests.web.compared import HOSTILE
from tests.web.pages import check_markup

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


def test_one_report_alone_bounds_what_fewer_commits_save(client, owner):
    report = keep(owner, committed())
    url = reverse("report-commit", args=[report.pk])
    html = client.get(url).content.decode()
    check_markup(html)
    assert "One report alone gives a bound" in html
    assert row_of(html, "1/2").startswith("1/2 54.0 s")
    assert 'data-base="108" data-slope="-108"' in html
    assert "First" not in re.sub(r"<[^>]+>", "", html[html.index("<main") : html.index('id="sources"')])
    linked = client.get(reverse("report", args=[report.pk])).content.decode()
    assert f'href="{url}"' in linked


def test_the_same_work_gets_a_line_its_runs_and_its_range(client, owner):
    made = stored(owner, run(15_000, 1386.0, 10**6, (15_000, 501.0)), run(5_000, 771.0, 10**6, (5_000, 192.0)))
    html = page(client, made)
    assert "T(k) = 463.5 s + 61.50 ms · k" in html
    assert "The 5,000 commits now take 307.5 s of 771.0 s, the most of all, 15,000, 922.5 s of 1,386 s." in html
    assert "Between First and Second log file sync alone explains 309.0 s of the 615.0 s; the other 306.0 s are" in html
    assert "Of the 61.50 ms that a commit adds, 30.90 ms are log file sync and 30.60 ms are not" in html
    assert "Through two points a line always fits" in html
    assert row_of(html, "First 15,000") == "First 15,000 1,386 s 501 s 885 s 1,386 s ="
    assert row_of(html, "1/2").startswith("1/2 extrapolated 2,500 617 s −19.9 %")
    assert row_of(html, "as now").startswith("as now 5,000 771 s =")
    assert row_of(html, "2 10,000").endswith("1,078 s +39.9 %")
    assert 'data-base="463.5" data-slope="307.5"' in html


def test_rows_typed_in_make_the_axis_rows_per_commit(client, owner):
    made = stored(owner, run(15_000, 1386.0, 10**6, (15_000, 501.0)), run(5_000, 771.0, 10**6, (5_000, 192.0)))
    assert "per commit</th>" not in page(client, made)
    html = page(client, made, rows="30000", sla="5")
    assert "Or by the rows per commit, b: <b>T(b) = 463.5 s + 1,845 s ÷ b</b>" in " ".join(html.split())
    assert row_of(html, "First 15,000").startswith("First 15,000 2 1,386 s")
    assert row_of(html, "1/2 extrapolated").startswith("1/2 extrapolated 2,500 12 617 s")
    assert '<input type="hidden" name="rows" value="30000">' in html[html.index('id="sla"') :]
    assert '<input type="hidden" name="sla" value="5">' in html[html.index('id="what-if"') : html.index('id="sla"')]
    assert "Give the rows as a positive number." in page(client, made, rows="many")


def test_a_saving_is_a_bound_only_where_nothing_else_waits(client, owner):
    few = {"user commits": 36_000, "redo synch writes": 36_000, "redo writes": 30_000}
    alone, mixed = (
        committing(lfs=(36_000, 72.0), statistics={**few, "redo synch writes": n}, begin_snap=n)
        for n in (36_000, 72_000)
    )
    html = page(client, stored(owner, alone, mixed))
    part = html[html.index('id="what-if"') :]
    assert "First: saved at least" in part
    assert "Second: saved, about" in part
    assert "No bound in Second: 2 synch writes to a commit: others than commits wait too" in part
    assert "not everywhere as a bound" in " ".join(part.split())


def test_what_a_transaction_of_a_benchmark_waits_for(client, owner):
    lists = [
        {"log file sync": (93_100, 143, 2, 6.0), "log file parallel write": (93_417, 73, 1, 3.1)},
        {"log file sync": (68_965, 1_117, 16, 64.6), "db file parallel write": (19_651, 31, 2, 1.8)},
    ]
    made = stored(owner, *(top_list(rows, elapsed=587.0) for rows in lists))
    html = page(client, made, tps1="200", tps2="133", sla="5")
    part = html[html.index('id="benchmark"') :]
    assert row_of(part, "Second").startswith("Second – 0.88 14.3 ms")
    assert (
        '<input type="hidden" name="tps2" value="133">' in html[html.index('id="sla"') : html.index('id="benchmark"')]
    )
    assert "Give transactions per second as a positive number." in page(client, made, tps1="-3")
    assert HOSTILE not in page(client, made, tps1=HOSTILE, rows=HOSTILE)


def test_a_reader_may_say_that_the_work_was_the_same(client, owner):
    made = stored(owner, run(15_000, 1386.0), run(5_000, 771.0))
    asked = page(client, made, sla="5")
    assert "They did the same work: fit a line" in asked
    assert 'href="?sla=5&amp;same_work=1#what-if"' in asked
    assert "T(k)" not in asked
    told = page(client, made, same_work="1")
    assert "T(k) = 463.5 s" in told
    assert "Assuming, as you said, that the reports did the same work." in told


def test_more_than_two_reports_have_a_column_each_and_one_line(client, owner):
    """A published series of batch sizes: from 1 row to 32,768 rows per commit."""
    times = {1: 82.9945, 2: 64.9540, 8: 50.6216, 32: 45.0470, 256: 43.9992, 32768: 43.1086}
    made = stored(owner, *(run(900_000 // rows, t, 10**6, (1_000 + rows, 2.0)) for rows, t in times.items()))
    html = page(client, made)
    assert "Fitted by least squares on 6 reports of 27 to 900,000 commits" in html
    assert "more batching stops paying at 28,125 commits, 1/32 of the most: −45.7 %, and −48.1 % at best" in html
    assert row_of(html, "commit waits ").count("1,") >= 5
    assert "Report 6" in html
    assert html.count("All 6 reports: missing") == 1
    other = page(client, made, pair="4")
    assert row_of(other, "Figure") == "Figure First Report 2 Report 3 Report 4 Report 5 Second change"
    assert f'href="{reverse("comparison", args=[made.pk])}?pair=4"' in other
