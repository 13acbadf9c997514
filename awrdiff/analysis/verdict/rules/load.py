"""The work the application asked for, against the time it took."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import Severity
from awrdiff.analysis.verdict.rules.facts import QUIET, UNKNOWN, Answer, Facts, Said, row
from awrdiff.analysis.words import change, number

_EVIDENCE = {
    "transactions": row("load_profile", "Transactions", "per_second"),
    "user calls": row("load_profile", "User calls", "per_second"),
    "executions": row("load_profile", "Executes", "per_second"),
    "logical reads": row("load_profile", "Logical reads", "per_second"),
}
_FAR_MORE, _LESS = "The same work takes far more time.", "The same work takes less time."
_DB_TIME = row("load_profile", "DB Time(s)", "per_second")


def load_against_db_time(facts: Facts) -> Answer:
    """Whether DB time followed the work, ran ahead of it or fell behind."""
    sessions = facts.sessions()
    work = facts.work_factor(sessions.factor) if sessions is not None and sessions.factor is not None else None
    if sessions is None or work is None or sessions.factor is None:
        return UNKNOWN
    if abs(sessions.factor - 1) < 0.10 and abs(work - 1) < 0.10 and not facts.other_work:
        return QUIET
    per_work = sessions.factor / work
    measures = "; ".join(f"{n} {change(t.first, t.second)}" for n, t in facts.work().items())
    grew = f"{number(sessions.first)} → {number(sessions.second)} ({change(sessions.first, sessions.second)})"
    text = f"Active sessions {grew}; {measures}."
    evidence = (_DB_TIME, *(_EVIDENCE[n] for n in facts.work()))
    title, severity = _verdict(per_work, other_work=facts.other_work)
    return Said(title, text, evidence, severity=severity)


def _verdict(per_work: float, *, other_work: bool) -> tuple[str, Severity]:
    if other_work and 0.87 < per_work < 1.15:
        return "The work is of another kind.", "note"
    if per_work >= 2:
        return "DB time grew far more than any measure of the work." if other_work else _FAR_MORE, "critical"
    if per_work >= 1.15:
        return "DB time grew faster than the work.", "warning"
    if per_work <= 0.87:
        return "DB time fell below what any measure of the work did." if other_work else _LESS, "note"
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
    return Said(title, text, (row("instance_activity", "redo size", "total"),), severity="note")
