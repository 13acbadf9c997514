"""The names in a read report, as far as a search for them can tell something: of five characters and more, no words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from awrdiff.redaction import oracle_names
from awrdiff.redaction.allowed_words import COMMANDS, FIGURES, PROSE, VALUES, labels
from awrdiff.redaction.column_content_kinds import STAY, kind_of
from parsers.model import Report

SHORTEST = 5
ROOT = Path(__file__).resolve().parents[3]
NAMING = frozenset(
    [
        "host",
        "instance",
        "database",
        "container",
        "dbid",
        "user",
        "object",
        "segment",
        "subprogram",
        "tablespace",
        "file",
        "address",
        "program",
        "module",
        "service",
        "sql_id",
        "name",
    ]
)
_IN_WORD = re.compile(r"[\w$#]")
_LITERAL = re.compile(r"'([^']{5,60})'")
_TEXT = ("templates", "awrdiff/web", "awrdiff/analysis", "static/js")


def identifiers(reports: Iterable[Report]) -> set[str]:
    """In lower case: names by the columns that hold them, those of the head, literals of statements."""
    found: set[str] = set()
    ours: set[str] = set()
    for report in reports:
        found |= set(_of_the_head(report))
        for section in report.sections:
            for at, column in enumerate(section.columns):
                kind = kind_of(section.id, column.id)
                texts = {c for r in section.records if isinstance(c := r.cells[at], str)}
                if kind in STAY:
                    ours |= texts
                elif kind in NAMING and section.known:
                    found |= texts
                elif kind == "sql_text":
                    found |= {m for text in texts for m in _LITERAL.findall(text)}
    found |= {part for name in found for part in re.split(r"[^\w$#]+", name) if not part.isdigit()}
    told = words() | {word for text in ours for word in _split(text)}
    return {plain for name in found if (plain := name.strip().lower()) and _tells(plain, told)}


def _of_the_head(report: Report) -> Iterator[str]:
    d = report.database
    names = [d.name, d.dbid, d.unique_name, report.host.name]
    names += [n for i in report.instances for n in (i.name, i.host)]
    yield from filter(None, names)


def _tells(name: str, told: set[str]) -> bool:
    """Not what Oracle, the language or the program call a thing: `oracle`, `TABLE`, `SYSTEM`."""
    if (
        len(name) < SHORTEST
        or oracle_names.PRINTED_NOTHING.fullmatch(name)
        or oracle_names.is_module(name)
        or oracle_names.is_program(name)
        or oracle_names.is_schema(name)
    ):
        return False
    if (
        oracle_names.TABLESPACES.fullmatch(name)
        or name.upper() in ("SYS$USERS", "SYS$BACKGROUND", "CDB$ROOT", "PDB$SEED")
        or oracle_names.is_object(name, "sys")
    ):
        return False
    return not all(word in told or (word.isdigit() and len(word) < SHORTEST) for word in _split(name))


def _split(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


@cache
def words() -> set[str]:
    files = [p for folder in _TEXT for p in (ROOT / folder).rglob("*") if p.suffix in (".html", ".py", ".js")]
    ours = {word for path in files for word in _split(path.read_text(encoding="utf-8"))}
    return ours | {"developer"} | PROSE | FIGURES | VALUES | COMMANDS | labels() | oracle_names.SCHEMAS


def found_in(data: bytes, names: Iterable[str]) -> list[str]:
    """The names that stand in `data` as whole words."""
    text = data.decode("utf-8", "replace").lower()
    return [name for name in names if _stands(name, text)]


def _stands(name: str, text: str) -> bool:
    """As a pattern with a look at what is before and behind would find it, in a tenth of the time."""
    at = text.find(name)
    while at >= 0:
        if not _IN_WORD.match(text[at - 1 : at]) and not _IN_WORD.match(text, at + len(name)):
            return True
        at = text.find(name, at + 1)
    return False
