"""Wait, CPU or other instances behind a change of a statement's time per execution."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct

from awrdiff.analysis.figures_in_words import number, percent
from awrdiff.analysis.names.wait_events import subject_of
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.printed_rows import printed_rows
from awrdiff.analysis.report.sql_statements import Statement
from awrdiff.analysis.verdict.rule_inputs import FactsOfTwo
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.statement_changes import GROWTH, StatementChange, is_parallel, per_execution

REMOTE = "PX remote messages sent"
LOCAL = "PX local messages sent"
OTHERS_DID = "A parallel statement of a cluster: the reports of the other instances hold what they did of it."
_FEWEST = 1_000  # messages: fewer are those of queries that nobody sees
_APART = 0.10  # of the messages, from one report to the other


class Messages(Struct, frozen=True):
    """Parallel messages, within the instance and to others."""

    local: float
    remote: float

    @property
    def remote_share(self) -> float:
        return self.remote / (self.local + self.remote)


def messages_of(side: Side) -> Messages | None:
    """None where few, not printed, or of a cluster."""
    local, remote = side.statistic(LOCAL), side.statistic(REMOTE)
    if side.report.kind == "awr_global" or local is None:
        return None
    sent = remote.number if remote is not None else 0.0 if side.lists_all("instance_activity") else None
    return Messages(local.number, sent) if sent is not None and local.number + sent >= _FEWEST else None


def share_of_work(facts: FactsOfTwo, each: StatementChange) -> str:
    """Sentence on this instance's changed share, else ""."""
    sides, time = facts.sides, each.each
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
    statements = [s for s in (each.pair.first, each.pair.second) if s is not None]
    if is_parallel(each.pair.statement.text) or any(w.startswith("PX ") for s in statements for w in s.waits):
        return True
    hashes = {h for s in statements for h in s.plan_hashes}
    steps = (row for side in facts.sides for row in printed_rows(side.report.section("sql_execution_plan")))
    return any(s.text("operation").strip().startswith("PX ") and s.text("plan_hash") in hashes for s in steps)


def ran_elsewhere(facts: FactsOfTwo, each: StatementChange) -> str:
    """Gets per execution moved against messages; else ""."""
    a, b = messages_of(facts.first), messages_of(facts.second)
    gets = per_execution(each.pair, "buffer_gets")
    if a is None or b is None or gets is None or not is_parallel(each.pair.statement.text):
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


_HALF = 0.5  # of what one execution moved by: from there on it is the reason
_FIGURES = (
    ("application_wait_time_s", "waits", "for locks"),
    ("cluster_wait_time_s", "waits", "for blocks of other instances"),
    ("user_io_wait_time_s", "waits", "for I/O"),
    ("concurrency_wait_time_s", "waits", "for latches and buffers"),
    ("cpu_time_s", "takes", "CPU"),
)
_PRINTED = ("cpu_time_s", "user_io_wait_time_s")
ROW_LOCK = "enq: tx - row lock"
_LOCKS_ROWS = re.compile(r"\s*(?:update|delete|merge|insert|select\b.*\bfor\s+update)\b", re.IGNORECASE | re.DOTALL)
_CLASSES = ("Application", "Cluster", "User I/O", "Concurrency", "Configuration")


class TimePart(NamedTuple):
    """Seconds per execution that hold half of the change. `is_rest`: what CPU and I/O leave, and no printed wait."""

    verb: str
    what: str
    first_s: float
    second_s: float
    is_rest: bool = False

    def title(self) -> str:
        """`waits less for row locks`, `takes more CPU`"""
        more = ("longer" if self.verb == "waits" else "more") if self.second_s > self.first_s else "less"
        return f"{self.verb} {more} {self.what}"

    def text(self, moved_s: float) -> str:
        """`moved_s`: change of one execution, in seconds."""
        name = "CPU" if self.what == "CPU" else f"waiting {self.what}"
        if self.is_rest:
            name = f"neither CPU nor I/O, likely waiting {self.what}"
        share = (self.second_s - self.first_s) / moved_s
        return f"Of the change of one execution {percent(min(share, 1.0))} is {name}."


def main_part(facts: FactsOfTwo, each: StatementChange) -> TimePart | None:
    """By CPU and wait classes or samples; None: unexplained."""
    if each.each is None:
        return None
    took = each.each[0].number, each.each[1].number
    change_s = took[1] - took[0]
    timed = ((verb, what, per_execution(each.pair, figure)) for figure, verb, what in _FIGURES)
    printed = [TimePart(verb, what, two[0].number, two[1].number) for verb, what, two in timed if two is not None]
    parts = [*printed, *_sampled(facts, each, took), *_locked(facts, each, took)] if change_s else []
    most = max(parts, key=lambda r: (r.second_s - r.first_s) / change_s, default=None)
    return most if most is not None and (most.second_s - most.first_s) / change_s >= _HALF else None


def _sampled(facts: FactsOfTwo, each: StatementChange, took: tuple[float, float]) -> Iterator[TimePart]:
    sides = each.pair.first, each.pair.second
    names = {name for s in sides if s is not None for name in s.waits}
    for name in sorted(names):
        if (facts.second.wait_class(name) or facts.first.wait_class(name)) not in _CLASSES:
            continue
        shares = [_share(s, name) for s in sides]
        if shares[0] is None and shares[1] is None:
            continue
        grew = took[1] > took[0]
        # On the side without samples what makes the change least.
        a = took[0] * (shares[0] if shares[0] is not None else float(grew))
        b = took[1] * (shares[1] if shares[1] is not None else float(not grew))
        yield TimePart("waits", f"for {subject_of(name) or name}", a, b)


def _locked(facts: FactsOfTwo, each: StatementChange, took: tuple[float, float]) -> Iterator[TimePart]:
    printed = [two for name in _PRINTED if (two := per_execution(each.pair, name)) is not None]
    if len(printed) < len(_PRINTED) or not _LOCKS_ROWS.match(each.pair.statement.text):
        return
    locks = finding_sizes.sessions_waiting(facts, lambda event: event.startswith(ROW_LOCK))
    if not each.sessions.change or locks.change / each.sessions.change < _HALF:
        return
    rest = [max(whole - sum(two[at].number for two in printed), 0.0) for at, whole in enumerate(took)]
    yield TimePart("waits", "for row locks", rest[0], rest[1], is_rest=True)


def _share(statement: Statement | None, event: str) -> float | None:
    if statement is None or not statement.sampled or not statement.waits:
        return None
    printed = statement.waits.get(event)
    rest = max(statement.sampled - sum(statement.waits.values()), 0.0)
    if printed is None:
        return 0.0 if rest < 0.05 * statement.sampled else None
    return min(printed / statement.sampled, 1.0)
