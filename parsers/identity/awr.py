"""Database, instance, host and snapshots, from the tables at the head of a report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from parsers.identity.months import DATE, month_of, plain
from parsers.model import Database, Host, Instance, Period, Section, Snapshot, UnsupportedReport, Value

_CLOCK = re.compile(r"\s+(\d{1,2}):(\d{2})(?::(\d{2}))?")
_CLOCK_BEFORE = re.compile(r"(\d{1,2}:\d{2})\s+(?=\d)")
_POINT_IN_CLOCK = re.compile(r"(?<=\d)\.(?=\d)")
_MOST_DIGITS = 12  # of an instance number
_AFTERNOON = re.compile(r"\bp\.?\s?m\b|下午|午後|오후|\bпп\b|\bös\b", re.IGNORECASE)
_MORNING = re.compile(r"\ba\.?\s?m\b|上午|午前|오전|\bдп\b|\böö\b", re.IGNORECASE)
_MINUTES = re.compile(r"(?<![\d,])([\d,]{0,20}\.?\d{1,10})\s?\(mins?\)")
_DECIMAL_COMMA = re.compile(r"(?<![\d,.])[\d.]{1,20},\d{1,2}\s?\(mins?\)")


def read_moment(text: str) -> datetime | None:
    """`23-Apr-14 18:30:05`, database-local; None if unreadable.

    A date alone had its clock cut: months of five letters exceed the columns of text reports.
    """
    text = plain(text)
    date = DATE.search(text)
    clock = _CLOCK.match(text, date.end()) if date else None
    if not date or not clock:
        return None
    day, month, year = date.groups()
    hour, minute, second = clock.groups()
    century = 2000 if len(year) == 2 else 0
    try:
        return datetime(century + int(year), month_of(month) or 0, int(day), int(hour), int(minute), int(second or 0))
    except ValueError:
        return None


def read_moment_of_day(text: str) -> datetime | None:
    """ADDM's `18-SEP-16 02.51.58 PM`, also with 24 hours."""
    moment = read_moment(_POINT_IN_CLOCK.sub(":", text))
    if moment and moment.hour < 13:
        if _AFTERNOON.search(text):
            return moment.replace(hour=12 + moment.hour % 12)
        if _MORNING.search(text):
            return moment.replace(hour=moment.hour % 12)
    return moment


def read_minutes(text: str) -> Value | None:
    """`15.03 (mins)` in seconds; raises `UnsupportedReport` for `15,03`."""
    if comma := _DECIMAL_COMMA.search(text):
        sentence = (
            f'This report prints figures with decimal commas ("{comma[0]}"): its 1,234 may be one or a thousand. Make'
            " it again in a session whose NLS_NUMERIC_CHARACTERS are '.,'."
        )
        raise UnsupportedReport(sentence, code="decimal-commas")
    match = _MINUTES.search(text)
    if not match:
        return None
    digits = match[1].replace(",", "")
    decimals = len(digits.partition(".")[2])
    return Value(float(digits) * 60, 30 * 10.0**-decimals)


def _first(section: Section | None) -> Mapping[str, str]:
    if section is None or not section.records:
        return {}
    record = section.records[0]
    return {c.id: section.text(record, c.id) for c in section.columns}


def whole_number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < _MOST_DIGITS else None


def _yes(text: str | None) -> bool | None:
    return {"yes": True, "no": False}.get((text or "").lower())


def database_row(sections: Mapping[str, Section]) -> Mapping[str, str]:
    """A too wide startup has its clock before the release."""
    row = _first(sections.get("database_information"))
    clock = _CLOCK_BEFORE.match(row.get("release", ""))
    if not clock:
        return row
    return {**row, "startup_time": f"{row.get('startup_time')} {clock[1]}", "release": row["release"][clock.end() :]}


def database_of(sections: Mapping[str, Section]) -> Database:
    return read_database(_first(sections.get("database_information")))


def read_database(row: Mapping[str, str]) -> Database:
    return Database(
        name=row.get("db_name") or None,
        dbid=row.get("dbid") or None,
        unique_name=row.get("unique_name") or None,
        role=row.get("role") or None,
        edition=row.get("edition") or None,
        rac=_yes(row.get("rac")),
        cdb=_yes(row.get("cdb")),
    )


def release_of(sections: Mapping[str, Section]) -> str | None:
    return database_row(sections).get("release") or None


def host_of(sections: Mapping[str, Section]) -> Host:
    section = sections.get("host_information")
    if section is None or not section.records:
        return Host()
    record = section.records[0]

    def whole(column: str) -> int | None:
        value = section.number(record, column)
        return int(value.number) if value else None

    return Host(
        name=section.text(record, "host_name") or None,
        platform=section.text(record, "platform") or None,
        cpus=whole("cpus"),
        cores=whole("cores"),
        sockets=whole("sockets"),
        memory_bytes=section.number(record, "memory_bytes"),
    )


def instances_of(sections: Mapping[str, Section], host: Host) -> tuple[Instance, ...]:
    """Table of its own from 12.2, before beside the database."""
    row = {**database_row(sections), **_first(sections.get("instance_information"))}
    if not row.get("instance") and not row.get("instance_number"):
        return ()
    return (
        Instance(
            number=whole_number(row.get("instance_number")),
            name=row.get("instance") or None,
            startup=read_moment(row.get("startup_time") or ""),
            host=host.name,
        ),
    )


def period_of(sections: Mapping[str, Section]) -> Period:
    """Snapshots, elapsed and DB time, narrowed by other figures."""
    section = sections.get("snapshot_information")
    if section is None:
        return Period()
    points: dict[str, Snapshot] = {}
    minutes: dict[str, Value | None] = {}
    for record in section.records:
        name = section.text(record, "point").lower()
        when = section.text(record, "snap_time")
        if name.startswith(("begin", "end")):
            number, sessions = section.number(record, "snap_id"), section.number(record, "sessions")
            points[name.split()[0]] = Snapshot(
                id=int(number.number) if number else None,
                time=read_moment(when),
                sessions=int(sessions.number) if sessions else None,
            )
        else:
            minutes[name] = read_minutes(when)
    begin, end = points.get("begin", Snapshot()), points.get("end", Snapshot())
    return Period(
        begin=begin,
        end=end,
        elapsed_s=_elapsed_time(minutes.get("elapsed"), begin, end, sections),
        db_time_s=_db_time(minutes.get("db time"), sections),
    )


def _elapsed_time(
    printed: Value | None, begin: Snapshot, end: Snapshot, sections: Mapping[str, Section]
) -> Value | None:
    clock = None
    if begin.time and end.time and end.time > begin.time:
        clock = Value((end.time - begin.time).total_seconds(), 1.0)
    if printed is None:
        printed, clock = clock, None
    if printed is None:
        return None
    return narrow_elapsed(printed, sections.get("instance_activity"), clock)


def narrow_elapsed(printed: Value, activity: Section | None, clock: Value | None = None) -> Value:
    """Clock and total ÷ per second of large statistics narrow it."""
    rates = _rates(activity) if activity else []
    low, high = printed.low, printed.high
    for low_s, high_s in [*([(clock.low, clock.high)] if clock else []), *rates]:
        if low_s <= high and high_s >= low:  # what contradicts the print (a counter that wrapped) says nothing
            low, high = max(low, low_s), min(high, high_s)
    return Value(round((low + high) / 2, 3), (high - low) / 2)


def _rates(activity: Section) -> list[tuple[float, float]]:
    out: list[tuple[float, float]] = []
    total_at, rate_at = activity.index.get("total"), activity.index.get("per_second")
    if total_at is None or rate_at is None:
        return []
    for record in activity.records:
        total, rate = record.cells[total_at], record.cells[rate_at]
        if isinstance(total, Value) and isinstance(rate, Value) and total.number > 0 and rate.number > 100 * rate.half:
            out.append((total.low / rate.high, total.high / rate.low))
    return sorted(out, key=lambda bounds: bounds[0] - bounds[1])


def _db_time(printed: Value | None, sections: Mapping[str, Section]) -> Value | None:
    """Time model's DB time (0.01 s) if it agrees with the printed minutes."""
    model = sections.get("time_model")
    record = model.find("DB time") if model else None
    exact = model.number(record, "time_s") if model and record else None
    if printed is None:
        return exact
    if exact and abs(exact.number - printed.number) <= printed.half + exact.half + 0.001 * printed.number:
        return exact
    return printed
