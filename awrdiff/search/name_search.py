"""Trigram search of names and dates: pg_trgm on PostgreSQL, FTS5 on SQLite. It only narrows; columns are compared
again.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.models.expressions import RawSQL

MOST = 20_000  # rows that are looked up one by one: of more of them, the latest are soon met in any order
EXTENSION = "pg_trgm"
SHORTEST = 3  # letters that an index knows
_INDEXED: set[str] = set()  # databases of which it was seen: no other process takes it away
_LOG = logging.getLogger(__name__)
_ANOTHER = {"sqlite": "char(10)", "postgresql": r"E'\n'"}  # no part of what is looked for


@dataclass(frozen=True, slots=True)
class Names:
    """`times`: ISO texts; also indexes the creation day (UTC)."""

    table: str
    columns: tuple[str, ...]
    times: tuple[str, ...] = ()

    @property
    def rows(self) -> str:
        return f"search_{self.table.partition('_')[2]}s"

    @property
    def letters(self) -> str:
        return f"{self.rows}_letters"

    def text(self, vendor: str, row: str = "") -> str:
        days = [f"replace(substr({row}{time}, 1, 10), '-', '') || 'd'" for time in self.times]
        parts = [
            *(f"{row}{column}" for column in self.columns),
            *days,
            _CREATION_DAY[vendor].format(f"{row}created_at"),
        ]
        return f" || {_ANOTHER[vendor]} || ".join(parts)

    def in_postgresql(self) -> str:
        return f"UPPER({self.text('postgresql')})"


REPORTS = Names("reports_report", ("name", "archive", "db_name", "instance_name", "host_name"), ("begin_at", "end_at"))
COMPARISONS = Names("comparisons_comparison", ("title", "note"))
ALL = (REPORTS, COMPARISONS)
_PART = "lpad(date_part('{}', {{0}} AT TIME ZONE 'UTC')::int::text, {}, '0')"  # to_char may stand in no index
_CREATION_DAY = {
    "sqlite": "replace(substr({0}, 1, 10), '-', '') || 'd'",
    "postgresql": " || ".join(_PART.format(*part) for part in (("year", 4), ("month", 2), ("day", 2))) + " || 'd'",
}


def day_text(year: int | None, month: int | None, day: int | None) -> str:
    """Indexed form; "" if too vague."""
    if month is None or (year is None and day is None):
        return ""
    return f"{f'{year:04}' if year else ''}{month:02}{f'{day:02}d' if day else ''}"


def rows_holding(names: Names, team: int, wanted: Sequence[Sequence[str]]) -> RawSQL | None:
    """Ids that may match; None without index or long texts."""
    long_enough = [texts for texts in wanted if all(len(text) >= SHORTEST for text in texts)]
    return _matching(names, team, long_enough) if long_enough and _is_indexed() else None


def _is_indexed() -> bool:
    if connection.vendor == "sqlite":
        return has_letters()
    if connection.alias not in _INDEXED:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_indexes WHERE indexname = %s", [REPORTS.rows])
            if not cursor.fetchone()[0]:
                return False
        _INDEXED.add(connection.alias)
    return True


def row_counts(*queries: RawSQL | None) -> list[int]:
    """MOST + 1 at most, and without index."""
    indexed = [query for query in queries if query is not None]
    if not indexed:
        return [MOST + 1] * len(queries)
    counts = ", ".join(f"(SELECT count(*) FROM ({query.sql} LIMIT {MOST + 1}) few)" for query in indexed)  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {counts}", [value for query in indexed for value in query.params])
        row = iter(cursor.fetchone())
    return [next(row) if query is not None else MOST + 1 for query in queries]


def _matching(names: Names, team: int, wanted: Sequence[Sequence[str]]) -> RawSQL:
    if connection.vendor == "sqlite":
        quoted = [" OR ".join('"' + text.replace('"', '""') + '"' for text in texts) for texts in wanted]
        rows, letters = names.rows, names.letters
        sql = f"SELECT of FROM {letters} JOIN {rows} ON id = {letters}.rowid WHERE {letters} MATCH %s AND team_id = %s"  # noqa: S608
        return RawSQL(sql, [" AND ".join(f"({clause})" for clause in quoted), team])  # noqa: S611 - what is asked is a parameter
    conditions = " AND ".join(
        f"({' OR '.join([f'{names.in_postgresql()} LIKE UPPER(%s)'] * len(texts))})" for texts in wanted
    )
    patterns = [f"%{connection.ops.prep_for_like_query(text)}%" for texts in wanted for text in texts]
    return RawSQL(f"SELECT id FROM {names.table} WHERE team_id = %s AND {conditions}", [team, *patterns])  # noqa: S608, S611


@cache
def has_letters() -> bool:
    """True if this SQLite has FTS5 trigrams."""
    with closing(sqlite3.connect(":memory:")) as memory:
        try:
            memory.execute("CREATE VIRTUAL TABLE letters USING fts5(text, tokenize='trigram')")
        except sqlite3.OperationalError:
            return False
    return True


def make(using: Any) -> None:
    """Index remade after migrations, if the extension exists."""
    if using.vendor == "postgresql":
        _make_in_postgresql(using)
    elif not has_letters():
        _LOG.warning("This Python's SQLite has no FTS5 with trigrams: searching reads every row.")
    else:
        with using.cursor() as cursor:
            for names in ALL:
                _make_in_sqlite(cursor, names)


def _make_in_postgresql(using: Any) -> None:
    try:
        with transaction.atomic(using.alias), using.cursor() as cursor:
            cursor.execute(f"CREATE EXTENSION IF NOT EXISTS {EXTENSION}")  # no right is needed where it is there
            for names in ALL:
                indexed = f"({names.in_postgresql()}) gin_trgm_ops"
                cursor.execute(f"CREATE INDEX IF NOT EXISTS {names.rows} ON {names.table} USING gin ({indexed})")
    except DatabaseError as error:
        reason = str(error).partition("\n")[0]
        _LOG.warning(
            "Searching reads every row: PostgreSQL refused the index of names (%s). Let its administrator run "
            "CREATE EXTENSION pg_trgm in this database, then run migrate again.",
            reason,
        )


def _triggers(names: Names) -> dict[str, str]:
    table, rows, letters = names.table, names.rows, names.letters
    columns = (*names.columns, *names.times, "created_at", "team_id")
    changed = " OR ".join(f"old.{column} IS NOT new.{column}" for column in columns)
    new = f"INSERT INTO {rows}(of, team_id, text) VALUES (new.id, new.team_id, {names.text('sqlite', 'new.')});"  # noqa: S608
    new += f" INSERT INTO {letters}(rowid, text) SELECT id, text FROM {rows} WHERE of = new.id;"  # noqa: S608
    old = f"INSERT INTO {letters}({letters}, rowid, text) SELECT 'delete', id, text FROM {rows} WHERE of = old.id;"  # noqa: S608
    old += f" DELETE FROM {rows} WHERE of = old.id;"  # noqa: S608
    of = ", ".join(columns)
    return {
        f"{rows}_added": f"AFTER INSERT ON {table} BEGIN {new} END",
        f"{rows}_changed": f"AFTER UPDATE OF {of} ON {table} WHEN {changed} BEGIN {old} {new} END",
        f"{rows}_removed": f"AFTER DELETE ON {table} BEGIN {old} END",
    }


def _make_in_sqlite(cursor: Any, names: Names) -> None:
    rows, letters, triggers = names.rows, names.letters, _triggers(names)
    cursor.execute(
        "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s AND name LIKE %s",
        [names.table, f"{rows}%"],
    )
    if cursor.fetchone()[0] == len(triggers):
        return
    _drop_in_sqlite(cursor, names)
    cursor.execute(f"CREATE TABLE {rows} (id integer PRIMARY KEY, of char(32) UNIQUE, team_id integer, text text)")
    cursor.execute(
        f"CREATE VIRTUAL TABLE {letters} USING fts5(text, content='{rows}', content_rowid='id', tokenize='trigram')"
    )
    text = names.text("sqlite")
    cursor.execute(f"INSERT INTO {rows}(of, team_id, text) SELECT id, team_id, {text} FROM {names.table}")  # noqa: S608
    cursor.execute(f"INSERT INTO {letters}({letters}) VALUES ('rebuild')")  # noqa: S608
    for name, does in triggers.items():
        cursor.execute(f"CREATE TRIGGER {name} {does}")


def _drop_in_sqlite(cursor: Any, names: Names) -> None:
    for name in _triggers(names):
        cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
    for table in (names.letters, names.rows):
        cursor.execute(f"DROP TABLE IF EXISTS {table}")


def drop(using: Any) -> None:
    with using.cursor() as cursor:
        for names in ALL:
            if using.vendor == "sqlite":
                _drop_in_sqlite(cursor, names)
            else:
                cursor.execute(f"DROP INDEX IF EXISTS {names.rows}")
