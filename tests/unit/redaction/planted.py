"""Reports with a value of its own in every text, by which a byte that should not be told is known again.

Every planted text holds CORE, every planted number begins with DIGITS: one search finds all of them. There are so many
digits that no ETag holds them by chance.
"""

from __future__ import annotations

import base64
import html
import itertools
from collections.abc import Iterator
from datetime import datetime, timedelta
from urllib.parse import quote

from awrdiff.redaction.column_content_kinds import STAY, kind_of
from parsers.model import Column, Database, Host, Instance, Issue, Period, Report, Row, Section, Snapshot, Value
from parsers.sections.registry import REGISTRY
from parsers.tables.section_declarations import Declaration

CORE = "qzvxwjkfpd"
DIGITS = "7391840265"
_DIGIT_KINDS = ("dbid", "number", "container", "sql_id")
SHAPES = ("{}", "{} & <b>", "Ü {}/x", '"{}"', "{}.{}", "/u01/{}.dbf", "{}@{}", "select '{}' from {}", "10 {} 20")

BEST_KNOWN = """
foreground_wait_events time_model load_profile init_parameters sql_by_elapsed_time sql_text segments_by_logical_reads
addm_findings addm_recommendations file_io service_statistics top_sessions database_information host_information
"""


class Plants:
    """The next value that nobody has seen."""

    def __init__(self) -> None:
        self._number = itertools.count(1)

    def text(self) -> str:
        at = next(self._number)
        name = f"{CORE.upper() if at % 2 else CORE}{at:05d}"
        return SHAPES[at % len(SHAPES)].format(name, f"{CORE}Y{at:05d}")

    def number(self) -> str:
        return f"{DIGITS}{next(self._number):05d}"


def planted_report(name: str, plants: Plants, *, figure: float, start: datetime, every: int = 1) -> Report:
    """Of every section that is declared, or of one in so many and the best known, and two that are not."""
    chosen = [d for at, d in enumerate(REGISTRY.by_id.values()) if at % every == 0 or d.id in BEST_KNOWN.split()]
    sections = [_declared(d, plants, figure) for d in chosen]
    sections += [_undeclared(plants, n) for n in (1, 2)]
    return Report(
        kind="awr",
        format="html",
        encoding="utf-8",
        release="19.24.0.0.0",
        database=Database(plants.text(), plants.number(), plants.text(), "PRIMARY", plants.text(), True, True),
        instances=(Instance(1, plants.text(), start - timedelta(days=9), plants.text()),),
        host=Host(plants.text(), "Linux x86 64-bit", 8, 8, 1, Value(6.4e10, 5e5)),
        period=Period(
            Snapshot(100, start, 50),
            Snapshot(101, start + timedelta(hours=1), 52),
            Value(3600.0, 0.3),
            Value(1200.0, 0.3),
        ),
        sections=tuple(sections),
        issues=(Issue("unknown-column", plants.text(), None, 3, ours=True),),
        name=name,
    )


def _declared(d: Declaration, plants: Plants, figure: float) -> Section:
    columns = [spec.column for spec in d.columns or ()] or _of_the_looks(plants)
    key = tuple(k for k in d.key if k in {c.id for c in columns}) or (columns[0].id,)
    rows = [Row(tuple(_cell(d.id, c, plants, figure + n, n) for c in columns)) for n in range(3)]
    return Section(d.id, d.title, True, d.coverage, key, tuple(columns), tuple(rows), (plants.text(),), 5)


def _of_the_looks(plants: Plants) -> list[Column]:
    """Of a table whose columns are read by their labels: known texts, one that is not, a number under either."""
    label = plants.text()
    texts = [Column(i, i.replace("_", " ")) for i in ("event", "queue_name", "pdb_name", "filename", "sql_text")]
    numbers = [Column("waits_1st", "# Waits 1st", "count", "lower", "level"), Column("dbid", "DBID", "count")]
    return [*texts, Column("unheard_of", label), *numbers, Column(label.lower(), label, "count", "lower", "level")]


def _undeclared(plants: Plants, number: int) -> Section:
    columns = (
        Column(plants.text(), plants.text()),
        Column("total", "Total", "count", "lower", "total"),
        Column(plants.text(), plants.text(), "count", "lower", "total"),
    )
    rows = tuple(Row((plants.text(), Value(number + n, 0.0), Value(n, 0.0))) for n in range(2))
    return Section(f"{CORE}_{number}", plants.text(), False, "all", (columns[0].id,), columns, rows, (plants.text(),))


def _cell(section: str, column: Column, plants: Plants, figure: float, row: int) -> str | Value:
    if column.unit is not None:
        return Value(float(plants.number()) if column.id == "dbid" else figure, 0.0)
    kind = kind_of(section, column.id)
    if kind in STAY:
        return f"log file sync {row}"
    return plants.number() if kind in _DIGIT_KINDS and row == 1 else plants.text()


def told(data: bytes) -> list[str]:
    """What stands in `data` of what was planted, however it is written."""
    text = data.decode("utf-8", "replace").lower()
    found = [text[max(0, at - 40) : at + 20] for at in (text.find(CORE), text.find(DIGITS)) if at >= 0]
    return found + [form for form in FORMS if form in data]


def _written(name: str) -> Iterator[bytes]:
    """Base64 of it, at each place in three bytes; percent-encoded, as entities and in hex, letter by letter."""
    for one in (name, name.upper()):
        for before in range(3):
            coded = base64.b64encode(b"\0" * before + one.encode())
            yield coded[4 if before else 0 : -4]
        yield "".join(f"%{ord(c):02X}" for c in one).encode()
        yield "".join(f"&#{ord(c)};" for c in one).encode()
        yield one.encode().hex().encode()


FORMS = tuple(_written(CORE))


def forms(name: str) -> set[str]:
    """A name as pages and addresses write it, in lower case."""
    return {form.lower() for form in (name, quote(name), quote(name, safe=""), html.escape(name))}
