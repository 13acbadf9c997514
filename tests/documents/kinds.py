"""The table of docs/entities.md: the kinds of things that have a page of their own, by which columns."""

from __future__ import annotations

from awrdiff.analysis.entities.kinds import KINDS, EntityKind

_KEYS = {
    "sql": "SQL id; in Statspack the old hash value",
    "event": "its name, in any case; `CPU time` of old releases is `DB CPU`",
    "object": "owner.name; partitions are rows of their table",
    "file": "its path",
    "session": "sid,serial# without blanks, as in `17,4242`",
    "user": "as ASH prints it",
    "program": "as ASH prints it",
    "plan": "plan hash value",
}


def table() -> str:
    return "\n".join(["| kind | what | key | columns that name it |", "|---|---|---|---|", *map(_row, KINDS.values())])


def _row(kind: EntityKind) -> str:
    key = _KEYS.get(kind.id, "its name" + (", in any case" if kind.folds else ""))
    ways = "; ".join(", ".join(f"`{column}`" for column in way.columns) for way in kind.ways)
    return f"| `{kind.id}` | {kind.name} | {key} | {ways} |"
