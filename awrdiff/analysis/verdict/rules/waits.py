"""Wait events: which of them carry the change of DB time, and those that mean the same wherever they occur."""

from __future__ import annotations

from awrdiff.analysis.model.comparison import Evidence, Part, Severity
from awrdiff.analysis.verdict.rules.facts import QUIET, UNKNOWN, Answer, Facts, Said, row
from awrdiff.analysis.words import change, listing, number, percent, seconds, wait_said

_LEAST_PART = 0.15  # of the change of active sessions


def event_latency(facts: Facts) -> Answer:
    """Events that carry much of the change by waiting longer."""
    return _carriers(facts, latency=True)


def event_count(facts: Facts) -> Answer:
    """Events that carry much of the change by waiting more often."""
    return _carriers(facts, latency=False)


def _carriers(facts: Facts, *, latency: bool) -> Answer:
    a = facts.attribution
    if a is None or not facts.first.foreground or not facts.second.foreground:
        return UNKNOWN
    whole = a.second_per_s - a.first_per_s
    if abs(whole) < 0.05 * max(a.first_per_s, a.second_per_s):
        return QUIET
    found = [p for p in a.parts if _carries(p, whole, latency=latency)]
    if not found:
        return QUIET
    grew = whole > 0
    moved = sum(p.diff_per_s for p in found)
    how = ("longer" if grew else "less long") if latency else ("more often" if grew else "less often")
    severity: Severity = "warning" if grew else "note"
    names = listing([p.key for p in found[:4]])
    part, total, sessions = number(abs(moved)), number(abs(whole)), f"{'extra' if grew else 'fewer'} active sessions"
    of = f"of the {total} {sessions}"
    if abs(moved) > abs(whole) and part != total:  # something else went the other way
        of = f"{sessions}, of {total} in all"
    text = f"{names}: {part} {of}"
    text += f", mainly by waiting {how} ({'; '.join(_detail(p, latency=latency) for p in found[:3])})."
    return Said(f"Sessions wait {how}.", text, _rows(found), severity=severity)


def _carries(part: Part, whole: float, *, latency: bool) -> bool:
    if part.by_count_per_s is None or part.by_latency_per_s is None or part.diff_per_s * whole <= 0:
        return False
    mainly_latency = abs(part.by_latency_per_s) >= abs(part.by_count_per_s)
    return mainly_latency == latency and abs(part.diff_per_s) >= _LEAST_PART * abs(whole)


def _detail(part: Part, *, latency: bool) -> str:
    if part.first_avg_s is None or part.second_avg_s is None:
        return "new" if part.first_per_s is None else "gone"
    if latency:
        return f"{seconds(part.first_avg_s)} → {seconds(part.second_avg_s)} per wait"
    if not part.first_per_s or part.second_per_s is None or not part.first_avg_s or not part.second_avg_s:
        return "new"
    return f"waits per second {change(part.first_per_s / part.first_avg_s, part.second_per_s / part.second_avg_s)}"


def _rows(parts: list[Part]) -> tuple[Evidence, ...]:
    return tuple(Evidence(p.section, p.key, "total_wait_time_s", p.row_id) for p in parts)


def unaccounted(facts: Facts) -> Answer:
    """DB time that was neither waited for nor spent on CPU: typically sessions in the run queue."""
    a = facts.attribution
    if a is None or not facts.second.foreground or facts.second.foreground_is_partial or facts.second.db_cpu is None:
        return UNKNOWN
    missing = 1.0 - a.second_covered
    before = 1.0 - a.first_covered
    if missing < 0.15:
        return QUIET
    text = (
        f"{percent(max(before, 0.0))} → {percent(missing)} of DB time is in no wait and not on CPU "
        f"({number(missing * a.second_per_s)} active sessions in Second): "
        "queueing for CPU, or time the waits do not count."
    )
    return Said(
        "Part of DB time is not accounted for.", text, (row("time_model", "DB time", "time_s"),), severity="note"
    )


def log_file_switch(facts: Facts) -> Answer:
    return _family(facts, "log file switch", "Sessions wait for a log switch.", 0.01)


def row_locks(facts: Facts) -> Answer:
    return _family(facts, "enq: tx - row lock", "Sessions wait for each other's row locks.", 0.05)


def buffer_busy(facts: Facts) -> Answer:
    return _family(facts, "buffer busy waits", "Sessions contend for the same blocks.", 0.05)


def interconnect(facts: Facts) -> Answer:
    return _family(facts, "gc ", "The interconnect takes a large part.", 0.15)


def _family(facts: Facts, prefix: str, title: str, least: float) -> Answer:
    """Events whose names begin with `prefix` take at least `least` of DB time in Second."""
    if not facts.first.foreground or not facts.second.foreground or facts.second.db_time is None:
        return UNKNOWN
    found = [e for name, e in facts.second.foreground.items() if name.startswith(prefix)]
    before = [e for name, e in facts.first.foreground.items() if name.startswith(prefix)]
    share = sum(facts.second.share_of_db_time(e.total) or 0.0 for e in found)
    earlier = sum(facts.first.share_of_db_time(e.total) or 0.0 for e in before)
    if share < least:
        return QUIET
    found.sort(key=lambda e: -e.total.number)
    known = before or not facts.first.foreground_is_partial
    since = f"{percent(earlier)} → {percent(share)} of DB time" if known else _not_listed(share)
    text = f"{listing([e.name for e in found[:3]])}: {since}."
    severity: Severity = "warning" if share > earlier * 1.5 else "note"
    return Said(title, text, tuple(e.evidence() for e in found[:3]), severity=severity)


def commits(facts: Facts) -> Answer:
    """Commit waits that matter, and how much of one is not the redo write."""
    figures = facts.commit_latency.reports[-1]
    before = facts.commit_latency.reports[0]
    if figures.lfs_avg_s is None or figures.lfs_db_time_share is None:
        return UNKNOWN
    if not facts.commit_latency.material:
        return QUIET
    of = "call time" if figures.of_call_time else "DB time"
    text = f"log file sync takes {percent(figures.lfs_db_time_share.value)} of {of}, "
    text += f"{wait_said(figures.lfs_avg_s)} per wait"
    if before.lfs_avg_s is not None:
        text += f" ({wait_said(before.lfs_avg_s)} in First)"
    overhead, share = figures.naive_overhead_s, figures.naive_share
    if overhead is not None and share is not None and overhead.value > 0:
        text += f"; at most {seconds(overhead.value)} of it ({percent(share.value)}) is not the redo write"
    elif overhead is not None:
        text += "; commits waited less than an average redo write"
    worse = before.lfs_avg_s is not None and figures.lfs_avg_s.low > 1.25 * before.lfs_avg_s.high
    severity: Severity = "warning" if worse else "note"
    return Said("Commits matter here.", text + ".", figures.evidence, severity=severity)


def _not_listed(share: float) -> str:
    """What is missing from a top list may still have been waited for."""
    return f"{percent(share)} of DB time, not in First's top list"
