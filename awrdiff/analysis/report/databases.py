"""Whether two reports are of one database."""

from __future__ import annotations

from parsers.model import Database


def same_database(one: Database, other: Database) -> bool | None:
    """By id and name; None where what both print does not tell.

    A copy of the files keeps the id under another name; a database made anew keeps the name under another id.
    """
    told = [a.lower() == b.lower() for a, b in ((one.dbid, other.dbid), (one.name, other.name)) if a and b]
    return all(told) if told else None
