"""Why commits are slow, as the rules found it: evidence to click on, the caveat, and what to look at next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from awrdiff.analysis.model.commits import Cause, CommitLatency, Criterion, Unsettled
from awrdiff.web.presenters.commit.words import Link, Rows, SideLabel, range_of, seconds

MARKS = {"proven": "crit", "high": "crit", "medium": "warn", "low": "note", "note": "note"}
STATEMENT = re.compile(r"^(?P<before>.*?)(?P<sql>SELECT .+?;)(?P<after>.*)$")


@dataclass(frozen=True, slots=True)
class Check:
    """What to look at next; `sql` where it holds a statement."""

    before: str
    sql: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class CauseView:
    rule: str
    title: str
    confidence: str
    cls: str
    where: str
    text: str
    explains: str
    caveat: str
    checks: tuple[Check, ...]
    evidence: tuple[Link, ...]
    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class UnsettledView:
    title: str
    where: str
    lacks: str
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class CausesView:
    not_material: str
    ranked: tuple[CauseView, ...]
    unsettled: tuple[UnsettledView, ...]


def present(latency: CommitLatency, sides: Sequence[SideLabel], rows: Rows) -> CausesView:
    """`sides`: those that the latency was computed over, in its order."""
    return CausesView(
        not_material=latency.not_material,
        ranked=tuple(_cause(c, sides, rows) for c in latency.causes),
        unsettled=tuple(_unsettled(u, sides) for u in latency.unsettled),
    )


def _cause(cause: Cause, sides: Sequence[SideLabel], rows: Rows) -> CauseView:
    explains = ""
    if cause.explains_s is not None and cause.explains_s.value > 0:
        spread = range_of(cause.explains_s, seconds)
        explains = f"Can account for up to {seconds(cause.explains_s.value)} of a commit wait"
        explains += f" ({spread})." if spread else "."
    return CauseView(
        rule=cause.rule,
        title=cause.title,
        confidence=cause.confidence,
        cls=MARKS[cause.confidence],
        where=_where(cause.reports, sides, between=cause.between),
        text=cause.text,
        explains=explains,
        caveat=cause.caveat,
        checks=tuple(check_of(c) for c in cause.checks),
        evidence=rows.links(cause.evidence),
        criteria=cause.criteria,
    )


def _unsettled(one: Unsettled, sides: Sequence[SideLabel]) -> UnsettledView:
    where = _where(one.reports, sides, between=False)
    return UnsettledView(one.title, where, one.lacks, tuple(check_of(c) for c in one.checks))


def _where(reports: Sequence[int], sides: Sequence[SideLabel], *, between: bool) -> str:
    """Nothing for one report alone."""
    if len(sides) < 2:
        return ""
    labels = [sides[at].label for at in dict.fromkeys(reports) if at < len(sides)]
    return f"between {' and '.join(labels)}" if between else f"in {' and '.join(labels)}"


def check_of(text: str) -> Check:
    found = STATEMENT.match(text)
    if found is None:
        return Check(text)
    return Check(found["before"].rstrip(), found["sql"], found["after"].strip())
