"""Commit waits in rules and in sentences.

Source: docs/commit-latency.md.
"""

from __future__ import annotations

from awrdiff.analysis.commit_latency.commit_batching_savings import without_lfs
from awrdiff.analysis.commit_latency.commit_wait_breakdown import probable
from awrdiff.analysis.commit_latency.committing_statements import SYNCHS, nowait_of, share_of
from awrdiff.analysis.commit_latency.figures import AVERAGE_S
from awrdiff.analysis.commit_latency.inputs_from_report import LFS
from awrdiff.analysis.commit_latency.log_writer import BUSY, writes_queue
from awrdiff.analysis.figures_in_words import listing, number, percent, seconds, sentence, wait_text
from awrdiff.analysis.model.comparison import Cause, CommitFigures, CommitLatency, Sessions, Subject, Tone
from awrdiff.analysis.verdict import capacity_limits
from awrdiff.analysis.verdict.rule_inputs import FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.severity import CRITICAL_SHARE
from awrdiff.analysis.verdict.thresholds import FELT, OF_CHANGE, SLOW_S

NOT_COUNTED = Unknown("user commits")
_LONGER = 1.25  # an average commit wait, beyond what its rounding leaves open
_OFTEN = 2.5  # times as many waits per second: then it is their number as well


def commit_latency_of_two(facts: FactsOfTwo) -> RuleResult:
    """Log file sync where commits are material in Second, or in First and moved by as much."""
    before, after = facts.commit_latency.reports[0], facts.commit_latency.reports[-1]
    if after.lfs_avg_s is None:
        return Unknown("log file sync, with its number of waits")
    if not facts.commit_latency.material:
        return QUIET
    sessions = finding_sizes.sessions_waiting(facts, lambda name: name == LFS)
    tone, longer = finding_sizes.tone(sessions), _longer(before, after)
    at_limit, wait = capacity_limits.is_redo_write_slow(facts.second), after.wait_s
    still = f"A commit still waits {wait_text(wait)}." if at_limit and tone != "worse" and wait is not None else ""
    rates = facts.both_sides(lambda s: s.per_second(e.waits) if (e := s.foreground.get(LFS)) is not None else None)
    cause = probable(facts.commit_latency)
    why = f" {cause.title}" if cause is not None and cause.reports != (0,) else ""
    return Observation(
        title=still or _title(before, after, rates.factor if rates is not None else None, tone),
        text=f"{_text(before, after, sessions, queue=_is_queue(facts.commit_latency))}.{why}",
        evidence=tuple(e for e in after.evidence if after.wait_s is not None or e.key.lower() == LFS),
        sessions=sessions,
        subject=Subject("event", LFS),
        tone="worse" if longer and tone == "neutral" else tone,
        at_limit=at_limit,
    )


def commit_latency_of_one(facts: FactsOfOne) -> RuleResult:
    """Log file sync where commits are material; a trouble from {AVERAGE_S:s} or {CRITICAL_SHARE:%} of DB time on."""
    figures = facts.commits
    if figures.lfs_avg_s is None:
        return Unknown("log file sync, with its number of waits")
    if not commits_matter(facts):
        return QUIET
    sessions = finding_sizes.waits(facts.side, lambda name: name == LFS)
    share = figures.lfs_db_time_share
    text = "log file sync"
    text += f": {number(figures.lfs_waits.value)} waits" if figures.lfs_waits is not None else ""
    text += f", {percent(share.value)} of {'call' if figures.of_call_time else 'DB'} time" if share is not None else ""
    text += f"{beyond_the_write(figures, queue=_is_queue(facts.commit_latency))}."
    is_long = figures.lfs_avg_s.value > AVERAGE_S or (share is not None and share.value >= CRITICAL_SHARE)
    tone: Tone = "worse" if is_long else "neutral"
    title = f"A commit waits {wait_text(figures.lfs_avg_s)}."
    cause, at_limit = probable(facts.commit_latency), capacity_limits.is_redo_write_slow(facts.side)
    text = f"{text} {cause.title}" if cause is not None else text
    return Observation(title, text, figures.evidence, sessions, Subject("event", LFS), tone, at_limit=at_limit)


def commit_nowait_of_two(facts: FactsOfTwo) -> RuleResult:
    """{LEAST_SHARE:%} of a side's commits do not wait for their redo, or a parameter says so and most do not."""
    settings = {"First": nowait_of(facts.first), "Second": nowait_of(facts.second)}
    nowait = {which: setting for which, setting in settings.items() if setting is not None and not setting.is_doubted}
    if not nowait and any(settings.values()):
        return Contradicted(SYNCHS)
    if not nowait:
        return QUIET if any(share_of(s) is not None for s in facts.sides) else NOT_COUNTED
    shares = {"First": share_of(facts.first), "Second": share_of(facts.second)}
    rest = [f"in {which} {percent(s)} do so" for which, s in shares.items() if which not in nowait and s is not None]
    parts = [f"in {which} {setting.text}" for which, setting in nowait.items()]
    doubt = "" if shares["Second"] is not None else "how many commits wait is not printed"
    trouble = f"Commits of {listing(list(nowait))} do not wait for their redo"
    ended = facts.end_of_trouble(trouble, "Commits wait again.", doubt if "Second" not in nowait else "")
    ended = ended.replace(" of First do not wait for their redo in First;", " of First do not wait for their redo;")
    titles = {
        ("First",): ended,
        ("Second",): "Commits of Second do not wait for their redo: a crash may lose them.",
        ("First", "Second"): "Commits do not wait for their redo: a crash may lose them.",
    }
    text = (
        f"{listing([*parts, *rest])}. They are in no log file sync: how long commits waited tells only of the others."
    )
    return Observation(
        title=titles[tuple(nowait)],
        text=sentence(text),
        evidence=tuple(dict.fromkeys(e for setting in nowait.values() for e in setting.evidence)),
        subject=Subject("event", LFS),
        tone="worse" if tuple(nowait) == ("Second",) else "neutral",
        severity="note" if tuple(nowait) == ("First",) and not facts.unrelated else "warning",
    )


def commit_nowait_of_one(facts: FactsOfOne) -> RuleResult:
    """{LEAST_SHARE:%} of the commits do not wait for their redo, or a parameter says so and most do not."""
    setting = nowait_of(facts.side)
    if setting is not None and setting.is_doubted:
        return Contradicted(SYNCHS)
    if setting is None:
        return QUIET if share_of(facts.side) is not None else NOT_COUNTED
    return Observation(
        "Commits do not wait for their redo: a crash may lose them.",
        f"{setting.text}. They are in no log file sync: how long commits waited tells only of the others.",
        setting.evidence,
        subject=Subject("event", LFS),
        severity="warning",
    )


def _longer(before: CommitFigures, after: CommitFigures) -> bool:
    a, b = before.wait_s, after.wait_s
    return a is not None and b is not None and b.low > _LONGER * a.high


def _title(before: CommitFigures, after: CommitFigures, often: float | None, tone: Tone) -> str:
    longer, are_averaged = _longer(before, after), before.wait_s is not None and after.wait_s is not None
    if tone == "worse":
        if longer:
            return "More commits wait, and each longer." if (often or 0.0) >= _OFTEN else "Commits wait longer."
        return "More commits wait, each about as long as before." if are_averaged else "More commits wait."
    if tone == "better":
        fewer = often is not None and often <= 1 / _OFTEN
        return "Commits take less time." if _longer(after, before) or not fewer else "Fewer commits wait."
    if longer or _longer(after, before):
        return f"Each commit waits {'longer' if longer else 'more briefly'}."
    return "Commits take about as much time as before."


def _text(before: CommitFigures, after: CommitFigures, sessions: Sessions, *, queue: bool) -> str:
    share, wait, was = after.lfs_db_time_share, after.wait_s, before.wait_s
    of = "call time" if after.of_call_time else "DB time"
    text = f"log file sync: {finding_sizes.text(sessions)}"
    text += f", {percent(share.value)} of {of} in Second" if share is not None else ""
    text += f", {wait_text(wait)} per wait" if wait is not None else ""
    text += f" ({wait_text(was)}{' per wait' * (wait is None)} in First)" if was is not None else ""
    beyond = beyond_the_write(after, queue=queue) if wait is not None else ""
    return f"{text}{beyond}{_few(before, 'First')}{_few(after, 'Second')}"


def _few(figures: CommitFigures, name: str) -> str:
    if not figures.has_few_waits or figures.lfs_waits is None:
        return ""
    count = figures.lfs_waits.value
    return f"; {name} has {number(count)} such wait{'' if count == 1 else 's'}, too few for an average"


def beyond_the_write(figures: CommitFigures, *, queue: bool = False) -> str:
    """`queue`: commits wait for writes before their own."""
    overhead, share = figures.naive_overhead_s, figures.naive_share
    if overhead is None or share is None:
        return ""
    if overhead.value <= 0:
        return "; commits joined writes under way" if overhead.high < 0 else "; as long as an average redo write"
    if (wake_up := figures.longer_wake_up_s) is not None:
        longer = f"{seconds(overhead.value)} ({percent(share.value)}) longer than an average redo write"
        return f"; {longer}, though the wake-up alone took {seconds(wake_up.low)}: commits joined writes under way"
    what = "queueing behind earlier redo writes" if queue else "not the redo write"
    return f"; at most {seconds(overhead.value)} of it ({percent(share.value)}) is {what}"


def commits_matter(facts: FactsOfOne) -> bool:
    return facts.commit_latency.material and facts.commits.lfs_avg_s is not None


_MOSTLY = 0.5  # of a commit wait


def commits_text(facts: FactsOfTwo) -> tuple[str, ...]:
    first, second = facts.commit_latency.reports[0], facts.commit_latency.reports[-1]
    if not _matter(facts):
        return ()
    before, after = first.wait_s, second.wait_s
    if after is None and before is None:
        return _without_average(first, second)
    if after is None or before is None:
        figures, average = (second, after) if after is not None else (first, before)
        where = " in First" if figures is first else ""
        overhead = _overhead(facts.commit_latency, 0 if figures is first else -1)
        return (f"A commit waited {wait_text(average)}{where}{overhead}.", *_likely(facts)) if average else ()
    alike = before.low <= after.high and after.low <= before.high
    beside = " on both sides" if alike else f" ({wait_text(before)} in First)"
    return (f"A commit waited {wait_text(after)}{beside}{_overhead(facts.commit_latency, -1)}.", *_likely(facts))


def commit_wait_text(latency: CommitLatency) -> tuple[str, ...]:
    figures = latency.reports[0]
    average = figures.wait_s
    if average is None:
        return ()
    top = probable(latency)
    is_new = top is not None and (top.rule != "io-bound" or _much_longer(top, latency))
    why = _cause(top, latency) if top is not None and is_new and not _writes_in_a_wait(latency, 0) else ""
    more = f"; {why[0].lower()}{why[1:-1]}" if why else ""
    return (f"A commit waited {wait_text(average)}{_overhead(latency, 0)}{more}.",)


def _matter(facts: FactsOfTwo) -> bool:
    latency = facts.commit_latency
    reports = (latency.reports[0], latency.reports[-1])
    shares = [r.lfs_db_time_share.value for r in reports if r.lfs_db_time_share is not None]
    if max(shares, default=0.0) >= FELT or are_traced(latency):
        return latency.material or all(r.lfs_avg_s is None for r in reports)
    a = facts.attribution
    commits = next((p.diff_per_s for p in a.parts if p.key.lower() == "log file sync"), 0.0) if a else 0.0
    whole = a.second_per_s - a.first_per_s if a else 0.0
    return latency.material and commits * whole > 0 and abs(commits) >= OF_CHANGE * abs(whole)


def are_traced(latency: CommitLatency) -> bool:
    """A trace may be that of a report's instance."""
    files = latency.events.traces if latency.events is not None else ()
    return any(f.is_of(report) is not False for f in files for report in range(len(latency.reports))[:2])


def _without_average(first: CommitFigures, second: CommitFigures) -> tuple[str, ...]:
    before, now = first.lfs_total_s, second.lfs_total_s
    if now is not None:
        since = f" ({seconds(before.value)} in First)" if before is not None else ""
        return (f"Commits waited {seconds(now.value)}{since} in all; how often is not printed.",)
    lacks = "Second does not print log file sync"
    return (f"Commits waited {seconds(before.value)} in all in First; {lacks}.",) if before is not None else ()


_OF_QUEUES = ("io-bound", "write-tail")


def _is_queue(latency: CommitLatency, place: int = -1) -> bool:
    """True if commits mostly wait for slow redo writes before their own. `place`: of the report."""
    top, of = probable(latency), latency.reports[place]
    if top is None or top.rule not in _OF_QUEUES or range(len(latency.reports))[place] not in top.reports:
        return False
    return of.naive_share is not None and of.naive_share.value > _MOSTLY and writes_queue(of)


def _writes_in_a_wait(latency: CommitLatency, place: int) -> str:
    """`about 5 redo writes of 493 ms: …`; "" where few of the writes are the slow ones."""
    of = latency.reports[place]
    busy = of.log_writer.busy if of.log_writer is not None else None
    write, wait = of.lfpw_avg_s, of.wait_s
    if not _is_queue(latency, place) or busy is None or busy.value <= BUSY or write is None or wait is None:
        return ""
    if write.value < SLOW_S:
        return ""
    times = f"about {number(round(wait.value / write.value))} redo writes of {seconds(write.value)}"
    return f"{times}: the log writer was writing {percent(min(busy.value, 1.0))} of the time"


def _overhead(latency: CommitLatency, place: int) -> str:
    figures = latency.reports[place]
    overhead, share = figures.naive_overhead_s, figures.naive_share
    if figures.remote is not None:
        cost = figures.remote.cost_s
        return f", of which {seconds(cost.low)} to {seconds(cost.high)} was the standby's redo write"
    if figures.lfpw_at_most_s is not None and figures.lfs_total_s is not None:
        most, total = figures.lfpw_at_most_s, figures.lfs_total_s.value
        return f"; all redo writes together took at most {most:,.0f} s of the {total:,.0f} s that commits waited"
    if overhead is None or share is None:
        return "; how much of it is the redo write is not printed"
    if overhead.value <= 0:
        return f", {'less than' if overhead.high < 0 else 'as long as'} an average redo write took"
    if (wake_up := figures.longer_wake_up_s) is not None:
        longer = f"{seconds(overhead.value)} ({percent(share.value)}) longer than an average redo write took"
        return f", {longer}, though the wake-up alone took {seconds(wake_up.low)}: commits joined writes under way"
    after = "queueing behind slow redo writes" if _is_queue(latency, place) else "not the redo write itself"
    at_most = f"of which at most {seconds(overhead.value)} ({percent(share.value)}) was {after}"
    return f", {_writes_in_a_wait(latency, place) or at_most}"


def _likely(facts: FactsOfTwo) -> tuple[str, ...]:
    causes, top = facts.commit_latency.causes, probable(facts.commit_latency)
    if top is None or (top.rule == "io-bound" and _writes_in_a_wait(facts.commit_latency, top.reports[-1])):
        return ()
    stall = next((c for c in causes if c.rule == "log-switches" and c.confidence == "high"), None)
    if stall is None or stall.reports != top.reports:
        return (_cause(top, facts.commit_latency),)
    return (_cause(top, facts.commit_latency), f"Log switches stalled sessions too: {stall.text}")


def _much_longer(top: Cause, latency: CommitLatency) -> bool:
    share = latency.reports[top.reports[-1]].naive_share
    return top.rule == "io-bound" and top.explains_s is not None and share is not None and share.value > _MOSTLY


def _cause(top: Cause, latency: CommitLatency) -> str:
    alone = len(latency.reports) > 1 and top.reports == (0,)
    if _much_longer(top, latency) and top.explains_s is not None:
        where = " in First" if alone else ""
        queue = ": writes queue" if writes_queue(latency.reports[top.reports[-1]]) else ""
        return f"An average redo write took {seconds(top.explains_s.value)}{where}, far too long{queue}."
    return f"In First: {top.title[0].lower()}{top.title[1:]}" if alone else top.title


def same_work(facts: FactsOfTwo) -> str:
    fit, elapsed = facts.same_work, facts.elapsed()
    commits = facts.both_sides(lambda s: v.number if (v := s.statistic("user commits")) is not None else None)
    if fit is None or elapsed is None or commits is None:
        return ""
    took = f"The same work took {seconds(elapsed.second)} rather than {seconds(elapsed.first)}"
    counts = f"{commits.second:,.0f} {'commit' if commits.second == 1 else 'commits'} rather than {commits.first:,.0f}"
    several = len(fit.points) > 2
    source = f"By all {len(fit.points)} reports" if several else "By these two"
    line = f"{source} it takes about {seconds(fit.a_s)} plus {seconds(fit.c_s)} for each commit"
    worst = f" (worst error {percent(fit.worst_error)})" if several else ""
    plateau = ""
    if (where := facts.commit_latency.what_if.stops_paying) is not None:
        here, best = (f"{abs(change) * 100:.1f} %" for change in (where.change, where.best_change))
        plateau = f" From {where.commits:,.0f} commits on fewer hardly pay: {here} less time than with the most "
        plateau += f"commits, {best} less at best."
    figures = facts.commit_latency.reports
    first, second = figures[0].lfs_total_s, figures[-1].lfs_total_s
    without = [without_lfs(s, f.lfs_total_s) for s, f in zip(facts.sides, figures, strict=True)]
    explained_text = ""
    if first is not None and second is not None and without[0] is not None and without[1] is not None:
        part, whole = first.value - second.value, elapsed.first - elapsed.second
        rest = f"; the other {seconds(whole - part)} are CPU, redo and undo of each commit" if whole > part else ""
        explained_text = (
            f" Less log file sync the two took {seconds(without[0].value)} and {seconds(without[1].value)}: "
            f"it explains {seconds(part)} of the {seconds(whole)} between them{rest}."
        )
    return f"{took}, with {counts}. {line}{worst}.{plateau}{explained_text}"
