"""The work the application asked for, against the time it took."""

from __future__ import annotations

from awrdiff.analysis.model import Finding, Severity
from awrdiff.analysis.rules.facts import QUIET, UNKNOWN, Answer, Facts, row
from awrdiff.analysis.words import change, number

_EVIDENCE = {
    "transactions": row("load_profile", "Transactions", "per_second"),
    "user calls": row("load_profile", "User calls", "per_second"),
    "executions": row("load_profile", "Executes", "per_second"),
    "logical reads": row("load_profile", "Logical reads", "per_second"),
}
_DB_TIME = row("load_profile", "DB Time(s)", "per_second")
_OTHER_WORK = 4  # how far apart measures of the work may grow and still be of the same kind of work


def load_against_db_time(facts: Facts) -> Answer:
    """Whether DB time followed the work, ran ahead of it or fell behind."""
    sessions, work = facts.sessions(), facts.work_factor()
    if sessions is None or not work or sessions.factor is None:
        return UNKNOWN
    if abs(sessions.factor - 1) < 0.10 and abs(work - 1) < 0.10:
        return QUIET
    measures = "; ".join(f"{n} {change(t.first, t.second)}" for n, t in facts.work().items())
    grew = f"{number(sessions.first)} → {number(sessions.second)} ({change(sessions.first, sessions.second)})"
    text = f"Active sessions {grew}; {measures}."
    evidence = (_DB_TIME, *(_EVIDENCE[n] for n in facts.work()))
    factors = [f for two in facts.work().values() if (f := two.factor)]
    title, severity = _verdict(sessions.factor, work, factors)
    return Finding("load-against-db-time", severity, title, text, evidence)


def _verdict(sessions: float, work: float, factors: list[float]) -> tuple[str, Severity]:
    """By the median measure of the work, unless the measures contradict each other."""
    most, least = sessions / min(factors), sessions / max(factors)
    if least <= 0.87 and most >= 1.15 and most / least >= _OTHER_WORK:
        return "The work is of another kind.", "note"
    what = "The same work" if 0.75 <= work <= 1.33 else "The work"
    per_work = sessions / work
    if per_work >= 2:
        return f"{what} takes far more time.", "critical"
    if per_work >= 1.15:
        return "DB time grew faster than the work.", "warning"
    if per_work <= 0.87:
        return f"{what} takes less time.", "note"
    return "DB time follows the work.", "note"


def redo(facts: Facts) -> Answer:
    """Redo per second moved apart from the transactions."""
    size, transactions = facts.rate("redo size", "Redo size (bytes)", "Redo size"), facts.transactions()
    if size is None or transactions is None or not transactions.factor or size.factor is None:
        return UNKNOWN
    ratio = size.factor / transactions.factor
    if max(size.first, size.second) < 100_000 or 0.5 <= ratio <= 2:
        return QUIET
    rates = f"{number(size.first / 1024)} → {number(size.second / 1024)} KB per second"
    text = f"Redo per transaction {change(1.0, ratio)}: {rates}."
    title = "More redo per transaction." if ratio > 1 else "Less redo per transaction."
    return Finding("redo", "note", title, text, (row("instance_activity", "redo size", "total"),))
