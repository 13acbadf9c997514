"""What else the redo log is asked to do: each rule at its threshold, below it, and without its row."""

from __future__ import annotations

import pytest

from awrdiff.analysis.commit_latency import causes_of, facts_of
from awrdiff.analysis.figures_in_words import size
from awrdiff.analysis.report.figures_by_name import Side
from parsers.model import Column
from tests.unit.analysis.builders import column, exact, section
from tests.unit.analysis.commit_builders import committing
from tests.unit.analysis.test_commit_causes import switched


def causes(**more):
    return causes_of(facts_of(Side(committing(**{"lfs": (36_000, 360.0), "elapsed": 3600.0, **more}))))


def cause_of(rule, **more):
    return next((c for c in causes(**more).ranked if c.rule == rule), None)


def redo(**statistics):
    return {"statistics": {"redo size": 4e9, "redo writes": 30_000, **statistics}}


@pytest.mark.parametrize(
    ("rule", "name", "least"),
    [("direct-redo", "redo size for direct writes", 1e9), ("redo-read", "redo KB read", 6e9 / 1024)],
)
def test_redo_that_is_not_of_commits(rule, name, least):
    logs = {"more": [switched(4, 4.0)]}
    cause = cause_of(rule, **redo(**{name: round(least) + 1}), **logs)
    assert cause.confidence == "note"
    assert {e.key for e in cause.evidence} - {"log switches (derived)"} == {name, "redo size"}
    assert cause_of(rule, **redo(**{name: round(least) - 1}), **logs) is None
    assert cause_of(rule, **redo(), **logs) is None
    trickle = {"redo size": 1e6, name: 1e6 if rule == "direct-redo" else 2e4}
    assert cause_of(rule, statistics=trickle, **logs) is None


def test_a_single_log_that_was_begun_before_the_window_is_read_whole_in_it():
    """In a window of nine minutes that wrote a tenth of the log."""
    much = redo(**{"redo KB read": 40e9 / 1024})
    assert cause_of("redo-read", **much, more=[switched(3, 20.0)]) is None
    assert "redo-read" in {u.rule for u in causes(**much).unsettled}  # how many logs were filled is not printed
    assert cause_of("redo-read", **much, more=[switched(4, 27.0)]) is not None


@pytest.mark.parametrize(
    ("rule", "where", "event"),
    [("scn-ordering", "waits", "log file sync: SCN ordering"), ("log-flush", "background", "gcs log flush sync")],
)
def test_waits_beside_log_file_sync(rule, where, event):
    cause = cause_of(rule, **{where: {event: (900, 36.0)}})
    assert "360 s of log file sync" in cause.text or "10 % of log file sync" in cause.text
    assert event in {e.key for e in cause.evidence}
    assert cause.explains_s is None
    assert cause_of(rule, **{where: {event: (900, 35.0)}}) is None
    assert cause_of(rule) is None


def test_a_flush_of_milliseconds_is_nothing_to_say():
    quiet = {"lfs": (360, 0.36), "background": {"gcs log flush sync": (90, 0.2)}}
    assert cause_of("log-flush", **quiet) is None


def flash_log(**counts):
    columns = (Column("cell_name", "Cell Name"), *(column(c) for c in COUNTS))
    rows = [("Total (4)", *(counts.get(c) for c in COUNTS)), ("cell1", *(exact(9) for _ in COUNTS))]
    return section("exadata_flash_log", columns, rows)


COUNTS = ("outliers_prevented", "outliers_actual", "errors_disk_i_o", "errors_flash_i_o", "skip_count")


def test_what_the_flash_log_did_not_prevent():
    cause = cause_of("flash-log", more=[flash_log(outliers_actual=exact(12), skip_count=exact(3))])
    assert "12 writes that were slow all the same and 3 writes that went past the flash log" in cause.text
    assert {e.column for e in cause.evidence} == {"outliers_actual", "skip_count"}
    assert {e.key for e in cause.evidence} == {"Total (4)"}
    assert cause_of("flash-log", more=[flash_log(outliers_prevented=exact(2956))]) is None


def test_the_flash_log_is_missed_only_on_exadata():
    cells = section("exadata_griddisks", (Column("cell_name", "Cell Name"), column("disks")), [("c", exact(1))])
    assert "flash-log" in {u.rule for u in causes(more=[cells]).unsettled}
    assert "flash-log" not in {u.rule for u in causes().unsettled}


@pytest.mark.parametrize(
    ("value", "text"), [(36e9, "33.5 GB"), (443_999.0, "434 kB"), (1_040_000.0, "1,020 kB"), (999.4, "999 B")]
)
def test_sizes_to_three_digits(value, text):
    assert size(value, 3) == text


def test_commits_that_asked_to_wait_stand_beside_those_that_did_not():
    counts = {"user commits": 30_000, "commit nowait performed": 9_000, "commit wait performed": 1_000}
    cause = cause_of("commit-nowait", statistics=counts)
    assert "commit nowait performed 9,000 (30 % of the commits) and commit wait performed 1,000" in cause.text
