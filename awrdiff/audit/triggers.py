"""Database triggers (SQLite, PostgreSQL) that refuse any change of the audit log."""

from __future__ import annotations

from typing import Any

TABLE = "audit_auditline"
_MESSAGE = "lines of the audit log are never changed or deleted"
MAKE = {
    "sqlite": [
        f"CREATE TRIGGER audit_no_{what} BEFORE {what} ON {TABLE} BEGIN SELECT RAISE(ABORT, '{_MESSAGE}'); END"
        for what in ("update", "delete")
    ],
    "postgresql": [
        f"CREATE FUNCTION audit_append_only() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION '{_MESSAGE}'; END $$ "
        "LANGUAGE plpgsql",
        f"CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON {TABLE} "
        "FOR EACH ROW EXECUTE FUNCTION audit_append_only()",
    ],
}
DROP = {
    "sqlite": ["DROP TRIGGER IF EXISTS audit_no_update", "DROP TRIGGER IF EXISTS audit_no_delete"],
    "postgresql": [
        f"DROP TRIGGER IF EXISTS audit_append_only ON {TABLE}",
        "DROP FUNCTION IF EXISTS audit_append_only()",
    ],
}


def make(connection: Any) -> None:
    _run(connection, MAKE)


def drop(connection: Any) -> None:
    _run(connection, DROP)


def _run(connection: Any, statements: dict[str, list[str]]) -> None:
    with connection.cursor() as cursor:
        for statement in statements.get(connection.vendor, ()):
            cursor.execute(statement)
