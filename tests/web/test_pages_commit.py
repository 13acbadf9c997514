"""The commit latency page: of a comparison, of more than two reports, of one report, and under a share link."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.model.commits import Between
from awrdiff.analysis.model.evidence import Estimate
from awrdiff.analysis.report.side import Side
from awrdiff.comparisons.services import create_comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.processing.models import State
from awrdiff.reports.models import Report, ReportSection
from awrdiff.reports.record import promoted, section_rows
from awrdiff.web.presenters.commit import histograms as commit_histograms
from awrdiff.web.presenters.commit import stages as commit_stages
from awrdiff.web.presenters.commit import words as commit_words
from awrdiff.web.presenters.commit.causes import check_of
from parsers import PARSER_VERSION
from tests.unit.analysis.builders import exact, os_statistics, parameters
from tests.unit.analysis.commit_builders import USUAL, committing, histogram, stages, top_list
from tests.unit.analysis.traces import HOUR, record
from tests.web.compared import HOSTILE
from tests.web.pages import check_markup
from tests.web.share import create_link

pytestmark = pytest.mark.django_db
SHAPES = histogram({
    "log file sync": (exact(36_000), [None, 20.0, 60.0, 20.0, 0.0, None, None]),
    "log file parallel write": (exact(30_000), [None, 92.0, 8.0, None, None, None, None]),
})  # fmt: skip
ROWS = commit_words.Rows("/x/", {})


def committed(**more):
    """Commits that wait for something besides the write, on a busy host, with the log writer's own stages."""
    statistics = {"user calls": 90_000, "user commits": 30_000, "redo size": 3_000_000, "redo synch writes": 36_000}
    chosen = {
        "lfs": (36_000, 108.0),
        "statistics": {**stages(**USUAL), **statistics, **more.pop("moved", {})},
        "more": [SHAPES, os_statistics(95, 5)],
        "release": "12.1.0.2.0",
        **more,
    }
    return committing(**chosen)


def stored(owner, *reports):
    """A comparison of these reports, computed by the real engine."""
    kept = [keep(owner, r, f"{i}.html") for i, r in enumerate(reports)]
    made = create_comparison(owner, kept, order_by_time=False)
    compute_now(made.pk)
    made.refresh_from_db()
    assert made.state == State.READY, made.error
    return made


def keep(owner, parsed, name="one.html") -> Report:
    parsed = replace(parsed, name=name)
    report = Report.objects.create(
        team=owner.team, uploaded_by=owner.user, name=name, size=10, sha256=f"{abs(hash(name)):064x}"[:64],
        file=f"reports/{name}", state=State.READY, parser_version=PARSER_VERSION, **promoted(parsed),
    )  # fmt: skip
    ReportSection.objects.bulk_create(section_rows(report, parsed))
    return report


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def pair(owner):
    return stored(owner, committed(lfs=(36_000, 72.0)), committed())


def page(client, made, **query) -> str:
    answer = client.get(reverse("comparison-commit", args=[made.pk]), query)
    assert answer.status_code == 200
    html = answer.content.decode()
    check_markup(html)
    return html


def row_of(html: str, label: str) -> str:
    """The table row that begins with this label, without its tags."""
    rows = [re.sub(r"<[^>]+>", " ", r) for r in re.findall(r"<tr.*?</tr>", html, re.S)]
    return next(" ".join(r.split()) for r in rows if " ".join(r.split()).startswith(label))


def test_the_page_says_what_a_commit_costs_and_where_it_goes(client, pair):
    html = page(client, pair)
    assert "A commit waits <b>2.00 ms</b> → <b>3.00 ms</b> (<b>+50 %</b>)" in html
    assert "What is not the write: <b>1.00 ms</b> (<b>50 %</b>) → <b>2.00 ms</b> (<b>67 %</b>)" in html
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


def test_causes_are_ranked_with_what_to_check_next(client, pair):
    html = page(client, pair)
    part = html[html.index('id="causes"') : html.index('id="histograms"')]
    assert "The log writer (or the sessions it wakes) waited for a CPU." in part
    assert "<code>SELECT NVL(event, &#x27;ON CPU&#x27;)" in part
    assert "in Second" in part
    assert "OS_CPU_WAIT_TIME is none" in part
    assert "it would be the sessions that it wakes" in part
    assert part.index("The application commits too often.") < part.index("The log writer (or")


def test_a_check_with_a_statement_is_cut_at_it():
    assert check_of("ASH: SELECT 1 FROM x; (so)").sql == "SELECT 1 FROM x;"
    assert check_of("ASH: SELECT 1 FROM x; (so)").after == "(so)"
    assert check_of("vmstat").before == "vmstat"


def test_not_material_is_said_first_and_nothing_is_ranked(client, owner):
    html = page(client, stored(owner, committed(lfs=(36_000, 72.0), db_time=90_000.0), committed(db_time=90_000.0)))
    assert "on average: no cause is ranked." in html
    assert html.index("no cause is ranked") < html.index("A commit waits")
    assert 'class="find causes"' not in html


def test_stages_inside_others_are_not_added_and_a_negative_queue_is_flagged():
    late = committed(lfs=(36_000, 18.0), moved={"redo synch time overhead (usec)": 3_600_000, "redo synch time": 9_000})
    found = commit_latency((Side(late),))
    view = commit_stages.present(found.reports, (commit_words.SideLabel("", "first", 0),), None, ROWS)
    measured = view.sides[0].bars[0]
    assert "wake-up" not in measured.said
    assert measured.inside is not None
    assert sum(s.width for s in measured.segments) == pytest.approx(900 / 1000 * 100)
    assert measured.wait_at == pytest.approx(50.0)
    assert any("The queue is negative (−400 µs)" in text for text in view.sides[0].remarks)
    assert any("they waited 500 µs less than an average write" in text for text in view.sides[0].remarks)
    queue = next(r for r in view.stages if r.cls == "queue")
    assert (queue.figures[0].text, queue.figures[0].cls) == ("−400 µs", "flag")
    assert next(r for r in view.stages if r.cls == "wake_up").part


def test_commits_that_waited_less_than_a_write(client, owner):
    report = keep(owner, committed(lfs=(36_000, 18.0)))
    html = client.get(reverse("report-commit", args=[report.pk])).content.decode()
    assert "Commits joined writes under way: they waited less than an average write, by <b>500 µs</b>." in html


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
    assert "Both reports: not printed" in html
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


def test_a_report_without_commits_offers_no_page(client, owner):
    bare = keep(owner, committing(lfs=None, lfpw=None, waits={"db file sequential read": (10, 1.0)}))
    assert "data-commit" not in client.get(reverse("report", args=[bare.pk])).content.decode()


def run(commits: int, elapsed: float, work: int = 0, lfs: tuple[float, float] = (36_000, 72.0)):
    done = {"db block changes": work} if work else {}
    return committing(
        statistics={"user commits": commits, **done}, elapsed=elapsed, db_time=elapsed, lfs=lfs, begin_snap=commits
    )


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


def test_a_record_of_the_log_writers_scheduling_is_attached_like_a_trace(client, owner):
    hour = {
        "lfs": (36_000, 360.0),
        "statistics": {"redo writes": 36_000},
        "elapsed": 3600.0,
        "more": [os_statistics(95, 5)],
    }
    first = committing(**hour, begin=HOUR - timedelta(hours=2))
    html = page(client, stored(owner, first, committing(**hour, begin=HOUR), record(0.05)))
    assert "scheduling recorded" in html
    assert "Recorded in Second&#x27;s window: 60.0 s" in html
    part = html[html.index('id="cause-lgwr-cpu"') : html.index('id="trace-events"')]
    assert '<span class="tag conf crit">proven</span>' in part
    assert "waited for a CPU 5.00 ms per redo write" in part
    assert re.search(r'href="[^"]*companion/lgwr_sched[^"]*\.sh" download', html)


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
    assert html.count("All 6 reports: not printed") == 1
    other = page(client, made, pair="4")
    assert row_of(other, "Figure") == "Figure First Report 2 Report 3 Report 4 Report 5 Second change"
    assert f'href="{reverse("comparison", args=[made.pk])}?pair=4"' in other


def test_what_only_a_third_report_prints_is_named_without_a_link(client, owner):
    broadcasting = committed(moved={"redo write broadcast ack time": 5_000})
    html = page(client, stored(owner, committed(), committed(), broadcasting))
    assert "<span>redo write broadcast ack time</span>" in html
    assert '">redo write broadcast ack time</a>' in page(client, stored(owner, committed(), broadcasting))


def test_instances_of_a_global_report_one_by_one():
    from awrdiff.analysis.model.commits import CommitFigures
    from awrdiff.web.presenters.commit import figures as commit_figures

    one = CommitFigures(whose="instance 1", lfs_avg_s=Estimate(0.002, 0.002, 0.002))
    two = CommitFigures(whose="instance 2", lfpw_avg_s=Estimate(0.001, 0.001, 0.001))
    sides = commit_words.sides_of(2, 1)
    rows = commit_figures.instances(((one, two), (one,)), sides, ROWS)
    assert [r.instance for r in rows] == ["instance 1", "instance 2"]
    assert rows[1].sides[0].wait.text == "–"
    assert rows[1].sides[1].write.text == "–"
    assert rows[0].sides[1].wait.text == "2.00 ms"


def test_percentiles_are_the_edges_of_their_bucket(client, pair):
    html = page(client, pair)
    assert row_of(html, "Second log file parallel write").startswith(
        "Second log file parallel write 30,000 1 ms … 2 ms 2 ms … 4 ms 2 ms … 4 ms 0 % 0 %"
    )
    assert "for a session that starts to wait at a random moment a write takes" in html.lower()
    assert "an indicator, not a bound" in html


@pytest.mark.parametrize(
    ("edges", "text"),
    [
        (Between(0.0, 512e-6), "under 512 µs"),
        (Between(1.024e-3, 2.048e-3), "1 ms … 2 ms"),
        (Between(0.032, 0.064), "32 ms … 64 ms"),
        (Between(0.131072, 1.048576), "128 ms … 1 s"),
        (Between(32.768, 65.536), "32 s … 1 min"),
        (Between(3932.16, None), "over 1 h"),
    ],
)
def test_edges_are_called_as_reports_call_them(edges, text):
    assert commit_histograms.between(edges) == text


@pytest.mark.parametrize(
    ("first", "second", "unit", "text", "cls"),
    [
        ((1, 1, 1), (2, 2, 2), "s", "▲ ×2.0", "worse"),
        ((2, 2, 2), (1, 1, 1), "s", "▼ −50 %", "better"),
        ((1, 1.5, 2), (1.9, 2.4, 3), "s", "= below print", "same"),
        ((0.1, 0.1, 0.1), (0.15, 0.15, 0.15), "share", "▲ +5.0 pt", "worse"),
        ((-2e-3, -2e-3, -2e-3), (1e-3, 1e-3, 1e-3), "s", "▲ +3.00 ms", "worse"),
        ((1, 1, 1), None, "s", "", "na"),
    ],
)
def test_changes(first, second, unit, text, cls):
    cell = commit_words.change(Estimate(*first), Estimate(*second) if second else None, unit)
    assert (cell["t"], cell["c"]) == (text, cls)


def test_it_is_told_as_json_too(client, pair):
    answer = client.get(reverse("comparison-commit", args=[pair.pk]), headers={"Accept": "application/json"})
    assert answer.json()["reports"][1]["lfs_avg_s"]["value"] == pytest.approx(0.003)


def test_queries_and_weight(client, owner, pair, django_assert_max_num_queries):
    many = stored(owner, *(run(1_000 * n, 100.0 + n, 10**6) for n in range(1, 13)))
    for made in (pair, many):
        with django_assert_max_num_queries(8):
            html = page(client, made)
        assert len(html.encode()) <= 150_000
    report = keep(owner, committed(waits={f"e{i}": (9, 9) for i in range(900)}))
    with django_assert_max_num_queries(8):
        client.get(reverse("report-commit", args=[report.pk]))


def test_the_comparison_links_to_it(client, pair):
    html = client.get(reverse("comparison", args=[pair.pk])).content.decode()
    assert f'href="{reverse("comparison-commit", args=[pair.pk])}" data-commit' in html


def test_it_waits_for_the_comparison(client, owner, pair):
    type(pair).objects.filter(pk=pair.pk).update(state=State.PENDING)
    answer = client.get(reverse("comparison-commit", args=[pair.pk]))
    assert answer.status_code == 302
    assert answer.url == reverse("comparison", args=[pair.pk])


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


def test_the_log_writers_time_stands_line_by_line(client, owner):
    """Its stages in all and per write, its events beside them with the stage they are part of, how busy it was."""
    waits = {"LGWR all worker groups": (900, 30.0), "LGWR wait for redo copy": (99, 9.0)}
    report = keep(owner, committed(background=waits))
    html = client.get(reverse("report-commit", args=[report.pk])).content.decode()
    part = html[html.index('id="log-writer"') : html.index('id="figures"')]
    assert "busy with redo writes" in part
    assert "LGWR all worker groups" in part
    assert "part of gathering the redo, not added" in part
    assert "per write" in part
    assert "the write itself" in part


def test_a_tail_and_what_is_typical_are_said_with_the_histograms(client, owner):
    tail = histogram({"log file sync": (exact(36_000), [80.0, None, None, None, None, None, 20.0]),
                      "log file parallel write": (exact(30_000), [99.0, None, None, None, None, None, 1.0])})  # fmt: skip
    report = keep(owner, committing(lfs=(36_000, 360.0), more=[tail]))
    html = client.get(reverse("report-commit", args=[report.pk])).content.decode()
    assert "of commit time lies in waits of 32 ms and longer, as long as 1" in html
    assert "Typical: the median commit wait is" in html
    assert "Few slow redo writes make most of the commit time." in html


def test_one_sleep_and_the_wait_it_hides(client, owner):
    counts = {"redo synch writes": 30_000, "redo synch poll writes": 30_000, "redo synch polls": 36_000}
    report = keep(owner, committing(lfs=(30_000, 360.0), lfpw=(30_000, 132.0), statistics=counts))
    html = client.get(reverse("report-commit", args=[report.pk])).content.decode()
    assert "one sleep between polls" in html
    assert "a commit wait if it were posted" in html


def test_the_criteria_of_published_cases_are_a_checklist(client, owner):
    """Log parallelism: what is met, what is not, and what is not printed."""
    settings = [parameters({"db_name": "D"}), parameters({"db_name": "D", "_log_parallelism_max": "2"})]
    pair = [committing(lfs=(36_000, s), more=[more], cpus=8) for s, more in zip((360.0, 72.0), settings, strict=True)]
    html = page(client, stored(owner, *pair))
    part = html[html.index('id="cause-log-parallelism-changed"') :]
    for state, what in (
        ("met", "a commit waits more than twice as long as a redo write (10 times)"),
        ("not met", "64 CPUs or more (8)"),
        ("not printed", "P3 of log file parallel write"),
        ("met", "_log_parallelism_max not set"),
    ):
        assert f'<span class="tag">{state}</span> {what}' in part
