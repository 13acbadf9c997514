"""Which reports a baseline is made of: those like Second by themselves, any other only when it is chosen by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from awrdiff.analysis.baseline.against import Chosen
from awrdiff.analysis.report.databases import same_database
from awrdiff.analysis.report.kinds import KINDS, OF_AN_INTERVAL
from awrdiff.analysis.report.startup import bounds, may_be_same
from parsers.model import Instance, Report

_SAME_HOUR = timedelta(minutes=30)
_DAY = timedelta(days=1)
SAME_TIME = "the same time again"


class Preset(Struct, frozen=True):
    """A baseline that one click chooses; `left_out`: reports that would belong, and why they do not: unlike Second, or
    the same time again."""

    id: str
    second: int
    members: tuple[int, ...]
    left_out: Mapping[int, tuple[str, ...]]


def unlike(member: Report, second: Report) -> tuple[str, ...]:
    """Why `member` does not count by itself in a baseline of `second`, each in a few words."""
    return tuple(_differences(member, second))


def _differences(member: Report, second: Report) -> Iterator[str]:
    if member.kind != second.kind:
        yield f"another kind of report ({KINDS.get(member.kind, member.kind)})"
    if (same := same_database(member.database, second.database)) is None:
        named = member.database.name if member.database.dbid and second.database.dbid else ""
        yield f"one id under two names ({named})" if named else "a database that is not named"
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
    """Whether an instance was started after the window began; startup is printed to the minute."""
    begin = report.period.begin.time
    started = [i.startup for i in report.instances if i.startup is not None]
    return begin is not None and any(bounds(s)[0] - begin > timedelta(minutes=1) for s in started)


def restarted_between(before: Report, after: Report) -> dict[datetime, list[Instance]]:
    """When instances that both name were started in between, and which; of two databases nothing is in between."""
    found: dict[datetime, list[Instance]] = {}
    if other_database(before, after):
        return found
    first = {i.number: i.startup for i in before.instances}
    for instance in after.instances:
        then, now = first.get(instance.number), instance.startup
        if then and now and not may_be_same(then, now):
            found.setdefault(now, []).append(instance)
    return found


def presets(reports: Sequence[Report], second: int) -> tuple[Preset, ...]:
    """For the report at `second`: all the earlier ones, and those of the same weekday and hour."""
    begin = reports[second].period.begin.time
    if begin is None:
        return ()
    earlier = [n for n, r in enumerate(reports) if n != second and _began_before(r, begin)]
    same = [n for n in earlier if same_hour(reports[n].period.begin.time, begin)]
    made = [_preset("earlier", second, earlier, reports)]
    if len(same) < len(earlier):
        made.append(_preset("same-hour", second, same, reports))
    return tuple(p for p in made if p.members)


def _preset(preset: str, second: int, wanted: Sequence[int], reports: Sequence[Report]) -> Preset:
    kept: list[int] = []
    left_out: dict[int, tuple[str, ...]] = {}
    for n in wanted:
        others = (reports[m] for m in (*kept, second))
        if why := unlike(reports[n], reports[second]):
            left_out[n] = why
        elif any(same_window(reports[n], other) for other in others):
            left_out[n] = (SAME_TIME,)
        else:
            kept.append(n)
    return Preset(preset, second, tuple(kept), left_out)


def same_window(one: Report, other: Report) -> bool:
    """Whether both are about the same time of one instance, as HTML and text of one report are: it counts once."""
    a, b = one.period, other.period
    if other_database(one, other) or _other_instance(one, other) is not None:
        return False
    return a.begin.time is not None and (a.begin.time, a.end.time) == (b.begin.time, b.end.time)


def _began_before(report: Report, moment: datetime) -> bool:
    return report.period.begin.time is not None and report.period.begin.time < moment


def same_hour(one: datetime | None, other: datetime) -> bool:
    """The same weekday, and begun at the same time of day within half an hour."""
    if one is None:
        return False
    apart = (other - one) % (7 * _DAY)
    return min(apart, 7 * _DAY - apart) <= _SAME_HOUR


def alike(reports: Sequence[Report]) -> Chosen | None:
    """The latest report against those of its hour of the week; None where fewer than two are like it."""
    second = latest(reports)
    if second is None or reports[second].kind not in OF_AN_INTERVAL:
        return None
    begin = reports[second].period.begin.time
    same = [n for n, r in enumerate(reports) if n != second and begin and same_hour(r.period.begin.time, begin)]
    members = _preset("same-hour", second, same, reports).members
    return Chosen(members, second) if len(members) > 1 else None


def positions_by_time(reports: Sequence[Report]) -> list[int]:
    """The numbers of the reports, the earliest first; those that do not say when they began come last."""
    begins = [r.period.begin.time for r in reports]
    return sorted(range(len(reports)), key=lambda n: (begins[n] is None, begins[n] or datetime(1, 1, 1), n))


def latest(reports: Sequence[Report]) -> int | None:
    """The report that began last; None where one does not say when."""
    begins = [r.period.begin.time for r in reports]
    known = [b for b in begins if b is not None]
    return max(range(len(begins)), key=lambda n: known[n]) if known and len(known) == len(begins) else None
