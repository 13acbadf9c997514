"""Identity of two reports' databases, and whether their differences are changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from parsers.model import Database

# What DB_NAME may be: up to eight letters, digits, _, # and $, a letter first (30 of a pluggable database).
_NAME = re.compile(r"[^\W\d_][\w$#]{0,29}")
_ONE_LETTER = re.compile(r"(\w)\1{2,}", re.IGNORECASE)


def same_database(database: Database, other: Database) -> bool | None:
    """Equality by id and name; None if undecided.

    Another id is another database. Names are masked, ids hardly ever: one id under a masked name is one database, under
    two names undecided (copied files, renamed database). Without ids names decide, unless masked.
    """
    names = [d.name.lower() if d.name and not is_masked(d.name) else "" for d in (database, other)]
    same_name = names[0] == names[1] if all(names) else None
    if not (database.dbid and other.dbid):
        return same_name
    if database.dbid != other.dbid:
        return False
    return None if same_name is False else True


def is_masked(name: str) -> bool:
    """`XXXX`, `****`, `<db>`: a placeholder, or one repeated character."""
    return not _NAME.fullmatch(name) or _ONE_LETTER.fullmatch(name) is not None


def different_databases(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """True if differences are no change of one database.

    False if unknown, or recreated under its name on a shared or unprinted host.
    """
    a, b = (Database(d.get("name"), d.get("dbid")) for d in (h.get("database") or {} for h in (first, second)))
    if same_database(a, b) is not False:
        return False
    hosts = [_hosts(header) for header in (first, second)]
    return a.name != b.name or (all(hosts) and hosts[0].isdisjoint(hosts[1]))


def _hosts(header: Mapping[str, Any]) -> set[str]:
    names = [(header.get("host") or {}).get("name"), *(i.get("host") for i in header.get("instances") or ())]
    return {str(name).lower() for name in names if name}
