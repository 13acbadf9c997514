"""Sentence on what carries the change of DB time, or fills it where it held."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from awrdiff.analysis.figures_in_words import change, listing, number, percent, seconds, sentence, several
from awrdiff.analysis.model.comparison import Attribution, Finding, Sessions
from awrdiff.analysis.verdict.active_sessions_attribution import main_way
from awrdiff.analysis.verdict.rule_inputs import CPU_SUBJECT, Contributor, FactsOfTwo
from awrdiff.analysis.verdict.rules.parsing import PARSE
from awrdiff.analysis.verdict.thresholds import OF_CHANGE, QUEUEING_PCT

_STEADY = 0.10  # active sessions within this are "about the same"
UNEXPLAINED = "unaccounted for"
_WHO = ("sql", "object")
_MUCH_OF_A_SIDE, _TIMES_LONGER = 0.15, 3.0  # of a side's DB time; times as long per execution
_MUCH_PARSING = 0.20  # of a side's DB time, and enough sessions to be worth a word
COUNTED_TWICE = 1.25  # of DB time: CPU during asynchronous reads is in their waits too, never so much of it
_TWICE = 1.02  # of DB time: beyond what rounding does
_NEARLY = 0.05  # of it: so much less or more than all of it is not worth another name


def contributors_text(facts: FactsOfTwo, findings: Sequence[Finding]) -> str:
    a = facts.attribution
    who_text = ""
    if a is not None:
        whole, steady = a.second_per_s - a.first_per_s, _is_steady(a)
        changes = [
            (f.sessions, f.subject)
            for f in findings
            if f.subject and f.subject.kind in _WHO and f.sessions and f.sessions.first and f.sessions.second
        ]
        least = OF_CHANGE * (max(a.first_per_s, a.second_per_s) if steady else abs(whole))
        large = [(c, s) for c, s in changes if abs(c.change) >= least and (steady or c.change * whole > 0)]
        if large:
            sessions, subject = max(large, key=lambda m: abs(m[0].change))
            kind = "statement" if subject.kind == "sql" else "object"
            size = f"{'at least ' * _is_open(sessions)}{number(abs(sessions.change))}"
            how = "more" if sessions.change > 0 else "fewer"
            moved_by = f"has {size} {how} than in First" if steady else f"alone {size} {how}"
            who_text = f"{kind} {subject.key} {moved_by}"
    text = _where(facts)
    for more in (who_text, _other_cost(facts, who_text), _parsing(facts)):
        if more:
            text = f"{text[:-1]}; {more}." if text else f"{sentence(more)}."
    return text


def _parsing(facts: FactsOfTwo) -> str:
    share, whole = facts.share(PARSE), facts.sessions()
    if share is None or whole is None or max(share.first, share.second) > 1.0:
        return ""  # more than all of DB time: background processes parsed, too
    sides = ((share.first, whole.first), (share.second, whole.second))
    if not any(part >= _MUCH_PARSING and part * of >= facts.least_sessions for part, of in sides):
        return ""
    if abs(share.diff) < 0.03:
        return f"parsing takes {percent(share.second)} of DB time on both sides"
    took = f"parsing took {percent(share.second)} of DB time"
    spent = [part * of for part, of in sides]
    if change(*spent) == "flat" and not facts.unrelated:
        return f"parsing took as much time as before ({percent(share.first)} → {percent(share.second)} of DB time)"
    if facts.unrelated or (spent[1] - spent[0]) * share.diff < 0:
        return f"{took} ({percent(share.first)} in First)"
    return f"{took}, {'up' if share.diff > 0 else 'down'} from {percent(share.first)}"


def _other_cost(facts: FactsOfTwo, who: str) -> str:
    for each in () if facts.unrelated else facts.statement_changes:
        if each.each is None or each.kind not in ("slower", "faster") or each.did_other_work:
            continue
        took = [value.number for value in each.each]
        if each.of_side >= _MUCH_OF_A_SIDE and max(took) >= _TIMES_LONGER * min(took) and each.pair.sql_id not in who:
            return f"statement {each.pair.sql_id} took {seconds(took[0])} → {seconds(took[1])} per execution"
    return ""


def _is_open(sessions: Sessions) -> bool:
    sides = (s for s in (sessions.first, sessions.second) if s is not None)
    return any(s.low <= 0 and s.high > _NEARLY * abs(sessions.change) for s in sides)


def _is_steady(a: Attribution) -> bool:
    return abs(a.second_per_s - a.first_per_s) < _STEADY * max(a.first_per_s, a.second_per_s)


def _where(facts: FactsOfTwo) -> str:
    a = facts.attribution
    if a is None:
        return ""
    whole = a.second_per_s - a.first_per_s
    if _is_steady(a):
        now = composition(a, "Second's DB time" if facts.unrelated or _went_elsewhere(a) else "DB time")
        parts = tuple(replace(p, second_per_s=p.first_per_s) for p in a.parts)
        of_first = replace(a, second_per_s=a.first_per_s, parts=parts)
        before = composition(of_first, "First's") if _went_elsewhere(a) else ""
        return f"{now[:-1]}; {before}" if now and before else now
    carriers = [s for s in _subjects(facts) if s.diff_per_s * whole > 0 and abs(s.diff_per_s) >= OF_CHANGE * abs(whole)]
    if not carriers:
        printed = facts.first.lists_waits and facts.second.lists_waits
        return "No single wait or CPU carries the change." if printed else ""
    top = carriers[0]
    if top.name == UNEXPLAINED and abs(top.diff_per_s) >= 0.5 * abs(whole):
        busy = facts.both_sides(lambda s: s.host_busy_pct)
        if busy is not None and max(busy.first, busy.second) >= QUEUEING_PCT:
            return "Most of the change is in no wait and not on CPU: sessions queued for CPU."
    excess = abs(top.diff_per_s) - abs(whole)
    against: Contributor | None = None
    if excess > _NEARLY * abs(whole):
        opposite = (s for s in _subjects(facts) if s.diff_per_s * whole < 0)
        against = next((s for s in opposite if abs(s.diff_per_s) >= 0.5 * excess), None)
    if against is not None:
        return _opposite_text(facts, top, against, grew=whole > 0)
    change = "difference" if facts.unrelated else "rise" if whole > 0 else "drop"
    share, part = top.diff_per_s / whole, number(abs(top.diff_per_s))
    if share > 1 + _NEARLY:
        part = "more than all"
    elif share >= 1 or part == number(abs(whole)):
        part = "all"
    else:
        part = "nearly all" if share >= 1 - _NEARLY else part
    account = f"{_verb(top, 'account')} for {part}"
    sentence = f"{_name(top)} {account} of the {change} of {_sessions(whole)}{_how(top, grew=whole > 0)}"
    others_text = [
        f"{s.name if s.name != UNEXPLAINED else _name_inside(s)} for {number(abs(s.diff_per_s))}" for s in carriers[1:3]
    ]
    more = f"; {listing(others_text)}{_other_way(facts, carriers[:3], whole)}" if others_text else ""
    return f"{sentence}{more}."


def _sessions(change: float, more: str = "") -> str:
    return f"{several(abs(change), 'session', 'sessions')}{f' {more}' * bool(more)}"


def _other_way(facts: FactsOfTwo, contributors: Sequence[Contributor], whole: float) -> str:
    parts = abs(sum(s.diff_per_s for s in contributors))
    excess = parts - abs(whole)
    if excess <= _NEARLY * abs(whole):
        return ""
    opposite = [s for s in _subjects(facts) if s.diff_per_s * whole < 0]
    less = "fewer" if whole > 0 else "more"
    if opposite and abs(opposite[0].diff_per_s) >= 0.5 * excess:
        size = number(abs(opposite[0].diff_per_s))
        change = f"{_verb(opposite[0], 'take')} {size} {less} in Second" if facts.unrelated else f"fell by {size}"
        return f", while {_name_inside(opposite[0])} {change if whole > 0 or facts.unrelated else f'rose by {size}'}"
    if abs(sum(s.diff_per_s for s in opposite)) >= 0.5 * excess:
        verb = f"are {less} in Second" if facts.unrelated else "fell" if whole > 0 else "rose"
        return f", while other waits {verb}"
    why = "medians need not add up" if facts.of_median else "a report's figures do not add up"
    return f" (more than all of it: {why})"


def _opposite_text(facts: FactsOfTwo, top: Contributor, against: Contributor, *, grew: bool) -> str:
    sizes = [number(abs(s.diff_per_s)) for s in (top, against)]
    how, other = _how(top, grew=grew), _name_inside(against)
    if facts.unrelated:
        more, less = ("more", "fewer") if grew else ("fewer", "more")
        takes = [_verb(s, "take") for s in (top, against)]
        first = f"{_name(top)} {takes[0]} {_sessions(top.diff_per_s, more)} in Second{how}"
        return f"{first}, while {other} {takes[1]} {sizes[1]} {less}."
    rose, fell = ("rose", "fell") if grew else ("fell", "rose")
    return f"{_name(top)} {rose} by {_sessions(top.diff_per_s)}{how}, while {other} {fell} by {sizes[1]}."


def _how(subject: Contributor, *, grew: bool) -> str:
    count, latency = subject.by_count_per_s, subject.by_latency_per_s
    if subject.name == CPU_SUBJECT or not (count or latency):
        return ""
    longer, more = ("longer", "more") if grew else ("shorter", "fewer")
    way = main_way(count, latency)
    if way == "latency":
        return f", mostly because the waits are {longer}"
    if way == "count":
        return f", mostly because there are {more} of them"
    return f": they are both {longer} and {'more numerous' if grew else more}"


def _subjects(facts: FactsOfTwo) -> list[Contributor]:
    a, contributors = facts.attribution, facts.contributors()
    missing = facts.unaccounted
    if a is not None and missing is not None:  # never less than none, where waits and CPU come to more than DB time
        change = missing.second * a.second_per_s - missing.first * a.first_per_s
        contributors.append(Contributor(UNEXPLAINED, change, 0.0, 0.0))
    return sorted(contributors, key=lambda s: -abs(s.diff_per_s))


def _name(subject: Contributor) -> str:
    if subject.name == UNEXPLAINED:
        return "Unaccounted-for time"
    return CPU_SUBJECT if subject.name == CPU_SUBJECT else f"Waits for {subject.name}"


def _verb(subject: Contributor, verb: str) -> str:
    return f"{verb}s" if subject.name in (CPU_SUBJECT, UNEXPLAINED) else verb


def _name_inside(subject: Contributor) -> str:
    name = _name(subject)
    return name if subject.name == CPU_SUBJECT else name[0].lower() + name[1:]


def largest(a: Attribution | None) -> list[tuple[str, float]]:
    """Up to three, from a tenth; overlapping shares exceed 1."""
    if a is None or a.second_per_s <= 0:
        return []
    parts = [(p.key, (p.second_per_s or 0.0) / a.second_per_s) for p in a.parts]
    return sorted((p for p in parts if p[1] >= 0.10), key=lambda p: -p[1])[:3]


def _went_elsewhere(a: Attribution) -> bool:
    return any(abs(p.diff_per_s) >= _STEADY * max(a.first_per_s, a.second_per_s) for p in a.parts)


def composition(a: Attribution | None, whose: str = "DB time") -> str:
    top = largest(a)
    if not top:
        return ""
    (first, most), *rest = [
        ("CPU" if key == "DB CPU" else key, percent(1.0 if 1.0 < share <= 1 + _NEARLY else share)) for key, share in top
    ]
    shares_text = listing([f"{most} of {whose} is {first}", *(f"{share} {name}" for name, share in rest)])
    parts = sum(share for _, share in top)
    twice = "some of it is counted twice" if parts <= COUNTED_TWICE else "the report's figures do not add up"
    return f"{shares_text}{f' (more than all of it: {twice})' * (parts > _TWICE)}."
