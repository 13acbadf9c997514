"""The commit latency page: what a commit costs, of two reports and of one; who may see it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from awrdiff.processing.models import State
from parsers import parse_report
from tests.unit.analysis.commit_builders import USUAL, committing, stages, top_list
from tests.web.commit_pages import committed, keep, page, row_of, run, stored, words_at_once
from tests.web.compared import HOSTILE
from tests.web.pages import check_markup
from tests.web.share import create_link

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def pair(owner):
    return stored(owner, committed(lfs=(36_000, 72.0)), committed())


def test_the_page_says_what_a_commit_costs_and_where_it_goes(client, pair):
    html = page(client, pair)
    assert "A commit waits <b>2.00 ms</b> → <b>3.00 ms</b> (<b>+50 %</b>)" in html
    assert (
        "log file sync minus log file parallel write (LFS − LFPW): <b>1.00 ms</b> (<b>50 %</b>) → <b>2.00 ms</b> (<b>67 %</b>)"
        in html
    )
    assert row_of(html, "handing over to a log writer worker").startswith(
        "handing over to a log writer worker per write 50.0 µs 50.0 µs = redo write worker delay (usec)"
    )
    assert "▲ ×2.0" in row_of(html, "LFS − LFPW, naive")
    assert "1.10 ms 2.10 ms ▲ +91 % redo write total time" in row_of(html, "queueing")
    assert "measured by the log writer" in html


def test_every_link_leads_to_its_row(client, pair):
    """Stages, percentiles and causes name rows; each is found where the link says."""
    html = page(client, pair)
    links = set(re.findall(rf'href="{reverse("comparison", args=[pair.pk])}#(\w+)/(\w+)"', html))
    assert {s for s, _ in links} >= {"instance_activity", "foreground_wait_events", "wait_event_histogram"}
    for section, row in links:
        found = client.get(
            reverse("comparison-section", args=[pair.pk, section]), {"row": row}, headers={"HX-Request": "true"}
        )
        assert f'id="r-{row}"' in found.content.decode(), (section, row)


def test_commits_that_waited_less_than_a_write(client, owner):
    report = keep(owner, committed(lfs=(36_000, 18.0)))
    html = client.get(reverse("report-commit", args=[report.pk])).content.decode()
    assert (
        "is negative: commits joined writes under way, they waited less than an average write, by <b>500 µs</b>."
        in html
    )


def test_a_standby_is_named_and_its_cost_is_a_range(client, owner):
    slow = {"written": 2800.0, "total": 2830.0}
    reports = [
        committed(statistics=stages(**{**USUAL, **slow}), background={"SYNC Remote Write": (1000, 1.9)}) for _ in "12"
    ]
    html = page(client, stored(owner, *reports))
    assert "after the write: standby (Data Guard SYNC)" in html
    assert "To each write the standby (Data Guard SYNC) adds" in html
    line = row_of(html, "what the standby adds to the local write")
    assert "part of the line above, not added" in line
    assert "1.90 ms" in line
    assert "SYNC Remote Write" in line


def test_a_write_below_the_end_of_the_top_list_is_bounded(client, owner):
    lists = [
        {"log file sync": (68_965, 1_117, 16, 64.6), "db file parallel write": (19_651, 31, 2, 1.8)},
        {"log file sync": (93_100, 143, 2, 6.0), "log file parallel write": (93_417, 73, 1, 3.1)},
    ]
    html = page(client, stored(owner, *(top_list(rows) for rows in lists)))
    assert "all redo writes together took at most 31.0 s, 2.8 % of what commits waited" in html
    assert "not split: the write is not printed" in html
    assert "▼ −91 %" in row_of(html, "commit wait: log file sync")
    assert "the log writer&#x27;s processing rather than the redo writes." in html


def test_without_commit_waits_it_says_so(client, owner):
    html = page(client, stored(owner, *[committing(lfs=None, lfpw=None, waits={"other": (10, 5.0)})] * 2))
    assert "No report prints how long a commit waits on average" in html
    assert "Both reports: missing" in html
    assert "log file sync (not listed in foreground wait events)" in html
    assert "The time in log file sync is not printed." in html


def test_stages_without_a_commit_wait_are_shown_with_their_table(client, owner):
    report = keep(owner, committed(lfs=None, waits={"other": (10, 5.0)}))
    html = client.get(reverse("report-commit", args=[report.pk])).content.decode()
    check_markup(html)
    assert "The report does not print how long a commit waits on average" in html
    assert "the commit wait is not printed" in html
    assert (
        row_of(html, "the write itself")
        == "the write itself per write 800 µs redo write finish time redo write schedule time"
    )


def test_an_sla_is_judged_and_kept_in_the_address(client, pair):
    html = page(client, pair, sla="2.5")
    line = row_of(html[html.index('id="sla"') :], "Second")
    assert "breached The average commit wait is 120 % of the SLA" in line
    assert "3.4" in line
    assert "probably breached" in row_of(html[html.index('id="sla"') :], "First")
    assert 'value="2.5"' in html
    assert "Craig Shallahamer" in html
    assert page(client, pair, sla="2,5").count("120 % of the SLA") == 1


@pytest.mark.parametrize("given", ["0", "-1", "nan", "inf", "1e99", "x", HOSTILE])
def test_an_sla_that_is_no_time_is_refused_in_words(client, pair, given):
    html = page(client, pair, sla=given)
    assert "Give the SLA as a positive number of milliseconds." in html
    assert "of the SLA" not in html
    assert "<script>alert" not in html


def test_a_report_without_commits_offers_no_page(client, owner):
    bare = keep(owner, committing(lfs=None, lfpw=None, waits={"db file sequential read": (10, 1.0)}))
    assert "data-commit" not in client.get(reverse("report", args=[bare.pk])).content.decode()


def test_what_only_a_third_report_prints_is_named_without_a_link(client, owner):
    broadcasting = committed(moved={"redo write broadcast ack time": 5_000})
    html = page(client, stored(owner, committed(), committed(), broadcasting))
    assert "<span>redo write broadcast ack time</span>" in html
    assert '">redo write broadcast ack time</a>' in page(client, stored(owner, committed(), broadcasting))


def test_it_is_told_as_json_too(client, pair):
    answer = client.get(reverse("comparison-commit", args=[pair.pk]), headers={"Accept": "application/json"})
    assert answer.json()["reports"][1]["lfs_avg_s"]["value"] == pytest.approx(0.003)


def test_queries_and_weight(client, owner, pair, django_assert_max_num_queries):
    many = stored(owner, *(run(1_000 * n, 100.0 + n, 10**6) for n in range(1, 13)))
    for made in (pair, many):
        with django_assert_max_num_queries(12):
            html = page(client, made)
        assert len(html.encode()) <= 150_000
    report = keep(owner, committed(waits={f"e{i}": (9, 9) for i in range(900)}))
    with django_assert_max_num_queries(12):
        client.get(reverse("report-commit", args=[report.pk]))


def test_the_comparison_links_to_it(client, pair):
    html = client.get(reverse("comparison", args=[pair.pk])).content.decode()
    assert f'href="{reverse("comparison-commit", args=[pair.pk])}" data-commit' in html


def test_it_waits_for_the_comparison(client, owner, pair):
    type(pair).objects.filter(pk=pair.pk).update(state=State.PENDING)
    answer = client.get(reverse("comparison-commit", args=[pair.pk]))
    assert answer.status_code == 200
    assert b"data-status=" in answer.content


def test_who_may_not_see_it_finds_nothing(sign_in, stranger, owner, pair):
    report = keep(owner, committed())
    other = sign_in(stranger)
    assert other.get(reverse("comparison-commit", args=[pair.pk])).status_code == 404
    assert other.get(reverse("report-commit", args=[report.pk])).status_code == 404
    assert other.get(reverse("comparison-commit", args=[pair.pk]), {"pair": "7"}).status_code == 404


def test_a_share_link_shows_it_read_only(owner, pair, accounts):
    _, path = create_link(owner, pair, days=7)
    guest = Client()
    answer = guest.get(f"{path}commit/")
    html = answer.content.decode()
    check_markup(html)
    assert answer["Referrer-Policy"] == "no-referrer"
    assert "Shared read-only view, valid until" in html
    assert f'href="{path}#instance_activity/' in html
    assert str(pair.pk) not in html
    assert "csrfmiddlewaretoken" not in html
    assert f'href="{path}commit/"' in guest.get(path).content.decode()


def test_the_curves_are_drawn_by_the_server(client, pair):
    html = page(client, pair)
    shares, below = re.findall(r'<figure class="chart" data-plot="(?:shares|below)">(.*?)</figure>', html, re.S)
    for drawn in (shares, below):
        lines = re.findall(r'<path class="edge ([a-z ]+)" d="M([^"H]+)"', drawn)
        assert [cls for cls, _ in lines] == ["first", "second", "first dotted", "second dotted"]
        for _, points in lines:
            at = [tuple(map(float, point.split())) for point in points.split("L")]
            assert all(0 <= x <= 100 and 0 <= y <= 100 for x, y in at)
            assert [x for x, _ in at] == sorted(x for x, _ in at)
        assert "log file parallel write, Second" in drawn
        assert "1 ms" in drawn
    rising = [float(p.split()[1]) for p in re.findall(r' d="M([^"]+)"', below)[0].split("L")]
    assert rising == sorted(rising, reverse=True)
    assert rising[0] == 100  # nothing took less than the first edge
    assert rising[-1] == pytest.approx(0, abs=0.1)  # and all less than the last


def test_a_report_without_histograms_has_no_curves(client, owner):
    plain = stored(owner, committing(lfs=(36_000, 72.0)), committing(lfs=(36_000, 108.0)))
    assert 'data-plot="' not in page(client, plain)


def test_the_first_cause_stands_in_one_line_with_its_size_and_how_sure_it_is(client, owner):
    """Off its CPU: 2 ms of each write, and the queue behind such writes, of a wait of 10 ms."""
    slow = {**USUAL, **{m: USUAL[m] + 2_000 for m in ("schedule", "finish", "written", "total")}}
    html = page(client, stored(owner, committing(), committing(lfs=(36_000, 360.0), statistics=stages(**slow))))
    line = re.search(r'<p class="first-cause">(.*?)</p>', html, re.DOTALL)
    told = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", line[1])).strip()
    assert told.startswith("high The log writer was off its CPU or stalled. In Second: 6.81 ms of the ")
    assert told.endswith("10.0 ms that a commit waits (68 %).")
    assert html.index('class="first-cause"') < html.index('id="causes"') < html.index('id="stages"')


def test_a_stall_that_outweighs_commits_is_first_and_no_part_of_them(client, owner):
    stalls = {"log file switch (checkpoint incomplete)": (900, 500.0)}
    html = page(client, stored(owner, committing(), committing(lfs=(36_000, 360.0), waits=stalls)))
    line = re.search(r'<p class="first-cause">(.*?)</p>', html, re.DOTALL)
    assert "Sessions wait for log switches." in line[1]
    assert "In Second: 500 s, 33 % of DB time." in line[1]


def test_the_size_of_a_cause_of_both_is_that_of_second(client, owner):
    hours = (committing(lfs=(36_000, 360.0), waits={"log file switch completion": (900, s)}) for s in (400.0, 500.0))
    html = page(client, stored(owner, *hours))
    line = re.search(r'<p class="first-cause">(.*?)</p>', html, re.DOTALL)
    assert "In Second, as in First: 500 s, 33 % of DB time." in line[1]
    assert "(In First: 400 s, 27 % of DB time.)" in html


def test_no_first_cause_where_commits_do_not_matter(client, owner):
    html = page(client, stored(owner, committing(lfs=(36_000, 3.0)), committing(lfs=(36_000, 3.0))))
    assert "first-cause" not in html


def test_a_statement_to_check_with_stands_once(client, owner):
    """Both causes name the states of the log writer in ASH."""
    slow = {**USUAL, **{m: USUAL[m] + 5_000 for m in USUAL}}
    report = committing(lfs=(36_000, 720.0), statistics=stages(**slow), cpus=96)
    html = page(client, stored(owner, report, report))
    assert html.count('id="cause-') > 1
    assert html.count("NVL(event, &#x27;ON CPU&#x27;) state") == 1


MOST_WORDS = 600
CASES = Path(__file__).parents[2] / "fixtures" / "cases"


@pytest.mark.parametrize(
    "names",
    [
        ("adaptive-switch/before.html", "adaptive-switch/after.html"),
        ("lgwr-starved/run-2.txt", "lgwr-starved/run-1.txt"),
        ("log-parallelism/before.html", "log-parallelism/after.html"),
        ("numa-balancing/before.html", "numa-balancing/after.html"),
    ],
)
def test_where_one_cause_explains_it_the_page_is_short(client, owner, names):
    reports = [parse_report((CASES / name).read_bytes(), name=name) for name in names]
    assert 100 < words_at_once(page(client, stored(owner, *reports))) <= MOST_WORDS
