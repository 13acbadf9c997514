"""Waits for a standby: which destination ships them, and which of several rows of one wait counts."""

from __future__ import annotations

import pytest

from tests.unit.analysis.builders import parameters
from tests.unit.analysis.commit_builders import USUAL, facts, rules, stages

REMOTE = {"background": {"SYNC Remote Write": (1000, 9.0)}, "statistics": stages(**USUAL)}


@pytest.mark.parametrize(
    ("dest", "confidence"),
    [
        ("service=stby SYNC AFFIRM net_timeout=30", "high"),
        ("service=stby ASYNC NOAFFIRM", None),
        ("location=/arch", "high"),  # says nothing of a standby
    ],
)
def test_a_destination_that_ships_async_is_not_waited_for(dest, confidence):
    found = rules(**REMOTE, more=[parameters({"log_archive_dest_2": dest})])
    assert ("data-guard-sync" in found) is (confidence is not None)
    if "SYNC AFFIRM" in dest:
        assert "log_archive_dest_2 ships SYNC AFFIRM NET_TIMEOUT=30." in found["data-guard-sync"].text


def test_a_deferred_destination_ships_nothing():
    settings = {"log_archive_dest_2": "service=stby ASYNC", "log_archive_dest_state_2": "DEFER"}
    assert "data-guard-sync" in rules(**REMOTE, more=[parameters(settings)])


def test_an_event_that_async_has_as_well_is_less_certain():
    more = {**REMOTE, "background": {"LNS wait on SENDREQ": (1000, 9.0)}}
    assert rules(**more)["data-guard-sync"].confidence == "medium"
    asked = parameters({"log_archive_dest_3": "SERVICE=stby LGWR SYNC"})
    assert rules(**more, more=[asked])["data-guard-sync"].confidence == "high"


BOTH = {"Redo Writer Remote Sync Notify": (1000, 2.0), "Redo Writer Remote Sync Complete": (1000, 9.0)}


@pytest.mark.parametrize(
    ("events", "event"),
    [
        (BOTH, "Redo Writer Remote Sync Complete"),
        ({"SYNC Remote Write": (1000, 2.0), **BOTH}, "Redo Writer Remote Sync Complete"),
        ({"LGWR wait on LNS": (1000, 9.0), "LNS wait on SENDREQ": (1000, 20.0)}, "LGWR wait on LNS"),
        ({"SYNC Remote Write": (9, 90.0), **BOTH}, "Redo Writer Remote Sync Complete"),  # not one to each write
        ({"ASYNC Remote Write": (1000, 9.0), "LNS ASYNC end of log": (1000, 9.0)}, None),
        ({"Redo transport open": (1000, 9.0), "Redo transport attach": (1000, 9.0)}, None),
    ],
)
def test_of_remote_waits_that_overlap_the_longest_counts(events, event):
    """Each is the same wait met in another place: 9 ms to a write, never 11."""
    remote = facts(statistics=stages(**USUAL), background=events).figures.remote
    assert (remote and remote.event) == event
    if remote:
        assert remote.avg_s.value == pytest.approx(0.009)


def test_a_standby_in_the_one_list_of_an_old_statspack_is_seen():
    rows = {"log file parallel write": (30_000, 30.0), "LGWR-LNS wait on channel": (30_000, 240.0)}
    found = rules(lfpw=None, waits=rows, statistics={"redo writes": 30_000})
    assert found["data-guard-sync"].explains_s.high == pytest.approx(0.008)
