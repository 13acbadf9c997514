"""Identity strip, verdict, findings, the card of commit waits, and the parts of reports looked at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import structs

from awrdiff.analysis.commit_latency.figure_catalogue import Figure, value_of
from awrdiff.analysis.commit_latency.figure_catalogue import figures as figures_named
from awrdiff.analysis.entities.kinds import KINDS, Ref
from awrdiff.analysis.export.report_headers import Identity, identities
from awrdiff.analysis.model.comparison import (
    CommitFigures,
    CommitLatency,
    Comparison,
    Finding,
    OracleCheck,
    RuleOutcome,
)
from awrdiff.analysis.model.single_report import SingleFinding
from awrdiff.analysis.oracle_compare.period_columns import PERIODS
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.report_scopes import WHOLE, aspect_text
from awrdiff.analysis.verdict.db_time_bars import CPU_NAME, SAMPLED_CPU, bars_of
from awrdiff.analysis.verdict.ranked_changes import CPU_SUBJECT
from awrdiff.comparisons.anchors import of_finding
from awrdiff.comparisons.report_pairs import places_of_pair
from awrdiff.comparisons.report_places_and_titles import PlacedReport, choices_of
from awrdiff.web import value_formatting as fmt
from awrdiff.web.presenters.baseline.spread_and_position import of_head
from awrdiff.web.presenters.commit.figure_texts import NO_CHANGE, NOTHING, SHOW, TableRow, figure, notes
from awrdiff.web.presenters.page import db_time, sampled_activity, trace_events
from awrdiff.web.presenters.page.db_time import Links, LinkView, TimePart, anchor_of, name_of
from awrdiff.web.presenters.page.sampled_activity import activity_chart
from awrdiff.web.query_options import Choice

ONE_LINE = 110  # characters of title and clause together
MOST_EVIDENCE = 5
_CLAUSE = re.compile(r"[;.] ")
MARKS = {"critical": ("▲▲", "crit", "Critical"), "warning": ("▲", "warn", "Warning"), "note": ("=", "note", "Note")}


# Of the catalogue of commit figures, in this order.
CARD_FIGURES = ("naive_overhead_s", "slow_writes_up_to_s", "naive_db_time_share", "lfs_waits")


def present(comparison: Comparison, titles: Mapping[str, str]) -> dict[str, Any]:
    """`titles`: by section id."""
    views = [finding_view(f, titles, at) for at, f in enumerate(comparison.findings, 1)]
    if (median := comparison.median) is not None:
        for view in views:
            lies = [lie for e in view["finding"].evidence if (lie := of_head(median, e)) is not None]
            view["lies"] = next((lie for lie in lies if lie.outside), lies[0] if lies else None)
    findings = in_order(comparison.findings, views)
    folded = [f for f in findings if f["is_folded"]]
    traces, check = comparison.commit_latency.events, comparison.oracle_check
    links, time = Links(comparison, titles), comparison.attribution
    parts = db_time.parts_of(time) if time is not None else []
    events = {part.consumer.key: name_of(part, links) for part in parts if part.consumer is not None}
    names = (*events.values(), *(links.subject(subject) for subject in links.movers if subject.kind in KINDS))
    return {
        "identity": _identities(comparison),
        "comparison": comparison,
        # Where what its texts name leads; CPU is a word of many sentences.
        "names": {link.text: link for link in names if (link.target or link.path) and link.text != CPU_NAME},
        "beside": " ".join(s.text for s in comparison.verdict if s.about == "load"),
        "time": db_time.present(comparison, titles),
        "findings": [f for f in findings if not f["is_folded"]],
        "more_findings": folded,  # no warning is
        "more_heading": heading_of(folded),
        "rules": rules_text(comparison.rules),
        "all_clear": comparison.answer.is_all_clear and all(f.severity == "note" for f in comparison.findings),
        # Both print what happened in an interval: the rules and the commit figures have something to look at.
        "weighed": all(header["kind"] in OF_AN_INTERVAL for header in comparison.headers),
        "commit": _commit_card(
            comparison.commit_latency,
            cited=any(f.rule == "commit-latency" and f.severity != "note" for f in comparison.findings),
        ),
        "ranked": db_time.ranked_view(comparison, titles),
        "trace_headline": trace_events.headline(traces) if traces is not None else "",
        "bars": db_time.bars_view(
            bars_of(comparison),
            [i.cpus for i in comparison.identity],
            events,
            _anchors(comparison, parts, links),
        ),
        "when": activity_chart(comparison.activity, in_brief=True) if comparison.activity is not None else None,
        # Of two ASH reports, instead of the time.
        "sampled": sampled_activity.sampled_view(comparison.sampled) if comparison.sampled is not None else None,
        "basis": "s" if comparison.elapsed_differs else "total",
        "check": _check(check) if check is not None and check.disagreements else None,
    }


def _anchors(comparison: Comparison, parts: Iterable[TimePart], links: Links) -> dict[str, str]:
    if comparison.sampled is not None:
        anchors = {row.key: f"{row.section}/{row.row_id}" for row in comparison.sampled.of_kind("event")}
        return {**anchors, CPU_NAME: anchors.get(SAMPLED_CPU, "")}
    anchors = {part.subject.key: anchor_of(part, links) for part in parts}
    return {**anchors, CPU_NAME: anchors.get(CPU_SUBJECT.key, "")}


def _check(check: OracleCheck) -> dict[str, Any]:
    """Oracle's differences that contradict its own figures: First, Second, Oracle's, ours."""
    rows = []
    for d in check.disagreements:
        unit = " %" if d.kind == "pct" else ""
        ours = f"{d.ours:,.4g}{unit}" if d.ours is not None else fmt.NONE
        rows.append((d, (f"{d.first:,.10g}", f"{d.second:,.10g}", f"{d.oracle:,.6g}{unit}", ours)))
    return {"rows": rows, "more": check.disagree - len(rows)}


def in_order(findings: Sequence[Finding], views: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Criticals, warnings, duplicates, then notes."""
    marked = []
    for finding, view in zip(findings, views, strict=True):
        is_note = finding.severity == "note"
        is_twin = not is_note and any(
            f.rule == finding.folded_into and not f.folded_into and f.severity != "note" for f in findings
        )
        marked.append({**view, "is_twin": is_twin, "is_folded": is_note or is_twin})
    return sorted(marked, key=lambda f: (f["is_folded"], f["cls"] == "note", f["cls"] != "crit"))


def heading_of(folded: Sequence[Mapping[str, Any]]) -> str:
    twins = sum(f.get("is_twin", False) for f in folded)
    notes = fmt.count_text(len(folded) - twins, "note") if len(folded) > twins else ""
    same = f"{fmt.count_text(twins, 'finding')} say{'s' if twins == 1 else ''} the same in other words" if twins else ""
    return " · ".join(filter(None, (same, notes)))


def clauses(title: str, text: str) -> tuple[str, str]:
    """Split after a first clause that fits a title."""
    match = _CLAUSE.search(text)
    lead, rest = (text[: match.start()], text[match.end() :]) if match else (text.removesuffix("."), "")
    return (lead, rest) if len(title) + len(lead) <= ONE_LINE else ("", text)


def rules_text(rules: Sequence[RuleOutcome]) -> str:
    """Counts: fired, quiet, denied, unchecked."""
    if not rules:
        return ""
    states = [rule.state for rule in rules]
    fired, quiet, forbidden, unknown = (states.count(state) for state in ("fired", "quiet", "forbidden", "unknown"))
    text = f"{fired} of {len(rules)} rules fired · {quiet} quiet"
    denied = f" · {forbidden} denied by other figures" if forbidden else ""
    return f"{text}{denied} · {unknown} could not be checked" if unknown else f"{text}{denied}"


def _identities(comparison: Comparison) -> list[tuple[Identity, str, str]]:
    """With the short name of the system and, if sessions changed by half, the class of the change."""
    first, second = (facts.active_sessions for facts in comparison.identity)
    change_class = ""
    if first and second and max(first, second) / min(first, second) >= 1.5:
        change_class = "neutral" if comparison.unrelated else "worse" if second > first else "better"
    first_identity, second_identity = identities(comparison)
    if first_identity.of_several:
        first_identity = _without_shared_facts(first_identity, second_identity)
    sides = ((first_identity, ""), (second_identity, change_class))
    return [(identity, _system(identity.platform), change) for identity, change in sides]


def _without_shared_facts(first_identity: Identity, second_identity: Identity) -> Identity:
    """A median's long line omits host and platform that Second has."""
    if (first_identity.host, first_identity.platform) == (second_identity.host, second_identity.platform):
        first_identity = structs.replace(first_identity, host="", platform="")
    return (
        structs.replace(first_identity, release="")
        if first_identity.release == second_identity.release
        else first_identity
    )


def _system(platform: str) -> str:
    """`AIX-Based Systems (64-bit)` is AIX, `Solaris[tm] OE (64-bit)` Solaris."""
    if "Windows" in platform:
        return "Windows"
    return re.split(r"[\s\-\[(]", platform, maxsplit=1)[0]


def finding_view(finding: Finding | SingleFinding, titles: Mapping[str, str], number: int = 0) -> dict[str, Any]:
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
    about = finding.subject
    return {
        "finding": finding,
        "number": number,
        "mark": mark,
        "cls": cls,
        "spoken": spoken,
        "title": finding.title,
        "lead": lead,  # the first clause of its text, beside the title; the rest opens
        "text": text,
        "evidence": list(evidence_links.values())[:MOST_EVIDENCE],
        "more": len(evidence_links) - MOST_EVIDENCE,
        "anchor": of_finding(finding),
        "subject": Ref(about.kind, about.key) if about is not None and about.kind in KINDS else None,
    }


def _commit_card(commit: CommitLatency, *, cited: bool = False) -> dict[str, Any]:
    """Log file sync minus log file parallel write. `cited`: a finding points to commits."""
    first, second = pair = commit.reports[0], commit.reports[1]
    meters = (_meter("First", first), _meter("Second", second))
    lines = [_line(listed, pair) for listed in figures_named(*CARD_FIGURES)]
    return {
        "headline": _headline(commit),
        "stands_high": commit.material or cited,  # else a line is enough
        "meters": [meter for meter in meters if meter is not None],
        "lines": [line for line in lines if any(f != NOTHING for f in line.figures)],
        "missing": notes("missing", ("First", "Second"), (first.missing, second.missing)),
    }


def _headline(commit: CommitLatency) -> str:
    if all(f.lfs_waits is None for f in commit.reports):
        return "no commit waits printed"
    shares = [fmt.share(f.lfs_db_time_share.value * 100) for f in commit.reports[:2] if f.lfs_db_time_share]
    of = "call time" if any(f.of_call_time for f in commit.reports) else "DB time"
    of_db_time = f"{' → '.join(shares)} of {of}" if shares else ""
    if commit.material:
        return of_db_time or "material"
    return f"not material here: {of_db_time}" if of_db_time else "not material here"


def _meter(side: str, figures: CommitFigures) -> dict[str, Any] | None:
    """Bar of write and rest; widths in percent."""
    wait, write = figures.lfs_avg_s, figures.lfpw_avg_s
    if wait is None or wait.value <= 0:
        return None
    meter = {"side": side, "wait": fmt.quantity(wait.value, "s")}
    if write is None:
        return {**meter, "other_width": 100.0}
    other = wait.value - write.value
    whole = max(wait.value, write.value)
    return {
        **meter,
        "write": fmt.quantity(write.value, "s"),
        "other": fmt.quantity(other, "s") if other > 0 else "",
        "write_width": round(write.value / whole * 100, 1),
        "other_width": round(max(other, 0.0) / whole * 100, 1),
        "shorter": other < 0,  # commits waited less than an average write
    }


def _line(listed: Figure, pair: tuple[CommitFigures, CommitFigures]) -> TableRow:
    figures = [figure(value_of(listed.name, f), SHOW[listed.unit]) for f in pair]
    label = listed.label
    if listed.name == "naive_overhead_s":
        label = "Outside the redo write"
        shares = [value_of("naive_share", f) for f in pair]
        figures = [
            replace(f, text=f"{f.text} ({fmt.share(share.value * 100)})") if share else f
            for f, share in zip(figures, shares, strict=True)
        ]
    return TableRow(label, listed.hint, tuple(figures), NO_CHANGE)


def parts_of_sides(
    placed_reports: Sequence[PlacedReport], pair: int, *, may_choose: bool
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """One choice if both sides offer the same, else one for each."""
    if len(placed_reports) < 2:
        return None, []
    first, second = places_of_pair(pair, len(placed_reports))
    sides = (("First", placed_reports[first]), ("Second", placed_reports[second]))
    parts = [_part_of_side(side, placed_report, may_choose=may_choose) for side, placed_report in sides]
    choosable = [part for part in parts if part["label"] or part["choices"]]
    return _common_part(choosable), choosable


def _common_part(parts: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Compare reports choose per side: their periods always differ."""
    if len(parts) < 2:
        return None
    first, second = (part["choices"] for part in parts)
    values = [choice.value for choice in first]
    if not values or set(values) & set(PERIODS) or values != [choice.value for choice in second]:
        return None
    choices = [a._replace(current=a.current and b.current) for a, b in zip(first, second, strict=True)]
    return {"looks": "Both look at", "place": "all", "choices": choices}


def _part_of_side(side: str, placed_report: PlacedReport, *, may_choose: bool) -> dict[str, Any]:
    kind = placed_report.report.kind
    offered = choices_of(placed_report.report) if may_choose or not placed_report.aspect else ()
    label = aspect_text(placed_report.aspect, kind) if placed_report.aspect or offered else ""
    # both periods at once are no interval: once one is chosen, there is no way back to them
    aspects = [a for a in offered if a != WHOLE or kind != "awr_compare" or placed_report.aspect == WHOLE]
    choices = [Choice(a, aspect_text(a, kind), a == placed_report.aspect) for a in aspects] if may_choose else []
    return {"looks": f"{side} looks at", "place": placed_report.position, "label": label, "choices": choices}
