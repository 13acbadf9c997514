"""Rows of a team with years of data, without files: written by the database itself in seconds."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import connection, models

from awrdiff.analysis.metrics.binary_storage import dump_largest, pack_figures
from awrdiff.comparisons.models import Comparison, ComparisonReport
from awrdiff.databases.models import Database, DatabaseIdentity
from awrdiff.fleet.models import Departure, Standing
from awrdiff.incidents.models import ActionItem, Incident, IncidentComparison, IncidentReport, Verdict, VerdictState
from awrdiff.reports.models import Report, ReportMetrics, ReportSection
from awrdiff.search.models import Indexed
from parsers.model import Value
from parsers.storage.compressed_blocks import pack

DATABASES = 300


def _which(number: str) -> str:
    """Index of the database; `%` would be a parameter's."""
    return f"({number} - {number} / {DATABASES} * {DATABASES})"


_WHICH = _which("i")
_COUNT = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {of})"


def fill(report: Report, comparison: Comparison, *, reports: int, comparisons: int) -> list[Database]:
    """Multiply these two: hourly reports of DATABASES databases, and comparisons with the same database a day later."""
    team = report.team
    databases = [
        Database(team=team, name=f"DB{n:03}", dbid=str(7_000_000 + n), uid=UUID(int=(7 << 64) + n))
        for n in range(DATABASES)
    ]
    databases = Database.objects.bulk_create(databases)
    DatabaseIdentity.objects.bulk_create(
        DatabaseIdentity(team=team, database=d, dbid=d.dbid, name=d.name.lower(), host="") for d in databases
    )
    first = databases[0].pk
    hour = f"i / {DATABASES}"
    begin, end = (_time("2024-01-01", f"({hour} + {plus}) * 3600", _ISO) for plus in (0, 1))
    _write(
        report,
        reports,
        id=_uuid("i", 1),
        name=_text("'awrrpt_', i, '.html'"),
        sha256=_text("'0000000000000000', i"),
        file=_text("'reports/', i"),
        database_id=f"{first} + {_WHICH}",
        db_name=_text(f"'DB', {_digits(f'{_WHICH}')}"),
        dbid=_text(f"7000000 + {_WHICH}"),
        instance_name=_text(f"'db', {_digits(f'{_WHICH}')}, '1'"),
        host_name=_text(f"'host', {_WHICH}"),
        created_at=_time("2025-01-01", f"i * 300 + {hour}"),
        placed_at=_time("2025-01-01", "i"),
        begin_at=begin,
        end_at=end,
    )
    section = ReportSection(report=report, section_id="load_profile", title="", known=True, position=0, rows=0)
    _write(section, reports, report_id=_uuid("i", 1))
    _write(comparison, comparisons, id=_uuid("i", 2), created_at=_time("2025-06-01", "i * 60"))
    for position in (0, 1):
        place = ComparisonReport(report=report, comparison=comparison, position=position)
        of = _uuid(f"i * 4 + {position * DATABASES * 24}", 1)
        database_id = f"{first} + {_which(f'(i * 4 + {position * DATABASES * 24})')}"
        _write(place, comparisons, report_id=of, comparison_id=_uuid("i", 2), database_id=database_id)
    words = Indexed(comparison=comparison, version=99)
    text = f"'log file sync of DB', {_WHICH}, ' word', i"
    _write(words, comparisons, comparison_id=_uuid("i", 2), line=_text("'word', i"), text=_text(text))
    _fill_fleet(report, databases, reports, begin, end)
    _fill_incidents(report, comparison, comparisons // 10)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return databases


def _fill_fleet(report: Report, databases: list[Database], reports: int, begin: str, end: str) -> None:
    figures = pack_figures({"db_time": Value(2.0, 0.005), "db_cpu": Value(1.0, 0.005)})
    metrics = ReportMetrics(report=report, era="e1", figures=figures, largest=pack(dump_largest([], [])))
    _write(metrics, reports, report_id=_uuid("i", 1))
    Standing.objects.bulk_create(Standing(database=database, release="19.24.0.0.0") for database in databases)
    usual = {"sessions": 2.0, "normal": 1.5, "deviation": 0.1, "of": 10, "by": "hour of the day", "above": 0.5}
    departure = Departure(report=report, database=databases[0], instance="1", interval="awr 3600", era="e1", **usual)
    own = {"report_id": _uuid("i", 1), "database_id": f"{databases[0].pk} + {_WHICH}"}
    _write(departure, reports, **own, begin_at=begin, end_at=end)


def _fill_incidents(report: Report, comparison: Comparison, count: int) -> None:
    """Incidents with a comparison, a report, a confirmed cause and an action each."""
    now, compared = comparison.created_at, _uuid("i", 2)
    incident = Incident(team=comparison.team, title="Payments slow", begins_at=now, created_at=now, updated_at=now)
    _write(incident, count, id=_uuid("i", 3))
    attached = IncidentComparison(incident=incident, comparison=comparison, attached_at=now, bad=1)
    _write(attached, count, incident_id=_uuid("i", 3), comparison_id=compared)
    alone = IncidentReport(incident=incident, report=report, attached_at=now)
    _write(alone, count, incident_id=_uuid("i", 3), report_id=_uuid("i * 7", 1))
    action = ActionItem(incident=incident, text="Resize redo", created_at=now, updated_at=now)
    _write(action, count, incident_id=_uuid("i", 3))
    verdict = Verdict(team=comparison.team, comparison=comparison, anchor="finding:1", at=now)
    verdict.title, verdict.state = "Slow commits", VerdictState.CONFIRMED
    _write(verdict, count, comparison_id=compared)


def _write(like: models.Model, count: int, **columns: str) -> None:
    """Rows like `like`, with these columns as SQL expressions of the number `i`."""
    fields = [field for field in like._meta.concrete_fields if not (field.primary_key and field.column not in columns)]
    values: list[str] = []
    parameters: list[Any] = []
    for field in fields:
        if field.column in columns:
            values.append(columns[field.column])
        else:
            values.append("%s")
            parameters.append(field.get_db_prep_save(getattr(like, field.attname), connection))
    names = ", ".join(connection.ops.quote_name(field.column) for field in fields)
    numbers, table = _COUNT.format(of=count), connection.ops.quote_name(like._meta.db_table)
    selected = ", ".join(_typed(field, value) for field, value in zip(fields, values, strict=True))
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {table} ({names}) {numbers} SELECT {selected} FROM n", parameters)


def _typed(field: Any, value: str) -> str:
    return value if connection.vendor == "sqlite" else f"({value})::{field.db_type(connection).split(' GENERATED')[0]}"


_ISO = "iso"


def _time(since: str, seconds: str, how: str = "") -> str:
    if connection.vendor == "sqlite":
        form = "%%Y-%%m-%%dT%%H:%%M:%%S" if how else "%%Y-%%m-%%d %%H:%%M:%%S"
        return f"strftime('{form}', '{since}', '+' || ({seconds}) || ' seconds')"
    moment = f"timestamptz '{since} 00:00Z' + ({seconds}) * interval '1 second'"
    return f"to_char(({moment}) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS')" if how else moment


def _uuid(number: str, kind: int) -> str:
    if connection.vendor == "sqlite":
        return f"printf('{kind}%%031x', {number})"
    return f"'{kind}' || lpad(to_hex({number}), 31, '0')"


def _digits(number: str) -> str:
    return f"printf('%%03d', {number})" if connection.vendor == "sqlite" else f"lpad(({number})::text, 3, '0')"


def _text(parts: str) -> str:
    return f"concat({parts})" if connection.vendor != "sqlite" else " || ".join(_parts(parts))


def _parts(parts: str) -> list[str]:
    """Split at commas outside brackets and texts."""
    pieces, depth, is_text = [""], 0, False
    for letter in parts:
        is_text ^= letter == "'"
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth and not is_text:
            pieces.append("")
        else:
            pieces[-1] += letter
    return [f"({part.strip()})" for part in pieces] if len(pieces) > 1 else [f"CAST({parts} AS text)"]
