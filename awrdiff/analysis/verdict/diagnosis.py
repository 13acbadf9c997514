"""Judgement of each side alone, then as a pair; symmetric when turned round."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from msgspec.structs import replace

from awrdiff.analysis.figures_in_words import change, listing, number, percent, seconds, several
from awrdiff.analysis.model.comparison import Finding
from awrdiff.analysis.model.diagnosis import Answer, Cause, State, Trouble
from awrdiff.analysis.model.ranked_changes import Sessions
from awrdiff.analysis.model.single_report import SingleFinding
from awrdiff.analysis.report.figures_by_name import Side
from awrdiff.analysis.report.kinds import OF_AN_INTERVAL
from awrdiff.analysis.report_time_windows import SPAN_WORDS, span_word
from awrdiff.analysis.verdict import capacity_limits, reports_without_interval, trouble_detection
from awrdiff.analysis.verdict.active_sessions_attribution import unaccounted_share
from awrdiff.analysis.verdict.candidate_explanations import Claim, View, best_claim
from awrdiff.analysis.verdict.capacity_limits import OF_CPUS, Threshold, cpus_of
from awrdiff.analysis.verdict.findings import Outcome, alarms_of
from awrdiff.analysis.verdict.rule_inputs import FactsOfOne, FactsOfTwo
from awrdiff.analysis.verdict.rules import awr_sql_report, cold_start_and_parameters, memory
from awrdiff.analysis.verdict.rules.commits import same_work
from awrdiff.analysis.verdict.rules.waits import shorter_slow_writes
from awrdiff.analysis.verdict.rules.workload_throughput import cluster_text, idle_text, load_text
from awrdiff.analysis.verdict.same_workload_check import OTHER
from awrdiff.analysis.verdict.severity import RANK
from awrdiff.analysis.verdict.statement_changes import RUN_SLOWER, runs_text
from awrdiff.analysis.verdict.thresholds import QUEUEING_PCT, SLOW_S, UNACCOUNTED

_ROSE, _LEAST_RISE = 1.25, 0.5  # times as many sessions; sessions
_PER_UNIT = 1.15  # DB time per unit of work: within it the load grew, and nothing became slower
_MUCH_MORE = 1.25  # the sicker of two sick hours
_STEADY = 0.10
AS_SICK = 0.9  # of First's level: from there on Second is as sick, and the later hour leads

_NAMED_SECTIONS = 3  # of an excerpt
_SECTIONS_OF = (
    ("statements", ("sql_by_", "top_sql")),
    ("objects", ("segments_by_", "top_db_objects")),
    ("the host's CPUs", ("host_", "os_statistics")),
)


def answer_of(facts: FactsOfTwo, outcome: Outcome[Finding]) -> tuple[Answer, Claim | None]:
    sick = trouble_detection.troubles_of(*facts.sides), trouble_detection.troubles_of(facts.second, facts.first)
    unread = trouble_detection.unread_of(facts.first), trouble_detection.unread_of(facts.second)
    if any(unread):
        return _partial(facts, outcome, sick, unread), None
    if facts.unrelated:
        return Answer("different_databases", _two_databases(facts, sick), first=sick[0], second=sick[1]), None
    state, is_second = _state(facts, sick)
    if state in ("calm", "other_work"):
        return Answer(state, _calm(facts, outcome, state), first=sick[0], second=sick[1], span=facts.span), None
    view = View(facts, is_second)
    claim = best_claim(view, sick[1] if is_second else sick[0])
    lead = f"{cluster_text(facts)}: " if facts.cluster_side else ""
    a, b = (side.active_sessions or 0.0 for side in facts.sides)
    course, improvement = f"{number(a)} → {number(b)} active sessions", ""
    text = claim.headline if claim is not None else f"{course}, and no figure says why"
    main_clause, of_other_hour = f"{text}.", ""
    if facts.runs and state == "second_worse":
        main_clause = runs_text(*facts.sides, facts.runs, worse=True)
    elif state == "both_sick":
        levels, more = [_level(side) for side in sick], ""
        if max(levels) >= _MUCH_MORE * min(levels):
            more = f", {view.bad_name} more"
            still = f"Second is {'quieter and ' if view.is_rise else ''}still sick"
            other, how = (sick[0], "First was sick already") if is_second else (sick[1], still)
            of_other_hour = f"{how}: {other[0].text}."
        main_clause = f"Both {facts.span}s are sick{more}: {_inside(text)}."
    elif state == "first_was_sick":
        text = text.replace("First's host", "its host", 1) if text.startswith("First's host") else text
        main_clause = f"First was the {'sick' if sick[0] else 'worse'} {facts.span}: {_inside(text)}."
        if view.is_rise:
            swap_text = f", {swap_left}" if (swap_left := memory.swap_left(view.good)) else ""
            improvement = f"Second is quieter: {course} ({change(a, b)}){swap_text}."
    answer = Answer(
        state,
        f"{lead}{_inside(main_clause) if lead else main_clause}",
        " ".join(filter(None, (of_other_hour, claim.detail if claim is not None else ""))),
        not_the_cause=excluded(view, claim),
        improvement=improvement,
        first=sick[0],
        second=sick[1],
        span=facts.span,
    )
    return resting_on(answer, claim, outcome), claim


def resting_on(answer: Answer, claim: Claim | None, outcome: Outcome[Finding]) -> Answer:
    """Answer with the findings that state its claim."""
    if claim is None:
        return replace(answer, cause=None, findings=())

    def near(finding: Finding) -> int:
        of_rule, subject = finding.rule == claim.rule, finding.subject
        if claim.subject is not None and subject == claim.subject:
            return 2 + of_rule
        of_another = claim.subject is not None and subject is not None and subject.kind == claim.subject.kind
        return int(of_rule and not of_another)

    ranked = sorted(((near(f), -at) for at, f in enumerate(outcome.findings)), reverse=True)
    at = tuple(-at for score, at in ranked if score)
    finding = outcome.findings[at[0]] if at else None
    rule, subject = (finding.rule, finding.subject) if finding is not None else (claim.rule, None)
    return replace(answer, cause=Cause(rule, claim.subject or subject), findings=at)


def _level(troubles_of_side: Sequence[Trouble]) -> float:
    return max((trouble.sessions for trouble in troubles_of_side), default=0.0)


def sick_hour(answer: Answer) -> Literal["First", "Second", ""]:
    """Hour in more trouble; Second if nothing changed."""
    if answer.state == "first_was_sick":
        return "First" if answer.first else ""
    if answer.state != "both_sick":
        return ""
    first, second = _level(answer.first), _level(answer.second)
    if second < AS_SICK * first:
        return "First"
    return "Second" if first >= AS_SICK * second else ""


Sick = tuple[tuple[Trouble, ...], tuple[Trouble, ...]]


def _state(facts: FactsOfTwo, sick: Sick) -> tuple[State, bool]:
    levels = [_level(side) for side in sick]
    if all(sick):
        return "both_sick", levels[1] >= AS_SICK * levels[0]
    if any(sick):
        return ("second_worse", True) if sick[1] else ("first_was_sick", False)
    if facts.is_other_sql:
        return "other_work", True
    if _got_worse(View(facts, is_second=True)):
        return "second_worse", True
    return ("first_was_sick", False) if _got_worse(View(facts, is_second=False)) else ("calm", True)


def _got_worse(view: View) -> bool:
    facts, before, now = view.facts, view.good.active_sessions or 0.0, view.bad.active_sessions or 0.0
    least = max(_LEAST_RISE, OF_CPUS * (cpus_of(view.bad) or 0.0))
    if facts.runs:
        return any(r.is_slower if view.is_second else r.first_s >= RUN_SLOWER * r.second_s for r in facts.runs)
    if facts.cluster_side or facts.same_work is not None:
        return False
    if view.rise < least or now < _ROSE * before or facts.other_work:
        claim = best_claim(view, ())
        return claim is not None and claim.depth >= 5 and claim.sessions >= least
    return before >= facts.least_sessions and _is_more_per_unit(view, now / before)


def _is_more_per_unit(view: View, factor: float) -> bool:
    units = view.facts.per_unit(factor if view.is_second else 1 / factor)
    return units is None or (units.high if view.is_second else 1 / units.low) > _PER_UNIT


def _inside(text: str) -> str:
    word = text.split(" ", 1)[0]
    is_name = word.startswith(("First", "Second")) or not word[1:].replace("'", "").islower()
    return text if is_name and len(word) > 1 else f"{text[:1].lower()}{text[1:]}"


def _calm(facts: FactsOfTwo, outcome: Outcome[Finding], state: State) -> str:
    if facts.idle:
        return idle_text(facts)
    if facts.same_work is not None and (same := same_work(facts)):
        return f"{same.split('. ')[0]}."
    if facts.runs:
        worse = any(f.severity != "note" for f in outcome.findings)
        return runs_text(facts.first, facts.second, facts.runs, worse=worse)
    backups = next((_inside(f.title.rstrip(".")) for f in outcome.findings if f.rule == "backup"), "")
    more = ""
    if state == "calm":
        view = View(facts, is_second=True)
        before, now = facts.first.active_sessions or 0.0, facts.second.active_sessions or 0.0
        if view.is_rise and not facts.other_work and before >= facts.least_sessions and not view.more_work():
            claim = best_claim(view, ()) if _is_more_per_unit(view, now / before) else None
            more = _inside(claim.headline) if claim is not None else ""
    beside = (_other_statements(facts), more or warning_text(outcome), backups)
    return f"{'; '.join(text for text in (_how_calm(facts, state, is_more=bool(more)), *beside) if text)}."


def _other_statements(facts: FactsOfTwo) -> str:
    """Clause on one database, by the ids and texts that are printed: some texts are not."""
    shared = facts.commonality
    if len(shared.shares) < 2 or max(shared.shares) >= OTHER or facts.is_other_sql or not facts.other_work:
        return ""
    return f"other statements ran ({shared.in_common})"


def _how_calm(facts: FactsOfTwo, state: State, *, is_more: bool) -> str:
    a, b = (s.active_sessions or 0.0 for s in facts.sides)
    sessions = f"{number(a)} → {number(b)} active sessions"
    if state == "other_work":
        return f"Other work in the two {facts.span}s, neither of them in trouble: {sessions}"
    load = load_text(facts).rstrip(".")
    if facts.cluster_side:
        return load
    if is_more:
        return f"Neither {facts.span} is in trouble: {sessions} ({change(a, b)}) for as much work"
    if grew := _more_work(facts):
        return f"No slower per unit of work: {grew}, {sessions}"
    return _both_wait(facts) or f"Both {facts.span}s are calm: {_inside(load)}"


def _more_work(facts: FactsOfTwo) -> str:
    sessions = facts.sessions()
    if sessions is None or not sessions.factor or facts.nearly_idle:
        return ""
    units, least = facts.per_unit(sessions.factor), 1 + _STEADY if sessions.factor >= 1 + _STEADY else _MUCH_MORE
    work = {n: two for n, two in facts.work().items() if (two.factor or 0.0) >= least}
    if units is None or units.high > _PER_UNIT or not work:
        return ""
    name = max(work, key=lambda n: work[n].factor or 0.0)
    return f"{name} {change(work[name].first, work[name].second)}"


def _both_wait(facts: FactsOfTwo) -> str:
    sessions, shared = facts.sessions(), []
    if sessions is None or not sessions.factor or abs(sessions.factor - 1) >= _STEADY or facts.other_work:
        return ""
    for side in facts.sides:
        event = max(side.foreground.values(), key=lambda e: e.total.number, default=None)
        spent = (side.per_second(event.total) or 0.0) if event is not None else 0.0
        if event is None or not Threshold(0.25, 1.0, OF_CPUS).is_met(side, spent):
            return ""
        shared.append((event, spent))
    (first, a), (second, b) = shared
    if first.name.lower() != second.name.lower():
        return ""
    each = f" ({seconds(second.average.number)} each)" if second.average is not None else ""
    waiting = f"{number(a)} and {number(b)} of them" if number(a) != number(b) else f"{number(b)} of them"
    levels = f"{number(sessions.first)} and {number(sessions.second)} active sessions"
    return f"Both {facts.span}s are alike: {levels}, {waiting} waiting for {second.name}{each}"


def _two_databases(facts: FactsOfTwo, sick: Sick) -> str:
    sides = {"First": facts.first, "Second": facts.second}
    clauses = [f"{name} is sick ({side[0].text})" for name, side in zip(sides, sick, strict=True) if side]
    if facts.idle:
        return f"{idle_text(facts).rstrip('.')}."
    if not clauses:
        warnings = [(name, f.title.rstrip(".")) for name, side in sides.items() for f in alarms_of(side)[:1]]
        clauses = [f"{_inside(title)} in {name}" for name, title in warnings]
    beside = listing(clauses) or "no trouble stands out in either"
    comparable = all(facts.is_comparable(two.factor) for two in facts.work().values())
    of_work = ", other work" if facts.is_other_sql or facts.other_work or not comparable else ""
    first, second = (number(side.active_sessions or 0.0) for side in facts.sides)
    on = [f" on {several(cpus, 'CPU', 'CPUs')}" if (cpus := cpus_of(side)) else "" for side in facts.sides]
    levels = f"{first} active sessions{on[0]} in First, {second}{on[1]} in Second"
    return f"Two different databases{of_work}: {levels}; {beside}."


def warning_text(outcome: Outcome[Finding]) -> str:
    """First warning in lower case; "" without one."""
    finding = next((f for f in outcome.findings if f.severity != "note"), None)
    if finding is None:
        return ""
    subject, title = finding.subject, _inside(finding.title.rstrip("."))
    of_statement = subject is not None and subject.kind == "sql" and subject.key not in title
    return f"{title}: {subject.key}" if subject is not None and of_statement else title


def _partial(facts: FactsOfTwo, outcome: Outcome[Finding], sick: Sick, unread: Sequence[tuple[str, ...]]) -> Answer:
    sides = facts.sides
    if any(s.report.kind not in OF_AN_INTERVAL for s in sides):
        return _of_other_kinds(facts, outcome, sick)
    titles = [
        f"{name} is an excerpt ({_titles(side)})" if side.report.partial else f"{name} prints no {_lacks(side, gaps)}"
        for name, side, gaps in zip(("First", "Second"), sides, unread, strict=True)
        if gaps
    ]
    headline = f"No verdict: {listing(titles)}; fetch the whole report."
    return Answer("partial", headline, first=sick[0], second=sick[1])


def _titles(side: Side) -> str:
    titles = [section.title for section in side.report.sections]
    more = len(titles) - _NAMED_SECTIONS
    return listing([*titles[:_NAMED_SECTIONS], f"{more} more"] if more > 0 else titles)


def _lacks(side: Side, missing: Sequence[str]) -> str:
    tables = several(len(side.report.sections), "table", "tables")
    return f"{listing([m.removeprefix('the ') for m in missing])} (read: {tables})"


def _of_other_kinds(facts: FactsOfTwo, outcome: Outcome[Finding], sick: Sick) -> Answer:
    headline = f"{reports_without_interval.of_two(facts, outcome).split('. ')[0].rstrip('.')}."
    each = awr_sql_report.moved_statement(facts)
    state: State = "partial"
    cause = None
    if each is not None:
        tone = awr_sql_report.headline(facts, each)[1]
        state = "second_worse" if tone == "worse" else "first_was_sick" if tone == "better" else "partial"
        cost = next((f for f in outcome.findings if f.rule == "sql-cost"), None)
        cause = Cause(cost.rule, cost.subject) if cost is not None and state != "partial" else None
    return Answer(state, headline, cause=cause, first=sick[0], second=sick[1])


def headline_of_one(facts: FactsOfOne, side_troubles: Sequence[Trouble]) -> str:
    sentences = []
    unread, report = trouble_detection.unread_of(facts.side), facts.side.report
    if report.partial and facts.weighable:
        ids = [section.id for section in report.sections]
        unseen = listing([name for name, begin in _SECTIONS_OF if not any(i.startswith(begin) for i in ids)])
        lacks = f"; {unseen} are not in it" if unseen else ""
        sentences.append(f"Excerpt: {_titles(facts.side)} only{lacks}. Ask for the whole report (awrrpt.sql).")
    if side_troubles:
        span = span_word(facts.side.elapsed.number if facts.side.elapsed else None)
        sentences.append(f"The {span} is sick: {'; '.join(t.text for t in side_troubles[:2])}.")
    elif unread and not report.partial and facts.weighable:
        sentences.append(f"No verdict: the report prints no {_lacks(facts.side, unread)}.")
    return " ".join(sentences)


# Before what is about an hour alone, not about a change.
IN_FIRST = "In First: "
IN_SECOND = "In Second: "
IN_BOTH = {word: f"In both {word}s: " for word in SPAN_WORDS}
OF_ONE_HOUR = (IN_FIRST, IN_SECOND, *IN_BOTH.values())


def with_own_findings(facts: FactsOfTwo, outcome: Outcome[Finding], answer: Answer) -> Outcome[Finding]:
    """Adds the sick hour's own warnings before the changes."""
    is_first = sick_hour(answer) == "First"
    of_first = alarms_of(facts.first)
    changes = {(f.rule, f.subject): f for f in outcome.findings}
    if is_first:
        alone = [(IN_FIRST, finding) for finding in of_first]
    else:
        subjects = {(f.rule, f.subject) for f in of_first}
        of_second = alarms_of(facts.second)
        alone = [(IN_BOTH[facts.span] if (f.rule, f.subject) in subjects else IN_SECOND, f) for f in of_second]
    paired = [(begin, finding, changes.get((finding.rule, finding.subject))) for begin, finding in alone]
    own = [_own(begin, finding, change) for begin, finding, change in paired if not _warns(change)]
    covered = {(f.rule, f.subject) for f in own}
    fired = {f.rule for f in own}
    rest = tuple(f for f in outcome.findings if (f.rule, f.subject) not in covered)
    rules = tuple(replace(r, state="fired", by="") if r.rule in fired else r for r in outcome.rules)
    alarms = [f for f in rest if _warns(f) and not f.is_folded]
    first = sorted((*own, *alarms), key=lambda f: RANK[f.severity])
    findings = (*first, *(f for f in rest if f not in alarms))
    return replace(outcome, findings=findings, rules=rules).as_printed(facts.first.report, facts.second.report)


def _warns(finding: Finding | None) -> bool:
    return finding is not None and finding.severity != "note"


def _own(begin: str, alone: SingleFinding, change: Finding | None) -> Finding:
    text = alone.text
    if change is not None and begin == IN_FIRST and change.title != f"First: {alone.title}":
        text = text_without_repeats(alone, change)
    sessions = change.sessions if change is not None else None
    if sessions is None and alone.sessions:
        sessions = Sessions(alone.sessions, None) if begin == IN_FIRST else Sessions(None, alone.sessions)
    return Finding(
        alone.rule,
        alone.severity,
        f"{begin}{alone.title}",
        text,
        tuple(dict.fromkeys((*alone.evidence, *(change.evidence if change is not None else ())))),
        sessions,
        alone.subject,
        "worse",
        alone.explains,
    )


_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=\S)")
_FIGURE = re.compile(r"\d[\d.,]*\d|\d")
_WORD = re.compile(r"[A-Za-z]{4,}")


def text_without_repeats(alone: SingleFinding, change: Finding) -> str:
    """Text of the sick hour, then of its change: a sentence whose figures and words the other has stands once."""
    own, of_change = _SENTENCE_END.split(alone.text), _SENTENCE_END.split(change.text)
    own = [s for s in own if s in of_change or not _is_covered(s, change.text)]
    of_change = [s for s in of_change if s not in own]
    is_known = change.title == alone.title or change.title.endswith(" in First.")
    return " ".join([*own, *([] if is_known else [change.title]), *of_change]).strip()


def _is_covered(sentence: str, text: str) -> bool:
    figures, words = set(_FIGURE.findall(sentence)), set(_WORD.findall(sentence))
    shared = words & set(_WORD.findall(text))
    return bool(figures) and figures <= set(_FIGURE.findall(text)) and len(shared) >= _SAME_WORDS * len(words)


_ALIKE = 1.25
_SAME_WORDS = 0.6  # of a sentence: with its figures they make another sentence that says the same
_MOST = 4
_SYMPTOMS = ("logical reads", "executions")
_OF_COMMITS = ("commit-latency",)
_OF_CPU = ("resource-manager", "host-cpu-saturated", "cpu-time")


def excluded(view: View, claim: Claim | None) -> tuple[str, ...]:
    """At most four clauses, most telling first."""
    rule = claim.rule if claim is not None else ""
    clauses = [*_cpu(view, rule), *_parameters(view), *_commits(view, rule), *_work(view, claim), *_reads(view, rule)]
    return tuple(clauses[:_MOST])


def _cpu(view: View, rule: str) -> Iterator[str]:
    busy, lost = view.bad.host_busy_pct, unaccounted_share(view.bad)
    if (
        rule in _OF_CPU
        or busy is None
        or busy >= QUEUEING_PCT
        or capacity_limits.sign_in_settings(view.bad) is not None
    ):
        return
    if lost is None or lost < UNACCOUNTED:
        yield f"CPU is not the limit (host {percent(busy / 100)} busy)"


def _parameters(view: View) -> Iterator[str]:
    facts = view.facts
    if all(
        s.lists_all(cold_start_and_parameters.SECTION) for s in facts.sides
    ) and not cold_start_and_parameters.changed_parameters(facts):
        yield f"no parameter changed ({len(facts.first.report.by_id[cold_start_and_parameters.SECTION].records)} alike)"


def _commits(view: View, rule: str) -> Iterator[str]:
    before, now = (s.foreground.get("log file sync") for s in (view.good, view.bad))
    if rule in _OF_COMMITS or now is None:
        return
    if view.is_rise and (writes := shorter_slow_writes(view.good, view.bad)) is not None:
        yield f"redo writes are slow on both sides ({view.from_to(*map(seconds, writes))})"
    share = view.bad.share_of_db_time(now.total) or 0.0
    if share < 0.05:
        yield f"commits wait {percent(share)} of DB time"
    a, b = before.average_s or 0.0 if before is not None else 0.0, now.average_s or 0.0
    if share >= 0.05 and a > 0 and 1 / _ALIKE < b / a < _ALIKE:
        yield f"commits as before ({seconds(b)} each)"


def _work(view: View, claim: Claim | None) -> Iterator[str]:
    of_statement = claim is not None and claim.subject is not None and claim.subject.kind == "sql"
    pairs = {n: view.pair(two) for n, two in view.facts.work().items() if n not in _SYMPTOMS or not of_statement}
    if any(b >= _ALIKE * a for a, b in pairs.values()):
        return
    shared = view.facts.commonality
    # Statements that fill the sick hour alone are no proof of the same work, however much of the other's it runs.
    if shared.work == "same" and min(shared.shares) >= OTHER:
        yield f"same workload ({shared.in_common})"
    measures = {n: two for n, two in view.facts.work().items() if two.factor is not None and n != "logical reads"}
    name = next((n for n, two in measures.items() if 1 / _ALIKE < (two.factor or 0.0) < _ALIKE), None)
    if name is not None and view.is_rise:
        yield f"no more work ({name} {change(measures[name].first, measures[name].second)})"


def _reads(view: View, rule: str) -> Iterator[str]:
    if rule in ("read-latency", "event-latency"):
        return
    two = [e.average_s for s in (view.good, view.bad) if (e := s.foreground.get("db file sequential read"))]
    a, b = two if len(two) == 2 else (None, None)
    if a is not None and a > 0 and b is not None and b <= _ALIKE * a and b < SLOW_S:
        unit = "a single-block read"
        yield f"{unit} is no slower ({seconds(a)} → {seconds(b)})" if view.is_second else f"{unit} took {seconds(b)}"
