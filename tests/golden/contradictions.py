"""What one comparison may not say beside itself: each check yields a sentence for what denies another figure.

They look at titles, texts and sessions from outside, and compute their figures anew from the compared rows.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product

from msgspec.structs import replace

from awrdiff.analysis.model.comparison import ComparedRow, Comparison, Delta, Evidence, Finding, Range
from awrdiff.analysis.verdict.diagnosis import OF_ONE_HOUR
from awrdiff.analysis.verdict.severity import WHOLE
from parsers.model import Value

Check = Callable[[Comparison], Iterator[str]]
Span = tuple[float, float]  # low and high
Figures = list[tuple[Span, Span]]  # of First and Second

UP = re.compile(
    r"^(?:More (?:and longer )?waits|Longer (?:and more )?waits|Commits wait longer|More commits wait"
    r"|Sessions wait (?:for|longer)|Sessions spend more time|Logons cost time|More work spills"
    r"|The resource manager holds sessions back|A statement entered)"
)
OF_A_SIDE = re.compile(r" (?:in First|in Second|on both sides)\.$")
DOWN = re.compile(
    r"^(?:Fewer (?:and shorter )?waits|Shorter (?:and fewer )?waits|Fewer commits wait|Commits take less time"
    r"|Sessions wait less|Sessions spend less time|Logons cost less|Parsing no longer|Less work spills"
    r"|The (?:resource manager|CPU cap) binds less|A statement left)"
)
SPAN = re.compile(r"(?<![\d.,])([\d,]+(?:\.\d+)?) → ([\d,]+(?:\.\d+)?) active sessions")
SHARE = re.compile(r"(?<![\d.,])(\d[\d,]*(?:\.\d+)?) % of (?:(?:First|Second)'s )?DB time")
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9, "%": 0.01}
PAIR = re.compile(
    r"(?<![\w.,])(?<!under )([\d,]+(?:\.\d+)?)(?: (s|ms|µs|ns|%))? → ([\d,]+(?:\.\d+)?)(?: (s|ms|µs|ns|%))?(?![\w.,]*\w)"
)
# Whose figures are not of the rows they cite: samples, products of a share and a wait, ids, clocks, other analyses.
NOT_FROM_ROWS = {"peak-inside", "hot-object", "hot-object-io", "addm-said", "parameters", "parameters-inside"}
NOT_FROM_ROWS |= {
    "instance-skew",
    "sql-cost",  # milliseconds of each plan are cited, seconds of one execution are said
    "session-storm",
    "cold-start",
    "read-tail",
    "unaccounted-time",
    "memory-exhausted",
    "backup",
}

OF_A_LIMIT = {"host-cpu-saturated", "resource-manager", "memory-exhausted", "log-file-switch", "log-switch-rate"}
OF_A_LIMIT |= {"commit-latency", "sampled-blocker"}
_NONE = r"\b(?:none|none listed|any) in {}\b"


def middle(side: Range | None) -> float | None:
    return None if side is None else (side.low + side.high) / 2


def up_and_down(c: Comparison) -> Iterator[str]:
    """A title that says more, or a tone that says worse, of sessions that fell."""
    for f in c.findings:
        if f.sessions is None:
            continue
        rose, fell = f.sessions.change > 0, f.sessions.change < 0
        if (fell and f.tone == "worse") or (rose and f.tone == "better"):
            yield f"{f.rule} is {f.tone} where its sessions moved by {f.sessions.change:.3g}"
        if OF_A_SIDE.search(f.title):
            continue  # two databases: what one has is not what it came to
        if (fell and UP.match(f.title)) or (rose and DOWN.match(f.title)):
            yield f"{f.rule}: {f.title} Its sessions moved by {f.sessions.change:.3g}"


def new_and_gone(c: Comparison) -> Iterator[str]:
    """An event that is new and was waited for in First, or gone and is waited for in Second."""
    parts = {p.key.lower(): p for p in c.attribution.parts} if c.attribution else {}
    for f in c.findings:
        found = [p for e in f.evidence if (p := parts.get(e.key.lower())) is not None]
        if f.rule in ("event-count", "event-latency") and found:
            if re.search(_NONE.format("First"), f.text) and all((p.first_per_s or 0) > 1e-4 for p in found):
                yield f"{f.rule}: none, and First has it: {f.text}"
            if re.search(_NONE.format("Second"), f.text) and all((p.second_per_s or 0) > 1e-4 for p in found):
                yield f"{f.rule}: none, and Second has it: {f.text}"


def longer_and_shorter(c: Comparison) -> Iterator[str]:
    """The ranked list calls waits longer (or shorter) that became shorter (or longer)."""
    parts = {p.key: p for p in c.attribution.parts} if c.attribution else {}
    for m in c.ranked.movers if c.ranked else ():
        part = parts.get(m.subject.key)
        if part is None or part.first_avg_s is None or part.second_avg_s is None:
            continue
        if "longer waits" in m.how and part.second_avg_s < part.first_avg_s:
            yield f"{m.subject.key}: {m.how}"
        if "shorter waits" in m.how and part.second_avg_s > part.first_avg_s:
            yield f"{m.subject.key}: {m.how}"


def cpu_for_the_work(c: Comparison) -> Iterator[str]:
    for f in c.findings:
        if f.rule == "db-cpu" and f.sessions is not None and "for the same work" in f.title:
            if f.title.startswith("Less") and f.sessions.change > 0:
                yield f"less CPU, which rose by {f.sessions.change:.3g}"
            if f.title.startswith("More") and f.sessions.change < 0:
                yield f"more CPU, which fell by {f.sessions.change:.3g}"


def more_than_all(c: Comparison) -> Iterator[str]:
    """More than all of DB time, without a word of how that can be."""
    for where, text in (("the verdict", c.summary), *((f.rule, f"{f.title} {f.text}") for f in c.findings)):
        over = [s for s in SHARE.findall(text) if _number(s) > 100]
        if over and "more than all of DB time" not in text and "includes that of" not in text:
            yield f"{where}: {over[0]} % of DB time: {text}"


def one_fact_one_number(c: Comparison) -> Iterator[str]:
    """The sessions of one thing, written otherwise in another finding or in the verdict."""
    told: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for f in c.findings:
        spans = SPAN.findall(f.text)
        if f.subject is not None and f.sessions is not None and len(spans) == 1:
            told[f"{f.subject.key} {middle(f.sessions.first)} {middle(f.sessions.second)}"].add(spans[0])
        if f.rule == "load-against-db-time":
            told["all"] |= set(spans)
    first = re.match(r"Average active sessions (?:rose|fell) from ([\d.,]+) to ([\d.,]+) \(", c.summary)
    if first and told["all"]:
        told["all"].add((first[1], first[2]))
    yield from (f"{what.split(' ')[0]}: {sorted(spans)}" for what, spans in told.items() if len(spans) > 1)


def by_size(c: Comparison) -> Iterator[str]:
    """No note stands before what alarms; what has a size and is as severe stands in its order, apart from what stands
    under the finding that it explains, and from that all of DB time rose or fell, which is the last of its severity."""
    seen: list[Finding] = []
    for f in c.findings:
        if f.severity != "note" and seen and seen[-1].severity == "note":
            yield f"{f.rule} stands behind the note {seen[-1].rule}"
        is_whole = f.rule == WHOLE and f.tone != "neutral"
        if f.sessions is not None and not is_whole and not any(before.rule in f.explains for before in seen):
            smaller = [
                b
                for b in seen
                if b.severity == f.severity and not b.explains and b.sessions and b.sessions.size < f.sessions.size
            ]
            if smaller:
                yield f"{f.rule} stands behind the smaller {smaller[0].rule}"
        seen.append(f)


def severe_enough(c: Comparison) -> Iterator[str]:
    a, b = (i.active_sessions for i in c.identity[:2])
    for f in c.findings:
        if f.rule in OF_A_LIMIT:
            continue  # critical by what Second itself prints
        if f.severity == "critical" and a is not None and b is not None and b <= a:
            yield f"{f.rule} is critical, and Second is quieter ({a:.3g} → {b:.3g})"
        if f.severity == "critical" and f.tone != "worse":
            yield f"{f.rule} is critical, and {f.tone}"


def parts_of_the_whole(c: Comparison) -> Iterator[str]:
    """`5.3 of the rise of 6.9; CPU for 1.3`: the parts are no more than the whole, unless something fell beside."""
    for text in (c.summary, *(f.text for f in c.findings)):
        for said in re.finditer(rf"(all|nearly all|{_N}) of the (?:rise|drop|difference) of ({_N})[^.;]*", text):
            rest = re.match(rf"[^;.]*; (?:{_N}|[^.;])*", text[said.end() :].partition("; statement")[0])
            others = re.findall(rf" for ({_N})", rest[0]) if rest else []
            whole = _number(said[2])
            parts = [whole if "all" in said[1] else _number(said[1]), *(_number(n) for n in others)]
            if (
                sum(parts) > 1.06 * whole + 0.06
                and "while" not in (rest[0] if rest else "")
                and "figures do not add up" not in text
            ):
                yield f"{parts} of {whole}: {text}"


_N = r"\d[\d,]*(?:\.\d+)?"


def _by_instance(c: Comparison) -> bool:
    """A global report of some releases prints in other tables what one of an instance prints in the cited ones."""
    kinds = {header["kind"] for header in c.headers[:2]}
    return len(kinds) > 1 and "awr_global" in kinds


def sessions_of_the_rows(c: Comparison) -> Iterator[str]:
    """The sessions of a finding about events and time model are those of the rows that it cites."""
    for f in c.findings if not _by_instance(c) else ():
        if f.sessions is None or f.rule in NOT_FROM_ROWS or f.rule.startswith("sql-"):
            continue
        rates = [r for e in f.evidence if (r := _rates(c, e)) is not None]
        a, b = middle(f.sessions.first), middle(f.sessions.second)
        if not rates or a is None or b is None or f.rule in _OTHER_SESSIONS:
            continue
        sums = (sum(r[0] for r in rates), sum(r[1] for r in rates))
        if not any(_near(a, x) and _near(b, y) for x, y in [sums, *rates]):
            more = any(x <= a * 1.01 and y <= b * 1.01 for x, y in [sums]) and len(rates) >= 3
            if not more:
                yield f"{f.rule}: {a:.4g} → {b:.4g} sessions, its rows have {rates}"


# Their sessions are a part of what is cited, or beside it.
_OTHER_SESSIONS = {
    "log-switch-rate",
    "physical-reads",
    "host-cpu-saturated",
    "cost-per-unit",
    "writes-together",
    "temp-io",
}
_TIMES = ("total_wait_time_s", "time_s")


def _rates(c: Comparison, e: Evidence) -> tuple[float, float] | None:
    row = _row(c, e)
    delta = row.values.get(e.column) if row is not None and e.column in _TIMES else None
    if row is None or delta is None:
        return None
    return delta.first_per_s or 0.0, delta.second_per_s or 0.0


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= 0.01 * max(abs(a), abs(b)) + 1e-3


def _row(c: Comparison, e: Evidence) -> ComparedRow | None:
    section = next((s for s in c.sections if s.id == e.section), None)
    return next((r for r in section.rows if r.row_id == e.row_id), None) if section is not None else None


def figures_of_the_rows(c: Comparison) -> Iterator[str]:
    """Each `A → B` of a finding is printed in a row that it cites, or a ratio, a rate or a sum of such."""
    for f in c.findings if not _by_instance(c) else ():
        if f.rule in NOT_FROM_ROWS or f.sessions is None or "ids that differ" in f.text:
            continue
        known = _figures(c, f)
        ratios = _ratios(known)
        for found in PAIR.finditer(f.text) if known else ():
            a, b = _interval(found[1], found[2] or found[4]), _interval(found[3], found[4])
            if not any(_is(a, x) and _is(b, y) for x, y in [*known, *ratios]):
                yield f"{f.rule}: {found[0]} is in no row that it cites: {f.text}"


def _figures(c: Comparison, f: Finding) -> Figures:
    out: Figures = []
    for row in _rows(c, f):
        for delta in row.values.values():
            if (pair := _two(delta.first, delta.second)) is not None:
                out.append(pair)
            if delta.first_per_s is not None or delta.second_per_s is not None:
                rates = _by_rate(delta)
                out += [rates, _times(rates, 3600), _times(rates, 1 / 1024)]
    sides = [f.sessions] if f.sessions is not None else []
    out += [(_span(s.first), _span(s.second)) for s in sides]
    if (whole := c.attribution) is not None:
        out.append(((whole.first_per_s,) * 2, (whole.second_per_s,) * 2))
    out += [_times(pair, 0.01) for pair in out if max(pair[0][1], pair[1][1]) <= 100]  # printed as percent
    return [*out, *_sums(c, f), *_crossed(c, f)]


def _rows(c: Comparison, f: Finding) -> list[ComparedRow]:
    return [row for e in f.evidence if (row := _row(c, e)) is not None]


def _by_rate(delta: Delta) -> tuple[Span, Span]:
    """Per second, as wide as the printed figure."""

    def wide(value: Value | str | None, rate: float | None) -> Span:
        if not isinstance(value, Value) or not value.number or rate is None:
            return (rate or 0.0,) * 2
        return value.low * rate / value.number, value.high * rate / value.number

    return wide(delta.first, delta.first_per_s), wide(delta.second, delta.second_per_s)


def _span(side: Range | None) -> Span:
    return (side.low, side.high) if side is not None else (0.0, 0.0)


def _times(pair: tuple[Span, Span], factor: float) -> tuple[Span, Span]:
    (a, b), (x, y) = pair
    return (a * factor, b * factor), (x * factor, y * factor)


def _crossed(c: Comparison, f: Finding) -> Figures:
    """Of a statement that has another id on each side: First's figure from one row, Second's from the other."""
    rows = _rows(c, f) if f.rule.startswith("sql-") else []
    out: Figures = []
    for a, b in product(rows, rows):
        if (a.status, b.status) == ("only_first", "only_second"):
            for x, y in product(a.values.values(), b.values.values()):
                one, other = _two(x.first, None), _two(None, y.second)
                out += [(one[0], other[1])] if one and other else []
    return out


def _sums(c: Comparison, f: Finding) -> Figures:
    """Of the same column over the rows cited."""
    columns: dict[str, list[tuple[Span, Span]]] = defaultdict(list)
    for row in _rows(c, f):
        for name, delta in row.values.items():
            if (pair := _two(delta.first, delta.second)) is not None:
                columns[name].append(pair)
                columns[f"{name} per second"].append(_by_rate(delta))
    return [
        (
            (sum(p[0][0] for p in pairs), sum(p[0][1] for p in pairs)),
            (sum(p[1][0] for p in pairs), sum(p[1][1] for p in pairs)),
        )
        for pairs in columns.values()
    ]


def _ratios(known: Figures) -> Figures:
    """Each figure by each other, from the least to the most that both print."""
    return [
        ((max(a[0], 0) / x[1], a[1] / x[0]), (max(b[0], 0) / y[1], b[1] / y[0]))
        for (a, b), (x, y) in product(known, known)
        if x[0] > 0 and y[0] > 0
    ]


def _two(a: Value | str | None, b: Value | str | None) -> tuple[Span, Span] | None:
    if isinstance(a, str) or isinstance(b, str) or (a is None and b is None):
        return None
    return (a.low, a.high) if a else (0.0, 0.0), (b.low, b.high) if b else (0.0, 0.0)


def _number(text: str) -> float:
    return float(text.replace(",", "").rstrip("."))


def _interval(text: str, unit: str | None) -> tuple[float, float]:
    """A figure, and what its last digit leaves open."""
    factor = UNITS.get(unit or "", 1.0)
    digits = len(text.partition(".")[2])
    return _number(text) * factor, 0.51 * 10**-digits * factor


def _is(said: tuple[float, float], computed: Span) -> bool:
    low, high = computed
    return low - said[1] - 0.002 * abs(low) <= said[0] <= high + said[1] + 0.002 * abs(high)


CHECKS: tuple[Check, ...] = (
    up_and_down,
    new_and_gone,
    longer_and_shorter,
    cpu_for_the_work,
    more_than_all,
    one_fact_one_number,
    by_size,
    severe_enough,
    parts_of_the_whole,
    sessions_of_the_rows,
    figures_of_the_rows,
)

# What a sick First says of itself alone has no direction, and its place and severity by that hour.
ABOUT_THE_CHANGE = (up_and_down, by_size, severe_enough)


def contradictions(c: Comparison) -> list[str]:
    of_the_change = replace(c, findings=tuple(f for f in c.findings if not f.title.startswith(OF_ONE_HOUR)))
    looked_at = ((check, of_the_change if check in ABOUT_THE_CHANGE else c) for check in CHECKS)
    return [f"{check.__name__}: {text}" for check, comparison in looked_at for text in check(comparison)]


__all__ = ["CHECKS", "OF_A_LIMIT", "contradictions"]
