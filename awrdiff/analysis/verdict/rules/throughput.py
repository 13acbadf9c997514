"""Storage throughput, where sessions wait for it.

Source: Oracle Database Reference, statistics: physical read total bytes counts all reads of the instance.
"""

from __future__ import annotations

from msgspec import Struct

from awrdiff.analysis.model.comparison import Evidence, Subject
from awrdiff.analysis.report.side import Side
from awrdiff.analysis.verdict.facts import Facts, row
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.rules import sizes
from awrdiff.analysis.verdict.thresholds import FELT
from awrdiff.analysis.words import number, percent, size

_SECTION = "instance_activity"
_BYTES = ("physical read total bytes", "physical write total bytes")
_REQUESTS = ("physical read total IO requests", "physical write total IO requests")
_OFFLOADED = "cell physical IO bytes eligible for predicate offload"
_MUCH_BYTES, _MUCH_REQUESTS = float(1 << 30), 10_000.0  # per second: more than one storage port or a few disks deliver
_NOT_PRINTED = Unknown("Instance Activity: physical read total bytes, physical read total IO requests")
_SUBJECT = Subject("storage", "throughput")
_EXPLAINS = ("physical-reads", "read-latency", "event-latency", "event-count", "top-wait")


class Throughput(Struct, frozen=True):
    """Bytes and requests per second. `offloaded`: share (0..1) of bytes read by Smart Scans."""

    read_bytes: float
    written_bytes: float
    requests: float
    offloaded: float

    @property
    def is_much(self) -> bool:
        return self.read_bytes + self.written_bytes >= _MUCH_BYTES or self.requests >= _MUCH_REQUESTS

    @property
    def whole(self) -> str:
        """The measure that is much."""
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
    """Waits for reads and writes of files."""
    return name.startswith(("db file", "direct path", "cell ", "read by other session", "log file sync"))


def throughput(facts: Facts) -> RuleResult:
    """{_MUCH_BYTES:B} or {_MUCH_REQUESTS} requests per second on a side, I/O waits being {FELT:%} of DB time."""
    by_side = [each for each in map(throughput_of, facts.sides) if each is not None]
    if len(by_side) < len(facts.sides):
        return _NOT_PRINTED
    if not any(each.is_much for each in by_side):
        return QUIET
    sessions = sizes.size_waiting(facts, is_io)
    shares = sizes.shares_of(facts, sessions)
    if sizes.most(shares) < FELT:
        return Contradicted(f"waits for reads and writes: {percent(sizes.most(shares))} of DB time")
    much = by_side[-1].is_much
    title = f"The storage serves {by_side[-1].whole}." if much else f"The storage served {by_side[0].whole} in First."
    text = f"{by_side[0].text}. Sessions wait for it: {sizes.share_text(shares)}."
    if len(by_side) > 1:
        text = f"First: {by_side[0].text}. Second: {by_side[1].text}. Sessions wait for it: {sizes.text(sessions)}."
    return Observation(title, text, _rows(), sessions, _SUBJECT, explains=_EXPLAINS)


def _rows() -> tuple[Evidence, ...]:
    return tuple(row(_SECTION, name, "total") for name in (*_BYTES[:1], *_REQUESTS[:1]))
