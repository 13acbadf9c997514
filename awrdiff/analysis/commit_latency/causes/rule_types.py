"""Input and form of the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from functools import cached_property
from typing import Generic, TypeVar

from msgspec import Struct, field

from awrdiff.analysis.commit_latency.inputs_from_report import Inputs
from awrdiff.analysis.commit_latency.interval_arithmetic import difference, factor, over
from awrdiff.analysis.figures_in_words import listing, number, percent, seconds
from awrdiff.analysis.model.commit_latency import CommitFigures, Confidence, Criterion, PartOf
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from awrdiff.analysis.model.lgwr_traces import SampledWrites
from awrdiff.analysis.report.figures_by_name import Event, Side, is_same_host

NOT_IO_RATIO = 2.0  # LFS ÷ LFPW: above, most of a wait is not the write
POLL_MOVED = 0.2  # of the synch writes: from here on their share moved


class Step(IntEnum):
    """Order of causes; within a step size × confidence."""

    DURABILITY = -1  # commits of Second do not wait: nothing else says more
    STALL = 0  # sessions wait longer for log switches than for commits
    MEASURED = 1  # by the log writer's own stages
    REMOTE = 2
    POLLING = 3
    SWITCH = 4
    BUSY = 5
    TAIL = 6
    COMMITS = 7
    STORAGE = 8
    QUEUE = 9  # a log writer that is busy because its writes are slow
    OTHER = 10
    LOAD = 11
    LEFTOVER = 12  # what nothing else accounts for
    SYMPTOM = 13
    NOTE = 14


class Match(Struct, frozen=True):
    """A cause in the making: fields of `Cause`, and its rank.

    `weighs_s`: rank without a claim; `measured`: timed by the log writer. Of a rule's answer texts and `step` replace
    the rule's, `checks` precede its.
    """

    text: str
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    explains_s: Estimate | None = None
    part_of: PartOf = "difference"
    weighs_s: float = 0.0
    title: str = ""
    caveat: str = ""
    size: str = ""
    criteria: tuple[Criterion, ...] = ()
    measured: bool = False
    step: Step | None = None
    checks: tuple[str, ...] = ()
    rule: str = ""
    reports: tuple[int, ...] = ()
    between: bool = False


class NotPrinted(Struct, frozen=True):
    """Undecided: this condition is not printed."""

    what: str


Answer = Match | NotPrinted | None


T = TypeVar("T")


class Rule(Struct, Generic[T], frozen=True):
    """`test` answers for a report or a pair; None: no. `instead_of`: rule whose cause would say the same."""

    rule: str
    title: str
    test: Callable[[T], Answer]
    caveat: str
    checks: tuple[str, ...]
    step: Step = Step.OTHER
    instead_of: str = ""


class ReportFacts(Struct, frozen=True, dict=True):
    side: Side
    inputs: Inputs
    figures: CommitFigures
    other: CommitFigures | None = None  # those of the report that it is compared with
    sampled: tuple[SampledWrites, ...] = ()  # redo writes of its window, out of samples attached
    claims: Mapping[str, Match] = field(default_factory=dict)  # by rule, of those before this one

    def claimed_s(self, *rules: str) -> float:
        claims = [c.explains_s for r in rules if (c := self.claims.get(r)) is not None]
        return sum(c.value for c in claims if c is not None)

    @cached_property
    def ratio(self) -> Estimate | None:
        return over(self.figures.lfs_avg_s, self.figures.lfpw_avg_s)

    @cached_property
    def io_at_most(self) -> float | None:
        """Upper bound of LFS's share in unlisted writes; None where listed."""
        most, total = self.figures.lfpw_at_most_s, self.figures.lfs_total_s
        return most / total.value if most is not None and total is not None and total.value > 0 else None

    @property
    def is_mostly_not_io(self) -> bool:
        """Wait over twice a write, or writes under half."""
        if self.ratio is not None:
            return self.ratio.value > NOT_IO_RATIO
        return self.io_at_most is not None and self.io_at_most < 0.5

    def not_io_text(self) -> str:
        if self.ratio is not None:
            peaks = self.figures.distance.peaks_s if self.figures.distance is not None else ()
            ranges = listing([f"{low * 1e3:.0f} to {high * 1e3:.0f} ms" for low, high in peaks])
            crowd = (
                f", and commit waits crowd at {ranges}, where writes do not (the clock of a scheduler)" if peaks else ""
            )
            return f"A commit waits {number(self.ratio.value)} times as long as a redo write takes{crowd}"
        most, total = self.figures.lfpw_at_most_s or 0.0, self.figures.lfs_total_s
        waited = f" of the {total.value:,.0f} s that commits waited" if total else ""
        text = f"All redo writes together took at most {most:,.0f} s{waited} ({percent(self.io_at_most or 0.0)})"
        return (
            f"{text}: the write could be half of a wait only if {number(self.sharers or 0.0)} sessions shared each one"
        )

    @property
    def sharers(self) -> float | None:
        """Sessions per unlisted write for half of LFS."""
        return 0.5 / self.io_at_most if self.io_at_most else None

    @property
    def difference_s(self) -> float:
        """LFS − LFPW; 0 where negative or unknown."""
        rest = self.unexplained
        return max(rest.value, 0.0) if rest is not None else 0.0

    @cached_property
    def unexplained(self) -> Estimate | None:
        """Seconds per commit wait beyond one write."""
        lfs = self.figures.lfs_avg_s
        if self.figures.naive_overhead_s is not None or lfs is None or self.io_at_most is None:
            return self.figures.naive_overhead_s
        rest = max(1.0 - self.io_at_most, 0.0)
        return Estimate(lfs.low * rest, lfs.value * rest, lfs.high)

    def share(self, event: Event) -> float | None:
        """Share (0..1) of DB time, else call time."""
        exact = self.side.share_of_db_time(event.total)
        if exact is not None:
            return exact
        printed = self.side.value(event.section, "pct_call_time", event.name)
        return printed.number / 100 if printed is not None else None

    def per_second(self, of: Estimate | None) -> float | None:
        elapsed = self.side.elapsed
        return of.value / elapsed.number if of is not None and elapsed is not None else None

    @property
    def writer_matters(self) -> bool:
        """Half the time writing, or waits hardly longer than a write."""
        ledger = self.figures.log_writer
        busy = ledger.busy.value if ledger is not None and ledger.busy is not None else 0.0
        return busy >= 0.5 or (self.ratio is not None and self.ratio.value <= 1.5)

    def events(self, prefix: str) -> Iterator[Event]:
        """Foreground, by prefix: text reports cut names."""
        return (e for name, e in self.side.foreground.items() if name.startswith(prefix))

    def parameter(self, name: str) -> str | None:
        """None where not set or printed, "" where blank."""
        return self.side.text("init_parameters", "begin_value", name)

    def settings(self, name: str) -> set[str]:
        """Upper case, at both ends of the window."""
        values = [self.side.text("init_parameters", column, name) for column in ("begin_value", "end_value")]
        return {value.upper() for value in values if value}

    @property
    def lfs_rows(self) -> tuple[Evidence, ...]:
        return self.figures.evidence


class PairFacts(Struct, frozen=True, dict=True):
    """First and Second, with the commit wait's change."""

    first: ReportFacts
    second: ReportFacts
    switch_traced: bool = False  # a log writer's trace shows one in time

    @cached_property
    def factor(self) -> float | None:
        """Second ÷ First; None without an average."""
        return factor(self.first.figures.wait_s, self.second.figures.wait_s)

    @cached_property
    def times(self) -> float:
        """Longer ÷ shorter average wait; 1 where unknown."""
        return max(self.factor, 1.0 / self.factor) if self.factor else 1.0

    @property
    def slower(self) -> bool:
        return self.factor is None or self.factor >= 1.0

    @property
    def worse(self) -> ReportFacts:
        return self.second if self.slower else self.first

    @property
    def better(self) -> ReportFacts:
        return self.first if self.slower else self.second

    @cached_property
    def wait_s(self) -> Estimate | None:
        """Seconds longer in the worse report."""
        return difference(self.better.figures.wait_s, self.worse.figures.wait_s)

    @cached_property
    def write_s(self) -> Estimate | None:
        """Seconds longer in the worse report."""
        return difference(self.better.figures.lfpw_avg_s, self.worse.figures.lfpw_avg_s)

    @property
    def write_factor(self) -> float | None:
        return factor(self.better.figures.lfpw_avg_s, self.worse.figures.lfpw_avg_s)

    @property
    def change_s(self) -> float:
        """Absolute seconds; 0 where unknown."""
        return self.wait_s.value if self.wait_s is not None else 0.0

    @property
    def waits_text(self) -> str:
        return " → ".join(average_text(f.figures.wait_s) for f in (self.first, self.second))

    @property
    def poll_shares(self) -> tuple[float, float] | None:
        shares = [f.figures.polling_share for f in (self.first, self.second)]
        return (shares[0].value, shares[1].value) if shares[0] is not None and shares[1] is not None else None

    @property
    def polling_moved(self) -> bool:
        return self.poll_shares is not None and abs(self.poll_shares[1] - self.poll_shares[0]) >= POLL_MOVED

    @property
    def other_host(self) -> bool:
        return is_same_host(*(f.side.report.host.name for f in (self.first, self.second))) is False

    @property
    def rows(self) -> tuple[Evidence, ...]:
        return tuple(dict.fromkeys((*self.first.lfs_rows, *self.second.lfs_rows)))


def average_text(average: Estimate | None) -> str:
    return seconds(average.value) if average is not None else "?"
