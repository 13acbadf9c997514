"""What people write about comparisons and incidents is found too: the database keeps it in `Indexed` by itself.

Triggers write a row's text beside it, in the transaction of whoever writes, changes or deletes it; so nothing that is
saved in a new way is forgotten. What belongs to whom is read from the thing itself (of.py), never copied.

A later migration that makes `search_indexed` anew on SQLite calls `drop` first: no table there can be renamed while a
trigger names one that is not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_TABLE = "search_indexed"
_NEW_LINE = "'\n'"


@dataclass(frozen=True, slots=True)
class Source:
    """Rows of `table`, by the key `key` of `Indexed`: the columns they are found by, where `where` holds of `new`."""

    key: str
    table: str
    columns: tuple[str, ...]
    where: str = "true"

    def text(self, row: str) -> str:
        return f" || {_NEW_LINE} || ".join(f"{row}.{column}" for column in self.columns)

    def insert(self, row: str, of: str = "") -> str:
        where = self.where.replace("new.", f"{row}.")
        return (
            f"INSERT INTO {_TABLE}({self.key}_id, line, text, version) "
            f"SELECT {row}.id, '', {self.text(row)}, 0{of} WHERE {where};"
        )


SOURCES = (
    Source("incident", "incidents_incident", ("title", "summary", "ticket")),
    Source("event", "incidents_timelineevent", ("text",), "NOT new.by_system"),
    Source("action", "incidents_actionitem", ("text", "link")),
    Source("evidence", "incidents_evidence", ("title", "place", "note")),
    Source(
        "verdict",
        "incidents_verdict",
        ("title", "text", "explained_by_title", "why"),
        "new.is_current AND new.state <> 'withdrawn'",
    ),
    Source("comment", "threads_comment", ("body",), "new.deleted_at IS NULL"),
    Source("section", "postmortems_postmortemsection", ("text",), "new.text <> ''"),
)


def _sqlite(one: Source) -> list[str]:
    name, gone = f"search_of_{one.key}", f"DELETE FROM {_TABLE} WHERE {one.key}_id = new.id;"  # noqa: S608
    return [
        f"CREATE TRIGGER {name}_added AFTER INSERT ON {one.table} BEGIN {one.insert('new')} END",
        f"CREATE TRIGGER {name}_changed AFTER UPDATE ON {one.table} BEGIN {gone} {one.insert('new')} END",
    ]


def _postgresql(one: Source) -> list[str]:
    name = f"search_of_{one.key}"
    return [
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger AS $$ BEGIN "  # noqa: S608 - constants
        f"IF TG_OP = 'UPDATE' THEN DELETE FROM {_TABLE} WHERE {one.key}_id = new.id; END IF; "
        f"{one.insert('new')} RETURN NULL; END $$ LANGUAGE plpgsql",
        f"CREATE TRIGGER {name} AFTER INSERT OR UPDATE ON {one.table} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]


_THERE = {
    "sqlite": "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'search_of_%'",
    "postgresql": "SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'search_of_%'",
}
_MAKE = {
    "sqlite": [statement for one in SOURCES for statement in _sqlite(one)],
    "postgresql": [statement for one in SOURCES for statement in _postgresql(one)],
}
_DROP = {
    "sqlite": [
        f"DROP TRIGGER IF EXISTS search_of_{one.key}_{what}" for one in SOURCES for what in ("added", "changed")
    ],
    "postgresql": [
        statement
        for one in SOURCES
        for statement in (
            f"DROP TRIGGER IF EXISTS search_of_{one.key} ON {one.table}",
            f"DROP FUNCTION IF EXISTS search_of_{one.key}()",
        )
    ],
}
_FILL = [
    f"DELETE FROM {_TABLE} WHERE comparison_id IS NULL",  # noqa: S608 - constants
    *(one.insert("t", f" FROM {one.table} t") for one in SOURCES),
]


def make(connection: Any) -> None:
    """As after a migration: triggers that went with a table it made anew are made again, and all is read anew then."""
    vendor = connection.vendor
    with connection.cursor() as cursor:
        cursor.execute(_THERE[vendor])
        whole = len(SOURCES) * (2 if vendor == "sqlite" else 1)
        if cursor.fetchone()[0] == whole:
            return
        for statement in (*_DROP[vendor], *_MAKE[vendor], *_FILL):
            cursor.execute(statement)


def drop(connection: Any) -> None:
    with connection.cursor() as cursor:
        for statement in _DROP[connection.vendor]:
            cursor.execute(statement)
