"""Warnings against an unfair comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from awrdiff.analysis.figures_in_words import listing, percent, several
from awrdiff.analysis.model.comparison import Warning_
from awrdiff.analysis.names.oracle_releases import with_product
from awrdiff.analysis.oracle_compare.period_reports import is_period
from awrdiff.analysis.report.ash_and_addm_load import is_from_disk
from awrdiff.analysis.report.figures_by_name import ACTIVITY, Side, is_same_host
from awrdiff.analysis.report.instance_startup import bounds, may_be_same, startup_text
from awrdiff.analysis.report.kinds import KINDS, differences, weighable
from awrdiff.analysis.report.same_database_check import same_database
from awrdiff.analysis.report.single_rac_instance import is_chosen
from awrdiff.analysis.report_time_windows import common_shares
from awrdiff.analysis.verdict.db_time_contributors import COUNTED_TWICE
from parsers.model import Instance, Report

_ELAPSED_TOLERANCE = 0.10
_LEAST_COVERED = 0.5
_NEARLY_ALL = 0.9
_MOST_NAMED = 3
_HARDLY_ANY = 0.02  # snapshots are taken some seconds past the hour that an ASH report begins at
_SUBJECTS = {
    "awr_pdb": ("pdb_information", "container_name"),
    "awr_sql": ("sql_summary", "sql_id"),
    "awr_compare": ("compare_snapshots", "begin_snap_time", "end_snap_time"),
}
_DIFFERENT = {"awr_pdb": "pluggable databases", "awr_sql": "statements", "ash": "targets of the report"}
# Totals since startup that never go back; the report prints their growth.
_ONLY_GROW = ("user calls", "execute count", "redo size", "session logical reads", "user commits")

Check = Callable[[Side, Side], Iterator[Warning_]]


def warnings_of(first: Side, second: Side) -> tuple[Warning_, ...]:
    return tuple(w for check in _CHECKS for w in check(first, second))


def _damage(first: Side, second: Side) -> Iterator[Warning_]:
    """A cut file comes first: missing rows look like nothing happened."""
    for name, side in (("First", first), ("Second", second)):
        for issue in side.report.cautions:
            yield Warning_(issue.code, f"{name}: {issue.text[:1].lower()}{issue.text[1:]}")


def _same_report(first: Side, second: Side) -> Iterator[Warning_]:
    a, b = first.report, second.report
    if not _same_window(a, b) or a.kind != b.kind or is_from_disk(first) != is_from_disk(second):
        return
    if _subject(first) != _subject(second):
        return
    same = "are about the same time" if a.kind == "ash" else "cover the same snapshots"
    about = f"{same} of the same instance"
    yield Warning_("same-report", f"Both reports {about}: any difference lies in the reports, not in the load.")


def _subject(side: Side) -> tuple[str, ...]:
    report = side.report
    if report.kind == "ash":
        return (side.text("ash_period", "value", "Report Target") or "",)
    section_id, *columns = _SUBJECTS.get(report.kind, ("",))
    section = report.section(section_id)
    return tuple(section.text(r, c) for r in section.records for c in columns) if section is not None else ()


def _other_subject(first: Side, second: Side) -> Iterator[Warning_]:
    a, b = _subject(first), _subject(second)
    if first.report.kind == second.report.kind and first.report.kind in _DIFFERENT and a and b and a != b:
        what = _DIFFERENT[first.report.kind]
        yield Warning_("different-subject", f"Different {what}: {', '.join(a)} against {', '.join(b)}.")


def _kind(first: Side, second: Side) -> Iterator[Warning_]:
    a, b = first.report.kind, second.report.kind
    if a != b:
        yield from (Warning_("different-kind", text) for text in differences(first, second))
    elif not weighable(first, second):
        yield Warning_(
            "not-weighable",
            f"Both reports are about {KINDS.get(a, a)}: they do not print all that happened in an interval.",
        )
    # ASH keeps one sample in ten on disk: older times count those.
    disk = (is_from_disk(first), is_from_disk(second))
    if None not in disk and disk[0] != disk[1]:
        where = [("one in ten, from disk" if from_disk else "all, from memory") for from_disk in disk]
        yield Warning_(
            "different-sampling",
            f"The first report counts other samples ({where[0]}) than the second ({where[1]}): compare shares and "
            "active sessions, not how many samples or executions were seen.",
        )


def _cluster(first: Side, second: Side) -> Iterator[Warning_]:
    a, b = first.report, second.report
    if a.kind == b.kind == "awr_global" and len(a.instances) != len(b.instances):
        counts = [several(len(r.instances), "instance", "instances") for r in (a, b)]
        yield Warning_("different-cluster", f"The first report adds up {counts[0]}, the second {counts[1]}.")
    for name, side in (("first", first), ("second", second)):
        if is_chosen(side.report):
            number = side.report.instances[0].number
            text = f"The {name} report is instance {number} of a global report, as far as that prints it by instance"
            yield Warning_("instance-of-cluster", f"{text}: statements, segments and most statistics are not in it.")


def _database(first: Side, second: Side) -> Iterator[Warning_]:
    a, b = first.report.database, second.report.database
    same = same_database(a, b)
    if same is None and a.dbid and a.dbid == b.dbid:
        text = f"One id under two names, {a.name} and {b.name}: a copy of the database, or it was renamed."
        yield Warning_("different-database", text)
    elif same is False:
        alike = bool(a.name) and a.name == b.name  # then the ids alone tell them apart
        labels = [d.name or (f"id {d.dbid}" if d.dbid else "no name") for d in (a, b)]
        names = [f"{name}{f' (id {d.dbid})' * alike}" for name, d in zip(labels, (a, b), strict=True)]
        yield Warning_("different-database", f"Different databases: {names[0]} against {names[1]}.")
    releases = first.report.release, second.report.release
    if releases[0] and releases[1] and releases[0] != releases[1]:
        yield Warning_(
            "different-release",
            f"Different releases ({' against '.join(with_product(r) for r in releases if r)}): some statistics are "
            "counted, named or printed differently.",
        )


def _host(first: Side, second: Side) -> Iterator[Warning_]:
    a, b = _host_of(first.report), _host_of(second.report)
    if is_same_host(a, b) is False:
        yield Warning_("different-host", f"Different hosts: {a} against {b}.")
    p, q = first.report.host.platform, second.report.host.platform
    if p and q and p != q:
        yield Warning_("different-platform", f"Different platforms: {p} against {q}.")
    if first.cpus and second.cpus and first.cpus != second.cpus:
        cpus = several(first.cpus, "CPU", "CPUs")
        yield Warning_("different-cpus", f"The host has {cpus} in the first report and {second.cpus} in the second.")


def _instance(first: Side, second: Side) -> Iterator[Warning_]:
    a, b = first.report, second.report
    if same_database(a.database, b.database) and _other_instance(a, b):
        numbers = f"number {a.instances[0].number} against number {b.instances[0].number}"
        yield Warning_("rac-instance-mismatch", f"Different instances of the same database: {numbers}.")
    elif a.database.rac is not None and b.database.rac is not None and a.database.rac != b.database.rac:
        yield Warning_("rac-instance-mismatch", "One report is of a RAC instance, the other of a single instance.")


def _lengths(first: Side, second: Side) -> Iterator[Warning_]:
    if not weighable(first, second):
        return
    if first.elapsed is None or second.elapsed is None:
        missing = "The first report" if first.elapsed is None else "The second report"
        yield Warning_("elapsed-unknown", f"{missing} does not say how long it covers: its totals have no rates.")
        return
    a, b = first.elapsed.number, second.elapsed.number
    if max(a, b) / min(a, b) > 1 + _ELAPSED_TOLERANCE:
        text = f"The windows differ in length ({a / 60:,.1f} against {b / 60:,.1f} minutes): compare rates, not totals."
        yield Warning_("different-elapsed", text)


def _restart(first: Side, second: Side) -> Iterator[Warning_]:
    for name, side in (("first", first), ("second", second)):
        for instance in side.report.instances:
            if instance.startup and _is_inside(side, instance.startup):
                text = f"{_instance_name(side, instance)} was restarted inside the {name} report's window"
                text += f" ({startup_text(instance.startup)}). Its totals begin again there."
                yield Warning_("restart-inside", text)
    yield from _restart_between(first, second)


def _restart_between(first: Side, second: Side) -> Iterator[Warning_]:
    if not same_database(first.report.database, second.report.database):
        return
    before = {i.number: i.startup for i in first.report.instances}
    at: dict[str, list[Instance]] = {}
    for instance in second.report.instances:
        x, y = before.get(instance.number), instance.startup
        if x and y and not may_be_same(x, y) and not any(_is_inside(s, max(x, y)) for s in (first, second)):
            at.setdefault(startup_text(max(x, y)), []).append(instance)
    for time, instances in at.items():
        names = f"Instances {listing([str(i.number if i.number is not None else i.name) for i in instances])} were"
        names = f"{_instance_name(second, instances[0])} was" if len(instances) == 1 else names
        text = f"{names} restarted between the two reports ({time})"
        yield Warning_("restart-between", f"{text}: caches were empty then, and statements parsed again.")


def _is_inside(side: Side, startup: datetime) -> bool:
    """Startup is printed to the minute, to 10.2 to the second."""
    begin, end = side.report.period.begin.time, side.report.period.end.time
    return bool(begin and end and bounds(startup)[0] - begin > timedelta(minutes=1) and startup <= end)


def _instance_name(side: Side, instance: Instance) -> str:
    alone = len(side.report.instances) == 1
    return "The instance" if alone else f"Instance {instance.number if instance.number is not None else instance.name}"


def _periods(first: Side, second: Side) -> Iterator[Warning_]:
    sides = [name for name, side in (("first", first), ("second", second)) if is_period(side.report)]
    if not sides:
        return
    are_both = len(sides) == 2
    subject = "Both reports are periods" if are_both else f"The {sides[0]} report is a period"
    yield Warning_(
        "period-of-compare",
        f"{subject} of Oracle's compare report: lists hold what differs most there, wait events hold those of "
        "background sessions too, and are counted per second except for the top events.",
    )


def _order(first: Side, second: Side) -> Iterator[Warning_]:
    a, b = first.report.period, second.report.period
    same_kind = first.report.kind == second.report.kind
    if not (a.begin.time and b.begin.time) or (same_kind and _same_window(first.report, second.report)):
        return
    common: float | None = None
    if same_database(first.report.database, second.report.database) and not _other_instance(
        first.report, second.report
    ):
        common = next(iter(common_shares((a.begin.time, a.end.time), (b.begin.time, b.end.time)) or ()), None)
    if common is not None and common >= _NEARLY_ALL and not same_kind:
        yield Warning_("overlapping", "Both cover nearly the same time: what differs is how it was counted, and when.")
        return
    if b.begin.time < a.begin.time:
        yield Warning_("second-before-first", "The second report is the earlier one in time.")
    if common is not None and common >= _HARDLY_ANY:
        part = f"{percent(common)} of the longer one"
        yield Warning_("overlapping", f"The two windows overlap by {part}: what both cover counts on both sides.")


def _other_instance(a: Report, b: Report) -> bool:
    x, y = _only(a), _only(b)
    return bool(x and y and x.number is not None and y.number is not None and x.number != y.number)


def _figures(first: Side, second: Side) -> Iterator[Warning_]:
    for name, side in (("first", first), ("second", second)):
        back = [n for n in _ONLY_GROW if (v := side.value(ACTIVITY, "total", n)) is not None and v.number < 0]
        if back:
            text = f"Statistics went backwards inside the {name} report's window ({', '.join(back)}): they were reset."
            yield Warning_("statistics-reset", text)
    for name, side in (("First", first), ("Second", second)):
        if side.unread_waits:
            yield Warning_("unread-waits", unread_text(side, name))
    shares = [_time_accounted(side) for side in (first, second)]
    covered = [(n, s) for n, s in zip(("First", "Second"), shares, strict=True) if s is not None]
    low = [f"{percent(s)} of {n}'s" for n, s in covered if s < _LEAST_COVERED]
    if low:
        text = f"Waits and CPU account for only {' and '.join(low)} DB time: the rest is unaccounted for."
        yield Warning_("low-coverage", text)
    for name, share in covered:
        if share > COUNTED_TWICE:
            text = f"Waits and CPU come to {percent(share)} of {name}'s DB time"
            yield Warning_("high-coverage", f"{text}: the figures of that report do not add up.")


def unread_text(side: Side, whose: str) -> str:
    """Counters went back, or a column is too narrow."""
    names = sorted(side.unread_waits)
    more = len(names) - _MOST_NAMED
    events = listing([*names[:_MOST_NAMED], f"{more} more"] if more > 0 else names)
    return f"The time that {whose} prints for {events} cannot be read: how long sessions waited there is unknown."


def _time_accounted(side: Side) -> float | None:
    if side.db_time is None or side.db_cpu is None or not side.foreground or side.foreground_is_partial:
        return None
    if side.unread_waits:
        return None
    return (side.db_cpu.number + sum(e.total.number for e in side.foreground.values())) / side.db_time.number


_CHECKS: tuple[Check, ...] = (
    _damage,
    _same_report,
    _kind,
    _cluster,
    _periods,
    _other_subject,
    _database,
    _host,
    _instance,
    _lengths,
    _restart,
    _order,
    _figures,
)


def _same_window(a: Report, b: Report) -> bool:
    instance, other = _only(a), _only(b)
    same_number = (instance.number if instance else None) == (other.number if other else None)
    if not same_database(a.database, b.database) or not same_number:
        return False
    x, y = a.period, b.period
    if x.begin.id is None or y.begin.id is None:
        return x.begin.time is not None and (x.begin.time, x.end.time) == (y.begin.time, y.end.time)
    # some print only a snapshot's minute; recreated databases count from one
    begin, other_begin = x.begin.time, y.begin.time
    apart = begin is not None and other_begin is not None and abs(begin - other_begin) > timedelta(minutes=1)
    return (x.begin.id, x.end.id) == (y.begin.id, y.end.id) and not apart


def _only(report: Report) -> Instance | None:
    return report.instances[0] if len(report.instances) == 1 else None


def _host_of(report: Report) -> str | None:
    instance = _only(report)
    return report.host.name or (instance.host if instance else None)
