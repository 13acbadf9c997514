"""Our comparison of two reports against Oracle's own compare-period report of the same snapshots, figure by figure.

Every figure that the single reports and Oracle's report both print is checked: first, second and the difference.
Ours must lie within the rounding of both prints. What does not is in a category named here, with its reason:

- `zero`: Oracle prints 100.0 for 0 → x and 0.0 for 0 → 0, also where a value only rounds to 0; ours is null there.
- `other unit`: Oracle's load profile prints work area memory in bytes under a label that says MB.
- `idle`: idle events are counted to another moment than in the single reports.
- `half-printed`: an event that the single reports list for foreground sessions alone (or background alone), as
  the other half is too small to be listed; Oracle's table counts all sessions.
- `read apart`: the counts of all sessions and those of foreground and background are read one after the other
  when a snapshot is taken, so that busy events differ by a few waits (under 0.02 %).
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from django.core.management import call_command

from awrdiff.analysis.model.comparison import ComparedRow, Comparison, Delta
from awrdiff.analysis.oracle_compare.difference_check import Number, percent_allowance
from parsers.model import Value
from tests.harness import corpus as real

pytestmark = pytest.mark.corpus

FIRST = "11.2.0.3-single-dbm11203-1822-1823.html"
SECOND = "11.2.0.3-single-dbm11203-1826-1827.html"
ORACLE = "11.2.0.3-compare-dbm11203-1822-1823-vs-1826-1827.html"
LOAD_NAMES = {"db time": "db time(s)", "cpu time": "db cpu(s)"}


@dataclass
class Tally:
    sides: int = 0
    differences: int = 0
    explained: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)
    idle: set[str] = field(default_factory=set)
    half_printed: set[str] = field(default_factory=set)


def printed(text: str) -> Number | None:
    text = text.replace(",", "").strip()
    if not re.fullmatch(r"-?\d*\.?\d+", text):
        return None
    decimals = len(text.partition(".")[2])
    return float(text), 0.5 * 10.0**-decimals


def tables(html: bytes) -> dict[str, list[list[str]]]:
    """Rows of cell texts by heading; the load profile, which has none of its own, by its summary."""
    found: dict[str, list[list[str]]] = {}
    heading = ""
    for element in BeautifulSoup(html, "html.parser").find_all(["h1", "h2", "h3", "table"]):
        if element.name != "table":
            heading = element.get_text(" ", strip=True)
            continue
        title = "Load Profile" if "load profile" in str(element.get("summary", "")) else heading
        cells = [[c.get_text(" ", strip=True) for c in tr.find_all(["td", "th"])] for tr in element.find_all("tr")]
        found.setdefault(title, cells)
    return found


def name(text: str) -> str:
    return " ".join(text.split()).rstrip(":").lower()


def title_of(oracle: dict[str, list[list[str]]], start: str) -> list[list[str]]:
    return next(rows for heading, rows in oracle.items() if heading.startswith(start))


@pytest.fixture(scope="module")
def ours(corpus: Path) -> Comparison:
    return real.compared(corpus / FIRST, corpus / SECOND)


@pytest.fixture(scope="module")
def oracle(corpus: Path) -> dict[str, list[list[str]]]:
    return tables((corpus / ORACLE).read_bytes())


def rows_of(ours: Comparison, section_id: str) -> dict[str, ComparedRow]:
    section = next(s for s in ours.sections if s.id == section_id)
    return {name(" ".join(r.key.values())): r for r in section.rows}


# One figure: both sides, the difference, and how the three are to be read


def intervals(delta: Delta, kind: str) -> tuple[Number | None, Number | None, float | None]:
    """Our first, second and percent change as `kind` of figure, with what the print allows them to be off."""
    if kind == "per_s":
        return rate(delta.first, delta.first_per_s), rate(delta.second, delta.second_per_s), delta.pct_per_s
    if kind == "per_txn":
        return rate(delta.first, delta.first_per_txn), rate(delta.second, delta.second_per_txn), delta.pct_per_txn
    scale = 1000.0 if kind == "ms" else 1.0
    sides = [(v.number * scale, v.half * scale) if isinstance(v, Value) else None for v in (delta.first, delta.second)]
    return sides[0], sides[1], delta.diff if kind == "points" else delta.pct


def rate(value: Value | str | None, quotient: float | None) -> Number | None:
    if not isinstance(value, Value) or quotient is None:
        return None
    return quotient, abs(quotient) * (value.half / value.number if value.number else 0.0) + 1e-9


def check(tally: Tally, label: str, delta: Delta, kind: str, cells: tuple[str, str, str | None]) -> None:
    first, second, difference = intervals(delta, kind)
    theirs = [printed(c) for c in cells[:2]]
    for side, mine, oracles in (("first", first, theirs[0]), ("second", second, theirs[1])):
        if mine is None or oracles is None:
            continue
        tally.sides += 1
        if abs(mine[0] - oracles[0]) > mine[1] + oracles[1] + 1e-9:
            explain(tally, label, f"{side} {kind}: Oracle {oracles[0]}, ours {mine[0]}", mine, oracles)
    wanted = printed(cells[2]) if cells[2] is not None else None
    if wanted is None or first is None or second is None or theirs[0] is None or theirs[1] is None:
        return
    tally.differences += 1
    a, b = theirs[0], theirs[1]
    if kind == "points":
        allowed = first[1] + second[1] + a[1] + b[1] + wanted[1]
    else:
        allowed = percent_allowance((first[0], first[1] + a[1]), (second[0], second[1] + b[1]))
        if allowed is None or difference is None:
            tally.explained["zero"] += 1
            return
        allowed += wanted[1]
    if difference is None or abs(difference - wanted[0]) > allowed + 1e-9:
        explain(tally, label, f"difference {kind}: Oracle {wanted[0]}, ours {difference} ± {allowed}", first, a)


def explain(tally: Tally, label: str, said: str, mine: Number, oracles: Number) -> None:
    section, _, row = label.partition(": ")
    off = abs(mine[0] - oracles[0]) - mine[1] - oracles[1]
    if section == "Load Profile" and row.startswith("w/a mb"):
        tally.explained["other unit"] += 1
    elif section == "Wait Events" and row in tally.idle:
        tally.explained["idle"] += 1
    elif section == "Wait Events" and row in tally.half_printed:
        tally.explained["half-printed"] += 1
    elif section == "Wait Events" and off <= 0.0002 * abs(oracles[0]):
        tally.explained["read apart"] += 1
    else:
        tally.misses.append(f"{label} {said}")


# The tables


PLANS: tuple[tuple[str, str, int, tuple[tuple[str, str, int, int, int | None], ...]], ...] = (
    # Oracle's heading, our section, first data row, and of each figure: our column, its kind, Oracle's cells
    ("Load Profile", "load_profile", 1, (("per_second", "value", 1, 2, 3), ("per_transaction", "value", 4, 5, 6))),
    (
        "Time Model Statistics",
        "time_model",
        2,
        (("pct_db_time", "points", 1, 2, 3), ("time_s", "value", 4, 5, 6), ("time_s", "per_txn", 7, 8, 9)),
    ),
    (
        "Key Instance Activity",
        "instance_activity",
        2,
        (("total", "value", 1, 2, 3), ("total", "per_s", 7, 8, 9), ("total", "per_txn", 10, 11, 12)),
    ),
    (
        "Other Instance Activity",
        "instance_activity",
        2,
        (("total", "value", 1, 2, 3), ("total", "per_s", 7, 8, 9), ("total", "per_txn", 10, 11, 12)),
    ),
    (
        "Tablespace IO",
        "tablespace_io",
        2,
        (
            ("reads", "per_s", 1, 2, 3),
            ("writes", "per_s", 4, 5, 6),
            ("reads", "value", 7, 8, None),
            ("avg_read_s", "ms", 9, 10, None),
            ("blocks_per_read", "value", 11, 12, None),
            ("writes", "value", 13, 14, None),
            ("buffer_waits", "value", 15, 16, None),
            ("avg_buffer_wait_s", "ms", 17, 18, None),
        ),
    ),
    (
        "Top SQL Comparison by Elapsed Time",
        "sql_by_elapsed_time",
        2,
        (
            ("pct_total", "points", 1, 3, 5),
            ("elapsed_per_exec_s", "ms", 6, 7, None),
            ("executions", "value", 18, 19, None),
        ),
    ),
    (
        "Top SQL Comparison by Executions",
        "sql_by_executions",
        2,
        (("executions", "value", 4, 5, None), ("rows_per_exec", "value", 14, 15, None)),
    ),
)
# At least this many figures of both sides, so that a table that is not read any more is noticed.
LEAST = {
    "Load Profile": 40,
    "Time Model Statistics": 50,
    "Key Instance Activity": 70,
    "Other Instance Activity": 700,
    "Tablespace IO": 50,
    "Top SQL Comparison by Elapsed Time": 40,
    "Top SQL Comparison by Executions": 30,
}


@pytest.mark.parametrize("plan", PLANS, ids=lambda p: p[0])
def test_agrees_with_oracle(ours, oracle, plan, record_property) -> None:
    heading, section_id, start, columns = plan
    tally = Tally()
    mine = rows_of(ours, section_id)
    for cells in title_of(oracle, heading)[start:]:
        row = mine.get(LOAD_NAMES.get(name(cells[0]), name(cells[0])))
        if row is None:
            continue
        for column, kind, first, second, difference in columns:
            theirs = (cells[first], cells[second], cells[difference] if difference else None)
            check(tally, f"{heading}: {name(cells[0])}", row.values[column], kind, theirs)
    settle(tally, heading, LEAST[heading], record_property)


def test_wait_events_agree_with_oracle(ours, oracle, record_property) -> None:
    """Oracle's table holds foreground and background waits together."""
    tally = Tally()
    sections = [rows_of(ours, s) for s in ("foreground_wait_events", "background_wait_events")]
    for cells in title_of(oracle, "Wait Events")[2:]:
        rows = [s[name(cells[0])] for s in sections if name(cells[0]) in s]
        label = f"Wait Events: {name(cells[0])}"
        if not rows:
            continue
        if len(rows) == 1 and "pct_db_time" in rows[0].values:
            check(tally, label, rows[0].values["pct_db_time"], "points", (cells[2], cells[3], cells[4]))
        note_event(tally, name(cells[0]), rows, cells)
        waits, time = summed(rows, "waits"), summed(rows, "total_wait_time_s")
        check(tally, label, waits, "per_s", (cells[5], cells[6], cells[7]))
        check(tally, label, time, "value", (cells[8], cells[9], cells[10]))
        if len(rows) == 1:
            check(tally, label, rows[0].values["avg_wait_s"], "ms", (cells[11], cells[12], cells[13]))
    settle(tally, "Wait Events", 300, record_property)


def note_event(tally: Tally, event: str, rows: list[ComparedRow], cells: list[str]) -> None:
    """Half-printed: on one side at least, one table alone lists the event, and Oracle counts more waits there."""
    if any(r.idle for r in rows):
        tally.idle.add(event)
    for side, cell in (("first", cells[5]), ("second", cells[6])):
        listed = [r for r in rows if getattr(r.values["waits"], side) is not None]
        oracles = printed(cell)
        if (
            len(listed) == 1
            and oracles
            and oracles[0] - oracles[1] > getattr(listed[0].values["waits"], f"{side}_per_s")
        ):
            tally.half_printed.add(event)


def summed(rows: list[ComparedRow], column: str) -> Delta:
    """Foreground and background together; a side that one of them does not print is that one's zero."""
    if len(rows) == 1:
        return rows[0].values[column]
    deltas = [r.values[column] for r in rows]
    sides: list[Value | None] = []
    for side in ("first", "second"):
        found = [v for d in deltas if isinstance(v := getattr(d, side), Value)]
        sides.append(Value(sum(v.number for v in found), sum(v.half for v in found)) if found else None)
    first, second = sides
    rates = [sum(getattr(d, f"{s}_per_s") or 0.0 for d in deltas) for s in ("first", "second")]
    pct = percent_change(first.number if first else 0.0, second.number if second else 0.0)
    return Delta(first, second, None, pct, rates[0], rates[1], percent_change(rates[0], rates[1]))


def percent_change(first: float, second: float) -> float | None:
    return (second - first) / first * 100.0 if first else None


def test_parameters_agree_with_oracle(ours, oracle) -> None:
    """Oracle prints the value at the end of First, and others only where they differ; long values are cut."""
    mine = rows_of(ours, "init_parameters")
    compared = 0
    for cells in title_of(oracle, "init.ora Parameters")[2:]:
        row = mine[name(cells[0])]
        first_begin, first_end, second_begin, second_end = (*cells[1:], "", "", "", "")[:4]
        first_end = first_end or first_begin
        second_end = second_end or second_begin or first_end
        for side, value in (("first", first_end), ("second", second_end)):
            shown = getattr(row.values["end_value"], side) or getattr(row.values["begin_value"], side) or ""
            assert same_or_cut(str(shown), value), (cells, shown)
            compared += 1
        assert (row.status == "changed") == (first_end != second_end)
    assert compared == 2 * len(mine)


def same_or_cut(shown: str, value: str) -> bool:
    return shown == value or (len(value) >= 30 and shown.startswith(value))


def test_the_command_prints_the_same(ours, corpus, capsys) -> None:
    out = io.StringIO()
    call_command("compare", str(corpus / FIRST), str(corpus / SECOND), "--format", "json", stdout=out)
    document = json.loads(out.getvalue())
    activity = next(s for s in document["sections"] if s["id"] == "instance_activity")
    for row, compared in zip(
        activity["rows"], next(s for s in ours.sections if s.id == activity["id"]).rows, strict=True
    ):
        delta = compared.values["total"]
        for side in ("first", "second"):
            value = getattr(delta, side)
            assert row["values"]["total"][side] == (value.number if isinstance(value, Value) else None)


def settle(tally: Tally, heading: str, least: int, record_property) -> None:
    record_property(
        "figures", f"{heading}: {tally.sides} sides, {tally.differences} differences, {dict(tally.explained)}"
    )
    print(f"{heading}: {tally.sides} sides, {tally.differences} differences, explained {dict(tally.explained)}")
    assert tally.misses == [], "\n".join(tally.misses)
    assert tally.sides >= least
