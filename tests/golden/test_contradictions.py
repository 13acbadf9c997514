"""No statement of a comparison is denied by another figure of it: the diagnosed cases, and checks that bite."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from awrdiff.analysis.model.comparison import Comparison, Finding, Range, Sessions
from tests.golden import contradictions
from tests.golden.contradictions import CHECKS
from tests.golden.contradictions import contradictions as found_in
from tests.golden.test_diagnosed import NAMES, compared


def test_no_case_denies_itself():
    assert {name: found for name in NAMES if (found := found_in(compared(name)))} == {}


LOCKS = "row locks grow"  # a case whose findings are turned into lies below


def _with(rule: str, change: Callable[[Finding], Finding]) -> Comparison:
    comparison = compared(LOCKS)
    assert rule in {f.rule for f in comparison.findings}
    return replace(comparison, findings=tuple(change(f) if f.rule == rule else f for f in comparison.findings))


def _turned(f: Finding) -> Finding:
    return replace(f, sessions=Sessions(f.sessions.second, f.sessions.first))


def _retold(old: str, new: str) -> Callable[[Finding], Finding]:
    def with_text(f: Finding) -> Finding:
        assert old in f.text
        return replace(f, text=f.text.replace(old, new))

    return with_text


def _as_cpu(f: Finding) -> Finding:
    return replace(f, rule="db-cpu", title="Less CPU for the same work.", evidence=())


def _ranked(how: str) -> Comparison:
    comparison = compared(LOCKS)
    assert comparison.ranked is not None
    told = tuple(replace(m, how=how) if m.subject.kind == "event" else m for m in comparison.ranked.movers)
    return replace(comparison, ranked=replace(comparison.ranked, movers=told))


LIES = {
    "up_and_down": _with("row-locks", _turned),
    "new_and_gone": _with(
        "event-count", lambda f: replace(f, text="row locks: there are more waits (none listed in First)")
    ),
    "longer_and_shorter": _ranked("shorter waits: 500 ms → 3.50 s per wait"),
    "cpu_for_the_work": _with("row-locks", _as_cpu),
    "more_than_all": _with("row-locks", _retold("76 % of DB time", "176 % of DB time")),
    "one_fact_one_number": replace(
        compared(LOCKS), summary="Average active sessions rose from 1.2 to 5.2 (×4.09), while the work did not grow."
    ),
    "by_size": replace(compared(LOCKS), findings=tuple(reversed(compared(LOCKS).findings))),
    "severe_enough": _with("row-locks", lambda f: replace(f, severity="critical", tone="better")),
    "parts_of_the_whole": replace(
        compared(LOCKS),
        summary="CPU accounts for all of the rise of 1.7 sessions; row locks for 0.3 and reads for 0.2.",
    ),
    "sessions_of_the_rows": _with(
        "row-locks", lambda f: replace(f, sessions=Sessions(f.sessions.first, Range(30.0, 30.0)))
    ),
    "figures_of_the_rows": _with("row-locks", _retold("500 ms → 3.50 s", "400 ms → 3.50 s")),
}


def test_every_check_has_a_lie():
    assert set(LIES) == {check.__name__ for check in CHECKS}


@pytest.mark.parametrize("name", sorted(LIES))
def test_a_check_finds_its_lie(name):
    assert list(getattr(contradictions, name)(LIES[name]))
    assert not list(getattr(contradictions, name)(compared(LOCKS)))
