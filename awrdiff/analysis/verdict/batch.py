"""Long runs in windows cut around them (a benchmark, a batch): the window's length decides every rate, so seconds per
run are compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from awrdiff.analysis.report.side import Side
from awrdiff.analysis.report.statements import Statement
from awrdiff.analysis.rows.statements import StatementPair
from awrdiff.analysis.verdict.commonality import is_oracles_own
from awrdiff.analysis.words import listing, seconds

FEW = 3  # executions
MOST_OF_IT = 0.80  # of the captured time
SLOWER = 1.25  # per run: less is what two runs of one query differ by
_ALSO = 0.15  # of the captured time of a side: what else it ran is said from here on
_PARALLEL = re.compile(r"/\*\+[^*]*\bparallel\b", re.IGNORECASE)
_QUERY = re.compile(r"\s*(?:select|with)\b", re.IGNORECASE)


class Run(Struct, frozen=True):
    """Statement of few executions on both sides, with seconds per execution; of one that did not end, a part
    (`first_ended`).
    """

    pair: StatementPair
    first_s: float
    second_s: float
    first_ended: bool

    @property
    def took_longer(self) -> bool:
        return self.second_s >= SLOWER * self.first_s

    @property
    def is_slower(self) -> bool:
        return self.first_ended and self.took_longer


def runs_of(first: Side, second: Side, pairs: Iterable[StatementPair]) -> tuple[Run, ...]:
    """Runs on both sides, the longest first; empty where either side did more than a few long runs."""
    if not all(_is_batch(side) for side in (first, second)):
        return ()
    runs = (r for p in pairs if p.first is not None and p.second is not None if (r := _run(p, p.first, p.second)))
    return tuple(sorted(runs, key=lambda r: -max(r.first_s, r.second_s)))


def runs_text(first: Side, second: Side, runs: Sequence[Run], *, worse: bool) -> str:
    """Sentence on the runs; `worse`: something else got worse."""
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
    return f"The same {_what(slower_or_all)}, {_two_times(a, b)} of {_them(slower_or_all)}, in {windows}: {verdict}."


def other_statements_text(first: Side, second: Side, runs: Sequence[Run]) -> str:
    """`First also ran 0abc for 5,826 s.`"""
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


def _run(pair: StatementPair, first: Statement, second: Statement) -> Run | None:
    if first.elapsed is None or second.elapsed is None or not (_is_few(first) and _is_few(second)):
        return None
    if is_oracles_own(first) or is_oracles_own(second):
        return None
    ended = first.executions is not None and first.executions.number >= 1
    return Run(pair, _each(first, first.elapsed.number), _each(second, second.elapsed.number), ended)


def _each(statement: Statement, elapsed_s: float) -> float:
    return elapsed_s / max(statement.executions.number if statement.executions is not None else 1.0, 1.0)


def is_parallel(text: str) -> bool:
    """True with a PARALLEL hint."""
    return _PARALLEL.search(text) is not None


def _what(runs: Sequence[Run]) -> str:
    if len(runs) > 1:
        return f"{len(runs)} statements"
    text = runs[0].pair.shown.text
    kind = "query" if _QUERY.match(text) else "statement"
    return f"parallel {kind}" if is_parallel(text) else kind


def _them(runs: Sequence[Run]) -> str:
    return "it" if len(runs) == 1 else "them"


def _two_times(first_s: float, second_s: float) -> str:
    """`1,178 and 1,188 s`"""
    a, b = seconds(first_s), seconds(second_s)
    value, _, unit = a.rpartition(" ")
    return f"{value if b.endswith(f' {unit}') else a} and {b}"


def _minutes(side: Side) -> str:
    return f"{side.elapsed.number / 60:,.1f}" if side.elapsed is not None else "?"
