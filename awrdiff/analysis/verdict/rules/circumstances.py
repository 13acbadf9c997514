"""Circumstances that explain a difference before any figure: a cold start, the window's length.

Source: Oracle Database Concepts, caches begin empty; Performance Tuning Guide, AWR snapshots.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from awrdiff.analysis.model.comparison import Evidence, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.report.startup import bounds
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.facts import Facts, FactsOfOne, row
from awrdiff.analysis.verdict.rule_result import QUIET, Observation, RuleResult, Unknown
from awrdiff.analysis.words import listing, sentence, several, stretch
from parsers.model import Instance

_COLD = timedelta(minutes=30)  # after startup: buffer cache and library cache fill, by rule of thumb
WARM = ("physical-reads", "hard-parse-rate", "parsing-dominates", "read-latency")
_LONG_S, _SHORT_S = 2 * 3600.0, 300.0


def cold_start(facts: Facts) -> RuleResult:
    """A window that began within half an hour of its instance's startup, or in which it was started."""
    if not any(i.startup for side in facts.sides for i in side.report.instances):
        return Unknown("startup times")
    names = ("First", "Second") if len(facts.sides) > 1 else ("the window",)
    starts = [each for which, side in zip(names, facts.sides, strict=True) for each in cold_starts(side, which)]
    if not starts:
        return QUIET
    sides = " and ".join(dict.fromkeys(each.which for each in starts))
    title = sentence(f"{sides} began with cold caches.")
    if all(each.inside for each in starts):
        title = f"The instance was started inside {'the window of ' * (len(names) > 1)}{sides}."
    evidence = tuple(row for each in starts for row in each.evidence)
    return Observation(
        title, sentence(cold_start_text(starts)), evidence, subject=Subject("other", "startup"), explains=WARM
    )


class ColdStart(NamedTuple):
    """Instances of one report started at the same time. `inside`: after its window began."""

    which: str
    text: str
    evidence: tuple[Evidence, ...]
    inside: bool


def cold_start_text(starts: list[ColdStart]) -> str:
    return f"{'; '.join(each.text for each in starts)}: blocks are read and statements parsed that are cached later."


def cold_starts(side: Side, which: str) -> list[ColdStart]:
    """The earliest possible time counts where a startup's minutes are unknown."""
    begin, end = side.report.period.begin.time, side.report.period.end.time
    by_time: dict[str, list[Instance]] = {}
    for instance in side.report.instances if begin is not None and end is not None else ():
        if instance.startup is None or begin is None or end is None:
            continue
        earliest, latest = bounds(instance.startup)  # some releases print the month where the minutes belong
        if begin - earliest < _COLD and latest <= end:
            by_time.setdefault(_since_text(begin, earliest, latest), []).append(instance)
    return [_cold(side, which, since, started) for since, started in by_time.items()]


def _cold(side: Side, which: str, since: str, instances: list[Instance]) -> ColdStart:
    names = [str(i.name or i.number or "") for i in instances]
    started = f"instance{'s' * (len(names) > 1)} {listing(names)}".strip()
    inside = f"{started} {'were' if len(names) > 1 else 'was'} started inside {which}"
    text = f"{which} began {since} the start of {started}" if since else inside
    return ColdStart(which, text, tuple(_startup_row(side, i) for i in instances), inside=not since)


def _since_text(begin: datetime, earliest: datetime, latest: datetime) -> str:
    """`5 minutes after`; "" for a start after the beginning."""
    minutes = round((begin - earliest).total_seconds() / 60)
    if minutes < 0:
        return ""
    if earliest != latest:
        return f"at most {several(minutes, 'minute', 'minutes')} after"
    return f"{several(minutes, 'minute', 'minutes')} after" if minutes else "with"


def _startup_row(side: Side, instance: Instance) -> Evidence:
    if side.has("instance_information"):
        return row("instance_information", instance.name or "", "startup_time")
    if side.has("instances_in_report"):
        return row("instances_in_report", str(instance.number or ""), "startup_time")
    key = side.report.database.name or ""
    return Evidence("database_information", key, "startup_time", anchor("database_information", key))


def window_length(facts: FactsOfOne) -> RuleResult:
    """A window of over two hours, whose means hide what lasted minutes, or of under five minutes."""
    elapsed = facts.side.elapsed
    if elapsed is None:
        return Unknown("elapsed time")
    if facts.idle or _SHORT_S <= elapsed.number <= _LONG_S:
        return QUIET
    printed = facts.side.has("snapshot_information")
    evidence = (row("snapshot_information", "Elapsed", "snap_time"),) if printed else ()
    subject = Subject("other", "window")
    if elapsed.number > _LONG_S:
        text = (
            f"It covers {stretch(elapsed.number)}: averages over it describe none of its hours if the load was uneven."
        )
        return Observation("The window is long.", text, evidence, subject=subject)
    text = f"It covers {stretch(elapsed.number)}: what happened to run then need not be what usually runs."
    return Observation("The window is short.", text, evidence, subject=subject)
