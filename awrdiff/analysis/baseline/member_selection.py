"""Members of a baseline: reports like Second by themselves, others only by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from awrdiff.analysis.baseline.section_vs_median import BaselineSelection
from awrdiff.analysis.report.instance_startup import bounds, may_be_same
from awrdiff.analysis.report.kinds import KINDS, OF_AN_INTERVAL
from awrdiff.analysis.report.same_database_check import same_database
from parsers.model import Instance, Report

_SAME_HOUR = timedelta(minutes=30)
_DAY = timedelta(days=1)
SAME_TIME = "the same time again"


class Preset(Struct, frozen=True):
    """One-click baseline; `left_out`: unlike Second or duplicates, with reasons."""

    id: str
    second: int
    members: tuple[int, ...]
    left_out: Mapping[int, tuple[str, ...]]


def unlike(member: Report, second: Report) -> tuple[str, ...]:
    """Short reasons why `member` does not count by itself."""
    return tuple(_differences(member, second))


def _differences(member: Report, second: Report) -> Iterator[str]:
    if member.kind != second.kind:
        yield f"another kind of report ({KINDS.get(member.kind, member.kind)})"
    if (same := same_database(member.database, second.database)) is None:
        database_name = member.database.name if member.database.dbid and second.database.dbid else ""
        yield f"one id under two names ({database_name})" if database_name else "a database that is not named"
    if same is False:
        yield f"another database ({member.database.name or member.database.dbid})"
    elif (instance := _other_instance(member, second)) is not None:
        yield instance
    if member.release and second.release and member.release != second.release:
        yield f"another release ({member.release})"
    if len(member.instances) != len(second.instances) or _differs(member.database.rac, second.database.rac):
        yield f"another number of instances ({len(member.instances)})"
    if restarted_inside(member):
        yield "restarted inside its window"


def other_database(member: Report, second: Report) -> bool:
    return same_database(member.database, second.database) is False


def _other_instance(member: Report, second: Report) -> str | None:
    if len(member.instances) != 1 or len(second.instances) != 1:
        return None
    a, b = member.instances[0], second.instances[0]
    if not _differs(a.number, b.number):
        return None
    return f"another instance (number {a.number})"


def _differs(a: object, b: object) -> bool:
    return a is not None and b is not None and a != b


def restarted_inside(report: Report) -> bool:
    """True after a restart inside; startup is printed to the minute."""
    begin = report.period.begin.time
    started = [i.startup for i in report.instances if i.startup is not None]
    return begin is not None and any(bounds(s)[0] - begin > timedelta(minutes=1) for s in started)


def restarted_between(before: Report, after: Report) -> dict[datetime, list[Instance]]:
    """Restarted instances by time; empty for two databases."""
    starts: dict[datetime, list[Instance]] = {}
    if other_database(before, after):
        return starts
    first = {i.number: i.startup for i in before.instances}
    for instance in after.instances:
        then, now = first.get(instance.number), instance.startup
        if then and now and not may_be_same(then, now):
            starts.setdefault(now, []).append(instance)
    return starts


def presets(reports: Sequence[Report], second: int) -> tuple[Preset, ...]:
    """Presets for `second`: all earlier ones, its weekday and hour."""
    begin = reports[second].period.begin.time
    if begin is None:
        return ()
    earlier = [
        n
        for n, r in enumerate(reports)
        if n != second and r.period.begin.time is not None and r.period.begin.time < begin
    ]
    same = [n for n in earlier if same_hour(reports[n].period.begin.time, begin)]
    candidates = [_preset("earlier", second, earlier, reports)]
    if len(same) < len(earlier):
        candidates.append(_preset("same-hour", second, same, reports))
    return tuple(p for p in candidates if p.members)


def _preset(preset: str, second: int, wanted: Sequence[int], reports: Sequence[Report]) -> Preset:
    members: list[int] = []
    left_out: dict[int, tuple[str, ...]] = {}
    for n in wanted:
        compared = (reports[m] for m in (*members, second))
        if why := unlike(reports[n], reports[second]):
            left_out[n] = why
        elif any(same_window(reports[n], other) for other in compared):
            left_out[n] = (SAME_TIME,)
        else:
            members.append(n)
    return Preset(preset, second, tuple(members), left_out)


def same_window(first: Report, other: Report) -> bool:
    """True for one instance and time: HTML and text count once."""
    a, b = first.period, other.period
    if other_database(first, other) or _other_instance(first, other) is not None:
        return False
    return a.begin.time is not None and (a.begin.time, a.end.time) == (b.begin.time, b.end.time)


def same_hour(first: datetime | None, other: datetime) -> bool:
    """Same weekday, and within half an hour."""
    if first is None:
        return False
    apart = (other - first) % (7 * _DAY)
    return min(apart, 7 * _DAY - apart) <= _SAME_HOUR


def alike(reports: Sequence[Report]) -> BaselineSelection | None:
    """Latest against its hour of week; None under two alike."""
    second = latest(reports)
    if second is None or reports[second].kind not in OF_AN_INTERVAL:
        return None
    begin = reports[second].period.begin.time
    same = [n for n, r in enumerate(reports) if n != second and begin and same_hour(r.period.begin.time, begin)]
    members = _preset("same-hour", second, same, reports).members
    return BaselineSelection(members, second) if len(members) > 1 else None


def positions_by_time(reports: Sequence[Report]) -> list[int]:
    """Indexes by begin, undated reports last."""
    begins = [r.period.begin.time for r in reports]
    return sorted(range(len(reports)), key=lambda n: (begins[n] is None, begins[n] or datetime(1, 1, 1), n))


def latest(reports: Sequence[Report]) -> int | None:
    """Index of the latest; None if a report is undated."""
    begins = [r.period.begin.time for r in reports]
    dated = [b for b in begins if b is not None]
    return max(range(len(begins)), key=lambda n: dated[n]) if dated and len(dated) == len(begins) else None
