"""Storage behind several waits, its throughput, and reads that are slow now and then.

Source: Oracle Database Reference, V$EVENT_HISTOGRAM, V$SYSSTAT; docs/commit-latency.md; real reports of one cluster.
"""

from __future__ import annotations

from msgspec import Struct

from awrdiff.analysis.commit_latency.histograms import distribution_of_rows
from awrdiff.analysis.figures_in_words import number, percent, seconds, size
from awrdiff.analysis.model.commit_latency import Distribution
from awrdiff.analysis.model.comparison import Range, Subject, Tone
from awrdiff.analysis.report.figures_by_name import Event, Side
from awrdiff.analysis.verdict.capacity_limits import saturated_host
from awrdiff.analysis.verdict.rule_inputs import Facts, FactsOfOne, FactsOfTwo, row
from awrdiff.analysis.verdict.rule_result import QUIET, WAITS, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import finding_sizes
from awrdiff.analysis.verdict.thresholds import FELT, SLOW_S

_SECTION = "instance_activity"
_BYTES = ("physical read total bytes", "physical write total bytes")
_REQUESTS = ("physical read total IO requests", "physical write total IO requests")
_OFFLOADED = "cell physical IO bytes eligible for predicate offload"
_MUCH_BYTES, _MUCH_REQUESTS = float(1 << 30), 10_000.0  # per second: more than one storage port or a few disks deliver
_NOT_PRINTED = Unknown("Instance Activity: physical read total bytes, physical read total IO requests")
_SUBJECT = Subject("storage", "throughput")
_EXPLAINS = ("physical-reads", "read-latency", "event-latency", "event-count", "top-wait")


class Throughput(Struct, frozen=True):
    """Bytes and requests per second. `offloaded`: Smart Scans' share (0..1)."""

    read_bytes: float
    written_bytes: float
    requests: float
    offloaded: float

    @property
    def is_much(self) -> bool:
        return self.read_bytes + self.written_bytes >= _MUCH_BYTES or self.requests >= _MUCH_REQUESTS

    @property
    def whole(self) -> str:
        total_bytes = self.read_bytes + self.written_bytes
        return (
            f"{size(total_bytes, 3)} per second"
            if total_bytes >= _MUCH_BYTES
            else f"{number(self.requests)} requests per second"
        )

    @property
    def text(self) -> str:
        each = (self.read_bytes + self.written_bytes) / self.requests if self.requests else 0.0
        text = f"{size(self.read_bytes, 3)} read and {size(self.written_bytes, 3)} written per second in "
        text += f"{number(self.requests)} requests of {size(each, 3)} on average"
        return f"{text}, {percent(self.offloaded)} of the bytes read by Smart Scans" if self.offloaded >= 0.1 else text


def throughput_of(side: Side) -> Throughput | None:
    rates = [side.per_second(side.statistic(name)) for name in (*_BYTES, *_REQUESTS)]
    if any(v is None or v < 0 for v in rates):
        return None
    read, bytes_written, reads, writes = (v or 0.0 for v in rates)
    offloaded = side.per_second(side.statistic(_OFFLOADED)) or 0.0
    return Throughput(read, bytes_written, reads + writes, min(offloaded / read, 1.0) if read > 0 else 0.0)


def is_io(name: str) -> bool:
    return name.startswith(("db file", "direct path", "cell ", "read by other session", "log file sync"))


def throughput(facts: Facts) -> RuleResult:
    """{_MUCH_BYTES:B} or {_MUCH_REQUESTS} requests per second on a side, I/O waits being {FELT:%} of DB time."""
    by_side = [each for each in map(throughput_of, facts.sides) if each is not None]
    if len(by_side) < len(facts.sides):
        return _NOT_PRINTED
    if not any(each.is_much for each in by_side):
        return QUIET
    sessions = finding_sizes.size_waiting(facts, is_io)
    shares = finding_sizes.shares_of(facts, sessions)
    if finding_sizes.most(shares) < FELT:
        return Contradicted(f"waits for reads and writes: {percent(finding_sizes.most(shares))} of DB time")
    much = by_side[-1].is_much
    title = f"The storage serves {by_side[-1].whole}." if much else f"The storage served {by_side[0].whole} in First."
    text = f"{by_side[0].text}. Sessions wait for it: {finding_sizes.share_text(shares)}."
    if len(by_side) > 1:
        sides_text = f"First: {by_side[0].text}. Second: {by_side[1].text}."
        text = f"{sides_text} Sessions wait for it: {finding_sizes.text(sessions)}."
    rows = (row(_SECTION, _BYTES[0], "total"), row(_SECTION, _REQUESTS[0], "total"))
    return Observation(title, text, rows, sessions, _SUBJECT, explains=_EXPLAINS)


KINDS = (
    "log file parallel write",
    "db file parallel write",
    "control file parallel write",
    "direct path write",
    "direct path write temp",
    "log archive i/o",
    "db file single write",
)
TOGETHER = 3  # kinds: one file system, one volume, one array behind them
_SLOWER = 1.5
_FEWEST = 50  # writes of a kind, on each side
_FELT = ("log file sync", "direct path write", "free buffer waits", "write complete waits", "log buffer space")
READS = ("db file sequential read", "cell single block physical read")
TAIL = 0.01  # of the reads, over 32 ms, a bucket's edge: flash and disks that are well stay below
READ_S = 0.010  # what ADDM expects of a single-block read (DBIO_EXPECTED)
READS_SUBJECT = Subject("storage", "reads")


def writes_together_of_two(facts: FactsOfTwo) -> RuleResult:
    """{TOGETHER} kinds of writes became {_SLOWER} times as slow, or take over {SLOW_S:s}: one storage behind them."""
    pairs = [(a, b) for kind in KINDS if (a := write_of(facts.first, kind)) and (b := write_of(facts.second, kind))]
    if not pairs:
        return Unknown("Background Wait Events: kinds of writes on both sides")
    slower = [p for p in pairs if _is_slower(*p)]
    faster = [p for p in pairs if _is_slower(p[1], p[0])]
    slow = [p for p in pairs if min(least_average(e) for e in p) > SLOW_S]
    kinds = max((slower, faster, slow), key=len)
    if len(kinds) < TOGETHER:
        return QUIET
    busy = saturated_host(facts.first, "was") if kinds is faster else saturated_host(facts.second)
    if kinds is not slow and busy:
        return Contradicted(busy)
    sessions = finding_sizes.sessions_waiting(facts, waits_for_writes)
    text = "; ".join(f"{b.name} {average_text(a)} → {average_text(b)}" for a, b in kinds)
    course = "slower" if kinds is slower else "faster" if kinds is faster else ""
    how = facts.became(course) if course else "are slow on both sides"
    writes = [a if kinds is faster else b for a, b in kinds]
    if facts.unrelated:
        tone: Tone = "worse" if all(least_average(w) > SLOW_S for w in writes) else "neutral"
    else:
        tone = (
            finding_sizes.tone_of(sessions, "better" if course == "faster" else "worse")
            if course
            else finding_sizes.tone(sessions)
        )
    return Observation(
        f"Writes of {'every kind' if len(kinds) == len(pairs) else f'{len(kinds)} kinds'} {how}.",
        f"{text}. Sessions wait for writes: {finding_sizes.text(sessions)}.",
        finding_sizes.rows_of(b for _, b in kinds),
        sessions,
        Subject("storage", "writes"),
        tone,
        explains=("commit-latency", "temp-io", "log-file-switch"),
    )


def writes_together_of_one(facts: FactsOfOne) -> RuleResult:
    """{TOGETHER} kinds of writes take over {SLOW_S:s} on average, the host not saturated: one storage behind them."""
    events = [e for kind in KINDS if (e := write_of(facts.side, kind))]
    if not events:
        return Unknown("Background Wait Events: kinds of writes")
    slow = [e for e in events if least_average(e) > SLOW_S]
    if len(slow) < TOGETHER:
        return QUIET
    if busy := saturated_host(facts.side):
        return Contradicted(busy)
    sessions = finding_sizes.waits(facts.side, waits_for_writes)
    text = f"{'; '.join(f'{e.name} {average_text(e)}' for e in slow)} on average. "
    text += f"Sessions wait for writes: {size_text(facts, sessions)}."
    title = f"Writes of {'every kind' if len(slow) == len(events) else f'{len(slow)} kinds'} are slow."
    return Observation(
        title,
        text,
        finding_sizes.rows_of(slow),
        sessions,
        Subject("storage", "writes"),
        tone="worse",
        explains=("commit-latency", "temp-io", "log-file-switch"),
    )


def write_of(side: Side, kind: str) -> Event | None:
    event = side.background.get(kind) or side.foreground.get(kind)
    enough = event is not None and event.waits is not None and event.waits.number >= _FEWEST
    return event if enough else None


def least_average(event: Event) -> float:
    return max(event.average.low, 0.0) if event.average else 0.0


def average_text(event: Event) -> str:
    """An average printed as 0 is an upper bound."""
    if event.average is None:
        return "?"
    return seconds(event.average.number) if event.average.number > 0 else f"under {seconds(event.average.high)}"


def waits_for_writes(name: str) -> bool:
    return name.startswith(_FELT) or "checkpoint incomplete" in name


def _is_slower(a: Event, b: Event) -> bool:
    return a.average is not None and least_average(b) >= _SLOWER * a.average.high > 0


def read_tail_of_two(facts: FactsOfTwo) -> RuleResult:
    """{TAIL:%} of the single-block reads took over 32 ms, twice the share of the other side, by the histograms."""
    for name in READS:
        a, b = facts.first.foreground.get(name), facts.second.foreground.get(name)
        if a is None or b is None:
            continue
        histograms = [_histogram(s, name) for s in facts.sides]
        tails = [d.over_32ms if d is not None else None for d in histograms]
        if histograms[1] is None or tails[0] is None or tails[1] is None:
            return Unknown(f"Wait Event Histogram: {name}")
        before, now = tails[0], tails[1]
        more = now.low >= max(TAIL, 2 * before.high)
        if not more and before.low < max(TAIL, 2 * now.high):
            return QUIET
        sessions = finding_sizes.sessions_waiting(facts, lambda event, n=name: event == n)  # type: ignore[misc]
        text = f"{name}: {percent(before.value)} → {percent(now.value)} of the reads took over 32 ms"
        return Observation(
            f"{'More' if more else 'Fewer'} single-block reads take long.",
            f"{text}; {finding_sizes.text(sessions)}.",
            (histograms[1].evidence, b.evidence("avg_wait_s")),
            sessions,
            Subject("storage", "reads"),
            finding_sizes.tone_of(sessions, "worse" if more else "better"),
        )
    return Unknown("Foreground Wait Events: single-block reads on both sides")


def read_tail_of_one(facts: FactsOfOne) -> RuleResult:
    """{TAIL:%} of the single-block reads took over 32 ms, an average one under {READ_S:s}; {FELT:%} of DB time."""
    event = reads_of(facts)
    if event is None:
        return QUIET if facts.side.foreground else WAITS
    histogram = _histogram(facts.side, event.name.lower())
    if histogram is None or histogram.over_32ms is None:
        return Unknown(f"Wait Event Histogram: {event.name}")
    if histogram.over_32ms.low < TAIL or least_average(event) > READ_S:
        return QUIET
    sessions = facts.sessions_in(event.total)
    text = f"{event.name}: {percent(histogram.over_32ms.value)} of the reads took over 32 ms, beside an average of "
    text += f"{seconds(event.average_s or 0.0)}; all of them are {size_text(facts, sessions)}."
    evidence = (histogram.evidence, event.evidence("avg_wait_s"))
    return Observation("Some single-block reads take long.", text, evidence, sessions, READS_SUBJECT)


def _histogram(side: Side, name: str) -> Distribution | None:
    return distribution_of_rows(side.report, side.foreground.get(name), side.background.get(name))


def reads_of(facts: FactsOfOne) -> Event | None:
    events = (facts.side.foreground.get(name) for name in READS)
    return next((e for e in events if e and (facts.side.share_of_db_time(e.total) or 0.0) >= FELT), None)


def size_text(facts: FactsOfOne, sessions: Range | None) -> str:
    active = number(finding_sizes.middle(sessions) or 0.0)
    return f"{active} active sessions, {percent(facts.share(sessions) or 0.0)} of DB time"
