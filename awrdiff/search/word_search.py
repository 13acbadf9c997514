"""Word search of `Indexed`: FTS5 on SQLite, tsvector on PostgreSQL, with equal results.

Words are letters and digits; a term's last may be a prefix. Indexes change in the row's own transaction.
Owners of results are the comparisons or incidents that the viewer may read.
"""

from __future__ import annotations

import re
from typing import Any

from django.db import connections, router, transaction
from django.db.models import BooleanField, F, Func, Q, QuerySet, UUIDField, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from awrdiff.accounts.access import AccessContext
from awrdiff.search import index_triggers, name_search
from awrdiff.search.models import Indexed

MOST_WORDS, LONGEST_WORD = 12, 60  # of a term
_WORD = re.compile(r"[^\W_]+")
_BEGIN, _BETWEEN_WORDS = r"(?<![^\W_])", r"[\W_]+"
_TABLE, _INDEX = "search_indexed", "search_words"
_OLD = f"INSERT INTO {_INDEX}({_INDEX}, rowid, text) VALUES ('delete', old.id, old.text);"  # noqa: S608 - constants
# A word that was deleted is found no more, and stands in the index until its parts are made one: see `forget`.
_GONE = "INSERT INTO search_gone(id) SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM search_gone);"
_NEW = f"INSERT INTO {_INDEX}(rowid, text) VALUES (new.id, new.text);"  # noqa: S608
# PostgreSQL would take `a.b`, `a-b` and `a/b` for hosts, compounds and paths, each by rules of its own.
_BETWEEN = "".join(chr(n) for n in range(33, 127) if not chr(n).isalnum())
_SPACED = f"'{_BETWEEN.replace(chr(39), chr(39) * 2)}', '{' ' * len(_BETWEEN)}'"
_VECTOR = f"to_tsvector('simple', translate(text, {_SPACED}))"
_TRIGGERS = {"added": ("INSERT", _NEW), "removed": ("DELETE", _OLD + _GONE), "changed": ("UPDATE", _OLD + _NEW + _GONE)}
_DROP_TRIGGERS = [f"DROP TRIGGER IF EXISTS search_{name}" for name in _TRIGGERS]
_MAKE = {
    "sqlite": [
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {_INDEX} USING fts5(text, content='{_TABLE}', content_rowid='id', "
        "tokenize='unicode61 remove_diacritics 0', prefix='2 3')",
        "CREATE TABLE IF NOT EXISTS search_gone (id integer PRIMARY KEY)",
        *_DROP_TRIGGERS,  # a version before may have made others
        *(
            f"CREATE TRIGGER search_{name} AFTER {what} ON {_TABLE} BEGIN {does} END"
            for name, (what, does) in _TRIGGERS.items()
        ),
    ],
    "postgresql": [f"CREATE INDEX IF NOT EXISTS search_text ON {_TABLE} USING gin ({_VECTOR})"],
}
_DROP = {
    "sqlite": [*_DROP_TRIGGERS, f"DROP TABLE IF EXISTS {_INDEX}", "DROP TABLE IF EXISTS search_gone"],
    "postgresql": ["DROP INDEX IF EXISTS search_text"],
}
_FIND = {
    "sqlite": f"SELECT rowid FROM {_INDEX} WHERE {_INDEX} MATCH %s",  # noqa: S608
    "postgresql": f"SELECT id FROM {_TABLE} WHERE {_VECTOR.replace('%', '%%')} @@ to_tsquery('simple', %s)",  # noqa: S608
}


class _Holds(Func):
    """Row condition: beyond eight joins (join_collapse_limit) a subquery reads all rows."""

    template = "to_tsvector('simple', translate(%(expressions)s)"
    arg_joiner = f", {_SPACED.replace('%', '%%')})) @@ to_tsquery('simple', "
    output_field = BooleanField()


def holding(*terms: str) -> QuerySet[Indexed]:
    """Rows with a term's words in sequence."""
    wanted = [words for term in terms if (words := _words_of(term))]
    if not wanted:
        return Indexed.objects.none()
    if (ids := rows_holding(*terms)) is None:
        return Indexed.objects.filter(
            text__iregex="|".join(_BEGIN + _BETWEEN_WORDS.join(term_words) for term_words in wanted)
        )
    if connections[router.db_for_read(Indexed)].vendor == "postgresql":
        return Indexed.objects.filter(_Holds("text", Value(*ids.params)))
    return Indexed.objects.filter(pk__in=ids)


def rows_holding(*terms: str) -> RawSQL | None:
    """None without FTS5 or without words."""
    vendor = connections[router.db_for_read(Indexed)].vendor
    matches = [_match_query(words, vendor) for term in terms if (words := _words_of(term))]
    if not matches or (vendor == "sqlite" and not name_search.has_letters()):
        return None
    one_of = (" OR " if vendor == "sqlite" else " | ").join(matches)
    return RawSQL(_FIND[vendor], [one_of])  # noqa: S611 - what is asked is a parameter


def _words_of(term: str) -> list[str]:
    return [word[:LONGEST_WORD] for word in _WORD.findall(term.lower())[:MOST_WORDS]]


def _match_query(words: list[str], vendor: str) -> str:
    if vendor == "sqlite":
        return f'"{" ".join(words)}" *'
    return "(" + " <-> ".join(f"'{word}'" for word in words) + ":*)"


def make(connection: Any) -> None:
    """After all migrations: SQLite table rebuilds lose triggers."""
    if connection.vendor == "sqlite" and not name_search.has_letters():
        return
    whole = connection.vendor != "sqlite" or _has_triggers(connection)
    _run(connection, _MAKE)
    if not whole:
        _run(connection, {"sqlite": ["INSERT INTO search_words(search_words) VALUES ('rebuild')"]})


def _has_triggers(connection: Any) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s", [_TABLE])
        return bool(cursor.fetchone()[0] == len(_TRIGGERS))


def forget() -> None:
    """Deleted rows leave SQLite's index; PostgreSQL does so itself."""
    connection = connections[router.db_for_write(Indexed)]
    if connection.vendor != "sqlite" or not name_search.has_letters():
        return
    with transaction.atomic(connection.alias), connection.cursor() as cursor:
        cursor.execute("DELETE FROM search_gone")
        if cursor.rowcount:
            cursor.execute(f"INSERT INTO {_INDEX}({_INDEX}) VALUES ('optimize')")  # noqa: S608


def drop(connection: Any) -> None:
    _run(connection, _DROP)


def after_migrations(using: str, **_: Any) -> None:
    connection = connections[using]
    if _TABLE in connection.introspection.table_names():
        make(connection)
        index_triggers.make(connection)
        name_search.make(connection)


def _run(connection: Any, statements: dict[str, list[str]]) -> None:
    with connection.cursor() as cursor:
        for statement in statements.get(connection.vendor, ()):
            cursor.execute(statement)


_COMPARISON = Coalesce(
    "verdict__comparison_id", "evidence__comparison_id", "comment__thread__comparison_id", output_field=UUIDField()
)
_INCIDENT = Coalesce(
    "incident_id",
    "event__incident_id",
    "action__incident_id",
    "evidence__incident_id",
    "comment__thread__incident_id",
    "section__postmortem__incident_id",
    output_field=UUIDField(),
)
_FOR_GUESTS = Q(comment__thread__for_guests=True)


def ids_with(access: AccessContext, term: str) -> tuple[QuerySet[Any, Any], QuerySet[Any, Any]]:
    """Comparisons by own text, and by people's."""
    itself = holding(term).filter(comparison__isnull=False).values_list("comparison")
    return itself, _by_people(access, term).annotate(whose=_COMPARISON).exclude(whose=None).values_list("whose")


def in_incidents(access: AccessContext, *terms: str) -> QuerySet[Any]:
    """With `whose`; the caller checks access to those."""
    return _by_people(access, *terms).annotate(whose=_INCIDENT)


def judged_in_incidents(access: AccessContext, *terms: str) -> QuerySet[Any]:
    """Verdicts belong to each incident with their comparison."""
    matches = _by_people(access, *terms).filter(verdict__isnull=False)
    return matches.annotate(whose=F("verdict__comparison__incidents__incident_id"))


def _by_people(access: AccessContext, *terms: str) -> QuerySet[Indexed]:
    """Guests get open threads only."""
    matches = holding(*terms).filter(comparison=None)
    return matches.none() if access.is_shared else matches if access.can_read else matches.filter(_FOR_GUESTS)
