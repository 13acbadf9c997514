"""Triggers that copy people's text into `Indexed` within the writing transaction.

A migration that rebuilds `search_indexed` on SQLite calls `drop` first: triggers naming a missing table block renames.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_TABLE = "search_indexed"
_NEW_LINE = "'\n'"


@dataclass(frozen=True, slots=True)
class Source:
    """Rows of `table` by `Indexed` key, where `where` holds of `new`."""

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


def _sqlite(source: Source) -> list[str]:
    name, gone = f"search_of_{source.key}", f"DELETE FROM {_TABLE} WHERE {source.key}_id = new.id;"  # noqa: S608
    return [
        f"CREATE TRIGGER {name}_added AFTER INSERT ON {source.table} BEGIN {source.insert('new')} END",
        f"CREATE TRIGGER {name}_changed AFTER UPDATE ON {source.table} BEGIN {gone} {source.insert('new')} END",
    ]


def _postgresql(source: Source) -> list[str]:
    name = f"search_of_{source.key}"
    return [
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger AS $$ BEGIN "  # noqa: S608 - constants
        f"IF TG_OP = 'UPDATE' THEN DELETE FROM {_TABLE} WHERE {source.key}_id = new.id; END IF; "
        f"{source.insert('new')} RETURN NULL; END $$ LANGUAGE plpgsql",
        f"CREATE TRIGGER {name} AFTER INSERT OR UPDATE ON {source.table} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]


_THERE = {
    "sqlite": "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'search_of_%'",
    "postgresql": "SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'search_of_%'",
}
_MAKE = {
    "sqlite": [statement for source in SOURCES for statement in _sqlite(source)],
    "postgresql": [statement for source in SOURCES for statement in _postgresql(source)],
}
_DROP = {
    "sqlite": [
        f"DROP TRIGGER IF EXISTS search_of_{source.key}_{what}" for source in SOURCES for what in ("added", "changed")
    ],
    "postgresql": [
        statement
        for source in SOURCES
        for statement in (
            f"DROP TRIGGER IF EXISTS search_of_{source.key} ON {source.table}",
            f"DROP FUNCTION IF EXISTS search_of_{source.key}()",
        )
    ],
}
_FILL = [
    f"DELETE FROM {_TABLE} WHERE comparison_id IS NULL",  # noqa: S608 - constants
    *(source.insert("t", f" FROM {source.table} t") for source in SOURCES),
]


def make(connection: Any) -> None:
    """Triggers remade after migrations, all text read anew."""
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
