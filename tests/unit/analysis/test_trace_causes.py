"""What a trace adds to the causes: proof of a suspected switch, slow writes as evidence; nothing from elsewhere."""

from __future__ import annotations

from datetime import datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from awrdiff.analysis.commit_latency import commit_latency
from awrdiff.analysis.compare import compare_reports
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.single_report import assess
from parsers import parse_report
from tests.unit.analysis.commit_builders import USUAL, committing, stages
from tests.unit.analysis.traces import Broadcast, Slow, Went, trace, trace_text

BEFORE = {"lfs": (100_000, 25.0), "lfpw": (100_000, 5.0), "begin": datetime(2024, 3, 5, 9)}
AFTER = {"lfs": (100_000, 50.0), "lfpw": (50_000, 3.75), "begin": datetime(2024, 3, 5, 12)}
STEADY = {"lfs": (100_000, 500.0), "lfpw": (100_000, 5.0)}
SLOW_DISK = {"lfs": (100_000, 3000.0), "lfpw": (100_000, 2500.0)}
WITHIN = Went("2024-03-05 12:45:09.010167")


def causes(first, second, *traces):
    found = commit_latency([Side(committing(**f)) for f in (first, second)], traces)
    assert found.material
    return {c.rule: c for c in found.causes}


@pytest.mark.parametrize(
    ("moment", "said"), [("12:45:09.010167", "in Second's window"), ("10:30:00", "between the two")]
)
def test_a_suspected_switch_is_proven(moment, said):
    cause = causes(BEFORE, AFTER, trace(Went(f"2024-03-05 {moment}")))["adaptive-switch"]
    assert cause.confidence == "proven"
    assert "seem" not in cause.title
    assert f"switched to post/wait at 2024-03-05 {moment[:8]} ({said}" in cause.text
    assert "10,286 redo synch writes per second" in cause.text
    assert "lgwr_switches" in {e.section for e in cause.evidence}
    assert not any("Log file sync switching" in c for c in cause.checks)


def test_proof_stands_first():
    found = commit_latency([Side(committing(**f)) for f in (BEFORE, AFTER)], [trace(WITHIN)])
    assert found.causes[0].rule == "adaptive-switch"


def test_proven_the_other_way_round_too():
    assert causes(AFTER, BEFORE, trace(WITHIN))["adaptive-switch"].confidence == "proven"


@pytest.mark.parametrize(
    ("events", "confidence"),
    [
        ([Went("2024-03-05 09:30:00")], "medium"),
        ([Went("2024-03-05 08:30:00"), Went("2024-03-05 13:30:00")], "low"),  # it covers both windows
        ([Went("2024-13-05 12:30:00"), Slow("2024-03-05 12:30:00")], "medium"),
        ([Slow("2024-03-05 12:30:00")], "medium"),
    ],
)
def test_no_proof_without_a_switch_in_time(events, confidence):
    found = causes(BEFORE, AFTER, trace(*events))
    assert "storage-slowed" not in found, "the writes carry a tenth of it"
    cause = found["adaptive-switch"]
    assert cause.confidence == confidence
    assert any("Log file sync switching" in c for c in cause.checks)


def test_no_proof_from_a_trace_that_names_no_instance():
    anonymous = trace_text([WITHIN]).partition("\n\n")[2]
    cause = causes(BEFORE, AFTER, parse_report(anonymous.encode()))["adaptive-switch"]
    assert cause.confidence == "medium"
    assert "switched to post/wait" in cause.text
    assert "proves nothing" in cause.text


@pytest.mark.parametrize("other", [{"instance": "DB12"}, {"host": "db2"}])
def test_no_proof_from_another_instance(other):
    found = causes(BEFORE, AFTER, trace(WITHIN, Slow("2024-03-05 12:46:00"), **other))
    assert found["adaptive-switch"].confidence == "medium"
    assert "trace:" not in found["adaptive-switch"].text
    assert "slow-writes" not in found


def test_a_switch_of_firsts_instance_says_nothing_of_seconds():
    """Between the windows it must be the instance of both; in Second's window that of Second."""
    moved = {**AFTER, "host": "db2"}
    assert "adaptive-switch" not in causes(BEFORE, moved, trace(WITHIN))
    assert causes(BEFORE, moved, trace(WITHIN, host="db2"))["adaptive-switch"].confidence == "proven"
    between = trace(Went("2024-03-05 11:00:00"), host="db2")
    assert "adaptive-switch" not in causes(BEFORE, moved, between)


def polls(number):
    return {"statistics": {"redo synch writes": 100, "redo synch poll writes": number, "redo writes": 100}}


@pytest.mark.parametrize(("mode", "confidence"), [("post/wait", "proven"), ("polling", "high")])
def test_the_switch_must_go_the_way_that_polling_went(mode, confidence):
    cause = causes({**BEFORE, **polls(90)}, {**AFTER, **polls(0)}, trace(Went(WITHIN.at, mode)))["adaptive-switch"]
    assert cause.confidence == confidence
    assert ("it proves nothing" in cause.text) == (mode == "polling")


@pytest.mark.parametrize(("mode", "confidence"), [("post/wait", "high"), ("polling", "proven")])
def test_as_time_goes_where_second_is_the_earlier(mode, confidence):
    pair = ({**AFTER, **polls(90)}, {**BEFORE, **polls(0)})
    assert causes(*pair, trace(Went(WITHIN.at, mode)))["adaptive-switch"].confidence == confidence


def test_a_covering_trace_without_a_switch_makes_it_doubtful():
    quiet = trace(Slow("2024-03-05 08:00:00"), Slow("2024-03-05 14:00:00"))
    cause = causes(BEFORE, AFTER, quiet)["adaptive-switch"]
    assert cause.confidence == "low"
    assert "covers both windows and shows no switch" in cause.text
    slow = {**AFTER, "lfpw": (50_000, 12.5)}  # 50 → 250 µs, of 250 µs more
    assert causes(BEFORE, slow, quiet)["storage-slowed"].confidence == "medium"


def test_a_switch_that_the_figures_do_not_show():
    later = {**STEADY, "begin": AFTER["begin"]}
    cause = causes(STEADY, later, trace(WITHIN, Went("2024-03-05 12:50:00", "polling")))["switch-traced"]
    assert cause.confidence == "note"
    assert "and 1 more" in cause.text
    assert "commits waited 5.00 ms → 5.00 ms" in cause.text
    assert "redo writes per second flat" in cause.text
    assert "switch-traced" not in causes(BEFORE, AFTER, trace(WITHIN))
    assert "switch-traced" not in causes(STEADY, later, trace(Went("2024-03-05 08:50:00")))


def test_slow_writes_support_slow_storage():
    later = {**SLOW_DISK, "begin": AFTER["begin"]}
    slow = [Slow("2024-03-05 12:30:00", 700), Slow("2024-03-05 12:31:00", 1562), Slow("2024-03-05 11:31:00", 9000)]
    cause = causes(SLOW_DISK, later, trace(*slow))["io-bound"]
    assert "warns of 2 slow writes in Second's window, the longest 1.56 s." in cause.text
    assert "First's window" not in cause.text
    assert "2024-03-05 12:31:00" in {e.key for e in cause.evidence}
    assert "slow-writes" not in causes(SLOW_DISK, later, trace(*slow))


def test_the_last_of_three_reports_stands_for_second():
    sides = [Side(committing(**{**SLOW_DISK, "begin": datetime(2024, 3, 5, hour)})) for hour in (9, 12, 15)]
    found = commit_latency(sides, [trace(Slow("2024-03-05 12:30:00"), Slow("2024-03-05 15:30:00", 1562))])
    cause = next(c for c in found.causes if c.rule == "io-bound")
    assert "1 slow write in Second's window, the longest 1.56 s." in cause.text
    assert [w.place for w in found.events.slow_writes] == ["between", "second"]


def test_no_slow_write_in_a_window_the_trace_covers():
    later = {**SLOW_DISK, "begin": AFTER["begin"]}
    cause = causes(SLOW_DISK, later, trace(Slow("2024-03-05 10:30:00"), Slow("2024-03-05 14:30:00")))["io-bound"]
    assert "covers Second's window and warns of no write in it" in cause.text
    assert "500 ms" in cause.text
    assert "covers First's" not in cause.text


def test_slow_writes_where_the_average_write_is_fast():
    cause = causes(STEADY, {**STEADY, "begin": AFTER["begin"]}, trace(Slow("2024-03-05 12:30:00", 1562)))["slow-writes"]
    assert cause.confidence == "note"
    assert "1 slow write in Second's window, the longest 1.56 s. They took 1.56 s in all, beside 5.00 s" in cause.text
    assert cause.evidence[0].section == "lgwr_slow_writes"


@pytest.fixture
def files(tmp_path, request):
    """The invented pair of the demos, and a trace of its instance."""
    folder = request.config.rootpath / "fixtures" / "cases" / "invented"
    path = tmp_path / "invented_lgwr_1.trc"
    path.write_text(
        trace_text([Slow("2024-05-21 10:20:00")], instance="invented", host="invented-host", unique="invented")
    )
    return str(folder / "before.html"), str(folder / "after.html"), str(path)


def test_the_command_attaches_a_trace_wherever_it_stands(files):
    before, after, path = files
    printed = [StringIO() for _ in range(2)]
    call_command("compare", path, before, after, format="markdown", stdout=printed[0])
    call_command("compare", before, after, path, format="markdown", stdout=printed[1])
    assert printed[0].getvalue() == printed[1].getvalue()
    assert "1 slow redo write in Second's window" in printed[0].getvalue()


def test_the_command_needs_two_reports_beside_it(files):
    before, _, path = files
    with pytest.raises(CommandError, match="two reports are needed") as refused:
        call_command("compare", before, path)
    assert refused.value.returncode == 2


ACKS = {**stages(**{**USUAL, "total": 1900.0}), "redo write broadcast ack time": 900_000,
        "redo write broadcast ack count": 100}  # fmt: skip
CLUSTER = {"lfs": (100_000, 500.0), "lfpw": (100_000, 80.0), "statistics": ACKS}


@pytest.mark.parametrize(("moment", "confidence"), [("12:45:00", "high"), ("11:00:00", "medium")])
def test_slow_broadcasts_in_a_window_make_the_broadcast_certain(moment, confidence):
    events = [Broadcast(f"2024-03-05 {moment}", ms) for ms in (700, 1300)]
    pair = ({**CLUSTER, "begin": BEFORE["begin"]}, {**CLUSTER, "begin": AFTER["begin"]})
    cause = causes(*pair, trace(*events))["rac-broadcast"]
    assert cause.confidence == confidence
    said = "warns of 2 slow broadcasts of commits, the longest 1.30 s"
    assert (said in cause.text) == (confidence == "high")
    assert ("lgwr_slow_broadcasts" in {e.section for e in cause.evidence}) == (confidence == "high")


def test_a_trace_of_another_instance_brings_no_commits_into_the_verdict():
    """Commits of no weight are spoken of where a trace of the log writer is there: not where it is somebody else's."""
    quiet = committing(lfs=(36_000, 20.0), lfpw=(30_000, 15.0), begin=AFTER["begin"])
    assert "A commit waited" in compare_reports(quiet, quiet, [trace(WITHIN)]).summary
    assert "A commit waited" not in compare_reports(quiet, quiet, [trace(WITHIN, host="db2")]).summary
    assert "A commit waited" not in compare_reports(quiet, quiet).summary


def of_one(facts, *traces):
    return commit_latency([Side(committing(**facts))], traces)


def test_a_trace_beside_one_report_is_evidence_for_its_causes():
    found = of_one(SLOW_DISK, trace(Slow("2024-03-05 09:30:00", ms=900), Slow("2024-03-05 12:30:00", ms=5000)))
    cause = next(c for c in found.causes if c.rule == "io-bound")
    assert "warns of 1 slow write in the window, the longest 900 ms" in cause.text
    assert "First" not in cause.text
    assert found.events.traces[0].of_first is True
    assert [s.place for s in found.events.slow_by_place] == ["first", "outside"]


def test_a_switch_inside_the_only_window_is_a_note():
    (cause,) = [c for c in of_one(STEADY, trace(Went("2024-03-05 09:30:00"))).causes if c.rule == "switch-traced"]
    assert cause.confidence == "note"
    assert "switched to post/wait at 2024-03-05 09:30:00 (in the window, at 10,286 redo" in cause.text
    assert "averages mix the time before it and after" in cause.text
    assert "switch-traced" not in {c.rule for c in of_one(STEADY, trace(Went("2024-03-05 12:30:00"))).causes}


@pytest.mark.parametrize("other", [{"instance": "DB12"}, {"host": "db2"}])
def test_a_trace_of_another_instance_proves_nothing_beside_one_report(other):
    foreign = trace(Slow("2024-03-05 09:30:00"), Went("2024-03-05 09:30:00"), **other)
    found = of_one(SLOW_DISK, foreign)
    assert found.causes == of_one(SLOW_DISK).causes
    (warning,) = found.events.warnings
    assert "not of the report's (DB11 on db1): it proves nothing there." in warning


def test_the_verdict_of_one_report_speaks_of_commits_where_its_own_trace_is_there():
    quiet = committing(lfs=(36_000, 20.0), lfpw=(30_000, 15.0))
    within = Went("2024-03-05 09:45:00")
    assert "A commit waited" in assess(quiet, [trace(within)]).verdict
    assert "A commit waited" not in assess(quiet, [trace(within, host="db2")]).verdict
    assert "A commit waited" not in assess(quiet).verdict
