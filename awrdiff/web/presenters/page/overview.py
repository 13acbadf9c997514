"""Identity strip, verdict and findings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import structs

from awrdiff.analysis.entities.kinds import KINDS, Ref
from awrdiff.analysis.export.report_headers import Identity, identities
from awrdiff.analysis.model.comparison import (
    Comparison,
    Disagreement,
    Finding,
    Median,
    OracleCheck,
    RuleOutcome,
)
from awrdiff.analysis.model.single_report import SingleFinding
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.verdict.db_time_bars import CPU_NAME, SAMPLED_CPU, bars_of
from awrdiff.analysis.verdict.ranked_changes import CPU_SUBJECT
from awrdiff.analysis.verdict.same_workload_check import shared_sql_text
from awrdiff.comparisons.anchors import of_finding
from awrdiff.web import value_formatting as fmt
from awrdiff.web.charts.frame import Chart
from awrdiff.web.presenters.baseline.spread_and_position import Lie, of_head
from awrdiff.web.presenters.commit import card as commit
from awrdiff.web.presenters.incident.finding_verdicts import Before, Given
from awrdiff.web.presenters.page import db_time, ranked_changes, sampled_activity, trace_events
from awrdiff.web.presenters.page.ranked_changes import Links, LinkView
from awrdiff.web.presenters.page.sampled_activity import activity_chart

ONE_LINE = 110  # characters of title and clause together
_CLAUSE = re.compile(r"[;.] ")
MARKS = {"critical": ("▲▲", "crit", "Critical"), "warning": ("▲", "warn", "Warning"), "note": ("=", "note", "Note")}


@dataclass(frozen=True, slots=True)
class IdentityView:
    """`moved`: worse or better if sessions changed by half; neutral for two databases."""

    said: Identity
    system: str
    moved: str = ""

    @property
    def cls(self) -> str:
        return self.said.side.lower()

    @property
    def mark(self) -> str:
        return {"worse": "▲ ", "better": "▼ "}.get(self.moved, "")


@dataclass(frozen=True, slots=True)
class FindingView:
    number: int
    mark: str
    cls: str
    spoken: str
    title: str
    lead: str  # the first clause of its text, which stands beside the title
    text: str  # the rest of it, which opens
    evidence: tuple[LinkView, ...]
    more: int
    anchor: str  # by which it is pinned
    subject: Ref | None = None  # what it is about, where that has an address
    verdict: Given | None = None  # what the team makes of it
    before: Before | None = None  # who rejected the same in another comparison
    is_twin: bool = False  # another finding says it as well
    lies: Lie | None = None  # where its first row of Second lies among several reports

    @property
    def is_note(self) -> bool:
        return self.cls == "note"

    @property
    def is_folded(self) -> bool:
        return self.is_note or self.is_twin


@dataclass(frozen=True, slots=True)
class CheckView:
    """Oracle's difference contradicts its own figures: First, Second, Oracle's, ours."""

    rows: tuple[tuple[LinkView, str, tuple[str, ...]], ...]
    more: int


@dataclass(frozen=True, slots=True)
class Overview:
    identity: tuple[IdentityView, ...]
    comparison: Comparison
    names: Mapping[str, LinkView]  # where what its texts name leads
    beside: str  # how much more or less, against which work
    time: db_time.DbTimeView | None
    findings: tuple[FindingView, ...]
    more_findings: tuple[FindingView, ...]  # folded: no warning is
    more_heading: str  # what they are
    rules: str
    all_clear: bool  # neither hour is sick, both were read whole, and nothing warns
    weighed: bool  # both print what happened in an interval: the rules and the commit figures have something to look at
    commit: commit.CommitCard
    ranked: ranked_changes.RankedView | None
    trace_said: str  # of the events of LGWR traces, which stand on the commit page; "" without
    bars: db_time.BarsView | None
    when: Chart | None  # active sessions over both windows
    sampled: dict[str, Any] | None  # of two ASH reports, instead of the time
    basis: str
    check: CheckView | None = None
    commonality: str = ""  # how much of the captured SQL runs on both sides


def present(comparison: Comparison, titles: Mapping[str, str]) -> Overview:
    """`titles`: by section id."""
    views = [finding_view(f, titles, at) for at, f in enumerate(comparison.findings, 1)]
    if (median := comparison.median) is not None:
        views = [_with_lies(f, view, median) for f, view in zip(comparison.findings, views, strict=True)]
    findings = in_order(comparison.findings, views)
    events = comparison.commit_latency.events
    return Overview(
        identity=_identities(comparison),
        comparison=comparison,
        names=_names(comparison, titles),
        beside=" ".join(s.text for s in comparison.verdict if s.about == "load"),
        time=db_time.present(comparison, titles),
        findings=tuple(f for f in findings if not f.is_folded),
        more_findings=(folded := tuple(f for f in findings if f.is_folded)),
        more_heading=heading_of(folded),
        rules=rules_said(comparison.rules),
        all_clear=comparison.answer.is_all_clear and all(f.severity == "note" for f in comparison.findings),
        weighed=all(header["kind"] in OF_AN_INTERVAL for header in comparison.headers),
        commit=commit.present(
            comparison.commit_latency,
            cited=any(f.rule == "commit-latency" and f.severity != "note" for f in comparison.findings),
        ),
        ranked=ranked_changes.ranked_view(comparison, titles),
        trace_said=trace_events.headline(events) if events is not None else "",
        bars=db_time.bars_view(
            bars_of(comparison),
            [i.cpus for i in comparison.identity],
            _events(comparison, titles),
            _anchors(comparison, titles),
        ),
        when=activity_chart(comparison.activity, in_brief=True) if comparison.activity is not None else None,
        sampled=sampled_activity.sampled_view(comparison.sampled) if comparison.sampled is not None else None,
        basis="s" if comparison.elapsed_differs else "total",
        check=_check(comparison.oracle_check),
        commonality=shared_sql_text(comparison),
    )


def _events(comparison: Comparison, titles: Mapping[str, str]) -> dict[str, LinkView]:
    links = Links(comparison, titles)
    if comparison.attribution is None:
        return {}
    parts = db_time.parts_of(comparison.attribution)
    return {p.consumer.key: db_time.name_of(p, links) for p in parts if p.consumer is not None}


def _anchors(comparison: Comparison, titles: Mapping[str, str]) -> dict[str, str]:
    if comparison.sampled is not None:
        anchors = {row.key: f"{row.section}/{row.row_id}" for row in comparison.sampled.of_kind("event")}
        return {**anchors, CPU_NAME: anchors.get(SAMPLED_CPU, "")}
    links, a = Links(comparison, titles), comparison.attribution
    anchors = {p.subject.key: db_time.anchor_of(p, links) for p in db_time.parts_of(a)} if a is not None else {}
    return {**anchors, CPU_NAME: anchors.get(CPU_SUBJECT.key, "")}


def _names(comparison: Comparison, titles: Mapping[str, str]) -> dict[str, LinkView]:
    links = Links(comparison, titles)
    movers = (links.subject(subject) for subject in links.movers if subject.kind in KINDS)
    named_links = {
        link.text: link for link in (*_events(comparison, titles).values(), *movers) if link.target or link.path
    }
    named_links.pop(CPU_NAME, None)  # a word of many sentences
    return named_links


def _with_lies(finding: Finding, view: FindingView, median: Median) -> FindingView:
    lies = [lie for e in finding.evidence if (lie := of_head(median, e)) is not None]
    return replace(view, lies=next((lie for lie in lies if lie.outside), lies[0])) if lies else view


def _check(check: OracleCheck | None) -> CheckView | None:
    if check is None or not check.disagreements:
        return None
    rows = tuple(_disagreement(d) for d in check.disagreements)
    return CheckView(rows, check.disagree - len(rows))


def _disagreement(d: Disagreement) -> tuple[LinkView, str, tuple[str, ...]]:
    unit = " %" if d.kind == "pct" else ""
    ours = f"{d.ours:,.4g}{unit}" if d.ours is not None else fmt.NONE
    figures = (f"{d.first:,.10g}", f"{d.second:,.10g}", f"{d.oracle:,.6g}{unit}", ours)
    return LinkView(f"{d.title}: {d.label}", f"{d.section}/{d.row_id}"), d.row, figures


def in_order(findings: Sequence[Finding], views: Sequence[FindingView]) -> tuple[FindingView, ...]:
    """Criticals, warnings, duplicates, then notes."""
    marked = [
        replace(view, is_twin=finding.severity != "note" and _is_twin(finding, findings))
        for finding, view in zip(findings, views, strict=True)
    ]
    return tuple(sorted(marked, key=lambda view: (view.is_folded, view.is_note, view.cls != "crit")))


def heading_of(folded: Sequence[FindingView]) -> str:
    twins = sum(f.is_twin for f in folded)
    notes = fmt.count_text(len(folded) - twins, "note") if len(folded) > twins else ""
    same = f"{fmt.count_text(twins, 'finding')} say{'s' if twins == 1 else ''} the same in other words" if twins else ""
    return " · ".join(filter(None, (same, notes)))


def _is_twin(finding: Finding, findings: Sequence[Finding]) -> bool:
    return any(f.rule == finding.folded_into and not f.folded_into and f.severity != "note" for f in findings)


def clauses(title: str, text: str) -> tuple[str, str]:
    """Split after a first clause that fits a title."""
    match = _CLAUSE.search(text)
    lead, rest = (text[: match.start()], text[match.end() :]) if match else (text.removesuffix("."), "")
    return (lead, rest) if len(title) + len(lead) <= ONE_LINE else ("", text)


def rules_said(rules: Sequence[RuleOutcome]) -> str:
    """Counts: fired, quiet, denied, unchecked."""
    if not rules:
        return ""
    states = [rule.state for rule in rules]
    fired, quiet, forbidden, unknown = (states.count(state) for state in ("fired", "quiet", "forbidden", "unknown"))
    text = f"{fired} of {len(rules)} rules fired · {quiet} quiet"
    denied = f" · {forbidden} denied by other figures" if forbidden else ""
    return f"{text}{denied} · {unknown} could not be checked" if unknown else f"{text}{denied}"


def _identities(comparison: Comparison) -> tuple[IdentityView, ...]:
    first, second = comparison.identity
    session_change = ""
    if _far_apart(first.active_sessions, second.active_sessions):
        rose = (second.active_sessions or 0.0) > (first.active_sessions or 0.0)
        session_change = "neutral" if comparison.unrelated else "worse" if rose else "better"
    first_identity, second_identity = identities(comparison)
    if first_identity.of_several:
        first_identity = _said_once(first_identity, second_identity)
    return IdentityView(first_identity, _system(first_identity.platform)), IdentityView(
        second_identity, _system(second_identity.platform), session_change
    )


def _said_once(first_identity: Identity, second_identity: Identity) -> Identity:
    """A median's long line omits host and platform that Second has."""
    if (first_identity.host, first_identity.platform) == (second_identity.host, second_identity.platform):
        first_identity = structs.replace(first_identity, host="", platform="")
    return (
        structs.replace(first_identity, release="")
        if first_identity.release == second_identity.release
        else first_identity
    )


def _far_apart(first: float | None, second: float | None) -> bool:
    if not first or not second:
        return False
    return max(first, second) / min(first, second) >= 1.5


def _system(platform: str) -> str:
    """`AIX-Based Systems (64-bit)` is AIX, `Solaris[tm] OE (64-bit)` Solaris."""
    if "Windows" in platform:
        return "Windows"
    return re.split(r"[\s\-\[(]", platform, maxsplit=1)[0]


def finding_view(finding: Finding | SingleFinding, titles: Mapping[str, str], number: int = 0) -> FindingView:
    """`number`: place in the list; 0 for none."""
    mark, cls, spoken = MARKS[finding.severity]
    lead, text = clauses(finding.title, finding.text)
    evidence_links: dict[str, LinkView] = {}
    for e in finding.evidence:
        if e.section not in titles:
            continue  # the figure came from elsewhere: a link would lead nowhere
        title = titles[e.section]
        target = f"{e.section}/{e.row_id}" if e.row_id else e.section
        evidence_links.setdefault(target, LinkView(f"{title}: {e.key}" if e.key else title, target))
    visible_evidence = tuple(evidence_links.values())[:5]
    about = finding.subject
    subject = Ref(about.kind, about.key) if about is not None and about.kind in KINDS else None
    more = len(evidence_links) - len(visible_evidence)
    return FindingView(
        number,
        mark,
        cls,
        spoken,
        finding.title,
        lead,
        text,
        visible_evidence,
        more,
        of_finding(finding),
        subject,
    )
