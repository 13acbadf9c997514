"""Parallel statements of a cluster; a report of one instance holds a share of them."""

from __future__ import annotations

from msgspec import Struct

from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.batch import is_parallel
from awrdiff.analysis.verdict.facts import FactsOfTwo
from awrdiff.analysis.verdict.statement_changes import GROWTH, StatementChange, per_execution
from awrdiff.analysis.words import number, percent

REMOTE = "PX remote messages sent"
LOCAL = "PX local messages sent"
OTHERS_DID = "A parallel statement of a cluster: the reports of the other instances hold what they did of it."
_FEWEST = 1_000  # messages: fewer are those of queries that nobody sees
_APART = 0.10  # of the messages, from one report to the other


class Messages(Struct, frozen=True):
    """Messages of an instance's parallel processes, within it and to others."""

    local: float
    remote: float

    @property
    def remote_share(self) -> float:
        return self.remote / (self.local + self.remote)


def messages_of(side: Side) -> Messages | None:
    """None where few or not printed, and for reports of a whole cluster."""
    local, remote = side.statistic(LOCAL), side.statistic(REMOTE)
    if side.report.kind == "awr_global" or local is None:
        return None
    sent = remote.number if remote is not None else 0.0 if side.lists_all("instance_activity") else None
    return Messages(local.number, sent) if sent is not None and local.number + sent >= _FEWEST else None


def share_of_work(facts: FactsOfTwo, each: StatementChange) -> str:
    """`This instance did 51 % of the gets that it did in First`: gets or reads moved with the time, so the instance's
    share changed. "" where one instance is known to have run it all.
    """
    sides, time = (facts.first, facts.second), each.each
    if time is None or min(v.number for v in time) <= 0 or not _is_parallel(facts, each):
        return ""
    if not any(side.report.database.rac for side in sides) or all(s.report.kind == "awr_global" for s in sides):
        return ""
    sent = [m for side in sides if (m := messages_of(side)) is not None]
    if len(sent) == len(sides) and all(m.remote_share < _APART for m in sent):
        return ""
    took = time[1].number / time[0].number
    for figure, name in (("buffer_gets", "gets"), ("physical_reads", "reads")):
        two = per_execution(each.pair, figure)
        if two is None or min(v.number for v in two) < 1:
            continue
        did = two[1].number / two[0].number
        up, of_work = (took, did) if took > 1 else (1 / took, 1 / did)
        if of_work >= max(GROWTH, up / 2):
            much = f"{percent(did)} of the {name}" if did < 1 else f"{number(did)} × the {name}"
            return f"This instance did {much} that it did in First"
    return ""


def _is_parallel(facts: FactsOfTwo, each: StatementChange) -> bool:
    """By hint, sampled waits of parallel processes, or a plan step."""
    statements = [s for s in (each.pair.first, each.pair.second) if s is not None]
    if is_parallel(each.pair.shown.text) or any(w.startswith("PX ") for s in statements for w in s.waits):
        return True
    hashes = {h for s in statements for h in s.plan_hashes}
    return any(_has_parallel_step(side, hashes) for side in (facts.first, facts.second))


def _has_parallel_step(side: Side, hashes: set[str]) -> bool:
    section = side.report.section("sql_execution_plan")
    rows = section.records if section is not None else ()
    return section is not None and any(
        section.text(r, "operation").strip().startswith("PX ") and section.text(r, "plan_hash") in hashes for r in rows
    )


def ran_elsewhere(facts: FactsOfTwo, each: StatementChange) -> str:
    """Sentence that another part ran on other instances: gets per execution moved against messages; else ""."""
    a, b = messages_of(facts.first), messages_of(facts.second)
    gets = per_execution(each.pair, "buffer_gets")
    if a is None or b is None or gets is None or not is_parallel(each.pair.shown.text):
        return ""
    fewer = gets[1].number * GROWTH <= gets[0].number
    more = gets[0].number * GROWTH <= gets[1].number
    apart = b.remote_share - a.remote_share
    if not (fewer and apart >= _APART) and not (more and -apart >= _APART):
        return ""
    return (
        f"Parallel processes sent {number(a.remote)} → {number(b.remote)} messages to other instances, "
        f"{number(a.local)} → {number(b.local)} within their own: the reports of the others hold what it took there."
    )
