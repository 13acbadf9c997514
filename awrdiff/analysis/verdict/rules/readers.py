"""Statements with much of all block reads, from the cache or from files.

Source: Oracle Database Performance Tuning Guide, SQL ordered by Gets and Reads.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from awrdiff.analysis.model.comparison import Range, Sessions, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.report.statements import ELAPSED, Statement
from awrdiff.analysis.verdict.facts import Facts, FactsOfOne, FactsOfTwo, row
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.verdict.rules.dominant_statements import statements_that_matter
from awrdiff.analysis.verdict.rules.io import is_read
from awrdiff.analysis.verdict.rules.statements import row_of, statement_name
from awrdiff.analysis.words import percent

_MUCH = 0.30  # of all reads: at most three statements can be as much
_FELT = 1 / 3  # of DB time, of the CPU or of the waits that the reads cost
_OWN = 0.10  # of that CPU or those waits: a statement with less of it is not why
_TOO_MUCH = 1.05  # of all reads: what ran before the window is counted with it when it ends


class ReadKind(Struct, frozen=True):
    """Blocks from the cache or files: a statement's figure, the total, and their cost."""

    label: str
    figure: str
    statistic: str
    load: tuple[str, ...]
    cost: str  # the time of a statement that goes with them
    cost_called: str
    explains: tuple[str, ...]


KINDS = (
    ReadKind(
        "logical reads",
        "buffer_gets",
        "session logical reads",
        ("Logical read (blocks)", "Logical reads"),
        "cpu_time_s",
        "DB CPU",
        ("host-cpu-saturated", "cpu-time", "db-cpu", "gets-per-execution"),
    ),
    ReadKind(
        "physical reads",
        "physical_reads",
        "physical reads",
        ("Physical read (blocks)", "Physical reads"),
        "user_io_wait_time_s",
        "waits for reads",
        ("physical-reads", "read-latency", "read-tail"),
    ),
)
_NOT_PRINTED = Unknown("SQL ordered by Gets or Reads; session logical reads, physical reads")


class Reader(Struct, frozen=True):
    """Statement that reads most of one side. `share`: of all reads (0..1); `sessions`: its own CPU or waits."""

    kind: ReadKind
    statement: Statement
    share: float
    sessions: Range | None
    denied: str


def reader_of(side: Side, kind: ReadKind, statements: Iterable[Statement]) -> Reader | None:
    """None where no statement reads enough, or reads cost little of DB time."""
    whole, spent = _all_reads(side, kind), _sessions_of_cost(side, kind)
    if not whole or spent is None or spent < _FELT * (side.active_sessions or 0.0) or spent <= 0:
        return None
    much = [s for s in statements if _reads(side, kind, s) >= _MUCH * whole]
    if not much:
        return None
    most = max(much, key=lambda s: (not s.is_plsql, _reads(side, kind, s)))  # a block reads by its SQL
    share = _reads(side, kind, most) / whole
    own = side.sessions(most.value(kind.cost))
    denied = ""
    if share > _TOO_MUCH:
        denied = f"{kind.statistic}: fewer than those of {most.key.sql_id}"
    elif own is not None and own.high < _OWN * spent:
        denied = f"{most.key.sql_id}: {percent(own.middle / spent)} of {kind.cost_called}"
    return Reader(kind, most, share, own, denied)


def _reads(side: Side, kind: ReadKind, statement: Statement) -> float:
    return side.per_second(statement.value(kind.figure)) or 0.0


def _all_reads(side: Side, kind: ReadKind) -> float | None:
    exact = side.per_second(side.statistic(kind.statistic))
    printed = side.load(*kind.load)
    return exact if exact is not None else printed.number if printed is not None else None


def _sessions_of_cost(side: Side, kind: ReadKind) -> float | None:
    if kind.figure == "buffer_gets":
        return side.per_second(side.db_cpu)
    return sizes.middle(sizes.waits(side, is_read))


def readers(facts: Facts) -> RuleResult:
    """One statement does {_MUCH:%} of a side's reads, logical or physical, that cost {_FELT:%} of its DB time."""
    if not all(side.has(ELAPSED) and any(_all_reads(side, kind) for kind in KINDS) for side in facts.sides):
        return _NOT_PRINTED
    by_kind = [each for kind in KINDS for each in _readers(facts, kind)]
    dominant = {m.pair.shown.key for m in statements_that_matter(facts)} if isinstance(facts, FactsOfOne) else set()
    answers = (_reader(facts, side, r) for side, r in by_kind if not r.denied and r.statement.key not in dominant)
    return tuple(answers) or next((Contradicted(reader.denied) for _, reader in by_kind if reader.denied), QUIET)


def _readers(facts: Facts, kind: ReadKind) -> list[tuple[Side, Reader]]:
    for side in reversed(facts.sides):
        own = "first" if side is facts.sides[0] else "second"
        listed = [s for pair in facts.statements if (s := getattr(pair, own)) is not None]
        if (reader := reader_of(side, kind, listed)) is not None:
            return [(side, reader)]
    return []


def _reader(facts: Facts, side: Side, each: Reader) -> Observation:
    kind, statement, text, sessions = each.kind, each.statement, _text(each), sizes.of_sides([each.sessions])
    evidence, is_last = statement.figures[kind.figure].evidence(), side is facts.sides[-1]
    pair = next(p for p in facts.statements if statement in (p.first, p.second))
    if isinstance(facts, FactsOfTwo):
        evidence = row_of(facts, statement.figures[kind.figure])
        other, beside = (facts.first, pair.first) if is_last else (facts.second, pair.second)
        text += f" in {'Second' if is_last else 'First'}{_share_beside(other, kind, beside, in_first=is_last)}"
        own = [
            s.sessions(p.value(kind.cost) if p else None)
            for s, p in zip(facts.sides, (pair.first, pair.second), strict=True)
        ]
        sessions = Sessions(*own) if each.sessions is not None else None
    text += f"; {_its(each)} {_cost(kind)}: {sizes.text(sessions)}." if sessions is not None else "."
    rows = (evidence, row("instance_activity", kind.statistic, "total"))
    title, explains = _title(each, in_first=not is_last), kind.explains if isinstance(facts, FactsOfTwo) else ()
    return Observation(title, text, rows, sessions, Subject("sql", pair.shown.key.sql_id), explains=explains)


def _share_beside(side: Side, kind: ReadKind, statement: Statement | None, *, in_first: bool) -> str:
    """`, 12 % in First`, where printed."""
    whole = _all_reads(side, kind)
    share = _reads(side, kind, statement) / whole if statement and statement.value(kind.figure) and whole else None
    if share is None or share > _TOO_MUCH:
        return ""
    return f", {percent(min(share, 1.0))} in {'First' if in_first else 'Second'}"


def _title(each: Reader, *, in_first: bool = False) -> str:
    much = "most" if each.share >= 0.5 else "much"
    did = "did" if in_first else "does"
    what = "PL/SQL block" if each.statement.is_plsql else "statement"
    return f"One {what} {did} {much} of the {each.kind.label}{' in First' * in_first}: {each.statement.key.sql_id}."


def _text(each: Reader) -> str:
    with_its_sql = " (its SQL's among them)" if each.statement.is_plsql else ""
    return f"{statement_name(each.statement)}: {percent(min(each.share, 1.0))} of the {each.kind.label}{with_its_sql}"


def _its(each: Reader) -> str:
    """A block's figures are those of its SQL."""
    return "its" if each.statement.is_plsql else "its own"


def _cost(kind: ReadKind) -> str:
    return "CPU" if kind.cost == "cpu_time_s" else "waits for I/O"
