"""Statements of both sides: active sessions, what became of them, and the long runs that windows were cut around."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from math import sqrt
from typing import Literal

from msgspec import Struct

from awrdiff.analysis.figures_in_words import listing, percent, seconds
from awrdiff.analysis.model.comparison import Range, Sessions
from awrdiff.analysis.report.ash_and_addm_load import FROM_DISK_S, samples
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.sql_statements import Statement
from awrdiff.analysis.rows.deltas import rate
from awrdiff.analysis.rows.statement_matching import StatementPair
from awrdiff.analysis.verdict.same_workload_check import is_oracles_own
from awrdiff.analysis.verdict.thresholds import OF_CHANGE
from parsers.model import Value

CAPTURED = 0.5  # of DB time in the SQL tables: below it, not listed says little
_NEARLY_ALL = 0.95  # from here on the rest is commits, logons and parsing, and unlisted is below the list's end
OF_SIDE = 0.30  # of a side's DB time: worth naming whether or not it changed
OF_SIDE_SLOWER = 0.05  # below, a slower statement is nobody's trouble
LEAST_CHANGE = 0.10  # of the busier side: DB time that moved by less has no statement that "is" the change
SLOWER = 1.5  # per execution, beyond what the print leaves open
GROWTH = 1.25

MoveKind = Literal["entered", "left", "renamed", "slower", "faster", "grew", "shrank", "dominant"]


class StatementChange(Struct, frozen=True, dict=True):
    """Active sessions on both sides; unlisted from 0 to the most possible (see `statement_sessions`)."""

    pair: StatementPair
    sessions: Sessions
    first_whole: float
    second_whole: float
    as_listed: float | None = None  # its change, were nothing missing in the lists

    @cached_property
    def of_change(self) -> float:
        """Share of the DB time change, negative against it."""
        return self._share(self.sessions.change)

    def _share(self, change: float) -> float:
        whole = self.second_whole - self.first_whole
        if not whole or abs(whole) < LEAST_CHANGE * max(self.first_whole, self.second_whole):
            return 0.0
        return change / whole

    @cached_property
    def may_be_of_change(self) -> float:
        """`of_change` if the lists miss nothing."""
        return self._share(self.as_listed) if self.as_listed is not None else self.of_change

    @cached_property
    def of_side(self) -> float:
        sides = ((self.sessions.first, self.first_whole), (self.sessions.second, self.second_whole))
        return max((side.low / whole for side, whole in sides if side is not None and whole > 0), default=0.0)

    @cached_property
    def least_known_sessions(self) -> float:
        sides = (self.sessions.first, self.sessions.second)
        return max([abs(self.sessions.change), *(side.low for side in sides if side is not None)])

    @cached_property
    def matters(self) -> bool:
        against = abs(self.sessions.change) >= OF_CHANGE * max(self.first_whole, self.second_whole)
        return self.may_be_of_change >= OF_CHANGE or against or self.of_side >= OF_SIDE

    @cached_property
    def each(self) -> tuple[Value, Value] | None:
        return per_execution(self.pair, "elapsed_time_s")

    @cached_property
    def did_other_work(self) -> bool:
        """Rows moved by half of time's factor or more."""
        time, rows = _factor(self.each), _factor(per_execution(self.pair, "rows_processed"))
        if time is None or rows is None:
            return False
        up, of_rows = (time, rows) if time > 1 else (1 / time, 1 / rows)
        return of_rows >= max(GROWTH, up / 2)

    @cached_property
    def more_gets(self) -> float | None:
        """Factor of gets per execution where time follows, rows do not."""
        two = per_execution(self.pair, "buffer_gets")
        time, gets = _factor(self.each), _factor(two)
        if time is None or gets is None or time < SLOWER or self.did_other_work:
            return None
        if two is None or max(v.number for v in two) < 1:
            return None  # none to speak of
        return gets if gets >= max(GROWTH, time / 2) else None

    @cached_property
    def kind(self) -> MoveKind | None:
        pair = self.pair
        if self.matters and pair.first is None:
            return "entered"
        if self.matters and pair.second is None:
            return "left"
        if self.matters and pair.how == "text" and _only_other_id(pair):
            return "renamed"
        if self.of_side >= OF_SIDE_SLOWER and self.each is not None and members_of(pair) == 1:
            a, b = self.each
            if b.low >= SLOWER * a.high > 0:
                return "slower"
            if a.low >= SLOWER * b.high > 0:
                return "faster"
        return self.by_size() if self.matters else None

    def by_size(self) -> MoveKind:
        a, b = self.sessions.first, self.sessions.second
        if a is not None and b is not None and b.low >= GROWTH * a.high:
            return "grew"
        if a is not None and b is not None and a.low >= GROWTH * b.high:
            return "shrank"
        return "dominant"


def per_execution(pair: StatementPair, figure: str) -> tuple[Value, Value] | None:
    """Both sides, with printed intervals."""
    a = pair.first.per_execution(figure) if pair.first else None
    b = pair.second.per_execution(figure) if pair.second else None
    return (a, b) if a is not None and b is not None else None


def _factor(two: tuple[Value, Value] | None) -> float | None:
    return two[1].number / two[0].number if two is not None and min(v.number for v in two) > 0 else None


def statement_changes(first: Side, second: Side, pairs: Iterable[StatementPair]) -> tuple[StatementChange, ...]:
    """With elapsed time, without wrapping blocks, largest first."""
    wholes = first.active_sessions, second.active_sessions
    if wholes[0] is None or wholes[1] is None:
        return ()
    changes = []
    for pair in pairs:
        if any(s is not None and s.elapsed is not None for s in (pair.first, pair.second)):
            members = members_of(pair)
            sessions = Sessions(
                statement_sessions(first, pair.first, members), statement_sessions(second, pair.second, members)
            )
            listed = Sessions(_by_list(first, pair.first), _by_list(second, pair.second))
            changes.append(StatementChange(pair, sessions, wholes[0], wholes[1], listed.change))
    changes.sort(key=lambda m: -max(abs(m.sessions.change), m.sessions.level))
    return tuple(without_wrappers(changes))


def members_of(pair: StatementPair) -> int:
    """Ids of one text, on the side with more."""
    return max(len(set(s.all_ids)) for s in (pair.first, pair.second) if s is not None)


def statement_sessions(side: Side, statement: Statement | None, members: int = 1) -> Range | None:
    """Untimed: bounded by list or samples. `members`: ids."""
    listed = _by_list(side, statement)
    if listed is None:
        return None
    below = 0.0
    if members > 1:
        least = _by_list(side, None)
        rest = max(1.0 - (side.captured_sql.best or 0.0), 0.0) * (side.active_sessions or 0.0)
        below = min(members * least.high, rest) if least is not None else rest
    if statement is None or statement.elapsed is None:
        return Range(0.0, max(listed.high, below, _untimed_sessions(side, statement)))
    return Range(listed.low, listed.high + below)


def _by_list(side: Side, statement: Statement | None) -> Range | None:
    elapsed = statement.elapsed if statement is not None else None
    if side.elapsed is None:
        return None
    if elapsed is not None:
        sessions = rate(elapsed, side.elapsed)
        return Range(max(sessions.low, 0.0), sessions.high)
    least = side.least_listed_sql
    return Range(0.0, rate(least, side.elapsed).high) if least is not None else None


def _untimed_sessions(side: Side, statement: Statement | None) -> float:
    """Cursors that left the shared pool before the snapshot are in no SQL table; samples keep theirs."""
    if statement is not None and statement.sampled is not None:
        return sessions_in_samples(side, statement.sampled).high
    rest = uncaptured(side)
    if not rest or (statement is not None and is_captured(side)):
        return 0.0
    whole, sampled = side.active_sessions or 0.0, side.least_sampled_sql
    return whole * rest if sampled is None else min(whole * rest, most_of(side, sampled))


def uncaptured(side: Side) -> float:
    """Share (0..1) of DB time in which an unlisted statement may hide; 0 where the list's end bounds it."""
    captured = side.captured_sql
    enough = _NEARLY_ALL if captured.is_printed else CAPTURED
    if is_captured(side) and (captured.best or 0.0) >= enough:
        return 0.0
    return max(1.0 - (captured.best or 0.0), 0.0)


def uncaptured_text(side: Side) -> str:
    """`11 % of its DB time is not captured`; empty where unlisted is below the list's end."""
    share = uncaptured(side)
    if share and side.captured_sql.best is None:
        return "what they capture is not printed"
    return f"{percent(share)} of its DB time is not captured" if share else ""


def is_captured(side: Side) -> bool:
    """SQL tables, which omit aged-out statements, hold half of DB time, no heavy one missing."""
    captured = side.captured_sql.best
    return captured is not None and captured >= CAPTURED and side.most_sampled_untimed < 100 * OF_CHANGE


def sessions_in_samples(side: Side, pct: float) -> Range:
    """Active sessions, within twice the sampling scatter."""
    share, whole = min(pct / 100, 1.0), side.sampled_sessions or Range(0.0, 0.0)
    count = samples(side) or max((side.db_time.number if side.db_time else 0.0) / FROM_DISK_S, 1.0)
    scatter = 2 * sqrt(share * (1 - share) / count)
    return Range(max(share - scatter, 0.0) * whole.low, min(share + scatter, 1.0) * whole.high)


def most_of(side: Side, pct: float) -> float:
    """Upper bound of active sessions."""
    return pct / 100 * side.sampled_sessions.high if side.sampled_sessions is not None else 0.0


def without_wrappers(changes: list[StatementChange]) -> Iterator[StatementChange]:
    """Without blocks of listed SQL, whose time they include."""
    statements = [m for m in changes if not m.pair.is_plsql and m.kind is not None]
    for each in changes:
        if not each.pair.is_plsql:
            yield each
            continue
        whole, name = max((_listed_sessions(each, name), name) for name in ("first", "second"))
        inside = [m for m in statements if may_run_in(m.pair, each.pair)]
        if not sum(_listed_sessions(m, name) for m in inside) >= 0.5 * whole > 0:
            yield each


def _listed_sessions(each: StatementChange, name: str) -> float:
    statement, sessions = getattr(each.pair, name), getattr(each.sessions, name)
    return sessions.low if statement is not None and statement.elapsed is not None and sessions is not None else 0.0


def may_run_in(pair: StatementPair, block: StatementPair) -> bool:
    """By printed database and module, which block SQL often lacks."""
    a, b = pair.statement, block.statement
    return a.key.pdb == b.key.pdb and (not a.module or not b.module or a.module == b.module)


def _only_other_id(pair: StatementPair) -> bool:
    if pair.first is None or pair.second is None or pair.first.ids or pair.second.ids:
        return False
    a, b = pair.first.key, pair.second.key
    return a.sql_id != b.sql_id and a.is_hash_value == b.is_hash_value


# Runs that both windows were cut around: seconds compare, rates do not.
FEW = 3  # executions
MOST_OF_IT = 0.80  # of the captured time
RUN_SLOWER = 1.25  # per run: less is what two runs of one query differ by
_ALSO = 0.15  # of the captured time of a side: what else it ran is said from here on
_PARALLEL = re.compile(r"/\*\+[^*]*\bparallel\b", re.IGNORECASE)
_QUERY = re.compile(r"\s*(?:select|with)\b", re.IGNORECASE)


class Run(Struct, frozen=True):
    """Statement with few executions on both sides. Seconds each; of an unended one a part (`first_ended`)."""

    pair: StatementPair
    first_s: float
    second_s: float
    first_ended: bool

    @property
    def took_longer(self) -> bool:
        return self.second_s >= RUN_SLOWER * self.first_s

    @property
    def is_slower(self) -> bool:
        return self.first_ended and self.took_longer


def runs_of(first: Side, second: Side, pairs: Iterable[StatementPair]) -> tuple[Run, ...]:
    """Longest first; empty where a side did much else."""
    if not all(_is_batch(side) for side in (first, second)):
        return ()
    runs = []
    for pair in pairs:
        a, b = pair.first, pair.second
        if a is None or b is None or not (_is_few(a) and _is_few(b)) or is_oracles_own(a) or is_oracles_own(b):
            continue
        if a.elapsed is not None and b.elapsed is not None:
            ended = a.executions is not None and a.executions.number >= 1
            runs.append(Run(pair, _each(a, a.elapsed.number), _each(b, b.elapsed.number), ended))
    return tuple(sorted(runs, key=lambda r: -max(r.first_s, r.second_s)))


def runs_text(first: Side, second: Side, runs: Sequence[Run], *, worse: bool) -> str:
    """Sentence; `worse`: something else got worse."""
    slower = [r for r in runs if r.is_slower]
    slower_or_all = slower or runs
    a, b = sum(r.first_s for r in slower_or_all), sum(r.second_s for r in slower_or_all)
    windows = f"windows of {_minutes(first)} and {_minutes(second)} minutes"
    if slower:
        took = f"{seconds(b)} a run rather than {seconds(a)}"
        return f"The same {_what(slower_or_all)} took {took}; the rates are those of {windows} cut around such runs."
    verdict = "the windows make the rates, not the work" if worse else "nothing got worse"
    if any(r.took_longer for r in slower_or_all):
        verdict = "not all had ended in First, so whether it became slower is open"
    them, first_s, second_s = "it" if len(slower_or_all) == 1 else "them", seconds(a), seconds(b)
    value, _, unit = first_s.rpartition(" ")
    times = f"{value if second_s.endswith(f' {unit}') else first_s} and {second_s}"
    return f"The same {_what(slower_or_all)}, {times} of {them}, in {windows}: {verdict}."


def other_statements_text(first: Side, second: Side, runs: Sequence[Run]) -> str:
    compared = {s.key for r in runs for s in (r.pair.first, r.pair.second) if s is not None}
    clauses = []
    for name, side in (("First", first), ("Second", second)):
        own = _own(side)
        whole = sum(s for _, s in own)
        more = [
            f"{s.key.sql_id} for {seconds(took)}" for s, took in own if s.key not in compared and took >= _ALSO * whole
        ]
        clauses += [f"{name} also ran {listing(more)}"] if more else []
    return f"{'; '.join(clauses)}." if clauses else ""


def _own(side: Side) -> list[tuple[Statement, float]]:
    timed = ((s, s.elapsed.number) for s in side.statements.values() if s.elapsed is not None)
    return [(s, took) for s, took in timed if not is_oracles_own(s)]


def _is_batch(side: Side) -> bool:
    own = _own(side)
    whole = sum(took for _, took in own)
    return whole > 0 and sum(took for s, took in own if _is_few(s)) >= MOST_OF_IT * whole


def _is_few(statement: Statement) -> bool:
    return statement.executions is not None and statement.executions.number <= FEW


def _each(statement: Statement, elapsed_s: float) -> float:
    return elapsed_s / max(statement.executions.number if statement.executions is not None else 1.0, 1.0)


def is_parallel(text: str) -> bool:
    return _PARALLEL.search(text) is not None


def _what(runs: Sequence[Run]) -> str:
    if len(runs) > 1:
        return f"{len(runs)} statements"
    text = runs[0].pair.statement.text
    kind = "query" if _QUERY.match(text) else "statement"
    return f"parallel {kind}" if is_parallel(text) else kind


def _minutes(side: Side) -> str:
    return f"{side.elapsed.number / 60:,.1f}" if side.elapsed is not None else "?"
