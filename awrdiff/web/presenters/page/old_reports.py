"""What a run that thins out old reports would remove, and what it would leave, as the page of the team shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from awrdiff.analysis.windows import moment, window
from awrdiff.fleet.thinning import MOST_LISTED, OfDatabase, OldReport, Preview
from awrdiff.web import format as fmt


@dataclass(frozen=True, slots=True)
class DatabaseLine:
    label: str
    url: str
    reports: str
    size: str
    days: str


@dataclass(frozen=True, slots=True)
class ReportLine:
    """`said`: how bad its hour was, or why it stays."""

    title: str
    url: str
    said: str


@dataclass(frozen=True, slots=True)
class Shown:
    """`more…`: how many are not listed."""

    going: str
    size: str
    staying: str
    unknown: int
    databases: Sequence[DatabaseLine]
    more_databases: int
    first: Sequence[ReportLine]
    more: int
    held: Sequence[str]
    held_first: Sequence[ReportLine]
    more_held: int


def present(found: Preview) -> Shown:
    listed = found.databases[:MOST_LISTED]
    held = sum(found.holds.values())
    return Shown(
        going=fmt.count_text(found.reports, "report"),
        size=fmt.file_size(found.bytes),
        staying=fmt.count_text(found.staying, "report"),
        unknown=found.unknown,
        databases=[_database(found, one) for one in listed],
        more_databases=len(found.databases) - len(listed),
        first=[_report(found, one, _how_bad(one)) for one in found.first],
        more=found.reports - len(found.first),
        held=[f"{fmt.plain(count)} {why}" for why, count in sorted(found.holds.items())],
        held_first=[_report(found, one, one.hold) for one in found.held_first],
        more_held=held - len(found.held_first),
    )


def _database(found: Preview, one: OfDatabase) -> DatabaseLine:
    database = found.databases_by_id[one.database]
    first, last = _day(one.first), _day(one.last)
    between = first if first == last else f"{first} – {last}"
    return DatabaseLine(
        database.label,
        reverse("database", args=[database.uid]),
        fmt.plain(one.reports),
        fmt.file_size(one.bytes),
        f"{fmt.count_text(one.days, 'day')}: {between}",
    )


def _day(text: str) -> str:
    found = moment(text)
    return f"{found.day} {found:%b %Y}" if found else text


def _report(found: Preview, one: OldReport, said: str) -> ReportLine:
    title = f"{found.databases_by_id[one.database].label} · {window(one.begin_at, None)}"
    return ReportLine(title, reverse("report", args=[one.pk]), said)


def _how_bad(one: OldReport) -> str:
    if one.above is not None:
        alarm = ", an alarm" if one.is_alarm else ""
        return f"{fmt.significant(abs(one.above))} sessions {'below' if one.above < 0 else 'above'} normal{alarm}"
    return f"{fmt.significant(one.sessions or 0.0)} active sessions, not held against normal"


def document(found: Preview) -> dict[str, Any]:
    return {
        "at": found.rule.at.isoformat(),
        "reports": found.reports,
        "bytes": found.bytes,
        "staying": found.staying,
        "unknown": found.unknown,
        "held": dict(found.holds),
        "databases": [
            {
                "id": str(found.databases_by_id[one.database].uid),
                "reports": one.reports,
                "bytes": one.bytes,
                "days": one.days,
                "first": one.first,
                "last": one.last,
            }
            for one in found.databases[:MOST_LISTED]
        ],
        "first": [str(one.pk) for one in found.first],
    }
