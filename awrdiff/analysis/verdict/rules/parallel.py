"""Parallel processes of a statement that ran on other instances, whose reports hold their time."""

from __future__ import annotations

from dataclasses import dataclass

from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.batch import is_parallel
from awrdiff.analysis.verdict.facts import FactsOfTwo
from awrdiff.analysis.verdict.statement_changes import MOVED, StatementChange, per_execution
from awrdiff.analysis.words import number

REMOTE = "PX remote messages sent"
LOCAL = "PX local messages sent"
_FEWEST = 1_000  # messages: fewer are those of queries that nobody sees
_APART = 0.10  # of the messages, from one report to the other


@dataclass(frozen=True, slots=True)
class Messages:
    """What parallel processes of an instance sent within it and to others."""

    local: float
    remote: float

    @property
    def remote_share(self) -> float:
        return self.remote / (self.local + self.remote)


def messages_of(side: Side) -> Messages | None:
    """None where they are few or not told: a report of the whole cluster holds what ran on any of its instances."""
    local, remote = side.statistic(LOCAL), side.statistic(REMOTE)
    if side.report.kind == "awr_global" or local is None:
        return None
    sent = remote.number if remote is not None else 0.0 if side.lists_all("instance_activity") else None
    return Messages(local.number, sent) if sent is not None and local.number + sent >= _FEWEST else None


def ran_elsewhere(facts: FactsOfTwo, each: StatementChange) -> str:
    """That another part of a parallel statement ran on other instances, in a sentence; "" where that is not shown.

    The gets of one execution must have moved against the messages: they are counted where the processes run.
    """
    a, b = messages_of(facts.first), messages_of(facts.second)
    gets = per_execution(each.pair, "buffer_gets")
    if a is None or b is None or gets is None or not is_parallel(each.pair.shown.text):
        return ""
    fewer = gets[1].number * MOVED <= gets[0].number
    more = gets[0].number * MOVED <= gets[1].number
    apart = b.remote_share - a.remote_share
    if not (fewer and apart >= _APART) and not (more and -apart >= _APART):
        return ""
    return (
        f"Parallel processes sent {number(a.remote)} → {number(b.remote)} messages to other instances, "
        f"{number(a.local)} → {number(b.local)} within their own: the reports of the others hold what it took there."
    )
