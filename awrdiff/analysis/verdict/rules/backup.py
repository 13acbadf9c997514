"""RMAN's use of CPU and storage beside the application.

Source: Oracle Database Reference, V$SYS_TIME_MODEL: RMAN CPU time is a part of background CPU time.
"""

from __future__ import annotations

from msgspec import Struct

from awrdiff.analysis.figures_in_words import number, size
from awrdiff.analysis.model.comparison import Evidence, Range, Subject
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.verdict.rule_inputs import LEAST_SESSIONS, Facts, FactsOfTwo, row
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes

_CPU, _FUNCTION, _IO = "RMAN cpu time (backup/restore)", "RMAN", "iostat_by_function"
_EVENTS = ("backup:", "rman backup & recovery i/o")
_NONE = 0.005  # sessions: what control file and catalog cost without a backup
_NOT_PRINTED = Unknown("Time Model Statistics: RMAN cpu time; IOStat by Function: RMAN")
_SUBJECT = Subject("work", "backup")
_EXPLAINS = ("physical-reads", "read-latency", "read-tail", "writes-together", "host-cpu-saturated", "redo")


class Backup(Struct, frozen=True):
    """RMAN in one report. `sessions`: CPU and file waits, no tape; None = not printed."""

    sessions: Range
    cpus: float
    read_bytes: float | None
    written_bytes: float | None
    evidence: tuple[Evidence, ...]
    denied: str = ""

    @property
    def text(self) -> str:
        directions = (("read", self.read_bytes or 0.0), ("wrote", self.written_bytes or 0.0))
        did = [f"{how} {size(of, 3)}" for how, of in directions if of > 0.1 * max(m for _, m in directions)]
        return f"{number(self.cpus)} CPUs{'; it ' + ' and '.join(did) if did else ''}"


def backup_of(side: Side) -> Backup | None:
    """None where a report prints neither."""
    cpu, elapsed = side.time_model(_CPU), side.elapsed
    if elapsed is None or not (side.has("time_model") or side.has(_IO)):
        return None
    read, write, waits, average = (
        side.value(_IO, column, _FUNCTION) for column in ("read_bytes", "write_bytes", "waits", "avg_wait_s")
    )
    waited = (waits.number * average.number if waits and average else 0.0) / elapsed.number
    lists = (side.foreground, side.background)
    events = [e for listed in lists for name, e in listed.items() if name.startswith(_EVENTS)]
    events.sort(key=lambda e: -e.total.number)
    sessions = side.sessions(cpu) or (Range(0.0, 0.0) if events or read else None)
    if sessions is None:
        return Backup(Range(0.0, 0.0), 0.0, None, None, ())
    rows = [row("time_model", _CPU, "time_s")] if cpu is not None else []
    rows += [row(_IO, _FUNCTION, "read_bytes")] if read is not None else []
    total_bytes = (read.number if read else 0.0) + (write.number if write else 0.0)
    idle = side.lists_all(_IO) and not total_bytes and not events
    return Backup(
        Range(sessions.low + waited, sessions.high + waited),
        sessions.middle,
        read.number if read else None,
        write.number if write else None,
        (*rows, *(e.evidence() for e in events[:1])),
        "IOStat by Function: RMAN read and wrote nothing" if idle else "",
    )


def backup(facts: Facts) -> RuleResult:
    """RMAN took {LEAST_SESSIONS} sessions on a side, as CPU and as waits for the files that it read and wrote."""
    backups = [each for each in map(backup_of, facts.sides) if each is not None]
    if len(backups) < len(facts.sides):
        return _NOT_PRINTED
    most = max(backups, key=lambda each: each.sessions.middle)
    if most.sessions.middle < LEAST_SESSIONS:
        return QUIET
    if most.denied:
        return Contradicted(most.denied)
    title, text = "A backup ran.", f"RMAN took {most.text}."
    if len(backups) > 1 and min(each.sessions.middle for each in backups) < _NONE:
        title = f"A backup ran in {'Second' if most is backups[1] else 'First'} only."
    elif len(backups) > 1:
        title, text = "A backup ran in both.", f"RMAN took {backups[0].text} in First, {backups[1].text} in Second."
    rows = tuple(dict.fromkeys(row for each in reversed(backups) for row in each.evidence))
    return Observation(
        title, text, rows, finding_sizes.of_sides([f.sessions for f in backups]), _SUBJECT, explains=_EXPLAINS
    )


def verdict_sentence(facts: FactsOfTwo) -> str:
    a, b = backup_of(facts.first), backup_of(facts.second)
    if a is None or b is None or min(a.sessions.middle, b.sessions.middle) >= _NONE:
        return ""
    which, backup_part = ("Second", b) if b.sessions.middle > a.sessions.middle else ("First", a)
    return f"A backup ran in {which} only, beside the sessions: {backup_part.text}."
