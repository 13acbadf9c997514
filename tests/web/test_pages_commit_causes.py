"""The commit latency page: causes, histograms and the log writer's own time."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from tests.unit.analysis.builders import exact, os_statistics, parameters
from tests.unit.analysis.commit_builders import committing, histogram
from tests.unit.analysis.traces import HOUR, record
from tests.web.commit_pages import committed, keep, page, row_of, stored

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(sign_in, owner) -> Client:
    return sign_in(owner)


@pytest.fixture
def pair(owner):
    return stored(owner, committed(lfs=(36_000, 72.0)), committed())


def test_causes_are_ranked_with_what_to_check_next(client, pair):
    html = page(client, pair)
    part = html[html.index('id="causes"') : html.index('id="histograms"')]
    assert "The log writer (or the sessions it wakes) may have waited for a CPU." in part
    assert "<code>SELECT NVL(event, &#x27;ON CPU&#x27;)" in part
    assert "in Second" in part
    assert "OS_CPU_WAIT_TIME is none" in part
    assert "it would be the sessions that it wakes" in part
    assert part.index("The application commits after few calls.") > part.index("The log writer (or")


def test_not_material_is_said_first_and_nothing_is_ranked(client, owner):
    html = page(client, stored(owner, committed(lfs=(36_000, 72.0), db_time=90_000.0), committed(db_time=90_000.0)))
    assert "on average: no cause is ranked." in html
    assert html.index("no cause is ranked") < html.index("A commit waits")
    assert 'class="find causes"' not in html


def test_percentiles_are_the_edges_of_their_bucket(client, pair):
    html = page(client, pair)
    assert row_of(html, "Second log file parallel write").startswith(
        "Second log file parallel write 30,000 1 ms … 2 ms 2 ms … 4 ms 2 ms … 4 ms 0 % 0 %"
    )
    assert "for a session that starts to wait at a random moment a write takes" in html.lower()
    assert "an indicator, not a bound" in html


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
