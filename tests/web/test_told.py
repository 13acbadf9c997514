"""What the comparisons of an incident tell for its timeline."""

from __future__ import annotations

from datetime import datetime

import pytest
from msgspec.structs import replace

from awrdiff.comparisons.models import Comparison
from awrdiff.comparisons.services import create_comparison
from awrdiff.comparisons.tasks import compute_now
from awrdiff.incidents import comparisons_and_reports, queries, services
from awrdiff.incidents.bad_hour_selection import Hours
from awrdiff.incidents.models import Incident, IncidentComparison
from awrdiff.incidents.services import Typed
from awrdiff.web.presenters.incident import time_scale_band, timeline_entries
from awrdiff.web.presenters.incident.time_zone_clock import Clock, span
from parsers import parse_report
from tests.unit.analysis.traces import Slow, Went, trace_text
from tests.web.builders import small_report, text_section
from tests.web.conftest import store_parsed

pytestmark = pytest.mark.django_db


@pytest.fixture
def incident(owner) -> Incident:
    typed = Typed("Slow", begins_at="2024-01-01T11:10", ends_at="2024-01-01T11:40", time_zone="Europe/Vienna")
    return services.make(owner, typed)


def compared(owner, *reports) -> Comparison:
    made = create_comparison(owner, [store_parsed(owner, one) for one in reports], order_by_time=False)
    compute_now(made.pk)
    made.refresh_from_db()
    assert made.is_ready, made.error
    return made


@pytest.fixture
def restarted(owner) -> Comparison:
    """Second was started anew, with another parameter; a trace lies beside both."""
    first, second = small_report("a.html"), small_report("b.html", begin="2024-01-01T11:00:00")
    parameters = text_section("init_parameters", ("cpu_count", "16"), ("processes", "300"))
    instance = replace(second.instances[0], startup=datetime(2024, 1, 1, 10, 58))
    second = replace(second, sections=(second.sections[0], parameters), instances=(instance,))
    events = [Slow("2024-01-01 11:31:07.500", 1562, 640), Went("2024-01-01T11:20:00")]
    trace = trace_text(events, instance="pay1", host="db01", unique="pay")
    return compared(owner, first, second, parse_report(trace.encode(), name="x.trc"))


def timeline_of(owner, incident: Incident) -> list[timeline_entries.TimelineLine]:
    found = queries.comparisons_of(incident)
    clock = Clock.of(incident)
    parts = timeline_entries.Parts(
        incident, found, time_scale_band.windows_of(found, clock), [], [], [], {}, Hours.of(found)
    )
    return timeline_entries.lines(parts, clock, "reports")


def test_windows_restarts_parameters_and_trace_events(owner, incident, restarted):
    comparisons_and_reports.attach(owner, incident, restarted, "PAY")
    assert [(one.when, one.kind, one.text) for one in timeline_of(owner, incident)] == [
        ("1 Jan 2024 10:00", "Compared", "Compared: 1 Jan 2024 10:00 – 11:00"),
        ("1 Jan 2024 10:58", "restart", "Instance pay1 was restarted"),
        ("1 Jan 2024 11:00", "parameters", "Changed by now: cpu_count 8 → 16"),
        ("1 Jan 2024 11:00", "Compared", "Compared: 1 Jan 2024 11:00 – 12:00"),
        ("1 Jan 2024 11:20", "LGWR trace", "Log file sync went over to post/wait"),
        ("1 Jan 2024 11:31:07", "LGWR trace", "LGWR wrote for 1,562 ms"),
    ]


def test_of_a_cluster_it_says_which_were_restarted(owner, incident):
    """Not the database: one of three went on."""
    first, second = small_report("a.html"), small_report("b.html", begin="2024-01-01T11:00:00")
    nodes = [replace(first.instances[0], number=n, name=f"pay{n}") for n in (1, 2, 3)]
    begun = [datetime(2024, 1, 1, 10, 58), datetime(2024, 1, 1, 10, 58), nodes[2].startup]
    started = [replace(node, startup=moment) for node, moment in zip(nodes, begun, strict=True)]
    made = compared(owner, replace(first, instances=tuple(nodes)), replace(second, instances=tuple(started)))
    comparisons_and_reports.attach(owner, incident, made, "PAY")
    texts = [one.text for one in timeline_of(owner, incident) if one.kind == "restart"]
    assert texts == ["Instances pay1 and pay2 were restarted"]


def test_two_comparisons_of_the_same_reports_tell_it_once(owner, incident, comparison, reports):
    comparisons_and_reports.attach(owner, incident, comparison, "PAY")
    other = create_comparison(owner, [reports[0], reports[1], reports[0]], order_by_time=False)
    compute_now(other.pk)
    other.refresh_from_db()
    comparisons_and_reports.attach(owner, incident, other, "PAY")
    texts = [one.text for one in timeline_of(owner, incident)]
    assert texts.count("Compared: 1 Jan 2024 10:00 – 11:00, of 2 comparisons") == 1
    assert sum(one.startswith("Compared: ") for one in texts) == 3
    assert len(texts) == 3  # First is the third report too


def test_the_address_of_a_line_stays_whatever_is_attached(owner, incident, restarted):
    comparisons_and_reports.attach(owner, incident, restarted, "PAY")
    before = {one.text: one.anchor for one in timeline_of(owner, incident)}
    assert len(set(before.values())) == len(before)
    earlier = [small_report(f"{n}.html", begin=f"2023-12-31T{n}:00:00") for n in (21, 22)]
    comparisons_and_reports.attach(owner, incident, compared(owner, *earlier), "PAY")
    found = IncidentComparison.objects.get(comparison=restarted)
    IncidentComparison.objects.filter(pk=found.pk).update(told=list(reversed(found.told)))
    after = {one.text: one.anchor for one in timeline_of(owner, incident)}
    assert len(after) == len(before) + 2
    assert before.items() <= after.items()


def test_what_is_computed_anew_is_told_anew(owner, incident, comparison):
    comparisons_and_reports.attach(owner, incident, comparison, "PAY")
    assert IncidentComparison.objects.get().told
    IncidentComparison.objects.update(told=[], told_of="0.0")
    found = queries.comparisons_of(incident)
    comparisons_and_reports.refresh(found)
    assert len([one for one in IncidentComparison.objects.get().told if one["kind"] == "window"]) == 2


def test_a_comparison_that_is_not_ready_tells_nothing_yet(owner, incident, comparison):
    Comparison.objects.update(state="pending")
    comparisons_and_reports.attach(owner, incident, Comparison.objects.get(), "PAY")
    assert IncidentComparison.objects.get().told == []
    Comparison.objects.update(state="ready")
    comparisons_and_reports.refresh(queries.comparisons_of(incident))
    assert IncidentComparison.objects.get().told


def test_the_band_is_to_scale(owner, incident, comparison):
    """Two hours from 10:00 to 12:00: that for comparison the left half, its own the right, itself from 70 to 100
    minutes."""
    comparisons_and_reports.attach(owner, incident, comparison, "PAY")
    IncidentComparison.objects.update(bad=1)
    clock = Clock.of(incident)
    windows = time_scale_band.windows_of(queries.comparisons_of(incident), clock)
    chart, rows = time_scale_band.draw(incident, windows, clock, incident.begins_at)
    assert [label.text for label in chart.levels] == ["Incident", "The incident's hour", "For comparison"]
    bars = chart.marks
    assert [(bar.cls, bar.x, bar.width) for bar in bars] == [
        ("own", "58.33", "25"),
        ("second", "50", "50"),
        ("first", "0", "50"),
    ]
    middles = [float(bar.y) + float(bar.height) / 2 for bar in bars]
    assert middles == pytest.approx([label.at for label in chart.levels], abs=0.02)
    assert rows == [
        ("Incident", "own", "1 Jan 2024 11:10", "1 Jan 2024 11:40"),
        ("For comparison", "first", "1 Jan 2024 10:00", "1 Jan 2024 11:00"),
        ("The incident's hour", "second", "1 Jan 2024 11:00", "1 Jan 2024 12:00"),
    ]


def test_what_goes_on_is_drawn_until_now(owner, incident):
    incident.ends_at = None
    clock = Clock.of(incident)
    _, rows = time_scale_band.draw(incident, [], clock, clock.moment("2024-01-01T14:10:00"))
    assert rows == [("Incident", "own", "1 Jan 2024 11:10", "goes on")]


@pytest.mark.parametrize(("moment", "known"), [("", False), ("soon", False), ("0001-01-01T00:00:00", False)])
def test_times_that_are_none_are_left_out(incident, moment, known):
    assert (Clock.of(incident).moment(moment) is not None) is known


@pytest.mark.parametrize(
    ("end", "said"), [("10:00", "0 min"), ("10:05", "5 min"), ("11:00", "1 h"), ("12:20", "2 h 20 min")]
)
def test_how_long_it_lasted(end, said):
    assert span(datetime.fromisoformat(f"2024-01-01T{end}") - datetime(2024, 1, 1, 10)) == said
