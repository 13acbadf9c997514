"""ADDM's findings beside the report's own figures of the same window. They weigh samples, overlap, and may exceed DB
time.

Source: Oracle Database Performance Tuning Guide, Automatic Performance Diagnostics.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from msgspec import Struct

from awrdiff.analysis.figures_in_words import listing, number, percent, sentence
from awrdiff.analysis.model.comparison import Evidence, Range, Sessions, Subject, Tone
from awrdiff.analysis.report.addm_analyses import analyses_of, periods_of, weighted_mean
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.printed_rows import printed_rows
from awrdiff.analysis.rows.align import anchor
from awrdiff.analysis.verdict.rule_inputs import Facts, FactsOfTwo
from awrdiff.analysis.verdict.rule_result import QUIET, Contradicted, Observation, RuleResult, Unknown
from awrdiff.analysis.verdict.thresholds import OF_CHANGE
from parsers.model import Section

FINDINGS = "addm_findings"
TOP = "top_addm_findings"
ADVICE = "addm_recommendations"
TOLERANCE = 0.25  # of the larger of both: what sampling once in 10 s leaves open over an hour
LEAST_APART = 0.1  # active sessions
WHOLE = 0.9  # of DB time that analyses must cover to be held against the report's figures
MOST = 4
_CPU = "CPU Usage"
_TUNING = "SQL Tuning"
KIND = "addm"
_NO_BOTTLENECK = "CPU was not a bottleneck"

Measure = Callable[[Side], float | None]


class AddmFinding(Struct, frozen=True):
    """Average over a window's analyses by their lengths; `here`: report's own figures."""

    name: str
    sessions: float
    here: float | None
    evidence: Evidence

    @property
    def differs(self) -> bool:
        if self.here is None:
            return False
        limit = max(TOLERANCE * max(self.sessions, self.here), LEAST_APART)
        return abs(self.sessions - self.here) > limit

    @property
    def text(self) -> str:
        beside = f" (measured {number(round(self.here, 2))})" if self.here is not None else ""
        return f"{self.name} {number(round(self.sessions, 2))}{beside}"


def largest_findings(facts: Facts) -> RuleResult:
    """The largest findings of ADDM in active sessions, and which of them the report's own figures do not bear out."""
    by_side = [(side, [f for f in findings_of(side) if f.sessions >= facts.least_sessions]) for side in facts.sides]
    if not any(of for _, of in by_side):
        return QUIET if any(map(is_printed, facts.sides)) else Unknown("ADDM's findings")
    names = ("First", "Second") if len(by_side) > 1 else ("",)
    apart = [
        f"{f.name} of {n}" if n else f.name
        for n, (_, of) in zip(names, by_side, strict=True)
        for f in of[:MOST]
        if f.differs
    ]
    texts = [(n, findings_text(side, of)) for n, (side, of) in zip(names, by_side, strict=True) if of]
    text = " ".join(f"{n}, {text}" if n else sentence(text) for n, text in texts)
    if apart:  # findings that the report does not confirm
        queued = " Samples count a session that queues for CPU as on CPU." * any(a.startswith(_CPU) for a in apart)
        text += f" The report's own figures differ for {listing(apart)}.{queued}"
    rows = tuple(f.evidence for _, of in reversed(by_side) for f in of[:MOST])
    title = "ADDM weighs some things differently." if apart else "What ADDM found."
    return Observation(title, text, rows, subject=Subject("other", "ADDM"))


def changed_findings(facts: FactsOfTwo) -> RuleResult:
    """Findings of two ADDM reports that came, went or moved by {OF_CHANGE:%} of the busier side's active sessions."""
    sides = facts.sides
    shares = [impacts_of(side) if side.report.kind == KIND else {} for side in sides]
    if any(side.report.kind != KIND or not side.active_sessions for side in sides):
        return Unknown("ADDM's findings of both")
    targets = [side.text("addm_period", "target", "1") or "" for side in sides]
    if all(targets) and targets[0] != targets[1]:
        return Contradicted(f"ADDM analysed {targets[0]} in First, {targets[1]} in Second")
    wholes = [side.active_sessions or 0.0 for side in sides]
    observed = []
    for name in dict.fromkeys([*shares[1], *shares[0]]):
        a, b = (of[name][0] * whole if name in of else 0.0 for of, whole in zip(shares, wholes, strict=True))
        if abs(b - a) >= OF_CHANGE * max(wholes) > 0:
            observed.append((abs(b - a), name, a, b))
    observed.sort(reverse=True)
    return tuple(_change_of_finding(name, a, b, shares) for _, name, a, b in observed[:MOST]) or QUIET


def _change_of_finding(name: str, a: float, b: float, shares: list[dict[str, tuple[float, Evidence]]]) -> Observation:
    listed_in = [(side, of[name]) for side, of in zip(("First", "Second"), shares, strict=True) if name in of]
    of_time = listing([f"{percent(share)} of {side}'s DB time" for side, (share, _) in listed_in])
    if len(listed_in) == 1:
        side, other = listed_in[0][0], "Second" if listed_in[0][0] == "First" else "First"
        title = f"ADDM finds {name} in {side} alone."
        text = f"{name}: {number(round(a or b, 2))} active sessions, {of_time}; not among {other}'s findings."
    else:
        title = f"ADDM gives {'more' if b > a else 'less'} to {name}."
        text = f"{name}: {number(round(a, 2))} → {number(round(b, 2))} active sessions, {of_time}."
    tone: Tone = "worse" if b > a else "better"
    sessions = Sessions(Range(a, a), Range(b, b))
    return Observation(title, text, (listed_in[-1][1][1],), sessions, Subject("other", f"ADDM: {name}"), tone)


def impacts_of(side: Side) -> dict[str, tuple[float, Evidence]]:
    """(share 0..1 of DB time, row) by finding, largest first."""
    impacts: dict[str, tuple[float, Evidence]] = {}
    for row in printed_rows(side.report.section(FINDINGS)):
        pct, name = row.number("pct_activity"), row.text("finding")
        if pct is not None:
            share, evidence = impacts.get(name, (0.0, row.evidence(name, "pct_activity")))
            impacts[name] = (share + pct.number / 100, evidence)
    return dict(sorted(impacts.items(), key=lambda item: -item[1][0]))


def ruled_out(side: Side) -> str:
    texts = (row.text("information") for row in printed_rows(side.report.section("addm_information")))
    return "CPU was not a bottleneck, as ADDM says." if any(_NO_BOTTLENECK in t for t in texts) else ""


def is_printed(side: Side) -> bool:
    return any(side.has(section) for section in (FINDINGS, TOP, "addm_period"))


def findings_text(side: Side, findings: list[AddmFinding]) -> str:
    text = f"in active sessions{_of_which(side)}: {', '.join(f.text for f in findings[:MOST])}."
    statements = [f"{i} ({number(round(s, 2))})" for i, s in statements_named(side)[:2]]
    if statements:
        text += f" Of statements it advises to tune {listing(statements)}."
    return text


def _of_which(side: Side) -> str:
    if is_whole(side) or not side.active_sessions:
        return " averaged over the window" if is_whole(side) and len(_lengths_s(side)) > 1 else ""
    tasks = _tasks(side)
    if not tasks:
        return " of its own analyses"
    mean = weighted_mean(tasks, _lengths_of_tasks(side), len(tasks))
    return f" of its own analyses ({number(round(mean, 2))} on average, {number(side.active_sessions)} in the window)"


def findings_of(side: Side) -> list[AddmFinding]:
    """Largest first; not compared where analyses disagree or are partial."""
    by_analysis: dict[str, dict[str, float]] = defaultdict(dict)
    rows: dict[str, Evidence] = {}
    for analysis, name, sessions, evidence in _impacts(side.report.section(FINDINGS) or side.report.section(TOP)):
        by_analysis[name][analysis] = sessions
        rows.setdefault(name, evidence)
    count = max(len({a for each in by_analysis.values() for a in each}), _analyses(side), 1)
    whole, findings, lengths_s = is_whole(side), [], _lengths_s(side)
    for name, each in by_analysis.items():
        measure = MEASURES.get(name) if whole and len(each) == count else None
        here = measure(side) if measure is not None else None
        findings.append(AddmFinding(name, weighted_mean(each, lengths_s, count), here, rows[name]))
    return sorted(findings, key=lambda f: -f.sessions)


def _impacts(section: Section | None) -> Iterator[tuple[str, str, float, Evidence]]:
    """(analysis, finding, active sessions, row)"""
    quoted = section is not None and section.id == FINDINGS
    task, column = ("analysis", "impact_active_sessions") if quoted else ("task_name", "pct_active_sessions")
    for row in printed_rows(section):
        impact, of = row.number(column), row.number("task_avg_active_sessions")
        if impact is not None and (quoted or of is not None):
            sessions = of.number * impact.number / 100 if of is not None and not quoted else impact.number
            name, parts = row.text("finding"), [row.text(c) for c in row.section.key]
            yield row.text(task), name, sessions, Evidence(row.section.id, name, column, anchor(row.section.id, *parts))


def _analyses(side: Side) -> int:
    section = side.report.section("addm_period")
    return len(section.records) if section is not None else 0


def is_whole(side: Side) -> bool:
    """Analyses cover the report's DB time, no more."""
    period = side.report.section("addm_period")
    if side.db_time is None or not side.active_sessions:
        return False
    if period is not None:
        covered = sum(v.number for r in period.records if (v := period.number(r, "db_time_s")) is not None)
        return WHOLE <= covered / side.db_time.number <= 1 / WHOLE
    tasks = _tasks(side)
    if not tasks:
        return False
    mean = weighted_mean(tasks, _lengths_of_tasks(side), len(tasks))
    return WHOLE <= mean / side.active_sessions <= 1 / WHOLE


def _lengths_s(side: Side) -> dict[str, float]:
    """Seconds by analysis: ADDM's own texts number them, the list of top findings names their tasks."""
    if not side.has(FINDINGS):
        return _lengths_of_tasks(side)
    return {each.analysis: each.length_s for each in periods_of(side.report)}


def _lengths_of_tasks(side: Side) -> dict[str, float]:
    return {a.evidence.key: (a.end - a.begin).total_seconds() for a in analyses_of(side.report)}


def _tasks(side: Side) -> dict[str, float]:
    rows = ((row.text("task_name"), row.number("task_avg_active_sessions")) for row in printed_rows(side.section(TOP)))
    return {task: sessions.number for task, sessions in rows if sessions is not None}


def statements_named(side: Side) -> list[tuple[str, float]]:
    """(SQL id, promised active sessions) of tuning advice, largest first."""
    benefits: dict[str, dict[str, float]] = defaultdict(dict)
    for sql_id, analysis, benefit, _ in _tunings(side):
        benefits[sql_id][analysis] = max(benefits[sql_id].get(analysis, 0.0), benefit)
    count = max(_analyses(side), len({a for each in benefits.values() for a in each}), 1)
    lengths_s = {each.analysis: each.length_s for each in periods_of(side.report)}
    means = ((i, weighted_mean(each, lengths_s, count)) for i, each in benefits.items())
    return sorted(means, key=lambda item: -item[1])


def advice_row(side: Side, sql_id: str) -> Evidence | None:
    return next((row for advised_id, _, _, row in _tunings(side) if advised_id == sql_id), None)


def _tunings(side: Side) -> Iterator[tuple[str, str, float, Evidence]]:
    """(SQL id, analysis, promised active sessions, row)"""
    column = "benefit_active_sessions"
    for row in printed_rows(side.report.section(ADVICE)):
        sql_id, benefit = row.text("sql_id"), row.number(column)
        if row.text("type").startswith(_TUNING) and sql_id and benefit is not None:
            yield sql_id, row.text("analysis"), benefit.number, row.evidence(sql_id, column)


def _events(*beginnings: str) -> Measure:
    def measure(side: Side) -> float | None:
        if not side.foreground or side.foreground_is_partial:
            return None
        return sum(side.per_second(e.total) or 0.0 for n, e in side.foreground.items() if n.startswith(beginnings))

    return measure


def _time(statistic: str, less: str = "") -> Measure:
    def measure(side: Side) -> float | None:
        whole = side.per_second(side.time_model(statistic))
        part = side.per_second(side.time_model(less)) if less else 0.0
        return whole - part if whole is not None and part is not None else None

    return measure


# ADDM's name of a finding, and what the report's own figures have of the same thing.
MEASURES: dict[str, Measure] = {
    "Row Lock Waits": _events("enq: tx - row lock"),
    "ITL Waits": _events("enq: tx - allocate itl"),
    "Log File Switches": _events("log file switch"),
    "Commits and Rollbacks": _events("log file sync"),
    "Resource Manager CPU Throttling": _events("resmgr:cpu quantum"),
    "Hard Parse": _time("hard parse elapsed time"),
    "Soft Parse": _time("parse time elapsed", less="hard parse elapsed time"),
    "Session Connect and Disconnect": _time("connection management call elapsed time"),
    "PL/SQL Execution": _time("PL/SQL execution elapsed time"),
    "Java Execution": _time("Java execution elapsed time"),
    "CPU Usage": _time("DB CPU"),
}
