"""Circumstances that explain a difference before any figure does: a cold start, another time of the day or week."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from awrdiff.analysis.model.comparison import Evidence, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.report.startup import bounds
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.rules.facts import QUIET, Answer, Facts, Said, Unknown, row
from awrdiff.analysis.verdict.rules.load import measures
from awrdiff.analysis.words import listing

_COLD = timedelta(minutes=30)  # after startup: the buffer cache and the library cache are being filled
_HOURS = timedelta(hours=2)  # of the clock, apart from which a day's work is another
_WARM = ("physical-reads", "hard-parse-rate", "parsing-dominates", "read-latency")


def cold_start(facts: Facts) -> Answer:
    """A window that began within 30 minutes of the startup of its instance, or in which it was started.

    Half an hour is what the buffer cache and the shared pool of a busy instance take to fill, by rule of thumb.

    Source: Oracle Database Concepts, memory architecture: caches begin empty.
    """
    if not any(i.startup for s in (facts.first, facts.second) for i in s.report.instances):
        return Unknown("startup times")
    found = {which: list(_cold(side)) for which, side in (("First", facts.first), ("Second", facts.second))}
    sides = [which for which in found if found[which]]
    if not sides:
        return QUIET
    title = f"{' and '.join(sides)} began with cold caches."
    said = "; ".join(s for which in sides for s in _courses(which, found[which]))
    evidence = tuple(
        _startup_row(side, name)
        for which, side in (("First", facts.first), ("Second", facts.second))
        for _, name in found[which]
    )
    text = f"{said}: blocks are read and statements parsed that are cached later."
    return Said(title, text, evidence, subject=Subject("other", "startup"), severity="note", explains=_WARM)


def _courses(which: str, cold: list[tuple[int, str]]) -> Iterator[str]:
    """What happened how long before the window began, for all instances of which it is the same."""
    for minutes in dict.fromkeys(m for m, _ in cold):
        names = [name for m, name in cold if m == minutes]
        started = f"instance{'s' * (len(names) > 1)} {listing(names)}".strip()
        when = f"{minutes} minute{'' if minutes == 1 else 's'} after" if minutes > 0 else "with"
        inside = f"{started} {'were' if len(names) > 1 else 'was'} started inside {which}"
        yield f"{which} began {when} the start of {started}" if minutes >= 0 else inside


def _cold(side: Side) -> Iterator[tuple[int, str]]:
    """Minutes from the start of an instance to the begin of the window, below 0 inside of it, and its name."""
    begin, end = side.report.period.begin.time, side.report.period.end.time
    for instance in side.report.instances if begin is not None and end is not None else ():
        if instance.startup is None or begin is None or end is None:
            continue
        earliest, latest = bounds(instance.startup)  # some releases print the month where the minutes belong
        if earliest - begin > -_COLD and latest <= end:
            yield round((begin - earliest).total_seconds() / 60), str(instance.name or instance.number or "")


def _startup_row(side: Side, name: str) -> Evidence:
    if side.has("instance_information"):
        return row("instance_information", name, "startup_time")
    key = side.report.database.name or ""
    return Evidence("database_information", key, "startup_time", anchor("database_information", key))


def other_hours(facts: Facts) -> Answer:
    """The same database at another time of the day, or on a weekend against a weekday, with other work.

    Silent where the work is the same within 25 %: then the clock explains nothing.

    Source: the snapshot times that every report prints.
    """
    a, b = (s.report.period.begin.time for s in (facts.first, facts.second))
    if a is None or b is None:
        return Unknown("snapshot times")
    same = facts.first.report.database.dbid == facts.second.report.database.dbid
    if not same or facts.idle or facts.moved() is None or not (_apart(a, b) or _weekend(a) != _weekend(b)):
        return QUIET
    return Said(
        "Another time of the day or week.",
        f"First began on {a:%a %H:%M}, Second on {b:%a %H:%M}, with other work: {measures(facts)}.",
        (row("snapshot_information", "Begin Snap", "snap_time"),),
        subject=Subject("work", "time of day"),
        severity="note",
        explains=("load-against-db-time",),
    )


def _apart(a: datetime, b: datetime) -> bool:
    """By the clock, whatever the day."""
    minutes = abs((a.hour * 60 + a.minute) - (b.hour * 60 + b.minute))
    return timedelta(minutes=min(minutes, 1440 - minutes)) > _HOURS


def _weekend(moment: datetime) -> bool:
    return moment.weekday() >= 5
