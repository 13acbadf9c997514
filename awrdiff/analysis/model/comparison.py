"""A comparison: reports side by side, by section and row.

`as_dict()` is the document awrdiff.comparison/1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

from msgspec import Struct, field

from awrdiff.analysis.figures_in_words import listing, percent
from awrdiff.analysis.model.ash_activity import Activity, Sampled
from awrdiff.analysis.model.baseline_spread import LEAST_FOR_MARK, Spread, Standing
from awrdiff.analysis.model.commit_latency import Cause, CommitFigures, CommitLatency, Stage
from awrdiff.analysis.model.diagnosis import NO_ANSWER, Answer
from awrdiff.analysis.model.estimates_and_evidence import Estimate, Evidence
from awrdiff.analysis.model.oracle_compare_check import Disagreement, OracleCheck
from awrdiff.analysis.model.ranked_changes import Range, Ranked, Sessions, Subject, SubjectKind, Tone
from awrdiff.analysis.report.same_database_check import different_databases
from parsers.model import Better, Cell, Column, Coverage, Number, Value

SCHEMA = "awrdiff.comparison/1"
_FAR_APART = 0.30  # of captured SQL: shares that differ by more are no range

Status = Literal["changed", "same", "only_first", "only_second"]


class Delta(NamedTuple):
    """One figure of one row, first against second.

    `pct`: of the first; None for 0, missing, and shares. Rates: by each side's elapsed time, if cumulative.
    `significant`: printed intervals do not overlap.
    """

    first: Value | str | None = None
    second: Value | str | None = None
    diff: Number | None = None
    pct: Number | None = None
    first_per_s: Number | None = None
    second_per_s: Number | None = None
    pct_per_s: Number | None = None
    first_per_txn: Number | None = None
    second_per_txn: Number | None = None
    pct_per_txn: Number | None = None
    significant: bool = False
    significant_per_s: bool = False


def row_id(section_id: str, key: Sequence[str]) -> str:
    """12 hex digits of section id and canonical key."""
    text = "\x1f".join((section_id, *key))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


class ComparedRow(Struct, frozen=True):
    """`row_id`: stable anchor, a hash of section id and key.

    `weight`: of the change, in percent of DB time (rows/material.py). `minor`: below the default threshold. `weighed`:
    engines before 10 have only `minor`. `unpriced`: by kind, in a priced table. `elsewhere`: section by column of
    others' figures.
    """

    row_id: str
    key: Mapping[str, str]
    status: Status
    values: Mapping[str, Delta]
    unit: str | None = None
    idle: bool = False
    weight: float = 0.0
    minor: bool = False
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    weighed: bool = False
    unpriced: bool = False

    def cell(self, column: str, *, first: bool) -> Cell:
        """Key or figure of a side."""
        if column in self.key:
            return self.key[column]
        delta = self.values.get(column)
        return None if delta is None else delta.first if first else delta.second

    @property
    def matters(self) -> bool:
        return self.status != "same" and not self.minor

    def counts(self, step: float) -> bool:
        """True if its change is worth `step` percent of DB time."""
        if not self.weighed:
            return self.matters if step else self.status != "same"
        return self.status != "same" and self.weight >= step

    def shows(self, step: float) -> bool:
        """True if displayed at this threshold; unpriced rows are folded."""
        return self.counts(step) and not (step and self.unpriced)


class ComparedSection(Struct, frozen=True):
    id: str
    title: str
    known: bool
    family: str
    coverage: Coverage
    columns: tuple[Column, ...]  # key columns first
    key: tuple[str, ...]
    rows: Sequence[ComparedRow]
    first_present: bool = True
    second_present: bool = True
    first_notes: tuple[str, ...] = ()
    second_notes: tuple[str, ...] = ()
    lies: Mapping[str, str] | None = None  # by row, in files of one report against several: where Second lies

    @property
    def changed(self) -> int:
        return sum(r.matters for r in self.rows)


class SectionWeight(Struct, frozen=True):
    """`counts`: rows from each step of rows/material.py.

    `sessions`: largest change in active sessions, None without prices. `unpriced`: changed rows without price, counted
    at step 0.
    """

    section: str
    counts: tuple[int, ...]
    sessions: float | None = None
    unpriced: int = 0


class Warning_(Struct, frozen=True):  # noqa: N801 - `Warning` is Python's own
    code: str
    text: str


Severity = Literal["critical", "warning", "note"]
RuleState = Literal["fired", "quiet", "forbidden", "unknown"]
# Why a finding is folded: looked at in every pair; small beside the others; it got better, and others got worse; it is
# a claim of change, and nothing became anything from one database to another; it lies among what several print.
FoldedBecause = Literal["", "routine", "small", "improved", "other-work", "usual"]


class Finding(Struct, frozen=True):
    """`explains`: rules whose finding this may explain.

    `folded_into`: rule of the finding that covers it; `folded_because`: another reason.
    """

    rule: str
    severity: Severity
    title: str
    text: str
    evidence: tuple[Evidence, ...] = ()
    sessions: Sessions | None = None
    subject: Subject | None = None
    tone: Tone = "neutral"
    explains: tuple[str, ...] = ()
    folded_into: str = ""
    folded_because: FoldedBecause = ""

    @property
    def is_folded(self) -> bool:
        return bool(self.folded_into or self.folded_because)


class RuleOutcome(Struct, frozen=True):
    """Result of one rule; `by`: excluding row, or missing table."""

    rule: str
    state: RuleState
    by: str = ""


class Consumer(Struct, frozen=True):
    """Consumer of DB time: active sessions, change split in two."""

    key: str
    wait_class: str | None
    first_per_s: float | None
    second_per_s: float | None
    diff_per_s: float
    by_count_per_s: float | None
    by_latency_per_s: float | None
    first_avg_s: float | None = None
    second_avg_s: float | None = None
    row_id: str | None = None
    section: str = "foreground_wait_events"  # where its row is


class Attribution(Struct, frozen=True):
    first_per_s: float
    second_per_s: float
    parts: tuple[Consumer, ...]
    residual_per_s: float
    first_covered: float  # share of DB time that waits and CPU account for, 0..1
    second_covered: float

    @property
    def unaccounted(self) -> tuple[float | None, float | None, float] | None:
        """Unexplained sessions per side, None if negative; then their difference."""
        if not self.parts or not self.residual_per_s:
            return None
        first, second = (1 - self.first_covered) * self.first_per_s, (1 - self.second_covered) * self.second_per_s
        return (first if first >= 0 else None, second if second >= 0 else None, self.residual_per_s)


class SameStatement(Struct, frozen=True):
    """SQL ids equal but for comments, literals, white space."""

    first: tuple[str, ...]
    second: tuple[str, ...]


class Commonality(Struct, frozen=True):
    """Share (0..1) of each side's captured SQL time in statements the other lists.

    Without Oracle's own SQL. None: next to nothing captured. See verdict/commonality.
    """

    work: Literal["same", "other", "unknown"]
    first: float | None
    second: float | None

    @property
    def text(self) -> str:
        """`Same workload (87–100 % of captured SQL in common).`; "" without a share."""
        in_common = self.in_common
        if not in_common:
            return ""
        lead = {"same": "Same workload", "other": "Other work"}.get(self.work)
        return f"{lead} ({in_common})." if lead else f"{in_common}."

    @property
    def shares(self) -> list[float]:
        """Those that are known."""
        return [share for share in (self.first, self.second) if share is not None]

    @property
    def in_common(self) -> str:
        """`87–100 % of captured SQL in common`; each side's share where they are far apart."""
        sides = (("First", self.first), ("Second", self.second))
        shares = sorted((share, name) for name, share in sides if share is not None)
        if not shares:
            return ""
        (low, less), (high, most) = shares[0], shares[-1]
        low_text, high_text = percent(low), percent(high)
        if high - low > _FAR_APART:
            return f"{high_text} of {most}'s captured SQL in common, {low_text} of {less}'s"
        whose = f"{most}'s " * (len(shares) == 1)
        span_text = high_text if low_text == high_text else f"{low_text[:-2]}–{high_text}"
        return f"{span_text} of {whose}captured SQL in common"


class Sentence(Struct, frozen=True):
    about: Literal["answer", "load", "time", "also"]
    text: str


class IdentityFacts(Struct, frozen=True):
    db_name: str | None
    instance: str | None
    release: str | None
    host: str | None
    platform: str | None
    cpus: int | None
    begin: str | None  # ISO time
    end: str | None
    begin_snap: int | None
    end_snap: int | None
    elapsed_s: float | None
    db_time_s: float | None
    active_sessions: float | None
    host_busy_pct: float | None
    db_cpu_share_pct: float | None


class Lies(Struct, frozen=True):
    """Position of Second among the reports behind the median.

    `text`: `◆ above all 5 (1.9 to 2.3 per second)`.
    """

    column: str
    standing: Standing
    spread: Spread
    per_s: bool
    text: str


class Median(Struct, frozen=True):
    """First as a median.

    `sessions`: position of Second's active sessions, in words; `lies`: by section and row.
    """

    of: int
    name: str
    description: str
    reports: tuple[str, ...]
    sessions: str
    sessions_outside: bool
    lies: Mapping[tuple[str, str], Lies]

    @property
    def note(self) -> str:
        busy = f"Active sessions {self.sessions}. " if self.sessions else ""
        marked = f"; ◆ lies outside all {self.of}" if self.of >= LEAST_FOR_MARK else ""
        return f"{busy}Medians need not add up{marked}."

    def is_outside(self, ranked: Ranked | None, step: float) -> bool:
        """True if Second's load, or a row above `step`, is outside all."""
        counting = (m.evidence for m in ranked.movers if ranked.share(m) >= step) if ranked is not None else ()
        rows = (self.lies.get((e.section, e.row_id or "")) for e in counting if e is not None)
        return self.sessions_outside or any(lies.standing.is_outside for lies in rows if lies is not None)

    def position_text(self, evidence: Iterable[Evidence], of: str = "") -> str:
        """Position of the first row outside, else the first; "" if none."""
        positions = [(e, lies) for e in evidence if (lies := self.lies.get((e.section, e.row_id or ""))) is not None]
        outside = [position for position in positions if position[1].standing.is_outside]
        return next((f"{e.key} {lies.text}" if e.key != of else lies.text for e, lies in outside or positions), "")


class Comparison(Struct, frozen=True):
    """First against second; `ranked` None: not comparable, or older engines.

    `commits_of_all`: of more than two reports. The viewer's own: `step` in percent of DB time, page `address`, and
    `finding_verdicts`.
    """

    headers: tuple[dict[str, Any], dict[str, Any]]
    identity: tuple[IdentityFacts, IdentityFacts]
    warnings: tuple[Warning_, ...]
    summary: str  # one paragraph, plain text
    attribution: Attribution | None
    commit_latency: CommitLatency
    findings: tuple[Finding, ...]
    rules: tuple[RuleOutcome, ...]
    sections: Iterable[ComparedSection]  # may be walked through several times
    elapsed_differs: bool = False  # by more than 2 %: rates are the sensible default
    oracle_check: OracleCheck | None = None  # of both periods of one of Oracle's compare reports
    commits_of_all: CommitLatency | None = None
    same_statements: tuple[SameStatement, ...] = ()
    ranked: Ranked | None = None
    weights: tuple[SectionWeight, ...] = ()
    activity: Activity | None = None
    sampled: Sampled | None = None
    commonality: Commonality | None = None  # None where an older engine did not look
    verdict: tuple[Sentence, ...] = ()  # `summary` sentence by sentence; empty where an older engine wrote it
    answer: Answer = NO_ANSWER  # as of an older engine: no headline, nothing judged
    step: float = 1.0
    address: str = ""
    median: Median | None = None  # of one report against several; never stored
    finding_verdicts: tuple[FindingVerdict | None, ...] = ()

    @property
    def what_stands_out(self) -> Iterable[tuple[Finding, FindingVerdict | None]]:
        return zip(self.findings, self.finding_verdicts or (None,) * len(self.findings), strict=True)

    def stands_out(self, *, folded: bool = False) -> list[tuple[Finding, FindingVerdict | None]]:
        return [finding for finding in self.what_stands_out if finding[0].is_folded == folded]

    @property
    def unrelated(self) -> bool:
        """Two databases without common SQL: neither is better or worse."""
        is_same_work = self.commonality is not None and self.commonality.work == "same"
        return different_databases(*self.headers) and not is_same_work

    def rules_in(self, state: RuleState) -> tuple[RuleOutcome, ...]:
        return tuple(r for r in self.rules if r.state == state)


__all__ = [
    "SCHEMA",
    "Answer",
    "Attribution",
    "Better",
    "Cause",
    "CommitFigures",
    "CommitLatency",
    "Commonality",
    "ComparedRow",
    "ComparedSection",
    "Comparison",
    "Consumer",
    "Delta",
    "Disagreement",
    "Estimate",
    "Evidence",
    "Finding",
    "FoldedBecause",
    "IdentityFacts",
    "OracleCheck",
    "Range",
    "Ranked",
    "RuleOutcome",
    "RuleState",
    "SameStatement",
    "SectionWeight",
    "Sentence",
    "Sessions",
    "Severity",
    "Stage",
    "Status",
    "Subject",
    "SubjectKind",
    "Tone",
    "Warning_",
]


class FindingVerdict(Struct, frozen=True):
    """Valid judgement: `by` is a login name; `signed`: those who agree."""

    state: str  # confirmed, rejected, explained_by
    by: str
    at: datetime
    why: str = ""
    role: str = ""
    explained_by: str = ""
    signed: tuple[str, ...] = ()
    by_shown: str = ""
    team: str = ""  # what all who judged agree on, else `disputed`
    others: tuple[FindingVerdict, ...] = ()  # who judged it before, each with what holds of them

    @property
    def is_rejected(self) -> bool:
        return (self.team or self.state) == "rejected"

    @property
    def text(self) -> str:
        disputed = "Disputed. " if self.team == "disputed" else ""
        return disputed + " ".join(judgement.own_text for judgement in (*self.others, self))

    @property
    def own_text(self) -> str:
        name = self.by_shown or self.by
        who, day = f"{name} as {self.role}" if self.role else name, f"{self.at.day} {self.at:%b %Y}"
        other = self.explained_by.rstrip(".")
        what = f"Explained by “{other}” ({who}, {day})" if other else f"{self.state.capitalize()} by {who} on {day}"
        why = f", because {self.why}".rstrip(".") if self.why else ""
        signed = f" Signed off by {listing(list(self.signed))}." if self.signed else ""
        return f"{what}{why}.{signed}"
