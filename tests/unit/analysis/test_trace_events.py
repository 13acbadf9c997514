"""Events of LGWR traces: where they lie beside the reports' windows, how many are kept, and whose they are."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from awrdiff.analysis.commit_latency.lgwr_trace_events import MOST_SHOWN, belongs, events_of
from awrdiff.analysis.compare import compare_all, compare_reports
from awrdiff.analysis.export.comparison_json import as_dict, dump_overview, load_overview
from awrdiff.analysis.export.markdown import as_markdown
from awrdiff.analysis.model.lgwr_traces import split_traces
from parsers import parse_report
from parsers.model import Database, Host, Instance
from tests.unit.analysis.builders import report
from tests.unit.analysis.traces import Slow, Went, trace

FIRST = report(begin=datetime(2024, 3, 5, 9, 0))
SECOND = report(begin=datetime(2024, 3, 5, 12, 0), begin_snap=103, name="b.html")


def placed(moment, first=FIRST, second=SECOND):
    found = events_of([trace(Went(moment), Slow(moment))], first, second)
    assert found.switches[0].place == found.slow_writes[0].place
    return found.switches[0].place


@pytest.mark.parametrize(
    ("moment", "place"),
    [
        ("2024-03-05 08:59:59.999", "outside"),
        ("2024-03-05 09:00:00.000", "first"),
        ("2024-03-05T09:59:59.999999-06:00", "first"),
        ("2024-03-05 10:00:00.000", "between"),
        ("2024-03-05 11:59:59.999", "between"),
        ("2024-03-05 12:00:00.000", "second"),
        ("2024-03-05 13:00:00.000", "outside"),
        ("2023-03-05 09:30:00.000", "outside"),
        ("2024-13-05 09:30:00.000", "unplaced"),
    ],
)
def test_place(moment, place):
    assert placed(moment) == place


def test_the_same_between_two_reports_the_other_way_round():
    assert placed("2024-03-05 11:00:00", SECOND, FIRST) == "between"
    assert placed("2024-03-05 12:30:00", SECOND, FIRST) == "first"


def test_windows_that_overlap():
    assert placed("2024-03-05 09:45:00", FIRST, report(begin=datetime(2024, 3, 5, 9, 30))) == "both"


def test_without_snapshot_times():
    untimed = report(begin=None)
    assert placed("2024-03-05 11:00:00", FIRST, untimed) == "unplaced"
    assert placed("2024-03-05 09:30:00", FIRST, untimed) == "first"
    found = events_of([trace(Slow("2024-03-05 09:30:00"))], untimed, untimed)
    assert found.slow_writes[0].place == "unplaced"
    assert any("no snapshot times" in n for n in found.notes)


def test_the_clock_is_never_shifted():
    found = events_of([trace(Went("2024-03-05T12:30:00.000001"), zone="+06:00")], FIRST, SECOND)
    assert (found.switches[0].moment, found.switches[0].zone) == ("2024-03-05T12:30:00.000001", "+06:00")
    assert found.switches[0].place == "second"
    assert "zone +06:00" in found.notes[0]
    assert "none is shifted" in found.notes[0]


def test_a_clock_that_changed_its_zone_is_said():
    two = [trace(Slow("2024-03-05T09:30:00"), zone=z, name=z) for z in ("+01:00", "+02:00")]
    assert any("changed its zone" in n for n in events_of(two, FIRST, SECOND).notes)


def test_what_a_switch_carries():
    switch = events_of([trace(Went("2024-03-05 12:30:00"))], FIRST, SECOND).switches[0]
    assert (switch.mode, switch.redo_synch_writes_per_s, switch.scheduling_delay_s) == ("post/wait", 10286, 1e-6)
    assert switch.evidence.section == "lgwr_switches"
    assert switch.evidence.row_id


def test_none_without_a_trace():
    assert events_of([], FIRST, SECOND) is None
    assert as_dict(compare_reports(FIRST, SECOND))["commit_latency"]["events"] is None


def test_the_same_trace_twice_counts_once():
    one = trace(Slow("2024-03-05 09:30:00"))
    found = events_of([one, replace(one, name="copy.trc")], FIRST, SECOND)
    assert (len(found.traces), found.slow_write_total) == (1, 1)


def test_a_hundred_thousand_warnings():
    start = datetime(2024, 3, 5, 8, 0)
    moments = ((start + timedelta(seconds=i / 4)).isoformat(" ") for i in range(100_000))
    found = events_of([trace(*(Slow(m, 500 + i % 977) for i, m in enumerate(moments)))], FIRST, SECOND)
    assert found.slow_write_total == sum(s.count for s in found.slow_by_place) == 100_000
    counts = {s.place: s.count for s in found.slow_by_place}
    assert (counts["first"], counts["between"], counts["second"]) == (14_400, 28_800, 14_400)
    assert all(s.longest.elapsed_s == pytest.approx(1.476) for s in found.slow_by_place)
    assert len(found.slow_writes) == MOST_SHOWN
    assert all(w.place != "outside" for w in found.slow_writes)
    assert min(w.elapsed_s for w in found.slow_writes) > 1.4
    assert [w.moment for w in found.slow_writes] == sorted(w.moment for w in found.slow_writes)
    assert any("200 of 100,000 slow writes" in n for n in found.notes)


def test_switches_of_the_windows_before_others():
    wide = [Went(f"2024-0{m}-{d:02} 07:00:00") for m in range(4, 10) for d in range(1, 29)] * 2
    found = events_of([trace(Went("2024-03-05 09:30:00"), *wide)], FIRST, SECOND)
    assert (found.switch_total, len(found.switches)) == (337, MOST_SHOWN)
    assert found.switches[0].place == "first"


@pytest.mark.parametrize(
    ("facts", "whose"),
    [
        ({}, True),
        ({"instance": "db11", "host": "DB1.example.com"}, True),
        ({"instance": "DB12"}, False),
        ({"host": "db2"}, False),
    ],
)
def test_whose_trace_it_is(facts, whose):
    assert belongs(trace(Slow("2024-03-05 09:30:00"), **facts), FIRST) is whose


def test_another_database_on_the_host():
    named = replace(FIRST, database=Database(name="DB1", unique_name="DB1_STANDBY"))
    assert belongs(trace(Slow("2024-03-05 09:30:00")), named) is False
    assert belongs(trace(Slow("2024-03-05 09:30:00"), unique="db1_standby"), named) is True


def test_a_host_name_cut_by_a_text_report():
    long = trace(Slow("2024-03-05 09:30:00"), host="db-production-eu-1")
    cut = replace(FIRST, host=Host(name="db-production-e"), instances=(Instance(1, "DB11"),))
    assert belongs(long, cut) is False
    assert belongs(long, replace(cut, format="text")) is True


def test_one_of_the_instances_of_a_cluster():
    cluster = replace(
        FIRST, host=Host(), instances=(Instance(1, "DB11", None, "db1"), Instance(2, "DB12", None, "db2"))
    )
    assert belongs(trace(Slow("2024-03-05 09:30:00"), instance="DB12", host="db2"), cluster) is True


def test_nobody_says_whose():
    assert belongs(trace(Slow("2024-03-05 09:30:00")), replace(FIRST, host=Host(), instances=())) is None


def test_another_instance_is_a_warning():
    comparison = compare_reports(FIRST, SECOND, [trace(Went("2024-03-05 12:30:00"), instance="SHOP1", host="db9")])
    said = [w.text for w in comparison.warnings if w.code == "other-trace"]
    assert said == [
        "The trace lgwr.trc is of SHOP1 on db9, not of the reports' (DB11 on db1): it proves nothing there."
    ]


def test_of_one_report_only_is_a_warning():
    moved = report(begin=datetime(2024, 3, 5, 12, 0), host="db2")
    said = events_of([trace(Went("2024-03-05 12:30:00"))], FIRST, moved).warnings
    assert said == ("The trace lgwr.trc is of DB11 on db1, not of Second's (DB11 on db2): it proves nothing there.",)


def test_a_trace_without_its_header_is_taken_at_its_word():
    bare = parse_report(b"*** 2024-03-05 12:30:00\nWarning: log write elapsed time 800ms, size 4KB\n", name="x.trc")
    found = events_of([bare], FIRST, SECOND)
    assert (found.traces[0].is_of(0), found.traces[0].is_of(1)) == (None, None)
    assert "do not both name their instance" in found.warnings[0]


@pytest.mark.corpus
def test_every_event_of_the_real_traces(corpus):
    """As many as there are lines, each in one place."""
    paths = sorted(corpus.glob("*.trc"))
    assert paths
    for path in paths:
        text = path.read_text()
        found = events_of([parse_report(path.read_bytes(), name=path.name)], FIRST, SECOND)
        assert found.switch_total == text.count("Log file sync switching to")
        assert found.slow_write_total == text.count("Warning: log write elapsed time")
        assert sum(s.count for s in found.slow_by_place) == found.slow_write_total
        assert found.traces[0].is_of(0) is False


def test_what_it_covers():
    covering = trace(Slow("2024-03-05 08:00:00"), Slow("2024-03-05 12:30:00"))
    file = events_of([covering], FIRST, SECOND).traces[0]
    assert (file.covers(0), file.covers(1)) == (True, False)
    assert (file.begin, file.end) == ("2024-03-05T08:00:00", "2024-03-05T12:30:00")


def test_stored_and_published():
    comparison = compare_reports(FIRST, SECOND, [trace(Went("2024-03-05 11:00:00"), Slow("2024-03-05 12:30:00"))])
    stored = json.loads(json.dumps(dump_overview(comparison)))
    assert load_overview(stored).commit_latency == comparison.commit_latency
    events = as_dict(comparison)["commit_latency"]["events"]
    assert json.loads(json.dumps(events)) == events
    assert events["traces"][0]["name"] == "lgwr.trc"
    assert events["switches"][0] | {"evidence": None} == {
        "trace": 0, "moment": "2024-03-05T11:00:00", "zone": "", "mode": "post/wait", "place": "between",
        "redo_synch_writes_per_s": 10286, "scheduling_delay_s": 1e-06, "polling_interval_s": None, "evidence": None,
    }  # fmt: skip
    assert events["slow_by_place"][0]["count"] == 1


def test_markdown_names_them():
    hostile = trace(Went("2024-03-05 11:00:00"), Slow("2024-03-05 12:30:00", 1562), name="<b>*x*.trc")
    text = as_markdown([compare_reports(FIRST, SECOND, [hostile])])
    assert (
        "- 2024-03-05 11:00:00: switched to post/wait (between the two windows, 10,286 redo synch writes per second)"
        in text
    )
    assert "- 1 slow redo write in Second's window, longest 1.56 s at 2024-03-05 12:30:00" in text
    assert r"\<b\>\*x\*.trc" in text


def test_every_pair_has_the_traces():
    third = report(begin=datetime(2024, 3, 5, 15, 0), name="c.html")
    pairs = compare_all([FIRST, SECOND, third], [trace(Slow("2024-03-05 12:30:00"))])
    assert [p.commit_latency.events.slow_writes[0].place for p in pairs] == ["second", "between"]


def test_traces_apart():
    one = trace(Slow("2024-03-05 12:30:00"))
    assert split_traces([one, FIRST, SECOND]) == ([FIRST, SECOND], [one])
