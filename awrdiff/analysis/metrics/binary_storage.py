"""Metrics in the database: kilobytes per report, each figure readable alone.

12 bytes each: checksum of the metric's id, number, half last digit, to seven digits.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from awrdiff.analysis.metrics.catalogue import BY_ID
from awrdiff.analysis.metrics.top_events_and_statements import LargestEvent, LargestStatement
from parsers.model import Value

_FIGURE = struct.Struct("<Iff")
_CODE = struct.Struct("<I")
_NUMBERS = struct.Struct("<ff")
_LARGEST, _SMALLEST = 3.4e38, 2.0**-24  # of such a number: more than it holds, and half of its own last digit
_LONGEST, _MOST_PLANS = 128, 8  # of a name, and of one statement


@cache
def _code(metric: str) -> bytes:
    return _CODE.pack(zlib.crc32(metric.encode()))


_BY_CODE = {zlib.crc32(metric.encode()): metric for metric in BY_ID}


def pack_figures(figures: Mapping[str, Value]) -> bytes:
    fit = [(zlib.crc32(m.encode()), v) for m, v in figures.items() if abs(v.number) < _LARGEST and v.half < _LARGEST]
    return b"".join(_FIGURE.pack(code, v.number, v.half) for code, v in fit)


def unpack_figures(packed: bytes) -> dict[str, Value]:
    records = _FIGURE.iter_unpack(packed)
    return {_BY_CODE[code]: _value(number, half) for code, number, half in records if code in _BY_CODE}


def numbers_in(packed: bytes) -> Iterator[tuple[str, float, float]]:
    """Id, figure, half last digit, for thousands of reports."""
    return ((_BY_CODE[code], number, half) for code, number, half in _FIGURE.iter_unpack(packed) if code in _BY_CODE)


def figure_in(packed: bytes, metric: str) -> Value | None:
    """None where the report does not print it."""
    at = packed.find(_code(metric))
    while at >= 0 and at % _FIGURE.size:
        at = packed.find(_code(metric), at + 1)
    return None if at < 0 else _value(*_NUMBERS.unpack_from(packed, at + _CODE.size))


def _value(number: float, half: float) -> Value:
    return Value(number, max(half, abs(number) * _SMALLEST))


def dump_largest(events: Sequence[LargestEvent], statements: Sequence[LargestStatement]) -> dict[str, Any]:
    """JSON; numbers that are not finite are dropped."""
    return {
        "events": [
            [e.name[:_LONGEST], e.wait_class, *map(_cells, (e.sessions, e.waits_per_s, e.average_s))] for e in events
        ],
        "statements": [
            [s.sql_id[:_LONGEST], s.pdb[:_LONGEST], list(s.plans[:_MOST_PLANS]), *map(_cells, _figures_of(s))]
            for s in statements
        ],
    }


def load_largest(document: Mapping[str, Any]) -> tuple[tuple[LargestEvent, ...], tuple[LargestStatement, ...]]:
    events = [
        LargestEvent(name, wait_class, sessions, *map(_figure, more))
        for name, wait_class, first, *more in document["events"]
        if (sessions := _figure(first)) is not None
    ]
    statements = [loaded for cells in document["statements"] if (loaded := _load_statement(*cells)) is not None]
    return tuple(events), tuple(statements)


def _load_statement(
    sql_id: str, pdb: str, plans: Sequence[str], *cells: Sequence[float] | None
) -> LargestStatement | None:
    sessions, runs, elapsed, cpu, gets, reads, rows = map(_figure, cells)
    if sessions is None:
        return None
    return LargestStatement(sql_id, pdb, sessions, runs, elapsed, cpu, gets, reads, rows, tuple(plans))


def _figures_of(statement: LargestStatement) -> tuple[Value | None, ...]:
    return (
        statement.sessions,
        statement.executions_per_s,
        statement.elapsed_per_exec_s,
        statement.cpu_per_exec_s,
        statement.gets_per_exec,
        statement.reads_per_exec,
        statement.rows_per_exec,
    )


def _cells(value: Value | None) -> list[float] | None:
    if value is None or not (math.isfinite(value.number) and math.isfinite(value.half)):
        return None
    return [float(f"{value.number:.7g}"), float(f"{value.half:.3g}")]


def _figure(cells: Sequence[float] | None) -> Value | None:
    return _value(*cells) if cells else None
