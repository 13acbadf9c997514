"""Whether two reports are of one database, and whether what differs between them may be called a change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from parsers.model import Database

# What DB_NAME may be: up to eight letters, digits, _, # and $, a letter first (30 of a pluggable database).
_NAME = re.compile(r"[^\W\d_][\w$#]{0,29}")
_ONE_LETTER = re.compile(r"(\w)\1{2,}", re.IGNORECASE)


def same_database(one: Database, other: Database) -> bool | None:
    """By id and name; None where what both print does not tell.

    Another id is another database, under the same name too: it was made anew, or is a copy that was given its own id,
    and its snapshots are not those of the other. One id is one database under one name, and where a name is masked:
    people mask names before they hand a report on, and hardly ever ids. One id under two real names is not known: a
    copy of the files keeps the id and gets another name, and so does a database that is renamed.

    Where one of them prints no id the names decide; a masked name then tells nothing.
    """
    names = [d.name.lower() if d.name and not is_masked(d.name) else "" for d in (one, other)]
    same_name = names[0] == names[1] if all(names) else None
    if not (one.dbid and other.dbid):
        return same_name
    if one.dbid != other.dbid:
        return False
    return None if same_name is False else True


def is_masked(name: str) -> bool:
    """`XXXX`, `****`, `<db>`: no name of a database, or one letter all along."""
    return not _NAME.fullmatch(name) or _ONE_LETTER.fullmatch(name) is not None


def different_databases(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether what differs between two reports, by their headers, is no change of one database.

    So it is of two databases, unless the second stands in the place of the first: made anew under its name on one of
    its hosts, or on hosts that are not printed, it does the same work. Of what is not known nothing is muted.
    """
    a, b = (Database(d.get("name"), d.get("dbid")) for d in (h.get("database") or {} for h in (first, second)))
    if same_database(a, b) is not False:
        return False
    hosts = [_hosts(header) for header in (first, second)]
    return a.name != b.name or (all(hosts) and hosts[0].isdisjoint(hosts[1]))


def _hosts(header: Mapping[str, Any]) -> set[str]:
    named = [(header.get("host") or {}).get("name"), *(i.get("host") for i in header.get("instances") or ())]
    return {str(name).lower() for name in named if name}


__all__ = ["different_databases", "is_masked", "same_database"]
